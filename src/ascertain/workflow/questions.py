"""Which questions can be looked up at all; kept apart from the graph, whose library takes seconds to import."""

from __future__ import annotations

from ascertain.core.errors import UsageError

MAX_CHARACTERS = 10_000
"""About four pages (by judgement): more is a document, not a question."""


def check_question(question: str, max_characters: int = MAX_CHARACTERS) -> str:
    """The question without surrounding space; UsageError when nothing can be looked up by it."""
    text = question.strip()
    if not text:
        raise UsageError(
            'the question is empty; ask something, for example: ascertain ask "What is a stablecoin?"'
        )
    if len(text) > max_characters:
        raise UsageError(
            f"the question has {len(text):,} characters and the limit is {max_characters:,}"
            "; shorten it, or add the text as a document and ask about it"
        )
    if not any(character.isalnum() for character in text):
        raise UsageError(f"the question {text[:40]!r} has no words to look up; ask in words")
    return text
