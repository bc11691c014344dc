"""Styles of a Word document: what a paragraph or a run is by its style and those that it is based on."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from ascertain.documents.formats.office.packages import attribute_of, child_of, child_value, local_name
from ascertain.documents.formats.office.stories import Look
from ascertain.documents.formats.office.style_roles import Role, heading_level, role_of

BODY_LEVEL = 9
"""The outline level that says body text (ECMA-376 part 1, 17.3.1.20)."""
_MOST_PARENTS = 50
"""Styles that one is based on; a chain that is longer is a circle or made to be long."""


@dataclass(frozen=True, slots=True)
class Style:
    """A style with what it takes from those it is based on."""

    names: tuple[str, ...] = ()
    """Its own name, then those of the styles it is based on."""
    look: Look = Look()
    outline_level: int | None = None
    """From 0; ``BODY_LEVEL`` for body text."""
    numbering: tuple[str | None, int | None] = (None, None)
    """numId and level."""
    numbered_by: str | None = None
    """The style of the chain that says the numbering: a level of the list names it."""
    indent: int | None = None
    """In twentieths of a point."""

    @property
    def heading_level(self) -> int | None:
        """From 1; None where it is no heading."""
        if self.outline_level is not None:
            return self.outline_level + 1 if 0 <= self.outline_level < BODY_LEVEL else None
        return heading_level(self.names)

    @property
    def role(self) -> Role:
        """What a paragraph of this style is."""
        return role_of(self.names)


_PLAIN = Style()


class Styles:
    """The styles of ``styles.xml``, each resolved when it is first asked for."""

    def __init__(self, tree: Any) -> None:
        self._elements: dict[str, Any] = {}
        self._resolved: dict[str, Style] = {}
        self._default: Style = _PLAIN
        for each in () if tree is None else tree:
            if local_name(each) != "style":
                continue
            name = attribute_of(each, "styleId") or ""
            self._elements.setdefault(name, each)
            if attribute_of(each, "type") == "paragraph" and attribute_of(each, "default") in ("1", "true", "on"):
                self._default = self.find(name)

    def find(self, style_id: str | None) -> Style:
        """The style of that id; the default one of paragraphs where there is none."""
        if style_id is None or style_id not in self._elements:
            return self._default
        if style_id not in self._resolved:
            chain = list(self._chain(style_id))
            style = _PLAIN
            for name in reversed(chain):
                style = _add_style(style, name, self._elements[name])
            self._resolved[style_id] = style
        return self._resolved[style_id]

    def look_of(self, style_id: str | None) -> Look:
        """That of a character style; nothing where there is none."""
        return self.find(style_id).look if style_id in self._elements else Look()

    def _chain(self, style_id: str) -> Iterator[str]:
        seen: set[str] = set()
        while style_id in self._elements and style_id not in seen and len(seen) < _MOST_PARENTS:
            seen.add(style_id)
            yield style_id
            style_id = child_value(self._elements[style_id], "basedOn") or ""


def _add_style(base: Style, style_id: str, element: Any) -> Style:
    style = replace(base, names=(child_value(element, "name") or style_id, *base.names))
    for part in element:
        if local_name(part) == "rPr":
            style = replace(style, look=read_look(part).over(style.look))
        elif local_name(part) == "pPr":
            level = read_number(child_value(part, "outlineLvl"))
            number_id, number_level = read_numbering(part)
            indent = read_indent(part)
            style = replace(
                style,
                outline_level=style.outline_level if level is None else level,
                numbering=(
                    style.numbering[0] if number_id is None else number_id,
                    style.numbering[1] if number_level is None else number_level,
                ),
                numbered_by=style.numbered_by if number_id is None else style_id,
                indent=style.indent if indent is None else indent,
            )
    return style


def read_look(properties: Any) -> Look:
    """What an ``rPr`` says."""
    raised = struck = hidden = font = None
    for each in properties:
        name = local_name(each)
        if name == "vertAlign":
            raised = {"superscript": 1, "subscript": -1}.get(attribute_of(each, "val") or "", 0)
        elif name in ("strike", "dstrike"):
            struck = struck or is_on(each)
        elif name == "vanish":
            hidden = is_on(each)
        elif name == "rFonts":
            font = attribute_of(each, "ascii") or attribute_of(each, "hAnsi")
    return Look(raised, struck, hidden, font)


def is_on(element: Any) -> bool:
    """Whether an element that is there means yes (17.17.4)."""
    return attribute_of(element, "val") not in ("0", "false", "off")


def read_number(value: str | None) -> int | None:
    """A whole number of at most nine digits; None for anything else."""
    digits = (value or "").removeprefix("-")
    return int(value or 0) if digits.isascii() and digits.isdigit() and len(digits) < 10 else None


def read_numbering(properties: Any) -> tuple[str | None, int | None]:
    """NumId and level of a ``pPr``, each None where it is not said."""
    found = child_of(properties, "numPr")
    return child_value(found, "numId"), read_number(child_value(found, "ilvl"))


def read_indent(properties: Any) -> int | None:
    """How far a ``pPr`` sets its text in, in twentieths of a point."""
    found = child_of(properties, "ind")
    return None if found is None else read_number(attribute_of(found, "left") or attribute_of(found, "start"))
