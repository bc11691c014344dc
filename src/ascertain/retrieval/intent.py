"""What a message is for: greeting, a question to the documents, an analysis of them, or nothing they can answer (QU-4).

Analysis is what no single passage holds: trends, moods, shares and changes over a period (AZ-1). A question that asks what
such a word means is an ordinary one.
"""

from __future__ import annotations

import re

from ascertain.core.plans import Intent
from ascertain.retrieval.greetings import is_greeting
from ascertain.retrieval.out_of_scope import why_out_of_scope

READ = 2000
"""Characters of a message that are read for its intent."""

_ANALYSIS = re.compile(
    r"""^\W*(?:please\s+|can\s+you\s+|could\s+you\s+|would\s+you\s+|i\s+(?:want|need)\s+you\s+to\s+)*(?:analy[sz]e|do\s+an\s+analysis)\b
      | \b(?:give|show|write|prepare|provide|make)\s+(?:me\s+|us\s+)?(?:an?\s+)?(?:\w+\s+)?(?:analysis|trend\s+report)\s+(?:of|on|about)\b
      | \b(?:overall|general|current|public|market|media|prevailing)\s+sentiment\b | \bsentiment\s+(?:on|about|around|towards?|over|for|regarding|trend|has|is)\b
      | \bwhat\s+(?:is|was|are|were)\s+the\s+(?:mood|tone|sentiment)\b
      | \bwhat\s+(?:are|were)\s+the\s+(?:\w+\s+){0,2}trends\b | \btrends?\s+(?:over|across|since|during|between)\b
      | \bhow\s+(?:has|have|did)\b.{1,80}\b(?:changed?|evolved?|develop(?:ed)?|shift(?:ed)?|trend(?:ed)?)\s+(?:over|since|during|across|between|in\s+the\s+(?:last|past))\b
      | \b(?:how\s+(?:often|frequently)|how\s+many\s+times)\s+(?:is|are|was|were|has|have|do|does|did)\b.{1,60}\b(?:mention\w*|discuss\w*|cover\w*|talk\w*|reported)\b
      | \bmost\s+(?:often\s+|frequently\s+|commonly\s+)?(?:mentioned|discussed|covered|talked[-\s]about|cited)\b
      | \b(?:distribution|breakdown)\s+of\s+(?:the\s+)?(?:topics?|themes?|articles?|documents?|episodes?|sources?|sentiment)\b
      | \b(?:share|proportion|percentage)\s+of\s+(?:the\s+)?(?:articles?|documents?|stories|episodes?|papers?|coverage)\b
      | \bcompare\s+(?:the\s+)?(?:coverage|sentiment)\b""",
    re.IGNORECASE | re.VERBOSE,
)
_MEANING = re.compile(
    r"^\W*(?:what\s+(?:is|does)\s+(?:an?\s+)?\w+\s*(?:analysis)?\s*(?:mean)?\W*$|define\b|how\s+(?:do|does|can|to)\b)",
    re.IGNORECASE,
)


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
