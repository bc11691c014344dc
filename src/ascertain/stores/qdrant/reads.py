"""Reading documents and chunks by name."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence

import numpy as np

from ascertain.core.asking.passages import Filter
from ascertain.core.documents.documents import Chunk, Document, DocumentRecord, DocumentState
from ascertain.stores.ports.chunks import IndexedDocument, Vectors
from ascertain.stores.qdrant import payloads, schema
from ascertain.stores.qdrant.payloads import CHUNK_FIELDS, RECORD_FIELDS, chunk_of, record_of, text_of
from ascertain.stores.qdrant.points import Points
from ascertain.stores.qdrant.schema import (
    IS_CHUNK,
    IS_CHUNK_OR_PARENT,
    IS_DOCUMENT,
    AnyOf,
    Numbers,
    PointIds,
    What,
    Where,
)
from ascertain.stores.qdrant.terms import Stored
from ascertain.stores.qdrant.versions import Sight, Versions
from ascertain.stores.records import encoding
from ascertain.stores.records.documents import most_similar, signature_bands
from ascertain.stores.records.encoding import escape_text

# Names in one condition; the engine looks each up in an index.
SLICE = 1_000
# Searchable chunks read at once by ``iterate_chunks``.
_CHUNKS_AT_ONCE = 1_000


def build_id_conditions(chunk_ids: Sequence[str], *conditions: AnyOf) -> Iterator[Where]:
    """Conditions for the chunks of these ids, in slices."""
    names = list(dict.fromkeys(map(schema.chunk_name, chunk_ids)))
    for start in range(0, len(names), SLICE):
        yield Where((AnyOf("name", names[start : start + SLICE]), *conditions))


def fetch_chunks(points: Points, sight: Sight, chunk_ids: Sequence[str]) -> dict[str, Chunk]:
    """The chunks that exist by id, parents included."""
    conditions = build_id_conditions(chunk_ids, IS_CHUNK_OR_PARENT)
    found = [part for where in conditions for part in points.scroll(where, CHUNK_FIELDS)]
    return {chunk.id: chunk for chunk in (chunk_of(part.payload) for part in keep_visible(sight, found))}


def fetch_vectors(points: Points, sight: Sight, chunk_ids: Sequence[str], vector: str) -> dict[str, Vectors]:
    """The vectors of the searchable chunks that exist, by id."""
    conditions = build_id_conditions(chunk_ids, IS_CHUNK)
    found = [part for where in conditions for part in points.scroll(where, ("id", "owner", "version"), vector)]
    return {text_of(part.payload["id"]): part.vector for part in keep_visible(sight, found) if part.vector is not None}


def fetch_neighbours(points: Points, versions: Versions, chunk_id: str, before: int, *, after: int) -> list[Chunk]:
    """The searchable chunks around one, itself included; none for a parent or an unknown id."""

    def read(sight: Sight) -> list[Chunk]:
        [where] = build_id_conditions([chunk_id], IS_CHUNK)
        centres = keep_visible(sight, points.scroll(where, ("owner", "version", "index")))
        if not centres:
            return []
        owner, version, index = (centres[0].payload[name] for name in ("owner", "version", "index"))
        around = Numbers("index", int(str(index)) - before, int(str(index)) + after)
        of_version = AnyOf("version", [str(version)])
        found = list(points.scroll(Where((IS_CHUNK, of_version, around)), CHUNK_FIELDS))
        # Again at the end: the parts may have been on their way out.
        if not sight.visible({"centre": (str(owner), str(version))}):
            sight.unsure.setdefault(str(owner), None)
        return sorted((chunk_of(part.payload) for part in found), key=lambda chunk: chunk.index)

    return versions.read_consistently(read)


def iterate_chunks(points: Points, versions: Versions, filter: Filter) -> Iterator[Chunk]:
    """Searchable chunks, documents in the order they were written, chunks in the order of their text.

    The documents are those of the first moment; each comes as it is when it is its turn.
    """
    conditions = schema.chunks_where(filter)
    listing = _documents_where(points, versions, filter)
    found = [
        (int(str(each.payload["written"])), each.id, int(str(each.payload["chunks"])))
        for each in points.scroll(listing.also(Numbers("chunks", first=1)), ("written", "chunks"))
    ]
    for batch in _by_size(sorted(found)):

        def read(current: Mapping[str, str], batch: list[str] = batch) -> dict[str, list[Chunk]]:
            where = conditions.also(AnyOf("version", [current[o] for o in batch if o in current]))
            by_owner: dict[str, list[Chunk]] = defaultdict(list)
            for part in points.scroll(where, CHUNK_FIELDS) if current else ():
                by_owner[str(part.payload["owner"])].append(chunk_of(part.payload))
            return by_owner

        parts = versions.stable(batch, read)
        for owner in batch:
            yield from sorted(parts.get(owner, []), key=lambda chunk: chunk.index)


def fetch_document(points: Points, versions: Versions, document_id: str) -> Document | None:
    """A document with its text; None when unknown, or when it failed before its text was stored."""
    point = schema.document_point(document_id)

    def read(current: Mapping[str, str]) -> Document | None:
        if point not in current:
            return None
        stored = points.retrieve([point], RECORD_FIELDS)
        pieces = _fetch_pieces(points, current[point])
        return payloads.document_of(stored[0].payload, pieces) if stored and pieces else None

    return versions.stable([point], read)


def export_document(
    points: Points, versions: Versions, document_id: str, vector: str, *, dimension: int
) -> IndexedDocument | None:
    """A whole document as ``upsert`` takes it; None when unknown or without a text."""
    point = schema.document_point(document_id)

    def read(current: Mapping[str, str]) -> IndexedDocument | None:
        fields = (*RECORD_FIELDS, "signature")
        stored = points.retrieve([point], fields) if point in current else []
        pieces = _fetch_pieces(points, current[point]) if stored else []
        if not pieces:
            return None
        payload = stored[0].payload
        of_version = AnyOf("version", [current[point]])
        parts = list(points.scroll(Where((IS_CHUNK_OR_PARENT, of_version)), (*CHUNK_FIELDS, "index", "place"), vector))
        parts.sort(key=lambda part: (part.payload.get("place", -1), part.payload["index"]))
        rows = [part.vector for part in parts if part.vector is not None]
        signature = payload.get("signature")
        return IndexedDocument(
            payloads.document_of(payload, pieces),
            [chunk_of(part.payload) for part in parts],
            np.array(rows, np.float32).reshape(len(rows), dimension),
            DocumentState(str(payload["state"])),
            text_of(payload["reason"]),
            payloads.duplicate_of(payload),
            None if signature is None else bytes.fromhex(str(signature)),
            payloads.added_at(payload),
        )

    return versions.stable([point], read)


def fetch_documents(points: Points, versions: Versions, filter: Filter) -> list[DocumentRecord]:
    """The records that ``filter`` selects, by source and id."""
    found = fetch_document_points(points, versions, filter, RECORD_FIELDS)
    return sorted((record_of(each.payload) for each in found), key=lambda record: (record.source, record.id))


def fetch_document_points(points: Points, versions: Versions, filter: Filter, fields: Sequence[str]) -> list[Stored]:
    """The points of the documents that ``filter`` selects; where it names chunks, those that own one of them."""
    return list(points.scroll(_documents_where(points, versions, filter), fields))


def compute_fingerprint(points: Points, versions: Versions, filter: Filter) -> str:
    """Of the searchable documents that ``filter`` selects."""
    where = _documents_where(points, versions, filter).also(Numbers("chunks", first=1))
    return encoding.format_fingerprint(payloads.sum_of_versions(points.facet("version_bytes", where)))


def fetch_content_hashes(points: Points, tenant: str) -> dict[str, str]:
    """Content hash by document id, failed ones left out."""
    where = schema.documents_where(Filter(tenant=tenant)).without(AnyOf("state", [DocumentState.FAILED.value]))
    found = points.scroll(where, ("id", "content_hash", "written"))
    return {text_of(each.payload["id"]): str(each.payload["content_hash"]) for each in found}


def find_similar(points: Points, signature: bytes, threshold: float, tenant: str) -> list[tuple[str, float]]:
    """Searchable documents whose estimated Jaccard similarity reaches ``threshold``, best first, then by id."""
    where = Where((IS_DOCUMENT, AnyOf("tenant", [escape_text(tenant)]), AnyOf("bands", signature_bands(signature))))
    found = points.scroll(where, ("id", "signature"))
    pairs = ((text_of(each.payload["id"]), bytes.fromhex(str(each.payload["signature"]))) for each in found)
    return most_similar(signature, pairs, threshold)


def list_tenants(points: Points) -> list[str]:
    """All tenants with a document, by name."""
    return sorted(map(text_of, points.facet("tenant", Where((IS_DOCUMENT,)))))


def _documents_where(points: Points, versions: Versions, filter: Filter) -> Where:
    """The documents that ``filter`` selects; where it names chunks, those that own one of them."""
    where = schema.documents_where(filter)
    return where.also(PointIds(_fetch_owners(points, versions, filter))) if filter.names_chunks else where


def _fetch_owners(points: Points, versions: Versions, filter: Filter) -> list[str]:
    where = schema.owners_where(filter)

    def read(sight: Sight) -> list[str]:
        found = list(points.scroll(where, ("owner", "version")))
        return list(dict.fromkeys(str(part.payload["owner"]) for part in keep_visible(sight, found)))

    return versions.read_consistently(read)


def keep_visible(sight: Sight, parts: Iterable[Stored]) -> list[Stored]:
    """Those parts, read with ``owner`` and ``version``, whose version is current; each once."""
    found = {part.id: part for part in parts}
    pairs = {point: (str(part.payload["owner"]), str(part.payload["version"])) for point, part in found.items()}
    shown = sight.visible(pairs)
    return [part for point, part in found.items() if point in shown]


def _fetch_pieces(points: Points, version: str) -> list[str]:
    where = Where((AnyOf("what", [What.TEXT.value]), AnyOf("version", [version])))
    found = {int(str(p.payload["place"])): text_of(p.payload["text"]) for p in points.scroll(where, ("place", "text"))}
    return [found[place] for place in sorted(found)]


def _by_size(found: list[tuple[int, str, int]]) -> Iterator[list[str]]:
    batch: list[str] = []
    chunks_in_batch = 0
    for _, point, size in found:
        if batch and (chunks_in_batch + size > _CHUNKS_AT_ONCE or len(batch) == SLICE):
            yield batch
            batch, chunks_in_batch = [], 0
        batch.append(point)
        chunks_in_batch += size
    if batch:
        yield batch
