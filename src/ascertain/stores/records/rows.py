"""Nouns to rows and back.

A chunk repeats fields of its document (title, kind, source, dates, tags ...); they are stored once, with the document.
"""

import json
import zlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from functools import lru_cache, wraps
from typing import Any, NamedTuple, ParamSpec, TypeVar

from ascertain.core.documents.blocks import Block, BlockKind, Figure, LineBox, Place, Span
from ascertain.core.documents.documents import (
    Chunk,
    Completeness,
    Document,
    DocumentKind,
    DocumentRecord,
    DocumentState,
    LeftOut,
)
from ascertain.core.documents.profiling import DocumentProfile, DocumentType
from ascertain.core.errors import StoreDamaged

_Given = ParamSpec("_Given")
_Read = TypeVar("_Read")

DAMAGE_REMEDY = "restore it from a backup, or move it away and add the documents again"
"""What to do about a record that is damaged."""
SEE_DOCTOR = "; see `ascertain doctor`"
"""The end of an error of damage, which ``doctor`` itself leaves out."""

Row = tuple[Any, ...]

Text = str | bytes
"""A string as a database holds it; see ``python_text``."""


def list_columns(fields: Iterable[str], table: str = "", others: Mapping[str, str] | None = None) -> str:
    """The columns of a SELECT for the fields of a named tuple: those of ``table`` by the same names, but for ``others``."""
    known = others or {}
    prefix = f"{table}." if table else ""
    return ", ".join(known.get(field, prefix + field) for field in fields)


class StoredChunk(NamedTuple):
    """A row of ``chunks``."""

    row: int
    id: Text
    document: int
    position: int
    span_start: int
    span_end: int
    text: Text
    heading: Text
    place: str | None
    parent_id: Text | None
    is_parent: bool | int
    overlap_previous: int
    overlap_next: int
    topics: str | None


class ChunkRow(NamedTuple):
    """A chunk with what it repeats of its document."""

    id: Text
    document_id: Text
    position: int
    span_start: int
    span_end: int
    text: Text
    heading: Text
    place: str | None
    parent_id: Text | None
    is_parent: bool | int
    overlap_previous: int
    overlap_next: int
    topics: str | None
    title: Text
    kind: str
    source: Text
    url: Text | None
    author: Text | None
    published_at: str | None
    language: Text | None
    tags: str
    profile: Text
    conversation_id: Text | None
    tenant: Text
    technical_density: float | None
    type: str | None
    type_confidence: float | None
    domains: str | None


class RecordRow(NamedTuple):
    """What a list of documents shows of one."""

    id: Text
    title: Text
    kind: str
    source: Text
    state: str
    reason: Text
    content_hash: str
    chunks: int
    characters: int
    profile: Text
    added_at: str
    url: Text | None
    author: Text | None
    published_at: str | None
    language: Text | None
    tags: str
    conversation_id: Text | None
    duplicate_of: Text | None
    technical_density: float | None
    type: str | None
    type_confidence: float | None
    domains: str | None
    completeness: str | None


class DocumentRow(NamedTuple):
    """A document with its text."""

    id: Text
    text: Text
    title: Text
    kind: str
    source: Text
    url: Text | None
    author: Text | None
    published_at: str | None
    language: Text | None
    tags: str
    profile: Text
    conversation_id: Text | None
    tenant: Text
    blocks: str
    technical_density: float | None
    type: str | None
    type_confidence: float | None
    domains: str | None
    completeness: str | None


OWN_OF_CHUNK = tuple(field for field in StoredChunk._fields if field not in ("row", "document"))
"""What a chunk does not repeat of its document."""
CHUNK_ROW = list_columns(StoredChunk._fields, others={"row": '"row"'})
CHUNK_COLUMNS = list_columns(
    ChunkRow._fields, "d", {"document_id": "d.id"} | {field: f"c.{field}" for field in OWN_OF_CHUNK}
)
RECORD_COLUMNS = list_columns(RecordRow._fields, "d")
DOCUMENT_COLUMNS = list_columns(DocumentRow._fields, "d", {"text": "t.text", "blocks": "t.blocks"})


def guard_reading(read: Callable[_Given, _Read]) -> Callable[_Given, _Read]:
    """``read``, which makes nouns of stored rows; StoreDamaged if their content is invalid."""

    @wraps(read)
    def guarded(*arguments: _Given.args, **named: _Given.kwargs) -> _Read:
        try:
            return read(*arguments, **named)
        except (ValueError, TypeError, KeyError, IndexError, AttributeError, OverflowError, zlib.error) as error:
            reason = f"{type(error).__name__}: {error}".split("\n", 1)[0][:100]
            raise StoreDamaged(f"what is stored is damaged ({reason}): {DAMAGE_REMEDY}{SEE_DOCTOR}") from error

    return guarded


