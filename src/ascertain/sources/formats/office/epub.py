"""EPUB: the chapters of a book in the order of its spine (EPUB 3.3), each read as HTML under the name that its contents give it."""

import re
from collections.abc import Iterator
from typing import Any

from ascertain.sources.formats.draft import Draft, clean_line, short_line
from ascertain.sources.formats.encodings import decode_text
from ascertain.sources.formats.markup import add_blocks, markup_tree
from ascertain.sources.formats.metadata import parse_date
from ascertain.sources.formats.office.packages import (
    Package,
    attribute_of,
    first_named,
    iter_named,
    local_name,
    resolve_name,
)
from ascertain.sources.formats.reader import Extracted, SourceFile

_NUMBERED = re.compile(r"(?:chapter|part|book|appendix|section)\b|\d|[IVXLC]+[.:]?(?:\s|$)", re.IGNORECASE)
"""How the name of a chapter begins that says so itself."""


def read_epub(file: SourceFile) -> Iterator[Extracted]:
    """The chapters of a book. Raises SourceError for what is none, is locked, or would not fit in memory."""
    package = Package(file, "epub")
    root = first_named(package.read_tree("META-INF/container.xml"), "rootfile")
    book_name = str(root.get("full-path") or "") if root is not None else ""
    book = package.find_tree(book_name)
    if book is None:
        raise file.error("the book lacks its list of contents; get the file again")
    items: dict[str, Any] = {str(each.get("id")): each for each in iter_named(first_named(book, "manifest"), "item")}
    names = _read_contents(package, book_name, items)
    draft = Draft()
    number = 0
    for reference in iter_named(first_named(book, "spine"), "itemref"):
        item = items.get(str(reference.get("idref")))
        if item is None:
            continue
        chapter = resolve_name(book_name, str(item.get("href") or ""))
        if chapter not in package.names or "nav" in str(item.get("properties") or "").split():
            continue
        tree = markup_tree(_drop_declaration(decode_text(package.read_bytes(chapter)).text))
        if tree is not None and clean_line("".join(tree.itertext())):
            number += 1
            _add_chapter(tree, names.get(chapter), number, draft)
    text, blocks = draft.finish()
    facts = _read_facts(book)
    yield Extracted(
        text,
        title=short_line(facts.get("title")),
        author=short_line(facts.get("creator")),
        published_at=parse_date(facts.get("date")),
        blocks=blocks,
    )


def _drop_declaration(markup: str) -> str:
    """Without ``<?xml ...?>``, which names an encoding that the text does not have any more."""
    return re.sub(r"\A\s*<\?xml[^>]*>", "", markup)


def _add_chapter(tree: Any, name: str | None, number: int, draft: Draft) -> None:
    heading = next((clean_line("".join(each.itertext())) for each in tree.iter("h1", "h2")), "")
    name = name or heading
    known = name if _NUMBERED.match(name) else f"chapter {name or number}"
    body = next(tree.iter("body"), tree)
    draft.enter_section(known, 0)
    add_blocks(body, draft, known_heading=name)


def _read_contents(package: Package, book_name: str, items: dict[str, Any]) -> dict[str, str]:
    """The name of each chapter's file: by the navigation document of EPUB 3, or the table of EPUB 2."""
    names: dict[str, str] = {}
    for item in items.values():
        place = resolve_name(book_name, str(item.get("href") or ""))
        if "nav" in str(item.get("properties") or "").split() and place in package.names:
            tree = markup_tree(_drop_declaration(decode_text(package.read_bytes(place)).text))
            for link in () if tree is None else tree.iter("a"):
                target = resolve_name(place, str(link.get("href") or ""))
                names.setdefault(target, clean_line("".join(link.itertext())))
        elif item.get("media-type") == "application/x-dtbncx+xml" and place in package.names:
            for point in iter_named(package.read_tree(place), "navPoint"):
                content, label = first_named(point, "content"), first_named(point, "navLabel")
                if content is not None and label is not None:
                    target = resolve_name(place, str(content.get("src") or ""))
                    names.setdefault(target, clean_line("".join(label.itertext())))
    return names


def _read_facts(book: Any) -> dict[str, str]:
    """The first of each kind of metadata; a date of changing the file is none of the book."""
    facts: dict[str, str] = {}
    metadata = first_named(book, "metadata")
    for each in () if metadata is None else metadata:
        if each.text and attribute_of(each, "event") != "modification":
            facts.setdefault(local_name(each), str(each.text))
    return facts
