"""Reading from the record. Every function runs inside the caller's read transaction."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator, Sequence
from dataclasses import replace

from ascertain.core.chunks import Chunk
from ascertain.core.documents import Document, DocumentRecord, DocumentState
from ascertain.core.filters import OWN, Filter
from ascertain.core.profiling import CorpusProfile, DocumentType
from ascertain.stores import fingerprints, rows
from ascertain.stores.embedded import generations
from ascertain.stores.embedded.filters_sql import chunk_condition, document_condition, elsewhere_condition
from ascertain.stores.ports import StoreStats
from ascertain.stores.rows import python_text, sql_text

_CHUNKS = f"SELECT {rows.CHUNK_COLUMNS} FROM chunks c JOIN documents d ON d.number = c.document"


def chunks(db: sqlite3.Connection, chunk_ids: Sequence[str]) -> list[Chunk]:
    """The chunks that exist, in the order asked; parents included."""
    found = db.execute(f"{_CHUNKS} WHERE c.id IN (SELECT value FROM json_each(?))", (json.dumps(chunk_ids),))
    by_id = {chunk.id: chunk for chunk in map(rows.chunk, found)}
    return [by_id[chunk_id] for chunk_id in chunk_ids if chunk_id in by_id]


def neighbours(db: sqlite3.Connection, chunk_id: str, before: int, after: int) -> list[Chunk]:
    """The searchable chunks around one, itself included; none for a parent or an unknown id."""
    found = db.execute(
        f"""{_CHUNKS} JOIN chunks centre ON centre.document = c.document
            WHERE centre.id = ? AND centre.is_parent = 0 AND c.is_parent = 0
              AND c.position BETWEEN centre.position - ? AND centre.position + ? ORDER BY c.position""",
        (sql_text(chunk_id), before, after),
    )
    return list(map(rows.chunk, found))


def iterate(db: sqlite3.Connection, filter: Filter) -> Iterator[Chunk]:
    """Searchable chunks, documents in the order they were written, chunks in the order of their text."""
    condition = chunk_condition(filter)
    return map(
        rows.chunk, db.execute(f"{_CHUNKS} WHERE {condition.sql} ORDER BY c.row", condition.parameters)
    )


def row_numbers(db: sqlite3.Connection, chunk_ids: Sequence[str]) -> dict[int, str]:
    """Id by row number, of the searchable chunks that exist."""
    return dict(
        db.execute(
            "SELECT row, id FROM chunks WHERE id IN (SELECT value FROM json_each(?)) AND is_parent = 0",
            (json.dumps(chunk_ids),),
        )
    )


def ids_of_rows(db: sqlite3.Connection, numbers: Sequence[int], tenant: str) -> dict[int, str]:
    """Chunk id by row number, for those that still exist and belong to ``tenant``."""
    wanted = json.dumps(numbers)
    if only_tenant(db) == tenant:
        return dict(
            db.execute(
                "SELECT c.row, c.id FROM json_each(?) wanted CROSS JOIN chunks c ON c.row = wanted.value",
                (wanted,),
            )
        )
    return dict(
        db.execute(
            # CROSS JOIN and + keep SQLite from beginning with all documents of the tenant.
            """SELECT c.row, c.id FROM json_each(?) wanted CROSS JOIN chunks c ON c.row = wanted.value
               CROSS JOIN documents d ON d.number = c.document WHERE +d.tenant = ?""",
            (wanted, sql_text(tenant)),
        )
    )


def matching_rows(db: sqlite3.Connection, filter: Filter) -> list[tuple[int, int]]:
    """Intervals ``(first row, count)`` of the searchable chunks that ``filter`` selects."""
    if filter.chunk_ids:
        condition = chunk_condition(filter)
        return db.execute(
            f"SELECT c.row, 1 FROM chunks c JOIN documents d ON d.number = c.document WHERE {condition.sql}",
            condition.parameters,
        ).fetchall()
    condition = document_condition(filter)
    return db.execute(
        f"SELECT d.first_row, d.chunks FROM documents d WHERE d.chunks > 0 AND {condition.sql}",
        condition.parameters,
    ).fetchall()


def effective(db: sqlite3.Connection, filter: Filter) -> Filter:
    """``filter`` without a condition that leaves nothing out: that on ``within``, where nothing was fetched for other conversations."""
    if filter.within is None or OWN not in filter.within:
        return filter
    condition = elsewhere_condition(filter.tenant, filter.within)
    leaves_out = db.execute(f"SELECT 1 FROM documents d WHERE {condition.sql} LIMIT 1", condition.parameters)
    return filter if leaves_out.fetchone() else replace(filter, within=None)


def without_vector(
    db: sqlite3.Connection, generation: int, after_row: int, limit: int
) -> tuple[int, list[Chunk]]:
    """Up to ``limit`` searchable chunks above a row that lack a vector of ``generation``, and the last one's row."""
    found = db.execute(
        f"""SELECT c.row, {rows.CHUNK_COLUMNS} FROM chunks c JOIN documents d ON d.number = c.document
            WHERE c.row > ? AND c.is_parent = 0
              AND NOT EXISTS (SELECT 1 FROM vectors v WHERE v.row = c.row AND v.generation = ?)
            ORDER BY c.row LIMIT ?""",
        (after_row, generation, limit),
    ).fetchall()
    return (found[-1][0] if found else after_row), [rows.chunk(row[1:]) for row in found]


