"""EPUB: the chapters of a book in the order of its spine (EPUB 3.3), each read as HTML under the name that its contents give it."""

import re
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import Any

from ascertain.core.documents.blocks import BlockKind
from ascertain.core.documents.documents import LeftOut
from ascertain.documents.formats.dom.markup import add_blocks, markup_tree
from ascertain.documents.formats.dom.phrases import decode_data_address
from ascertain.documents.formats.drafts.draft import Draft, clean_line, short_line
from ascertain.documents.formats.drafts.losses import Losses
from ascertain.documents.formats.drafts.metadata import parse_date
from ascertain.documents.formats.drafts.pictures import choose_pictures
from ascertain.documents.formats.files.encodings import decode_text
from ascertain.documents.formats.office.packages import (
    Package,
    attribute_of,
    first_named,
    iter_named,
    local_name,
    resolve_name,
)
from ascertain.documents.formats.reader import Extracted, SourceFile

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
    draft, losses = Draft(), Losses()
    damaged: list[str] = []
    listed: set[str] = set()
    number = 0
    for reference in iter_named(first_named(book, "spine"), "itemref"):
        key = str(reference.get("idref"))
        item = items.get(key)
        place = key if item is None else _place_of(item, book_name)
        if place in listed:
            # once is all that a book may name it (EPUB 3.3, 5.7.2)
            continue
        listed.add(place)
        if item is not None and str(item.get("media-type") or "").startswith(_PICTURES):
            losses.add("pictures", name=place)
            continue
        try:
            tree = _read_markup(package, place)
        except _DAMAGE:
            damaged.append(names.get(place) or place)
            losses.add("damaged chapters", name=damaged[-1])
            continue
        if item is not None and _is_contents(item) and tree is not None:
            _add_contents(tree, draft)
        if tree is not None and clean_line("".join(tree.itertext())):
            number += 1
            losses.include(
                _add_chapter(tree, names.get(place), number, draft, load_picture=partial(_load_picture, package, place))
            )
    pages = (each for each in items.values() if each.get("media-type") == _PAGE and not _is_contents(each))
    unlisted = dict.fromkeys(_place_of(each, book_name) for each in pages)
    for place, words in _read_unlisted(package, (each for each in unlisted if each not in listed)):
        losses.add("pages outside of the reading order", words, place)
    text, blocks = draft.finish()
    if not text and damaged:
        raise file.error("all chapters of the book are damaged; get the file again")
    facts = _read_facts(book)
    yield Extracted(
        text,
        title=short_line(facts.get("title")),
        author=short_line(facts.get("creator")),
        published_at=parse_date(facts.get("date")),
        blocks=blocks,
        left_out=losses.left_out(),
        pictures=choose_pictures(file, draft.pictures),
        notes=tuple(f"{short_line(name, 100)} is damaged or missing, and was left out" for name in damaged),
    )


_PAGE = "application/xhtml+xml"
_PICTURES = ("image/png", "image/jpeg", "image/gif", "image/webp")
_DAMAGE = (zipfile.BadZipFile, zlib.error, KeyError, EOFError, NotImplementedError, ValueError)
"""How a part of an archive fails that is damaged, is not there, or holds no text."""


def _read_markup(package: Package, name: str) -> Any:
    """The tree of a part that is a page. Raises one of ``_DAMAGE``."""
    return markup_tree(_drop_declaration(decode_text(package.read_bytes(name)).text))


def _place_of(item: Any, book_name: str) -> str:
    """The name of the part that an item of the list of contents is."""
    return resolve_name(book_name, str(item.get("href") or ""))


def _is_contents(item: Any) -> bool:
    """Whether a part is the navigation document of EPUB 3."""
    return "nav" in str(item.get("properties") or "").split()


def _is_older_contents(item: Any) -> bool:
    """Whether a part is the table of contents of EPUB 2."""
    return item.get("media-type") == "application/x-dtbncx+xml"


def _add_contents(tree: Any, draft: Draft) -> None:
    """Take the lists of contents out of a page that is shown, as furniture: they name the chapters that follow."""
    for each in list(tree.iter("nav")):
        lines = [clean_line("".join(map(str, part.itertext()))) for part in each.iter("a", "span", "h1", "h2", "h3")]
        draft.add("\n".join(filter(None, lines)), kind=BlockKind.FURNITURE)
        each.clear(keep_tail=True)


def _read_unlisted(package: Package, places: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Name and words of each page that only links lead to."""
    for place in places:
        try:
            tree = _read_markup(package, place)
        except _DAMAGE:
            continue
        body = None if tree is None else next(tree.iter("body"), tree)
        yield place, "" if body is None else clean_line(" ".join(map(str, body.itertext())))


def _drop_declaration(markup: str) -> str:
    """Without ``<?xml ...?>``, which names an encoding that the text does not have any more."""
    return re.sub(r"\A\s*<\?xml[^>]*>", "", markup)


def _load_picture(package: Package, place: str, address: str) -> bytes:
    """A picture that the part ``place`` shows. Raises ValueError and KeyError where there is none."""
    return (
        decode_data_address(address)
        if address.startswith("data:")
        else package.read_bytes(resolve_name(place, address))
    )


def _add_chapter(
    tree: Any, name: str | None, number: int, draft: Draft, *, load_picture: Callable[[str], bytes]
) -> tuple[LeftOut, ...]:
    heading = next((clean_line("".join(each.itertext())) for each in tree.iter("h1", "h2")), "")
    name = name or heading
    known = name if _NUMBERED.match(name) else f"chapter {name or number}"
    draft.enter_section(known, 0)
    return add_blocks(tree, draft, known_heading=name, load_picture=load_picture)


def _read_contents(package: Package, book_name: str, items: dict[str, Any]) -> dict[str, str]:
    """The name of each chapter's file: by the navigation document of EPUB 3, or the table of EPUB 2."""
    names: dict[str, str] = {}
    listed = ((_place_of(item, book_name), _is_contents(item), _is_older_contents(item)) for item in items.values())
    # each part once, however often it is listed
    for place, is_contents, is_older in dict.fromkeys(each for each in listed if each[0] in package.names):
        if is_contents:
            try:
                tree = _read_markup(package, place)
            except _DAMAGE:
                continue
            for link in () if tree is None else tree.iter("a"):
                target = resolve_name(place, str(link.get("href") or ""))
                names.setdefault(target, clean_line("".join(link.itertext())))
        elif is_older:
            try:
                contents = package.read_tree(place)
            except (*_DAMAGE, SyntaxError):
                # lxml.etree.XMLSyntaxError is one; without names the book can still be read
                continue
            for point in iter_named(contents, "navPoint"):
                content, label = first_named(point, "content"), first_named(point, "navLabel")
                if content is not None and label is not None:
                    target = resolve_name(place, str(content.get("src") or ""))
                    names.setdefault(target, clean_line("".join(label.itertext())))
    return names


def _read_facts(book: Any) -> dict[str, str]:
    """The first of each kind of metadata, all who wrote it; a date of changing the file is none of the book."""
    facts: dict[str, str] = {}
    metadata = first_named(book, "metadata")
    for each in () if metadata is None else metadata:
        if each.text and attribute_of(each, "event") != "modification":
            name, value = local_name(each), str(each.text)
            if name == "creator" and name in facts:
                facts[name] += f", {value}"
            facts.setdefault(name, value)
    return facts
