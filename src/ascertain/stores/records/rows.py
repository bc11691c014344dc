"""Nouns to rows and back.

A chunk repeats fields of its document (title, kind, source, dates, tags ...); they are stored once, with the document.
"""

import json
import zlib
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from functools import lru_cache, wraps
from typing import Any, ParamSpec, TypeVar

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

_PROFILE_COLUMNS = "d.technical_density, d.type, d.type_confidence, d.domains"
CHUNK_COLUMNS = (
    "c.id, d.id, c.position, c.span_start, c.span_end, c.text, c.heading, d.title, d.kind, d.source, c.place, d.url, "
    "d.author, d.published_at, d.language, d.tags, d.profile, d.conversation_id, d.tenant, c.parent_id, c.is_parent, "
    f"c.overlap_previous, c.overlap_next, {_PROFILE_COLUMNS}, c.topics"
)
CHUNK_ROW = (
    '"row", id, document, position, span_start, span_end, text, heading, place, parent_id, is_parent, '
    "overlap_previous, overlap_next, topics"
)
RECORD_COLUMNS = (
    "d.id, d.title, d.kind, d.source, d.state, d.reason, d.content_hash, d.chunks, d.characters, d.profile, "
    "d.added_at, d.url, d.author, d.published_at, d.language, d.tags, d.conversation_id, d.duplicate_of, "
    f"{_PROFILE_COLUMNS}, d.completeness"
)
DOCUMENT_COLUMNS = (
    "d.id, t.text, d.title, d.kind, d.source, d.url, d.author, d.published_at, d.language, d.tags, d.profile, "
    f"d.conversation_id, d.tenant, t.blocks, {_PROFILE_COLUMNS}, d.completeness"
)


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


def python_text(value: str | bytes) -> str:
    """A string as it was; SQLite holds one that has lone surrogates as bytes (file names that are not UTF-8)."""
    return value if isinstance(value, str) else value.decode("utf-8", "surrogatepass")


def optional_text(value: str | bytes | None) -> str | None:
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


def chunk_row(row: int, document: int, chunk: Chunk) -> Row:
    """A row of ``chunks`` in the order of CHUNK_ROW."""
    return (
        row,
        chunk.id,
        document,
        chunk.index,
        chunk.span.start,
        chunk.span.end,
        chunk.text,
        chunk.heading,
        _place_json(chunk.place),
        chunk.parent_id,
        int(chunk.is_parent),
        chunk.overlap_previous,
        chunk.overlap_next,
        json.dumps(chunk.topics) if chunk.topics else None,
    )


def topic_rows(row: int, document: int, chunk: Chunk) -> list[Row]:
    """Rows of ``chunk_topics``: a topic, the row of the chunk, its document."""
    return [(topic, row, document) for topic in dict.fromkeys(chunk.topics)]


@guard_reading
def read_chunk(row: Row) -> Chunk:
    """A chunk from a row of CHUNK_COLUMNS."""
    return Chunk(
        id=python_text(row[0]),
        document_id=python_text(row[1]),
        index=row[2],
        span=Span(row[3], row[4]),
        text=python_text(row[5]),
        heading=python_text(row[6]),
        title=python_text(row[7]),
        kind=DocumentKind(row[8]),
        source=python_text(row[9]),
        place=_read_place(row[10]),
        url=optional_text(row[11]),
        author=optional_text(row[12]),
        published_at=_read_moment(row[13]),
        language=optional_text(row[14]),
        tags=read_tags(row[15]),
        profile=python_text(row[16]),
        conversation_id=optional_text(row[17]),
        tenant=python_text(row[18]),
        parent_id=optional_text(row[19]),
        is_parent=bool(row[20]),
        overlap_previous=row[21],
        overlap_next=row[22],
        document_profile=_read_profile(*row[23:27]),
        topics=read_tags(row[27] or "[]"),
    )


@guard_reading
def read_record(row: Row) -> DocumentRecord:
    """A document's record from a row of RECORD_COLUMNS."""
    return DocumentRecord(
        id=python_text(row[0]),
        title=python_text(row[1]),
        kind=DocumentKind(row[2]),
        source=python_text(row[3]),
        state=DocumentState(row[4]),
        reason=python_text(row[5]),
        content_hash=row[6],
        chunks=row[7],
        characters=row[8],
        profile=python_text(row[9]),
        added_at=datetime.fromisoformat(row[10]),
        url=optional_text(row[11]),
        author=optional_text(row[12]),
        published_at=_read_moment(row[13]),
        language=optional_text(row[14]),
        tags=read_tags(row[15]),
        conversation_id=optional_text(row[16]),
        duplicate_of=optional_text(row[17]),
        document_profile=_read_profile(*row[18:22]),
        completeness=_read_completeness(row[22]),
    )


@guard_reading
def read_document(row: Row) -> Document:
    """A document with its text from a row of DOCUMENT_COLUMNS."""
    return Document(
        id=python_text(row[0]),
        text=python_text(row[1]),
        title=python_text(row[2]),
        kind=DocumentKind(row[3]),
        source=python_text(row[4]),
        url=optional_text(row[5]),
        author=optional_text(row[6]),
        published_at=_read_moment(row[7]),
        language=optional_text(row[8]),
        tags=read_tags(row[9]),
        profile=python_text(row[10]),
        conversation_id=optional_text(row[11]),
        tenant=python_text(row[12]),
        blocks=_read_blocks(row[13]),
        document_profile=_read_profile(*row[14:18]),
        completeness=_read_completeness(row[18]),
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