def count_without_vector(db: sqlite3.Connection, generation: int) -> int:
    """How many searchable chunks lack a vector of ``generation``."""
    return int(
        db.execute(
            """SELECT count(*) FROM chunks c WHERE c.is_parent = 0
               AND NOT EXISTS (SELECT 1 FROM vectors v WHERE v.row = c.row AND v.generation = ?)""",
            (generation,),
        ).fetchone()[0]
    )


def tenants(db: sqlite3.Connection) -> list[str]:
    """Everyone who has a document, in order of name."""
    return sorted(python_text(name) for (name,) in db.execute("SELECT DISTINCT tenant FROM documents"))


def only_tenant(db: sqlite3.Connection) -> str | None:
    """The tenant that owns everything, if there is only one."""
    lowest, highest = db.execute(
        "SELECT (SELECT min(tenant) FROM documents), (SELECT max(tenant) FROM documents)"
    ).fetchone()
    return python_text(lowest) if lowest is not None and lowest == highest else None


def vectors(db: sqlite3.Connection, generation: int, chunk_ids: Sequence[str]) -> dict[str, bytes]:
    """The float16 vector of each named chunk that has one."""
    return dict(
        db.execute(
            """SELECT c.id, v.vector FROM chunks c JOIN vectors v ON v.row = c.row
               WHERE c.id IN (SELECT value FROM json_each(?)) AND v.generation = ?""",
            (json.dumps(chunk_ids), generation),
        )
    )


def document(db: sqlite3.Connection, document_id: str) -> Document | None:
    """A document with its text; None when unknown, or when it failed before its text was stored."""
    row = db.execute(
        f"SELECT {rows.DOCUMENT_COLUMNS} FROM documents d JOIN texts t ON t.document = d.number WHERE d.id = ?",
        (sql_text(document_id),),
    ).fetchone()
    return rows.document(row) if row else None


def documents(db: sqlite3.Connection, filter: Filter) -> list[DocumentRecord]:
    """The records that ``filter`` selects, by source and id."""
    condition = document_condition(filter)
    return [
        rows.record(row)
        for row in db.execute(
            f"SELECT {rows.RECORD_COLUMNS} FROM documents d WHERE {condition.sql} ORDER BY d.source, d.id",
            condition.parameters,
        )
    ]