def python_text(value: Text) -> str:
    """A string as it was; SQLite holds one that has lone surrogates as bytes (file names that are not UTF-8)."""
    return value if isinstance(value, str) else value.decode("utf-8", "surrogatepass")


def optional_text(value: Text | None) -> str | None:
    """``python_text`` of what may be missing."""
    return None if value is None else python_text(value)


def to_microseconds(moment: datetime) -> int:
    """Microseconds since 1970 in UTC; a naive moment is taken as UTC."""
    aware = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    # Not timestamp(): a float loses microseconds.
    delta = aware - datetime(1970, 1, 1, tzinfo=UTC)
    return (delta.days * 86_400 + delta.seconds) * 1_000_000 + delta.microseconds


def moment_of(value: int) -> datetime:
    """The inverse of ``to_microseconds``, in UTC."""
    return datetime(1970, 1, 1, tzinfo=UTC) + timedelta(microseconds=value)


def optional_moment(value: int | None) -> datetime | None:
    """``moment_of`` of what may be missing."""
    return None if value is None else moment_of(value)


def document_row(document: Document, added_at: datetime | None = None) -> dict[str, object]:
    """The columns of ``documents`` that come from the document itself, added now unless said otherwise."""
    published = document.published_at
    profile = document.document_profile
    return {
        "id": document.id,
        "tenant": document.tenant,
        "source": document.source,
        "title": document.title,
        "kind": str(document.kind),
        "url": document.url,
        "author": document.author,
        "published_at": published.isoformat() if published else None,
        "published": to_microseconds(published) if published else None,
        "language": document.language,
        "tags": json.dumps(document.tags),
        "profile": document.profile,
        "conversation_id": document.conversation_id,
        "content_hash": document.content_hash,
        "characters": len(document.text),
        "added_at": (added_at or datetime.now(UTC)).isoformat(),
        "technical_density": profile.technical_density if profile else None,
        "type": profile.type.value if profile else None,
        "type_confidence": profile.type_confidence if profile else None,
        "domains": json.dumps(profile.domains) if profile else None,
        "completeness": _completeness_json(document.completeness),
    }


def chunk_row(row: int, document: int, chunk: Chunk) -> StoredChunk:
    """A row of ``chunks``, for CHUNK_ROW."""
    return StoredChunk(
        row=row,
        id=chunk.id,
        document=document,
        position=chunk.index,
        span_start=chunk.span.start,
        span_end=chunk.span.end,
        text=chunk.text,
        heading=chunk.heading,
        place=_place_json(chunk.place),
        parent_id=chunk.parent_id,
        is_parent=int(chunk.is_parent),
        overlap_previous=chunk.overlap_previous,
        overlap_next=chunk.overlap_next,
        topics=json.dumps(chunk.topics) if chunk.topics else None,
    )


def topic_rows(row: int, document: int, chunk: Chunk) -> list[Row]:
    """Rows of ``chunk_topics``: a topic, the row of the chunk, its document."""
    return [(topic, row, document) for topic in dict.fromkeys(chunk.topics)]


@guard_reading
def read_chunk(values: Iterable[Any]) -> Chunk:
    """A chunk from the values of CHUNK_COLUMNS."""
    row = ChunkRow._make(values)
    return Chunk(
        id=python_text(row.id),
        document_id=python_text(row.document_id),
        index=row.position,
        span=Span(row.span_start, row.span_end),
        text=python_text(row.text),
        heading=python_text(row.heading),
        title=python_text(row.title),
        kind=DocumentKind(row.kind),
        source=python_text(row.source),
        place=_read_place(row.place),
        url=optional_text(row.url),
        author=optional_text(row.author),
        published_at=_read_moment(row.published_at),
        language=optional_text(row.language),
        tags=read_tags(row.tags),
        profile=python_text(row.profile),
        conversation_id=optional_text(row.conversation_id),
        tenant=python_text(row.tenant),
        parent_id=optional_text(row.parent_id),
        is_parent=bool(row.is_parent),
        overlap_previous=row.overlap_previous,
        overlap_next=row.overlap_next,
        document_profile=_read_profile(row.technical_density, row.type, row.type_confidence, row.domains),
        topics=read_tags(row.topics or "[]"),
    )


