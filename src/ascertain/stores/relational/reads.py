"""Reading documents and chunks inside the caller's read transaction."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from ascertain.core.asking.passages import OWN, Filter
from ascertain.core.documents.documents import Chunk
from ascertain.core.documents.profiling import CorpusProfile
from ascertain.core.errors import StoreError
from ascertain.core.service.status import StoreStats
from ascertain.stores.ports.chunks import Vectors
from ascertain.stores.records import rows
from ascertain.stores.records.rows import python_text
from ascertain.stores.records.vectors import Generation
from ascertain.stores.relational.database import Condition, Session, select_elsewhere

StoredVectors = tuple[Sequence[str], NDArray[np.float16]]
"""Ids of chunks and their vectors, of shape (ids, dimension)."""

FROM_CHUNKS = "FROM chunks c JOIN documents d ON d.number = c.document"
_SEARCHABLE = "FROM documents WHERE tenant = ? AND first_row IS NOT NULL"


def fetch_without_vector(db: Session, generation: Generation, after_row: int, limit: int) -> list[tuple[int, Chunk]]:
    """Up to ``limit`` searchable chunks above a row that lack a vector of ``generation``, with their rows, in order."""
    found = db.fetch_rows(
        f"""SELECT c."row", {rows.CHUNK_COLUMNS} {FROM_CHUNKS}
            WHERE c."row" > ? AND NOT c.is_parent AND {db.dialect.lacks_vector(generation)}
            ORDER BY c."row" LIMIT ?""",
        *(after_row, limit),
    )
    return [(number, rows.read_chunk(chunk)) for number, *chunk in found]


def count_without_vector(db: Session, generation: Generation) -> int:
    """How many searchable chunks lack a vector of ``generation``."""
    lacking = f"NOT c.is_parent AND {db.dialect.lacks_vector(generation)}"
    return int(db.fetch_rows(f"SELECT count(*) FROM chunks c WHERE {lacking}")[0][0])


def select_vectors(found: StoredVectors, chunk_ids: Sequence[str]) -> Vectors:
    """The vectors of chunks in the given order; raises StoreError for one that has none."""
    ids, stored = found
    places = {chunk_id: place for place, chunk_id in enumerate(ids)}
    unknown = next((chunk_id for chunk_id in chunk_ids if chunk_id not in places), None)
    if unknown is not None:
        raise StoreError(f"no vector is stored for the chunk {unknown}: it does not exist or is a parent")
    return stored[[places[chunk_id] for chunk_id in chunk_ids]].astype(np.float32)


def simplify_filter(db: Session, filter: Filter) -> Filter:
    """``filter`` without a condition that leaves nothing out.

    That is the one on ``within``, where nothing was fetched for other conversations.
    """
    if filter.within is None or OWN not in filter.within:
        return filter
    condition = select_elsewhere(filter.tenant, filter.within)
    others = db.fetch_rows(f"SELECT 1 FROM documents d WHERE {condition.sql} LIMIT 1", *condition.parameters)
    return filter if others else replace(filter, within=None)


def sum_versions(db: Session, condition: Condition) -> int:
    """The sum of the numbers of the searchable versions that are selected (see ``stores.encoding``)."""
    # In halves of 28 bits, since SQLite adds up to 2^63.
    high, low = db.fetch_rows(
        f"""SELECT coalesce(sum(d.version >> 28), 0), coalesce(sum(d.version & {(1 << 28) - 1}), 0)
            FROM documents d WHERE d.chunks > 0 AND {condition.sql}""",
        *condition.parameters,
    )[0]
    return (int(high) << 28) + int(low)


def read_stats(
    db: Session, tenant: str, generation: Generation | None, bytes_on_disk: int, *, corpus: CorpusProfile
) -> StoreStats:
    """Counts over one tenant; documents, kinds and profiles of what can be searched, states of everything."""
    documents, chunks, earliest, latest = db.fetch_rows(
        f"SELECT count(*), coalesce(sum(chunks), 0), min(published), max(published) {_SEARCHABLE}", tenant
    )[0]
    return StoreStats(
        documents=documents,
        chunks=int(chunks),
        by_kind=_count_by(db, "kind", _SEARCHABLE, tenant),
        by_profile=_count_by(db, "profile", _SEARCHABLE, tenant),
        by_state=_count_by(db, "state", "FROM documents WHERE tenant = ?", tenant),
        embedding_model=generation.model if generation else None,
        dimension=generation.dimension if generation else None,
        bytes_on_disk=bytes_on_disk,
        earliest=_find_date(db, tenant, earliest),
        latest=_find_date(db, tenant, latest),
        corpus=corpus,
    )


def _count_by(db: Session, column: str, among: str, tenant: str) -> dict[str, int]:
    found = db.fetch_rows(f"SELECT {column}, count(*) {among} GROUP BY {column} ORDER BY {column}", tenant)
    return {python_text(name): number for name, number in found}


def _find_date(db: Session, tenant: str, published: int | None) -> str | None:
    if published is None:
        return None
    found = db.fetch_rows(f"SELECT published_at {_SEARCHABLE} AND published = ? LIMIT 1", tenant, published)
    return str(found[0][0])