def fingerprint(db: sqlite3.Connection, filter: Filter) -> str:
    """Of the searchable documents that ``filter`` selects."""
    condition = document_condition(effective(db, filter))
    # In halves, since SQLite adds up to 2^63.
    high, low = db.execute(
        f"""SELECT coalesce(sum(d.version >> 28), 0), coalesce(sum(d.version & 0xfffffff), 0)
            FROM documents d WHERE d.chunks > 0 AND {condition.sql}""",
        condition.parameters,
    ).fetchone()
    return fingerprints.fingerprint((high << 28) + low)


def known(db: sqlite3.Connection, tenant: str) -> dict[str, str]:
    """Content hash by document id, failed ones left out."""
    return {
        python_text(document_id): content_hash
        for document_id, content_hash in db.execute(
            "SELECT id, content_hash FROM documents WHERE tenant = ? AND state != ?",
            (sql_text(tenant), str(DocumentState.FAILED)),
        )
    }


def count(db: sqlite3.Connection, tenant: str) -> int:
    """Searchable chunks of one tenant."""
    row = db.execute(
        "SELECT coalesce(sum(chunks), 0) FROM documents WHERE tenant = ? AND first_row IS NOT NULL",
        (sql_text(tenant),),
    ).fetchone()
    return int(row[0])


def count_searchable(db: sqlite3.Connection) -> int:
    """Searchable chunks of all tenants, counted one by one."""
    return int(db.execute("SELECT count(*) FROM chunks WHERE is_parent = 0").fetchone()[0])


def stats(db: sqlite3.Connection, tenant: str, bytes_on_disk: int) -> StoreStats:
    """Counts over one tenant; documents, kinds and profiles of what can be searched, states of everything."""
    own = (sql_text(tenant),)
    searchable = "FROM documents WHERE tenant = ? AND first_row IS NOT NULL"
    totals = db.execute(
        f"SELECT count(*), coalesce(sum(chunks), 0), min(published), max(published) {searchable}", own
    ).fetchone()
    generation = generations.active(db)
    return StoreStats(
        documents=totals[0],
        chunks=totals[1],
        by_kind=_counts(db, f"SELECT kind, count(*) {searchable} GROUP BY kind ORDER BY kind", own),
        by_profile=_counts(
            db, f"SELECT profile, count(*) {searchable} GROUP BY profile ORDER BY profile", own
        ),
        by_state=_counts(db, "SELECT state, count(*) FROM documents WHERE tenant = ? GROUP BY state", own),
        embedding_model=generation.model if generation else None,
        dimension=generation.dimension if generation else None,
        bytes_on_disk=bytes_on_disk,
        earliest=_date(db, tenant, totals[2]),
        latest=_date(db, tenant, totals[3]),
        corpus=corpus_profile(db, tenant),
    )


def corpus_profile(db: sqlite3.Connection, tenant: str) -> CorpusProfile:
    """Aggregated over the searchable documents that have a profile."""
    own = (sql_text(tenant),)
    # The index on tenant and type holds all that is read here but the domains.
    profiled = "FROM documents d WHERE d.tenant = ? AND d.type IS NOT NULL AND d.first_row IS NOT NULL"
    rows_of_types = db.execute(
        f"SELECT d.type, count(*), sum(d.technical_density) {profiled} GROUP BY d.type", own
    ).fetchall()
    of_domains = profiled.replace("documents d", "documents d, json_each(d.domains) each")
    return CorpusProfile.counted(
        sum(number for _, number, _ in rows_of_types),
        sum(density for _, _, density in rows_of_types),
        {DocumentType(name): number for name, number, _ in rows_of_types},
        _counts(db, f"SELECT each.value, count(*) {of_domains} GROUP BY each.value", own),
    )


def _counts(db: sqlite3.Connection, sql: str, parameters: tuple[object, ...]) -> dict[str, int]:
    return {python_text(name): count for name, count in db.execute(sql, parameters)}


def _date(db: sqlite3.Connection, tenant: str, published: int | None) -> str | None:
    if published is None:
        return None
    row = db.execute(
        "SELECT published_at FROM documents WHERE tenant = ? AND published = ? AND first_row IS NOT NULL",
        (sql_text(tenant), published),
    ).fetchone()
    return str(row[0])
