"""Stratified sampling of long documents.

The beginning and the end of a document say most of what it is (title page, abstract, signatures, references); the middle says what
the bulk of it reads like. So a sample has all three.
"""

from __future__ import annotations

import re

BEGINNING = 0.4
END = 0.15
MIDDLE_PARTS = 3
"""Shares of the sample; the rest is spread over so many parts of the middle, at equal distances."""
LONGEST_WORD = 60
"""Where no white space is found within so many characters, as in Chinese, a part is cut anywhere."""

_SPACE = re.compile(r"\s")


def stratified_sample(text: str, size: int) -> tuple[str, ...]:
    """Parts of ``text`` in their order, without overlap, at most ``size`` characters together; all of it when it is short.

    Parts begin and stop between words where there is white space nearby.
    """
    if len(text) <= size:
        return (text,)
    beginning, end = int(size * BEGINNING), int(size * END)
    length = (size - beginning - end) // MIDDLE_PARTS
    # The middle is what is left between beginning and end; each part is centred in an equal stretch of it.
    stretch = (len(text) - beginning - end) / MIDDLE_PARTS
    bounds = [(0, beginning)]
    for number in range(MIDDLE_PARTS):
        start = int(beginning + stretch * number + (stretch - length) / 2)
        bounds.append((start, start + length))
    bounds.append((len(text) - end, len(text)))
    parts = (text[_word_start(text, start) : _word_end(text, stop)] for start, stop in bounds)
    return tuple(part for part in parts if part)


def _word_start(text: str, position: int) -> int:
    """The first beginning of a word from ``position`` on."""
    if position == 0 or text[position - 1].isspace():
        return position
    space = _SPACE.search(text, position, position + LONGEST_WORD)
    return space.end() if space else position


def _word_end(text: str, position: int) -> int:
    """The last end of a word up to ``position``."""
    if position >= len(text) or text[position].isspace():
        return position
    earliest = max(0, position - LONGEST_WORD)
    spaces = [match.start() for match in _SPACE.finditer(text, earliest, position)]
    return spaces[-1] if spaces else position
