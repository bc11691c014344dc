"""Lists of a page: items with the markers that are shown, terms with their descriptions, boxes that open at a click."""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from ascertain.core.documents.blocks import BlockKind
from ascertain.documents.formats.dom import elements as html
from ascertain.documents.formats.dom.notes import Notes
from ascertain.documents.formats.dom.writing import BlockWriter, Close, Frame, note_marker, term_marker

_LONGEST_TERM = 6
"""Words of terms that share one description."""


@dataclass(slots=True)
class _Definitions:
    """A list of definitions, or a box that opens at a click, while it is read."""

    terms: list[str] = field(default_factory=list[str])
    has_links: bool = False
    note: str | None = None
    frame: Frame | None = None
    open_term: Any = None


class Lists:
    """Opens lists and what is in them. ``box_titles`` are those of admonitions, which are no terms."""

    def __init__(self, writer: BlockWriter, box_titles: set[Any]) -> None:
        self.notes = Notes()
        self.box_titles = box_titles
        self._writer = writer
        self._line = writer.line
        self._lists: list[html.ListCounter] = []
        self._definitions: list[_Definitions] = []
        self.openings: dict[str, Callable[[Any], Close | None]] = {
            **dict.fromkeys(("ul", "ol", "menu", "dir"), self._open_list),
            "li": self._open_item,
            **dict.fromkeys(("dl", "details"), self._open_definitions),
            **dict.fromkeys(("dt", "summary"), self._open_term),
            "dd": self._open_description,
        }

    def _open_list(self, element: Any) -> Close:
        self._writer.flush()
        first = next((child for child in element if child.tag == "li"), None)
        self._lists.append(html.ListCounter(element, html.local_tag(element)))
        frame = None if first in self.notes.notes else self._writer.begin(BlockKind.LIST)
        return partial(self._close_list, frame)

    def _close_list(self, frame: Frame | None) -> None:
        self._lists.pop()
        if frame is not None:
            self._writer.end(frame)
        self._writer.flush()

    def _open_item(self, element: Any) -> Close:
        marker = self._lists[-1].next_marker(element) if self._lists else "-"
        indent = "  " * (len(self._lists) - 1)
        return partial(self._writer.end, self._writer.begin(BlockKind.ITEM, marker, f"{indent}{marker} "))

    def _open_definitions(self, element: Any) -> Close:
        self._writer.flush()
        self._definitions.append(_Definitions())
        return self._close_definitions

    def _close_definitions(self) -> None:
        self._end_term()
        self._end_description()
        for term in self._definitions.pop().terms:
            self._writer.add(term)

    def _end_description(self) -> None:
        self._writer.flush()
        definitions = self._definitions[-1]
        if definitions.frame is not None:
            self._writer.end(definitions.frame)
            definitions.frame = None

    def _open_term(self, element: Any) -> Close:
        is_summary = element.tag == "summary"
        if not self._definitions or element in self.box_titles or (is_summary and element.getparent().tag != "details"):
            self._writer.flush()
            return self._writer.flush
        self._end_term()
        self._end_description()
        self._definitions[-1].open_term = element
        self._writer.begin_capture()
        self._line.open_inline(is_verbatim=html.has_class(element, "sig"))
        return partial(self._close_term, self._definitions[-1], element)

    def _close_term(self, definitions: _Definitions, element: Any) -> None:
        if definitions is self._definitions[-1] and definitions.open_term is element:
            self._end_term()
            if element.tag == "summary":
                self._begin_description()

    def _end_term(self) -> None:
        """End the term that is being read; parsers leave one open in front of the next."""
        definitions = self._definitions[-1]
        element, definitions.open_term = definitions.open_term, None
        if element is None:
            return
        self._line.close_inline()
        term = " ".join(self._writer.end_capture())
        if element in self.notes.notes:
            definitions.note = self.notes.notes[element]
            if term.strip("[]() ") in ("", definitions.note):
                return
        if term:
            definitions.terms.append(term)
            definitions.has_links = definitions.has_links or next(element.iter("a"), None) is not None

    def _open_description(self, element: Any) -> Close:
        if self._definitions:
            self._end_term()
        if self._definitions and (self._definitions[-1].terms or self._definitions[-1].note):
            self._end_description()
            self._begin_description()
        self._writer.flush()
        return self._writer.flush

    def _begin_description(self) -> None:
        definitions = self._definitions[-1]
        terms, note = definitions.terms, definitions.note
        definitions.terms, definitions.note = [], None
        if note:
            definitions.frame = self._writer.begin(BlockKind.FOOTNOTE, note, note_marker(note))
        elif terms:
            if definitions.has_links or any(len(term.split()) > _LONGEST_TERM for term in terms):
                for term in terms[:-1]:
                    self._writer.add(term)
                del terms[:-1]
            term = ", ".join(terms)
            definitions.frame = self._writer.begin(BlockKind.DEFINITION, term, term_marker(term))
        definitions.has_links = False