@guard_reading
def read_record(values: Iterable[Any]) -> DocumentRecord:
    """A document's record from the values of RECORD_COLUMNS."""
    row = RecordRow._make(values)
    return DocumentRecord(
        id=python_text(row.id),
        title=python_text(row.title),
        kind=DocumentKind(row.kind),
        source=python_text(row.source),
        state=DocumentState(row.state),
        reason=python_text(row.reason),
        content_hash=row.content_hash,
        chunks=row.chunks,
        characters=row.characters,
        profile=python_text(row.profile),
        added_at=datetime.fromisoformat(row.added_at),
        url=optional_text(row.url),
        author=optional_text(row.author),
        published_at=_read_moment(row.published_at),
        language=optional_text(row.language),
        tags=read_tags(row.tags),
        conversation_id=optional_text(row.conversation_id),
        duplicate_of=optional_text(row.duplicate_of),
        document_profile=_read_profile(row.technical_density, row.type, row.type_confidence, row.domains),
        completeness=_read_completeness(row.completeness),
    )


@guard_reading
def read_document(values: Iterable[Any]) -> Document:
    """A document with its text from the values of DOCUMENT_COLUMNS."""
    row = DocumentRow._make(values)
    return Document(
        id=python_text(row.id),
        text=python_text(row.text),
        title=python_text(row.title),
        kind=DocumentKind(row.kind),
        source=python_text(row.source),
        url=optional_text(row.url),
        author=optional_text(row.author),
        published_at=_read_moment(row.published_at),
        language=optional_text(row.language),
        tags=read_tags(row.tags),
        profile=python_text(row.profile),
        conversation_id=optional_text(row.conversation_id),
        tenant=python_text(row.tenant),
        blocks=_read_blocks(row.blocks),
        document_profile=_read_profile(row.technical_density, row.type, row.type_confidence, row.domains),
        completeness=_read_completeness(row.completeness),
    )


def blocks_json(blocks: Sequence[Block]) -> str:
    """The blocks of a document as one JSON array."""
    return json.dumps([_block_values(block) for block in blocks], separators=(",", ":"))


_PLAIN: tuple[Any, ...] = (None, 0, 0, None, 0, False, None, None)
"""The values of a block behind its span that are left out at its end."""


def _block_values(block: Block) -> list[object]:
    place = None if block.place == Place() else _place_values(block.place)
    values: list[object] = [
        *(place, block.depth, block.level, block.label, block.header_rows, block.is_hidden, block.box),
        [block.figure.digest, block.figure.model] if block.figure else None,
    ]
    while values and values[-1] == _PLAIN[len(values) - 1]:
        values.pop()
    return [block.kind, *block.span, *values]


def _read_blocks(text: str) -> tuple[Block, ...]:
    return tuple(map(_block_of, json.loads(text)))


def _block_of(values: list[Any]) -> Block:
    kind, start, end, *rest = values
    place, depth, level, label, header_rows, is_hidden, box, figure = (*rest, *_PLAIN[len(rest) :])
    return Block(
        BlockKind(kind),
        Span(start, end),
        _place_of(place) if place else Place(),
        depth,
        level,
        label,
        header_rows,
        is_hidden,
        LineBox(*box) if box else None,
        Figure(*figure) if figure else None,
    )


def _completeness_json(completeness: Completeness | None) -> str | None:
    if completeness is None:
        return None
    left_out = [[each.what, each.count, each.words, each.names, each.is_shown] for each in completeness.left_out]
    return json.dumps([completeness.words, left_out, completeness.notes], separators=(",", ":"))


def _read_completeness(text: str | None) -> Completeness | None:
    if text is None:
        return None
    words, left_out, notes = json.loads(text)
    lost = (LeftOut(what, count, found, tuple(names), is_shown) for what, count, found, names, is_shown in left_out)
    return Completeness(words, tuple(lost), tuple(notes))


def _place_values(place: Place) -> list[object]:
    values: list[object] = [place.page, place.section, place.speaker, place.start_time, place.end_time]
    return [*values, place.part] if place.part else values


def _place_of(values: list[Any]) -> Place:
    page, section, speaker, start_time, end_time, *part = values
    return Place(page, tuple(section), speaker, start_time, end_time, *part)


def _place_json(place: Place) -> str | None:
    return None if place == Place() else json.dumps(_place_values(place), separators=(",", ":"))


def _read_place(text: str | None) -> Place:
    return Place() if text is None else _place_of(json.loads(text))


# The chunks of a document repeat its profile.
@lru_cache(maxsize=4096)
def _read_profile(
    density: float | None, kind: str | None, confidence: float | None, domains: str | None
) -> DocumentProfile | None:
    if density is None or kind is None or confidence is None:
        return None
    return DocumentProfile(density, DocumentType(kind), confidence, read_tags(domains or "[]"))


def _read_moment(text: str | None) -> datetime | None:
    return None if text is None else datetime.fromisoformat(text)


def read_tags(text: str) -> tuple[str, ...]:
    """The tags of a ``documents.tags`` value."""
    return () if text == "[]" else tuple(json.loads(text))
