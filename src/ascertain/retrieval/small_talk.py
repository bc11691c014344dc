"""What people say around a question: greetings, thanks, apologies, and an assistant's "I do not know".

It names no subject, so it is neither looked up nor taken for one.
"""

from __future__ import annotations

import re

from ascertain.language.word_lists import compile_pattern

_SENTENCE_END = re.compile(r"(?<=[.!?…])\s+|\n+")
_OPENING = compile_pattern("conversation", "opening")
_MOST_OPENINGS = 5
_NOTHING = compile_pattern("conversation", "says_nothing")
_BEGINNING = 200
"""Characters in which an assistant says that it has nothing to say."""


def without_small_talk(text: str) -> str:
    """``text`` without the greetings, thanks and interjections it opens with; all of it when nothing else is left."""
    rest = text.strip()
    for _ in range(_MOST_OPENINGS):
        match = _OPENING.match(rest)
        if match is None or match.end() == len(rest):
            break
        rest = rest[match.end() :]
    return rest if any(character.isalnum() for character in rest) else text.strip()


def says_nothing(text: str) -> bool:
    """Whether an assistant's turn only says that it does not know, or is polite."""
    return _NOTHING.search(text[:_BEGINNING]) is not None
