"""Documents and chunks as payloads of points, and back.

``body`` holds everything of a chunk or of a document's record as one JSON text, in the columns of ``stores.rows``; the
other fields are there to be searched, counted or changed by themselves.
"""

import json
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, cast

from ascertain.core.documents.documents import Chunk, Document, DocumentRecord
from ascertain.stores.ports.chunks import IndexedDocument
from ascertain.stores.qdrant.schema import What, chunk_name, document_point, moment_text
from ascertain.stores.records import rows
from ascertain.stores.records.documents import list_ancestors, signature_bands
from ascertain.stores.records.encoding import VERSION_BYTES, escape_text, unescape_text, version_number

Columns = dict[str, Any]

CHUNK_FIELDS = ("body", "owner", "version")
RECORD_FIELDS = ("body", "state", "reason", "duplicate_of", "chunks", "version", "added_at")

# A request to Qdrant may have 32 MiB as it comes; a character takes up to 6 bytes there.
TEXT_PIECE = 1_000_000


def shared_fields(document: Document) -> Columns:
    """What filters look at, the same on a document and on its chunks."""
    source = escape_text(document.source)
    fields: Columns = {
        "tenant": escape_text(document.tenant),
        "owner": document_point(document.id),
        "kind": document.kind.value,
        "source": source,
        "within": list_ancestors(source),
        "tags": list(map(escape_text, document.tags)),
        "profile": escape_text(document.profile),
    }
    if document.language is not None:
        fields["language"] = escape_text(document.language)
    if document.conversation_id is not None:
        fields["conversation"] = escape_text(document.conversation_id)
    if document.published_at is not None:
        fields["published"] = moment_text(document.published_at)
    return fields


def document_payload(document: Document, added_at: datetime | None = None) -> Columns:
    """A document's record without its state."""
    columns = _decode_columns(rows.document_row(document, added_at))
    added = columns.pop("added_at")
    fields: Columns = {
        **shared_fields(document),
        "what": What.DOCUMENT.value,
        "body": _dump_json(columns),
        "added_at": added,
        "id": escape_text(document.id),
        "content_hash": document.content_hash,
        "version_bytes": version_bytes(document),
    }
    return fields


def version_bytes(document: Document) -> list[int]:
    """The bytes of the number of a version, each with its place above it."""
    number = version_number(document.id, document.content_hash)
    return [256 * place + (number >> 8 * place & 0xFF) for place in range(VERSION_BYTES)]


def sum_of_versions(counts: Mapping[str | int, int]) -> int:
    """The sum of the numbers of versions, from how often each of their ``version_bytes`` occurs."""
    return sum((int(each) % 256 << 8 * (int(each) // 256)) * count for each, count in counts.items())


def profile_fields(document: Document) -> Columns:
    """What a corpus profile is counted from; only of documents that can be searched."""
    profile = document.document_profile
    if profile is None:
        return {}
    return {
        "type": profile.type.value,
        # A text, as numbers with a fraction are not counted by value.
        "density": repr(profile.technical_density),
        "domains": sorted({escape_text(domain) for domain in profile.domains}),
    }


def state_fields(source: IndexedDocument) -> Columns:
    """The state of a document that is written, and what it is compared by."""
    fields: Columns = {"state": source.state.value, "reason": escape_text(source.reason)}
    if source.duplicate_of is not None:
        fields |= {"duplicate_of": escape_text(source.duplicate_of), "original": document_point(source.duplicate_of)}
    if source.signature is not None:
        fields |= {"signature": source.signature.hex(), "bands": signature_bands(source.signature)}
    return fields


def chunk_payload(document: Columns, shared: Columns, chunk: Chunk) -> Columns:
    """A chunk or a parent; ``document`` are the columns of its document, ``shared`` its fields."""
    values = [_decode_value(value) for value in rows.chunk_row(0, 0, chunk)]
    return {
        **shared,
        "what": (What.PARENT if chunk.is_parent else What.CHUNK).value,
        "name": chunk_name(chunk.id),
        "index": chunk.index,
        "topics": list(map(escape_text, chunk.topics)),
        "body": _dump_json([values, document]),
    }


def document_columns(document: Document) -> Columns:
    """The columns of a document that its chunks repeat."""
    columns = _decode_columns(rows.document_row(document))
    for name in ("content_hash", "characters", "added_at", "published", "completeness"):
        del columns[name]
    return columns


def chunk_of(payload: Mapping[str, object]) -> Chunk:
    """A chunk out of its payload."""
    values, d = cast("tuple[list[Any], Columns]", _load_json(payload["body"]))
    fields = {**d, "document_id": d["id"], **rows.StoredChunk._make(values)._asdict()}
    return rows.read_chunk(fields[field] for field in rows.ChunkRow._fields)


def record_of(payload: Mapping[str, object]) -> DocumentRecord:
    """A document's record out of its payload."""
    d = cast(Columns, _load_json(payload["body"]))
    fields = {
        **d,
        "state": payload["state"],
        "reason": text_of(payload.get("reason")),
        "chunks": payload.get("chunks", 0),
        "added_at": payload["added_at"],
        "duplicate_of": duplicate_of(payload),
    }
    return rows.read_record(fields[field] for field in rows.RecordRow._fields)


def document_of(payload: Mapping[str, object], pieces: Sequence[str]) -> Document:
    """A document out of its payload and the pieces of its text, of which the first is the blocks."""
    d = cast(Columns, _load_json(payload["body"]))
    fields = {**d, "blocks": pieces[0], "text": "".join(pieces[1:])}
    return rows.read_document(fields[field] for field in rows.DocumentRow._fields)


def text_pieces(document: Document) -> list[str]:
    """The blocks, and the text in pieces that fit a request."""
    text = document.text
    starts = range(0, len(text), TEXT_PIECE)
    return [rows.blocks_json(document.blocks), *(text[start : start + TEXT_PIECE] for start in starts)]


def duplicate_of(payload: Mapping[str, object]) -> str | None:
    """The id of the document that this one repeats."""
    value = payload.get("duplicate_of")
    return None if value is None else text_of(value)


def text_of(value: object) -> str:
    """A text field as it was before it was carried; empty where it is missing."""
    return unescape_text(str(value)) if value is not None else ""


def added_at(payload: Mapping[str, object]) -> datetime:
    """When a document was first written."""
    return datetime.fromisoformat(str(payload["added_at"]))


def _decode_columns(row: Mapping[str, object]) -> Columns:
    return {name: _decode_value(value) for name, value in row.items()}


def _decode_value(value: object) -> object:
    return rows.python_text(value) if isinstance(value, bytes) else value


def _dump_json(value: object) -> str:
    return escape_text(json.dumps(value, ensure_ascii=False, separators=(",", ":")))


def _load_json(text: object) -> Any:
    return json.loads(unescape_text(str(text)))
