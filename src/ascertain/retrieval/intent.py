"""What a message is for: greeting, a question to the documents, an analysis of them, or nothing they can answer (QU-4).

Analysis is what no single passage holds: trends, moods, shares and changes over a period (AZ-1). A question that asks what
such a word means is an ordinary one.
"""

from __future__ import annotations

from ascertain.core.plans import Intent
from ascertain.language.word_lists import compile_pattern
from ascertain.retrieval.greetings import is_greeting
from ascertain.retrieval.out_of_scope import why_out_of_scope

READ = 2000
"""Characters of a message that are read for its intent."""

_ANALYSIS = compile_pattern("question_types", "collection_analysis")
_MEANING = compile_pattern("question_types", "meaning")


def intent_of(message: str) -> tuple[Intent, str]:
    """The intent and why."""
    read = message[:READ]
    if is_greeting(message):
        return Intent.GREETING, "nothing but a greeting"
    why = why_out_of_scope(message)
    if why is not None:
        return Intent.OUT_OF_SCOPE, f"the message {why}"
    if _ANALYSIS.search(read) and not _MEANING.match(read):
        return Intent.ANALYSIS, "asks for a view over many passages"
    return Intent.KNOWLEDGE, "a question to the documents"
