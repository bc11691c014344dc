"""Styles of an OpenDocument text, and the numbers of its lists and headings (OpenDocument 1.3 part 3, 16 and 5.3)."""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from ascertain.documents.formats.drafts.numerals import write_number
from ascertain.documents.formats.office.packages import attribute_of, first_named, iter_named, local_name
from ascertain.documents.formats.office.stories import BULLET, Look

MOST_LEVELS = 10
"""Of a list; what is written deeper counts as the deepest."""
_MOST_PARENTS = 50
_ENCODED = re.compile(r"_([0-9a-f]{1,4})_")
_PLACEHOLDER = re.compile(r"%(\d{1,2})%")
_LONGEST_MARKER = 60


def read_count(value: str | None, default: int = 1) -> int:
    """A whole number of at most nine digits, else ``default``."""
    return int(value) if value and value.isascii() and value.isdigit() and len(value) < 10 else default


@dataclass(frozen=True, slots=True)
class OdtStyle:
    """A style with what it takes from its parents."""

    names: tuple[str, ...] = ()
    """Its name as shown, then those of its parents."""
    look: Look = Look()


class OdtStyles:
    """Styles by family and name, each resolved when it is first asked for. Of equal names the first tree's holds."""

    def __init__(self, trees: Iterable[Any]) -> None:
        self._elements: dict[tuple[str, str], Any] = {}
        self._resolved: dict[tuple[str, str], OdtStyle] = {}
        self.lists: dict[str, ListStyle] = {}
        self.outline = ListStyle({})
        for tree in trees:
            if tree is None:
                continue
            for each in iter_named(tree, "style", "list-style", "outline-style"):
                name = attribute_of(each, "name") or ""
                if local_name(each) == "style":
                    self._elements.setdefault((attribute_of(each, "family") or "", name), each)
                elif local_name(each) == "list-style":
                    self.lists.setdefault(name, read_list_style(each))
                elif not self.outline.levels:
                    self.outline = read_list_style(each)

    def find(self, family: str, name: str | None) -> OdtStyle:
        """A style; an empty one where there is none."""
        key = (family, name or "")
        if key not in self._resolved:
            names: list[str] = []
            look = Look()
            while key in self._elements and len(names) < _MOST_PARENTS:
                element = self._elements[key]
                names.append(attribute_of(element, "display-name") or _decode(key[1]))
                look = look.over(_read_look(element))
                key = (family, attribute_of(element, "parent-style-name") or "")
            # a parent that is not in the file says something by its name
            names += [_decode(key[1])] if key[1] and key not in self._elements else []
            self._resolved[family, name or ""] = OdtStyle(tuple(names), look)
        return self._resolved[family, name or ""]


def _decode(name: str) -> str:
    return _ENCODED.sub(lambda match: chr(int(match[1], 16)), name)


def _read_look(style: Any) -> Look:
    look = Look()
    for each in style:
        if local_name(each) != "text-properties":
            continue
        position = attribute_of(each, "text-position")
        lines = attribute_of(each, "text-line-through-style") or attribute_of(each, "text-line-through-type")
        display = attribute_of(each, "display")
        look = Look(
            None if position is None else _read_position(position),
            None if lines is None else lines != "none",
            None if display is None else display == "none",
        )
    return look


def _read_position(position: str) -> int:
    """1 for superscript, -1 for subscript: ``super 58%``, ``33% 58%``, ``-10% 70%``."""
    shift = position.split(maxsplit=1)[0] if position.split() else ""
    if shift in ("super", "sub"):
        return 1 if shift == "super" else -1
    return 0 if not shift.rstrip("%").strip("-0.") else -1 if shift.startswith("-") else 1


class _Level(NamedTuple):
    style: str
    prefix: str
    suffix: str
    start: int
    shown_levels: int
    template: str | None


@dataclass(slots=True)
class ListStyle:
    """How the items of each level, from 0, are numbered (None for bullets), and how far they are set in, in points."""

    levels: dict[int, _Level | None]
    indents: dict[int, int] = field(default_factory=dict[int, int])


def read_list_style(element: Any) -> ListStyle:
    """The levels, from 0, of a ``list-style`` or an ``outline-style``."""
    levels: dict[int, _Level | None] = {}
    indents: dict[int, int] = {}
    for each in element:
        name = local_name(each)
        level = read_count(attribute_of(each, "level")) - 1
        alignment = first_named(each, "list-level-label-alignment")
        indents[level] = _read_length(attribute_of(alignment, "margin-left")) if alignment is not None else 0
        if name in ("list-level-style-bullet", "list-level-style-image"):
            levels[level] = None
        elif name in ("list-level-style-number", "outline-level-style"):
            levels[level] = _Level(
                attribute_of(each, "num-format") or "",
                attribute_of(each, "num-prefix") or "",
                attribute_of(each, "num-suffix") or "",
                read_count(attribute_of(each, "start-value")),
                read_count(attribute_of(each, "display-levels")),
                attribute_of(each, "num-list-format"),
            )
    return ListStyle(levels, indents)


_LENGTH = re.compile(r"(\d{1,6}(?:\.\d{1,6})?)(cm|mm|in|pt|pc|px)")
_POINTS = {"cm": 28.35, "mm": 2.835, "in": 72.0, "pt": 1.0, "pc": 12.0, "px": 0.75}


def _read_length(value: str | None) -> int:
    """A length in points; 0 where it is none."""
    match = _LENGTH.fullmatch(value or "")
    return round(float(match[1]) * _POINTS[match[2]]) if match else 0


@dataclass(slots=True)
class ListCounter:
    """How far a list has counted; ``list_id`` tells lists apart."""

    list_id: str
    style: ListStyle
    counts: dict[int, int] = field(default_factory=dict[int, int])

    def next_marker(self, level: int, start: int | None = None, style: ListStyle | None = None) -> str:
        """What is shown before the next item of a level, from 0; ``start`` restarts it, ``style`` is that of an inner list."""
        style = style or self.style
        shown = style.levels.get(level)
        known = self.counts.get(level)
        first = shown.start if shown is not None else 1
        self.counts[level] = start if start is not None else first if known is None else known + 1
        for deeper in [each for each in self.counts if each > level]:
            del self.counts[deeper]
        if shown is None:
            return BULLET if level in style.levels else ""
        return self._write(style, shown, level)[:_LONGEST_MARKER].strip()

    def _write(self, style: ListStyle, shown: _Level, level: int) -> str:
        if not shown.style:
            return ""
        if shown.template is not None:
            return _PLACEHOLDER.sub(lambda match: self._number(style, int(match[1]) - 1), shown.template)
        levels = range(max(0, level - shown.shown_levels + 1), level + 1)
        numbers = (self._number(style, each) for each in levels)
        return shown.prefix + ".".join(number for number in numbers if number) + shown.suffix

    def _number(self, style: ListStyle, level: int) -> str:
        shown = style.levels.get(level)
        return "" if shown is None else write_number(self.counts.get(level, shown.start), shown.style)
