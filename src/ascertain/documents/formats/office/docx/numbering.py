"""Numbers of list items and headings as Word computes them (ECMA-376 part 1, 17.9)."""

import re
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from ascertain.documents.formats.drafts.numerals import write_number
from ascertain.documents.formats.office.docx.styles import Style, is_on, read_indent, read_number
from ascertain.documents.formats.office.packages import attribute_of, child_of, child_value, local_name
from ascertain.documents.formats.office.stories import BULLET

MOST_LEVELS = 9
"""Of a list (17.9.6); what is written deeper counts as the deepest."""
_PLACEHOLDER = re.compile(r"%([1-9])")
_LONGEST_MARKER = 60


class Marker(NamedTuple):
    """What Word writes before a paragraph. ``text`` is empty where the list numbers it and shows nothing."""

    text: str
    list_id: str
    level: int
    indent: int


@dataclass(slots=True)
class _Level:
    start: int = 1
    style: str = "decimal"
    text: str = ""
    restart: int | None = None
    is_legal: bool = False
    indent: int = 0


@dataclass(slots=True)
class _List:
    """The levels of an ``abstractNum`` and how far each has counted."""

    levels: dict[int, _Level]
    styles: dict[str, int] = field(default_factory=dict[str, int])
    counts: dict[int, int] = field(default_factory=dict[int, int])


class Numbering:
    """The lists of ``numbering.xml``; asked for each numbered paragraph once, in order."""

    def __init__(self, tree: Any) -> None:
        self._lists: dict[str, _List] = {}
        self._numbers: dict[str, Any] = {}
        self._begun: set[str] = set()
        by_style: dict[str, str] = {}
        links: dict[str, str] = {}
        for each in () if tree is None else tree:
            if local_name(each) == "abstractNum":
                list_id = attribute_of(each, "abstractNumId") or ""
                self._lists[list_id] = _read_list(each)
                if style := child_value(each, "styleLink"):
                    by_style[style] = list_id
                if style := child_value(each, "numStyleLink"):
                    links[list_id] = style
            elif local_name(each) == "num":
                self._numbers.setdefault(attribute_of(each, "numId") or "", each)
        for list_id, style in links.items():
            if style in by_style:
                self._lists[list_id] = self._lists[by_style[style]]

    def count(self, number_id: str | None, level: int | None, style: Style) -> Marker | None:
        """The marker of the next paragraph with that numbering, its own or its style's; None where it has none."""
        number_id = style.numbering[0] if number_id is None else number_id
        number = self._numbers.get(number_id or "")
        list_id = child_value(number, "abstractNumId") or ""
        found = self._lists.get(list_id)
        if number is None or number_id is None or found is None:
            return None
        if level is None:
            level = found.styles.get(style.numbered_by or "", style.numbering[1] or 0)
        level = min(max(level, 0), MOST_LEVELS - 1)
        levels = self._begin(number_id, number, found)
        _advance(found, levels, level)
        shown = levels.get(level, _Level())
        return Marker(_write_marker(found, levels, level)[:_LONGEST_MARKER], list_id, level, shown.indent)

    def _begin(self, number_id: str, number: Any, found: _List) -> dict[int, _Level]:
        """The levels of a list as this use of it changes them; at its first paragraph it may restart."""
        overrides = [each for each in number if local_name(each) == "lvlOverride"]
        if not overrides:
            return found.levels
        levels = dict(found.levels)
        for each in overrides:
            level = read_number(attribute_of(each, "ilvl")) or 0
            own = child_of(each, "lvl")
            if own is not None:
                levels[level] = _read_level(own)
            start = read_number(child_value(each, "startOverride"))
            if start is not None and number_id not in self._begun:
                found.counts[level] = start - 1
        self._begun.add(number_id)
        return levels


def _read_list(element: Any) -> _List:
    found = _List({})
    for each in element:
        if local_name(each) == "lvl":
            level = read_number(attribute_of(each, "ilvl")) or 0
            if 0 <= level < MOST_LEVELS:
                found.levels[level] = _read_level(each)
                if style := child_value(each, "pStyle"):
                    found.styles.setdefault(style, level)
    return found


def _read_level(element: Any) -> _Level:
    legal = child_of(element, "isLgl")
    start = read_number(child_value(element, "start"))
    return _Level(
        0 if start is None else start,
        _number_style(child_of(element, "numFmt")),
        child_value(element, "lvlText") or "",
        read_number(child_value(element, "lvlRestart")),
        legal is not None and is_on(legal),
        read_indent(child_of(element, "pPr")) or 0,
    )


def _number_style(element: Any) -> str:
    if element is None:
        return "decimal"
    style = attribute_of(element, "val") or "decimal"
    # "01, 02, ..." and its like are written as custom styles by newer programs
    return "decimalZero" if style == "custom" and (attribute_of(element, "format") or "").startswith("0") else style


def _advance(found: _List, levels: dict[int, _Level], level: int) -> None:
    own = levels.get(level, _Level())
    found.counts[level] = found.counts[level] + 1 if level in found.counts else own.start
    for above in range(level):
        found.counts.setdefault(above, levels.get(above, _Level()).start)
    for deeper in [each for each in found.counts if each > level]:
        restart = levels.get(deeper, _Level()).restart
        # 0 says never; else only what counts at that level, from 1, or above it restarts it (17.9.10)
        if restart is None or (restart and level < restart):
            del found.counts[deeper]


def _write_marker(found: _List, levels: dict[int, _Level], level: int) -> str:
    shown = levels.get(level, _Level())
    if shown.style == "bullet":
        return BULLET

    def write(match: re.Match[str]) -> str:
        other = int(match[1]) - 1
        style = levels.get(other, _Level()).style
        if shown.is_legal and style != "none":
            style = "decimal"
        return write_number(found.counts.get(other, levels.get(other, _Level()).start), style)

    return " ".join(_PLACEHOLDER.sub(write, shown.text).split())
