"""Finding on a page of a PDF the words that a document's text took from it.

The text was put in order and mended: columns, hyphens, ligatures, accents, running heads. What survives all of that are the letters and
digits in small stretches, so both sides are compared as letters and digits only.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Sequence

_SHINGLE = 12
"""Letters that two texts have in common by chance rarely: two words or three."""
_SAME_PAGE = 0.5
"""Share of a page's shingles that must be on it. Order and mending cost some, another text has next to none."""
_LEAST_PIECE = 8
"""Letters of the shortest stretch that is looked for by itself when the whole is broken up."""
_LEAST_FOUND = 0.6
"""Share of a quote that must be found, so that what is marked is it."""
_CONTEXT = 60
"""Letters before a quote that tell one of several equal ones."""


def is_same_page(text: str, characters: Sequence[tuple[int, str]]) -> bool:
    """Whether ``text``, a page's share of a document, was taken from these characters; texts of a few letters never tell."""
    wanted = "".join(letter for _, letter in _letters(enumerate(text)))
    shown = "".join(letter for _, letter in _letters(characters))
    shingles = {wanted[start : start + _SHINGLE] for start in range(len(wanted) - _SHINGLE + 1)}
    return sum(shingle in shown for shingle in shingles) > _SAME_PAGE * len(shingles)


def locate(quote: str, before: str, characters: Sequence[tuple[int, str]]) -> list[int]:
    """The numbers of the characters that are ``quote``, in order; none when it is not found.

    ``before`` is what the document has before it on the page, to tell apart equal words.
    """
    shown = list(_letters(characters))
    page = "".join(letter for _, letter in shown)
    wanted = "".join(letter for _, letter in _letters(enumerate(quote)))
    context = "".join(letter for _, letter in _letters(enumerate(before[-4 * _CONTEXT :])))[-_CONTEXT:]
    stretches = _stretches(wanted, context, page)
    if not wanted or sum(end - start for start, end in stretches) < _LEAST_FOUND * len(wanted):
        return []
    return sorted({shown[position][0] for start, end in stretches for position in range(start, end)})


def _stretches(wanted: str, context: str, page: str) -> list[tuple[int, int]]:
    """Where the parts of ``wanted`` stand on the page, the longest that can be found one after another."""
    found: list[tuple[int, int]] = []
    start = 0
    while start < len(wanted):
        length = _longest(wanted, start, page)
        if length < min(_LEAST_PIECE, len(wanted)):
            start += 1
            continue
        piece = wanted[start : start + length]
        position = _nearest(piece, found[-1][1], page) if found else _likeliest(piece, context, page)
        found.append((position, position + length))
        start += length
    return found


def _longest(wanted: str, start: int, page: str) -> int:
    """How many letters from ``start`` on stand together on the page. What is found of a stretch is found of its beginnings too."""
    least, most = 0, len(wanted) - start
    while least < most:
        middle = (least + most + 1) // 2
        if wanted[start : start + middle] in page:
            least = middle
        else:
            most = middle - 1
    return least


def _nearest(piece: str, position: int, page: str) -> int:
    """The next place of ``piece`` after ``position``, or the first one."""
    following = page.find(piece, position)
    return following if following >= 0 else page.find(piece)


def _likeliest(piece: str, context: str, page: str) -> int:
    """The place of ``piece`` that has the most of ``context`` before it."""
    best, best_shared = page.find(piece), -1
    position = best
    while position >= 0:
        shared = _shared_ending(page[max(0, position - _CONTEXT) : position], context)
        if shared > best_shared:
            best, best_shared = position, shared
        position = page.find(piece, position + 1)
    return best


def _shared_ending(text: str, other: str) -> int:
    length = 0
    while length < min(len(text), len(other)) and text[-1 - length] == other[-1 - length]:
        length += 1
    return length


def _letters(characters: Iterable[tuple[int, str]]) -> Iterable[tuple[int, str]]:
    """Letters and digits without accents and case, each with the number of the character it comes from."""
    for number, character in characters:
        for letter in unicodedata.normalize("NFKD", character).casefold():
            if letter.isalnum():
                # TeX sets an accented i as a dotless one and an accent
                yield number, "i" if letter == "\u0131" else letter
