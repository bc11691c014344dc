"""Whether a line reads as a sentence, and whether it can stand alone."""

from __future__ import annotations

import re

_HEADING = re.compile(r"#{1,6}\s|={3,}|-{3,}$")
_TABLE = re.compile(r"^\||\|.*\||\t.*\t")
_ENDS = re.compile(r"[.!?…:;。！？।؟][\"'”’»)\]*_`]*(?:\[\d+\])*$")
_LEANS = re.compile(
    r"[\"'“‘(]*(?:it|its|they|their|them|he|his|him|she|her|this|these|those|such|both|however|but|and|so|therefore|thus|hence"
    r"|moreover|furthermore|also|instead|then|consequently|nevertheless|otherwise|similarly|as a result|for example"
    r"|for instance|in addition|that is|that's|the (?:former|latter|two|same))\b",
    re.I,
)


def is_fragment(text: str) -> bool:
    """Whether ``text`` (one line) reads as a heading, a table row, a bare link or another scrap, not as a sentence."""
    words = text.split()
    if len(words) < 4 or _HEADING.match(text) or _TABLE.search(text):
        return True
    letters = sum(c.isalpha() or c.isspace() for c in text)
    if letters < 0.6 * len(text):
        return True
    return len(words) < 12 and not _ENDS.search(text)


def leans(text: str) -> bool:
    """Whether a sentence begins with a pronoun or a connective that needs the sentence before it."""
    return _LEANS.match(text) is not None
