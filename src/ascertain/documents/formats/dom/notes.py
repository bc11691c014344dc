"""Footnotes of a page: where the text refers to one, and which element it is (Sphinx, docutils, Pandoc, DocBook, EPUB, wikis)."""

import re
from dataclasses import dataclass, field
from typing import Any

from ascertain.documents.formats.dom.elements import BLOCKS, local_tag, role_of, words_in

_LABEL = re.compile(r"[\[(]?\s*([\w*†‡§¶#]{1,4})\s*[\])]?")
_REFERENCE_CLASS = re.compile(r"footnote|noteref|endnote", re.IGNORECASE)
_NOTE_ROLES = frozenset(("doc-footnote", "doc-endnote", "footnote", "endnote", "rearnote"))
_CLIMB = 4
_LONGEST_REFERENCE = 20


@dataclass(slots=True)
class Notes:
    """``references`` are the links to notes by their labels, ``notes`` the elements by theirs (None where nothing refers to one)."""

    references: dict[Any, str] = field(default_factory=dict[Any, str])
    notes: dict[Any, str | None] = field(default_factory=dict[Any, str | None])
    back_links: set[Any] = field(default_factory=set[Any])

    @staticmethod
    def of(root: Any) -> "Notes":
        """The notes below ``root``."""
        found = Notes()
        links: list[tuple[int, Any, str]] = []
        targets: dict[str, tuple[int, Any]] = {}
        for number, element in enumerate(root.iter()):
            if not isinstance(element.tag, str):
                continue
            name = element.get("id") or (element.get("name") if element.tag == "a" else None)
            if name:
                targets.setdefault(name, (number, element))
            if element.tag == "a" and "#" in str(element.get("href") or "") and (label := _label_of(element)):
                links.append((number, element, label))
            if role_of(element) in _NOTE_ROLES:
                found.notes[element] = None
        for number, link, label in links:
            found._add_link(number, link, label, targets)
        return found

    def _add_link(self, number: int, link: Any, label: str, targets: dict[str, tuple[int, Any]]) -> None:
        if _lies_in(link, self.notes):
            self.back_links.add(link)
            return
        if not _is_reference(link):
            return
        address = str(link.get("href"))
        place, target = targets.get(address[1:], (-1, None)) if address.startswith("#") else (-1, None)
        if target is None:
            self.references[link] = label
            return
        note = _note_element(target)
        if place > number and note is not None and not _holds(note, link):
            self.references[link] = label
            self.notes[note] = self.notes.get(note) or label


def _label_of(link: Any) -> str:
    """The label of a link that may refer to a note."""
    if len(link) > _CLIMB:
        return ""
    words = words_in(link)
    match = _LABEL.fullmatch(words) if len(words) < _LONGEST_REFERENCE else None
    return match[1] if match else ""


def _is_reference(link: Any) -> bool:
    if role_of(link) in ("doc-noteref", "noteref") or _REFERENCE_CLASS.search(str(link.get("class") or "")):
        return True
    above = link.getparent()
    return (above is not None and above.tag == "sup") or any(child.tag == "sup" for child in link)


def _note_element(target: Any) -> Any:
    """The block that the target of a reference is, or lies in; that of docutils is the description behind it."""
    for _ in range(_CLIMB):
        if target is None or local_tag(target) in BLOCKS:
            break
        target = target.getparent()
    tag = "" if target is None else local_tag(target)
    if tag in ("", "body", "html", "main", "article", "table", "tbody") or tag not in BLOCKS:
        return None
    return target


def _lies_in(element: Any, notes: dict[Any, str | None]) -> bool:
    for above in element.iterancestors():
        if above in notes:
            return True
        if local_tag(above) in ("body", "main", "article", "section", "table"):
            break
    return False


def _holds(note: Any, link: Any) -> bool:
    return any(above is note for above in link.iterancestors())
