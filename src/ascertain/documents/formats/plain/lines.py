"""Lines of plain text: where they begin and end, which of them a text filler cut, and how such lines are put together again."""

import re
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

_WIDE = re.compile("[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe4f\uff01-\uff60\uffe0-\uffe6]")
"""Characters that take two columns and, but for those of Korean, are written without spaces (Unicode, East Asian Width)."""
_UNSPACED = re.compile("[\u2e80-\u312f\u31a0-\ua4cf\uf900-\ufaff\ufe30-\ufe4f\uff01-\uff60]")
_LONGEST_LINE = 2000
"""Characters of a line that a person broke; longer ones are paragraphs and no more is asked of them."""


class Line(NamedTuple):
    """A line without the spaces around it; ``indent`` is the column of its first character, ``end`` the one behind its last."""

    text: str
    indent: int
    end: int
    raw: str = ""
    """As it stands, with its indentation and tabs as spaces."""


def measure_line(raw: str) -> Line:
    """A line as it lies on the page; tabs reach to the next of every eight columns."""
    if "\t" in raw:
        raw = raw.expandtabs(8)
    raw = raw.rstrip()
    text = raw.lstrip(" ")
    indent = len(raw) - len(text)
    wide = 0 if text.isascii() else len(_WIDE.findall(text[:_LONGEST_LINE]))
    return Line(text, indent, indent + len(text) + wide, raw)


def place_line(text: str, indent: int) -> Line:
    """The rest of a line from column ``indent`` on, as behind the marker of an item."""
    return measure_line(" " * indent + text)


class Page(NamedTuple):
    """How a text lies on its page: the column that its lines are filled up to, and the one that most of them begin in."""

    width: int
    indent: int
    words: frozenset[str]


_COLUMNS = re.compile(r"\S {4,}\S")
"""A gap that no justified text has."""
_NARROWEST = 40
_NARROWEST_FILLED = 28
"""Columns of text below which lines are names and verses (by judgement)."""
_FEWEST_WORDS = 5
"""Words of a line that was filled."""


def measure_page(lines: Sequence[Line]) -> Page:
    """The width is that of nine in ten lines with words enough (the last tenth is tables and addresses)."""
    filled = [line for line in lines if line.text.count(" ") >= _FEWEST_WORDS - 1 or (line.end - line.indent) >= 60]
    ends = sorted(line.end for line in filled)
    width = ends[len(ends) * 9 // 10] if ends else 0
    indents = Counter(line.indent for line in filled)
    indent = max(indents, key=lambda each: (indents[each], -each), default=0)
    return Page(max(_NARROWEST, width), indent, frozenset())


def is_wrapped(lines: Sequence[Line], page: Page) -> bool:
    """Whether a text filler broke these lines, so that they are one paragraph: the first word of each had no room on the one above.

    Unsure is no: verses, addresses and lists of names keep their lines.
    """
    if len(lines) < 2 or max(line.end for line in lines) > _LONGEST_LINE:
        return False
    if 3 * sum(_COLUMNS.search(line.text) is not None for line in lines) > len(lines) or _is_commented(lines):
        return False
    breaks = list(pairwise(lines))
    cased = [below.text for _, below in breaks if below.text[:1].lower() != below.text[:1].upper()]
    if all(line.text.isupper() for line in lines):
        # of capitals only, the case says nothing
        cased = []
    lower = sum(text[0].islower() for text in cased)
    if len(breaks) >= 4 and len(cased) == len(breaks) and lower * 5 < len(breaks):
        return False
    widest = max(line.end for line in lines[:-1])
    for width in dict.fromkeys((page.width, widest)):
        is_own = width < 0.75 * page.width or width < 50
        is_narrow = width - min(line.indent for line in lines) < _NARROWEST_FILLED
        if is_own and (is_narrow or lower * 2 <= len(cased) or len(breaks) < 2) and not _is_unspaced(lines):
            continue
        slack = max(6, width // 8)
        full = sum(_is_full(above, below, width - slack) for above, below in breaks)
        if full == len(breaks) or (len(breaks) > 4 and full >= 0.8 * len(breaks)):
            return True
    return len(breaks) == 1 and _goes_on(lines[0], lines[1], page)


def _is_commented(lines: Sequence[Line]) -> bool:
    """Whether all lines begin with one sign, as comments in code and pictures made of signs do."""
    return lines[0].text[0] in "#;%|/!" and all(line.text[0] == lines[0].text[0] for line in lines)


def _is_full(above: Line, below: Line, width: int) -> bool:
    first = below.text.split(" ", 1)[0]
    wide = 2 if _UNSPACED.match(below.text) else len(first) + 1
    return above.end + wide > width


def _goes_on(above: Line, below: Line, page: Page) -> bool:
    """Whether the second of two lines goes on with the sentence of the first."""
    return below.text[:1].islower() and above.text[-1:] not in ".:;!?" and above.end > 0.6 * page.width


def _is_unspaced(lines: Sequence[Line]) -> bool:
    return all(_UNSPACED.search(line.text[:80]) for line in lines)


_ENDING = re.compile(r"[.:!?][\"')\]”’»]*$")


def join_paragraphs(lines: Sequence[Line], page: Page) -> list[str] | None:
    """The paragraphs that wrapped lines make; None where they are not wrapped.

    A line that ends a sentence far from the margin ends its paragraph.
    """
    parts: list[list[Line]] = [[lines[0]]]
    for above, line in pairwise(lines):
        if (
            _ENDING.search(above.text[-4:])
            and not line.text[:1].islower()
            and not _is_full(above, line, page.width - 8)
        ):
            parts.append([])
        parts[-1].append(line)
    if len(parts) * 2 > len(lines) or not all(len(part) == 1 or is_wrapped(part, page) for part in parts):
        parts = [list(lines)]
        if not is_wrapped(lines, page):
            return None
    return [join_words([line.text for line in part], page.words) for part in parts]


_CUT = re.compile(r"(?<![^\W\d_])([^\W\d_]++)-$")
_BEGUN = re.compile(r"[^\W\d_]+")


def join_words(texts: Sequence[str], known: frozenset[str]) -> str:
    """Lines as one, with a space where there is one between words.

    A word cut at the end of a line is whole again where the text has it whole elsewhere; of others the hyphen stays.
    """
    parts = [texts[0]]
    for above, below in pairwise(texts):
        cut, begun = _CUT.search(above[-40:]), _BEGUN.match(below)
        if cut and begun and begun[0][0].islower():
            if f"{cut[1]}{begun[0]}".lower() in known:
                parts[-1] = parts[-1][:-1]
        elif not (_UNSPACED.match(above[-1:]) and _UNSPACED.match(below)):
            parts.append(" ")
        parts.append(below)
    return "".join(parts)


def list_words(text: str) -> frozenset[str]:
    """The words of a text in lower case, by which cut ones are known; none where no line ends in a hyphen."""
    if not re.search(r"[^\W\d_]-\n", text):
        return frozenset()
    return frozenset(match[0].lower() for match in _BEGUN.finditer(text))


def keep_lines(lines: Sequence[Line]) -> str:
    """The lines as they stand, without the indentation that all have."""
    least = min(line.indent for line in lines)
    return "\n".join(line.raw[least:] for line in lines)
