"""The words of one paragraph of OpenDocument as it shows them, with what hangs on it: notes, comments, frames, fields."""

from collections.abc import Callable
from typing import Any

from ascertain.documents.formats.drafts.draft import clean_line
from ascertain.documents.formats.office.odt.styles import OdtStyles, read_count
from ascertain.documents.formats.office.packages import attribute_of, first_named, iter_named, local_name
from ascertain.documents.formats.office.stories import FormField, Line, Look

_MOST_SPACES = 100
_SHAPES = frozenset(
    "frame custom-shape rect line polyline polygon regular-polygon path circle ellipse g connector caption measure a control".split()
)
"""Drawings (10.3); an ``a`` of them holds a frame."""
_SKIPPED = frozenset(
    "annotation-end bookmark bookmark-start bookmark-end reference-mark reference-mark-start reference-mark-end change change-start "
    "change-end soft-page-break alphabetical-index-mark alphabetical-index-mark-start toc-mark toc-mark-start user-index-mark "
    "user-index-mark-start tracked-changes event-listeners label".split()
)
"""What is not shown in the text itself."""


class InlineReader:
    """Reads paragraphs. ``read_formula`` gives the line of a frame that holds a formula, empty for any other."""

    def __init__(self, styles: OdtStyles, read_formula: Callable[[Any], str], mark_note: Callable[[Any], str]) -> None:
        self._styles = styles
        self._read_formula = read_formula
        self._mark_note = mark_note

    def read(self, paragraph: Any, look: Look) -> Line:
        """The line of a paragraph whose style looks like ``look``."""
        line = Line()
        self._read_children(paragraph, line, look)
        return line

    def _read_children(self, element: Any, line: Line, look: Look) -> None:
        line.pieces.append((_squeeze(element.text), look))
        for child in element:
            if isinstance(child.tag, str):
                self._read_piece(child, line, look)
            else:
                # an entity that the file declares, as it is written
                line.pieces.append((str(child.text or ""), look))
            line.pieces.append((_squeeze(child.tail), look))

    def _read_piece(self, element: Any, line: Line, look: Look) -> None:
        name = local_name(element)
        if name == "s":
            line.pieces.append((" " * min(read_count(attribute_of(element, "c")), _MOST_SPACES), look))
        elif name in ("tab", "line-break"):
            line.pieces.append(("\t" if name == "tab" else "\n", look))
        elif name == "span":
            style = self._styles.find("text", attribute_of(element, "style-name")).look
            self._read_children(element, line, style.over(look))
        elif name == "note":
            line.pieces.append((f"[{self._mark_note(element)}]", Look(hidden=look.hidden)))
        elif name == "annotation" or (name in _SHAPES and not (name == "a" and _is_link(element))):
            formula = self._read_formula(element) if name == "frame" else ""
            if formula:
                line.pieces.append((formula, Look(hidden=look.hidden)))
            else:
                line.hanging.append(element)
        elif name == "ruby":
            base, reading = (_inner_text(element, part) for part in ("ruby-base", "ruby-text"))
            line.pieces.append((f"{base}({reading})" if reading else base, look))
        elif name == "hidden-text":
            words = attribute_of(element, "string-value") or "".join(map(str, element.itertext()))
            line.pieces.append((words, look._replace(hidden=True)))
        elif name in ("content-control", "drop-down"):
            self._read_field(element, line, look)
        elif name not in _SKIPPED:
            self._read_children(element, line, look)

    def _read_field(self, element: Any, line: Line, look: Look) -> None:
        before = len(line.pieces)
        self._read_children(element, line, look)
        name = clean_line(attribute_of(element, "alias") or attribute_of(element, "name") or "")
        value = clean_line("".join(text for text, _ in line.pieces[before:]))
        if attribute_of(element, "checkbox") == "true":
            value = "yes" if attribute_of(element, "checked") == "true" else "no"
        elif attribute_of(element, "showing-place-holder") == "true":
            value = ""
        if name and value:
            line.fields.append(FormField(name, value))


def _is_link(element: Any) -> bool:
    """Whether an ``a`` is a hyperlink in text, which holds no drawing of its own."""
    return first_named(element, "frame") is None


def _inner_text(element: Any, name: str) -> str:
    return clean_line("".join("".join(map(str, each.itertext())) for each in iter_named(element, name)))


def _squeeze(text: object) -> str:
    """White space in the XML is one space (6.1.2)."""
    words = str(text or "")
    squeezed = " ".join(words.split())
    if not squeezed:
        return " " if words else ""
    return (" " if words[0].isspace() else "") + squeezed + (" " if words[-1].isspace() else "")
