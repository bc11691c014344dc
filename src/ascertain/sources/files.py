"""Reading files of every supported format as documents."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from ascertain.core.documents import Document, DocumentKind, Region, RegionKind, document_id
from ascertain.core.errors import AscertainError
from ascertain.sources.decoding import too_long
from ascertain.sources.extraction import Extracted, ReadOptions, SourceFile
from ascertain.sources.folders import Discovery, discover
from ascertain.sources.formats import HEAD_BYTES, Format, format_of
from ascertain.sources.language import detect_language
from ascertain.sources.naming import title_from_name
from ascertain.sources.papers import is_paper

__all__ = ["Discovery", "ReadOptions", "discover", "read"]


def read(path: Path, options: ReadOptions | None = None) -> Iterator[Document]:
    """The documents in one file: one, or one for each row of a table.

    A document's source is the file's absolute path (or ``options.source``), with ``#row`` for a row. Raises SourceError, one line that
    begins with the file's name and says what to do, when the file cannot be read; documents of a table that were
    given before then stand. Rows that cannot be read go to ``options.on_bad_row``.
    """
    options = options or ReadOptions()
    file = SourceFile(path, options)
    found = _open(file)
    try:
        for extracted in found.read(file):
            yield _document(file, extracted)
    except (AscertainError, MemoryError):
        raise
    except OSError as error:
        raise file.error(f"cannot be read: {error.strerror or error}") from error
    except Exception as error:
        # Readers stand on third-party parsers, which fail on damaged input in ways of their own.
        reason = f"{type(error).__name__}: {error}".split("\n", 1)[0][:200]
        raise file.error(f"the {found.name} reader failed ({reason}); the file may be damaged") from error


def _open(file: SourceFile) -> Format:
    """Check size and permission, and find the format by looking at the first bytes."""
    limit = file.options.max_bytes
    try:
        size = file.path.stat().st_size
        if not file.path.is_file():
            raise file.error("not a regular file")
        if size > limit:
            raise file.error(
                f"{size:,} bytes, over the limit of {limit:,}; split it or raise ingest.max_file_bytes"
            )
        if size == 0:
            raise file.error("the file is empty")
        with file.path.open("rb") as stream:
            head = stream.read(HEAD_BYTES)
    except FileNotFoundError as error:
        raise file.error("no such file") from error
    except (OSError, ValueError) as error:
        # ValueError: a NUL in the name.
        raise file.error(f"cannot be read: {getattr(error, 'strerror', None) or error}") from error
    try:
        return format_of(file.path, head)
    except ValueError as error:
        raise file.error(str(error)) from error


def _document(file: SourceFile, extracted: Extracted) -> Document:
    """Complete what a reader found with what the options and the file name say."""
    options = file.options
    if not extracted.text.strip():
        raise file.error("no readable text in it")
    if len(extracted.text) > options.max_characters:
        raise too_long(file)
    full_source = file.source if extracted.row is None else f"{file.source}#{extracted.row}"
    title = extracted.title or title_from_name(file.path.stem)
    if extracted.row is not None and not extracted.title:
        title = f"{title}, row {extracted.row}"
    return Document(
        id=document_id(full_source, options.tenant, options.conversation_id),
        text=extracted.text,
        title=title,
        kind=_kind(extracted),
        source=full_source,
        url=extracted.url,
        author=extracted.author,
        published_at=extracted.published_at,
        language=detect_language(extracted.text),
        tags=tuple(dict.fromkeys((*options.tags, *extracted.tags))),
        profile=options.profile,
        conversation_id=options.conversation_id,
        tenant=options.tenant,
        regions=_below_title(extracted.regions, title),
    )


def _kind(extracted: Extracted) -> DocumentKind:
    """What the reader says; prose with the sections of a paper is one."""
    sections = [region.place.section[-1] for region in extracted.regions if region.kind is RegionKind.SECTION]
    is_prose = extracted.kind is DocumentKind.PROSE
    return DocumentKind.PAPER if is_prose and is_paper(sections, extracted.text) else extracted.kind


def _below_title(regions: tuple[Region, ...], title: str) -> tuple[Region, ...]:
    """The regions with the document's own title left out of the heading paths, where it heads them all."""
    sections = [region.place.section for region in regions if region.kind is RegionKind.SECTION]
    if not sections or any(section[0] != title for section in sections):
        return regions
    shortened = (
        replace(region, place=replace(region.place, section=region.place.section[1:])) for region in regions
    )
    return tuple(
        region for region in shortened if region.kind is not RegionKind.SECTION or region.place.section
    )
