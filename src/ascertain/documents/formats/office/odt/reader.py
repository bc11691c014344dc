"""ODT as LibreOffice shows it: headings and lists with their numbers, tables, notes, comments, frames; headers and footers once."""

import posixpath
import zipfile
import zlib
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from typing import Any

from ascertain.core.documents.blocks import BlockKind
from ascertain.documents.formats.drafts.draft import Draft, clean_line
from ascertain.documents.formats.drafts.losses import Losses
from ascertain.documents.formats.drafts.pictures import choose_pictures
from ascertain.documents.formats.office.odt.story import OdtFile, OdtStory
from ascertain.documents.formats.office.odt.styles import OdtStyles
from ascertain.documents.formats.office.packages import (
    Package,
    first_named,
    iter_named,
    local_name,
    open_document_facts,
)
from ascertain.documents.formats.reader import Extracted, SourceFile

_HEADERS = ("header", "header-left", "header-first", "footer", "footer-left", "footer-first")
_DAMAGED = (SyntaxError, zipfile.BadZipFile, zlib.error, EOFError)
"""What damaged parts raise; lxml's error for bad XML is a SyntaxError."""


def read_odt(file: SourceFile) -> Iterator[Extracted]:
    """The text of an OpenDocument text. Raises SourceError for what is not one, or would not fit in memory."""
    package = Package(file, "odt")
    content = package.read_tree("content.xml")
    losses = Losses()
    styles = _find_tree(package, "styles.xml", losses)
    common = first_named(styles, "styles")
    find_object = partial(_find_object, package, losses)
    draft = Draft()
    odt = OdtFile(
        OdtStyles([first_named(content, "automatic-styles"), common]), losses, find_object, package.read_bytes
    )
    body = OdtStory(odt, draft)
    text = first_named(first_named(content, "body"), "text")
    _count_deleted(text, losses)
    if text is not None:
        body.read(text)
    header_styles = OdtStyles([first_named(styles, "automatic-styles"), common])
    _add_headers(
        first_named(styles, "master-styles"), OdtFile(header_styles, losses, find_object, package.read_bytes), draft
    )
    words, blocks = draft.finish()
    facts = open_document_facts(package)
    yield replace(
        facts,
        text=words,
        title=body.title or facts.title,
        blocks=blocks,
        left_out=losses.left_out(),
        pictures=choose_pictures(file, draft.pictures),
    )


def _find_tree(package: Package, name: str, losses: Losses) -> Any:
    try:
        return package.find_tree(name)
    except _DAMAGED:
        losses.add("damaged parts", name=name)
        return None


def _find_object(package: Package, losses: Losses, name: str) -> Any:
    """The content of an object that a frame names by its folder."""
    return _find_tree(package, posixpath.normpath(posixpath.join(name.lstrip("/"), "content.xml")), losses)


def _count_deleted(text: Any, losses: Losses) -> None:
    for region in () if text is None else iter_named(text, "deletion"):
        lines = (" ".join(map(str, each.itertext())) for each in region if local_name(each) not in ("change-info",))
        words = " ".join(lines)
        if words.strip():
            losses.add("deleted passages", words, is_shown=False)


def _add_headers(masters: Any, odt: OdtFile, draft: Draft) -> None:
    """The lines of all headers and footers, each once."""
    draft.leave_sections()
    seen: set[str] = set()
    for element in () if masters is None else iter_named(masters, *_HEADERS):
        story = Draft()
        OdtStory(odt, story).read(element)
        for line in map(clean_line, story.finish()[0].split("\n")):
            if line and line not in seen:
                seen.add(line)
                draft.add(line, kind=BlockKind.FURNITURE)
