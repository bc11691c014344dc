"""The parts of a Word document that its stories share: styles, numbers, notes and comments."""

import zipfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from ascertain.documents.formats.drafts.losses import Losses
from ascertain.documents.formats.drafts.numerals import write_number
from ascertain.documents.formats.office.docx.numbering import Numbering
from ascertain.documents.formats.office.docx.styles import Styles
from ascertain.documents.formats.office.packages import (
    Package,
    attribute_of,
    child_of,
    child_value,
    iter_named,
    local_name,
)

_MAIN = "word/document.xml"
_DAMAGED = (SyntaxError, zipfile.BadZipFile, zlib.error, EOFError)
"""What damaged parts raise; lxml's error for bad XML is a SyntaxError."""
_SEPARATORS = frozenset({"separator", "continuationSeparator", "continuationNotice"})


class WordParts:
    """The parts that a Word document refers to. What is damaged, other than the document itself, is named as left out."""

    def __init__(self, package: Package) -> None:
        self.losses = Losses()
        self._package = package
        self._relations: dict[str, dict[str, tuple[str, str]]] = {}
        start = (name for kind, name in package.relations_of("").values() if kind == "officeDocument")
        self.main = next((name for name in start if name in package.names), _MAIN)
        self._by_kind: dict[str, str] = {}
        for kind, name in self.relations_of(self.main).values():
            self._by_kind.setdefault(kind, name)
            if kind == "vbaProject":
                self.losses.add("macros")
        self.styles = Styles(self.find(self._by_kind.get("styles")))
        self.numbering = Numbering(self.find(self._by_kind.get("numbering")))
        self.notes = Notes(self)

    def read_main(self) -> Any:
        """The document itself. Raises what is raised for damaged XML."""
        return self._package.read_tree(self.main)

    def find(self, name: str | None) -> Any:
        """The tree of a part; None where there is none or it is damaged."""
        try:
            return self._package.find_tree(name)
        except _DAMAGED:
            self.losses.add("damaged parts", name=name)
            return None

    def read_bytes(self, name: str) -> bytes:
        """The content of a part; KeyError where there is none."""
        return self._package.read_bytes(name)

    def find_kind(self, kind: str) -> Any:
        """The tree of the part that the document refers to as ``kind``."""
        return self.find(self.part_of(kind))

    def part_of(self, kind: str) -> str:
        """The name of the part that the document refers to as ``kind``; empty where there is none."""
        return self._by_kind.get(kind, "")

    def relations_of(self, part: str) -> dict[str, tuple[str, str]]:
        """What a part refers to: (kind, name of the part) by the id of the reference."""
        if part not in self._relations:
            self._relations[part] = self._read_relations(part)
        return self._relations[part]

    def _read_relations(self, part: str) -> dict[str, tuple[str, str]]:
        try:
            return self._package.relations_of(part) if part else {}
        except _DAMAGED:
            self.losses.add("damaged parts", name=f"relations of {part}")
            return {}


@dataclass(frozen=True, slots=True)
class Reference:
    """A reference to a note: the mark that stands for it, and whether it is the first one."""

    mark: str
    is_new: bool


class Notes:
    """Footnotes, endnotes and comments by their ids, numbered in the order in which they are referred to."""

    def __init__(self, parts: WordParts) -> None:
        self._parts = parts
        self._elements = {
            kind: {
                attribute_of(each, "id") or "": each
                for each in _children(parts.find_kind(f"{kind}s"), kind)
                if attribute_of(each, "type") not in _SEPARATORS
            }
            for kind in ("footnote", "endnote", "comment")
        }
        settings = parts.find_kind("settings")
        self._formats = {
            "footnote": child_value(child_of(settings, "footnotePr"), "numFmt") or "decimal",
            "endnote": child_value(child_of(settings, "endnotePr"), "numFmt") or "lowerRoman",
        }
        self._marks: dict[tuple[str, str], str] = {}
        self._counts = {"footnote": 0, "endnote": 0}
        self._taken: set[str] = set()

    def refer(self, kind: str, note_id: str) -> Reference | None:
        """The mark of a note; None where there is no such note."""
        if note_id not in self._elements[kind]:
            return None
        known = self._marks.get((kind, note_id))
        if known is not None:
            return Reference(known, is_new=False)
        self._counts[kind] += 1
        mark = write_number(self._counts[kind], self._formats[kind])
        self._marks[kind, note_id] = mark
        return Reference(mark, is_new=True)

    def find(self, kind: str, note_id: str) -> Any:
        """The element of a note; None where there is none."""
        return self._elements[kind].get(note_id)

    def take_comment(self, comment_id: str) -> Any:
        """A comment when it is first asked for; None after that, and where there is none."""
        if comment_id in self._taken:
            return None
        self._taken.add(comment_id)
        return self._elements["comment"].get(comment_id)

    def count_unplaced(self) -> None:
        """Count the notes and comments that nothing refers to, which Word does not show."""
        for kind, elements in self._elements.items():
            for note_id, element in elements.items():
                if (kind, note_id) not in self._marks and note_id not in (self._taken if kind == "comment" else ()):
                    words = " ".join(str(each.text or "") for each in iter_named(element, "t"))
                    if words.strip():
                        self._parts.losses.add(f"{kind}s without a place", words)


def _children(tree: Any, name: str) -> Iterator[Any]:
    return (each for each in (() if tree is None else tree) if local_name(each) == name)
