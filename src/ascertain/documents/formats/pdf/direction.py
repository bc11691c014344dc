"""Lines of scripts that run from right to left, Hebrew and Arabic, put into the order in which they are read.

PDFium gives the letters of a word in that order; the words of a line stand where they are printed. Words are put in order as the Unicode
Bidirectional Algorithm (UAX #9) shows them, backwards: a line runs the way most of its letters do, words of the other direction in it
keep their own order, and so does a number behind a Latin word.
"""

import unicodedata
from collections.abc import Sequence
from functools import lru_cache

from ascertain.documents.formats.pdf.words import Word

_FRAGMENT_GAP = 0.9
_WORD_GAP = 0.2
"""White within a line and between words, in sizes of type, as in ``lines``."""
_SAME_LINE = 0.35
_FIRST_RIGHT = "\u0590"
"""No letter before it runs from right to left."""
_RIGHT = frozenset(("R", "AL"))
_NUMBER = frozenset(("EN", "AN"))


def runs_right_to_left(text: str) -> bool:
    """Whether more letters of ``text`` run from right to left than from left to right."""
    return not text.isascii() and max(text, default="") >= _FIRST_RIGHT and _balance(text) > 0


@lru_cache(maxsize=4096)
def _balance(text: str) -> int:
    kinds = [unicodedata.bidirectional(character) for character in text]
    return sum(kind in _RIGHT for kind in kinds) - sum(kind == "L" for kind in kinds)


def has_right_to_left(words: Sequence[Word]) -> bool:
    """Whether any word runs from right to left."""
    return any(runs_right_to_left(word.text) for word in words)


def split_lines(words: Sequence[Word], space: Word) -> list[list[Word]]:
    """Words of a page in stretches without a wide gap, each in the order in which it is read, with ``space`` between words."""
    rows: list[list[Word]] = []
    for word in sorted((word for word in words if word.font and not word.font.is_turned), key=lambda word: -word.y):
        size = word.font.size if word.font else 1.0
        if rows and abs(rows[-1][0].y - word.y) <= _SAME_LINE * size:
            rows[-1].append(word)
        else:
            rows.append([word])
    is_backwards = runs_right_to_left(" ".join(word.text for word in words))
    return [_order_words(stretch, space, is_backwards) for row in rows for stretch in _split_row(row)]


def _split_row(row: Sequence[Word]) -> list[list[Word]]:
    rows: list[list[Word]] = []
    for word in sorted(row, key=lambda word: word.x0):
        size = max(word.font.size if word.font else 1.0, 1.0)
        if rows and word.x0 - rows[-1][-1].x1 <= _FRAGMENT_GAP * size:
            rows[-1].append(word)
        else:
            rows.append([word])
    return rows


def _order_words(stretch: Sequence[Word], space: Word, page_is_backwards: bool) -> list[Word]:
    """Words from left to right as they are read, pieces of one word put together.

    On a page that runs from right to left a line does so too where its first word, the one to the right, does.
    """
    pieces: list[list[Word]] = []
    for word in stretch:
        size = word.font.size if word.font else 1.0
        if pieces and word.x0 - pieces[-1][-1].x1 <= _WORD_GAP * size:
            pieces[-1].append(word)
        else:
            pieces.append([word])
    kinds = [_kind_of("".join(word.text for word in piece)) for piece in pieces]
    first = next((kind for kind in reversed(kinds) if kind in ("L", "R")), "")
    is_backwards = runs_right_to_left(" ".join(word.text for word in stretch)) or (page_is_backwards and first == "R")
    ordered: list[Word] = []
    for number in _order_kinds(kinds, is_backwards=is_backwards):
        piece = pieces[number]
        ordered += [space] if ordered else []
        ordered += reversed(piece) if kinds[number] == "R" else piece
    return ordered


def _kind_of(text: str) -> str:
    """``L`` or ``R`` by the first letter of a word, ``N`` for a number, empty for signs alone."""
    kinds = [unicodedata.bidirectional(character) for character in text]
    strong = next((kind for kind in kinds if kind == "L" or kind in _RIGHT), "")
    if strong:
        return "L" if strong == "L" else "R"
    return "N" if any(kind in _NUMBER for kind in kinds) else ""


def _order_kinds(kinds: Sequence[str], *, is_backwards: bool) -> list[int]:
    """The numbers of the words from left to right, in the order in which they are read."""
    own, other = ("R", "L") if is_backwards else ("L", "R")
    numbers = list(range(len(kinds)))
    if is_backwards:
        numbers.reverse()
    ordered: list[int] = []
    place = 0
    while place < len(numbers):
        if kinds[numbers[place]] != other and not _leads_to_number(kinds, numbers, place, is_backwards):
            ordered.append(numbers[place])
            place += 1
            continue
        end = place + 1
        while end < len(numbers) and kinds[numbers[end]] != own:
            end += 1
        last = max(each for each in range(place, end) if kinds[numbers[each]] == other or each == place)
        ordered += reversed(numbers[place : last + 1])
        place = last + 1
    return ordered


def _leads_to_number(kinds: Sequence[str], numbers: Sequence[int], place: int, is_backwards: bool) -> bool:
    """Whether a number in a line that runs backwards follows a Latin word to its left: ``page 12``."""
    if not is_backwards or kinds[numbers[place]] != "N":
        return False
    following = numbers[place + 1 :][:1]
    return bool(following) and kinds[following[0]] == "L"
