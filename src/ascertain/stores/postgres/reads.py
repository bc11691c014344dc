"""Reading the record. Every function runs inside the caller's read transaction."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from ascertain.core.chunks import Chunk
from ascertain.core.documents import Document, DocumentRecord, DocumentState
from ascertain.core.filters import OWN, Filter
from ascertain.stores import fingerprints, rows
from ascertain.stores.generations import Generation
from ascertain.stores.ports import StoreStats
from ascertain.stores.postgres import generations, tallies
from ascertain.stores.postgres.conditions import (
    Condition,
    document_condition,
    elsewhere_condition,
    row_condition,
)
from ascertain.stores.postgres.connections import Connection, statement

_CHUNKS = f"SELECT {rows.CHUNK_COLUMNS} FROM chunks c JOIN documents d ON d.number = c.document"
# Chunks fetched at a time from an open cursor.
_STREAMED = 1000


def chunks(db: Connection, chunk_ids: Sequence[str]) -> list[Chunk]:
    """The chunks that exist, in the order asked; parents included."""
    found = db.execute(statement(f"{_CHUNKS} WHERE c.id = ANY(%s)"), (list(chunk_ids),))
    by_id = {chunk.id: chunk for chunk in map(rows.chunk, found)}
    return [by_id[chunk_id] for chunk_id in chunk_ids if chunk_id in by_id]


def neighbours(db: Connection, chunk_id: str, before: int, after: int) -> list[Chunk]:
    """The searchable chunks around one, itself included; none for a parent or an unknown id."""
    found = db.execute(
        statement(
            f"""{_CHUNKS} JOIN chunks centre ON centre.document = c.document
                WHERE centre.id = %s AND NOT centre.is_parent AND NOT c.is_parent
                  AND c.position BETWEEN centre.position - %s::bigint AND centre.position + %s::bigint
                ORDER BY c.position"""
        ),
        (chunk_id, before, after),
    )
    return list(map(rows.chunk, found))


def iterate(db: Connection, filter: Filter) -> Iterator[Chunk]:
    """Searchable chunks, documents in the order they were written, chunks in the order of their text."""
    condition = row_condition(filter, 'c."row"')
    with db.cursor(name="chunks") as cursor:
        cursor.itersize = _STREAMED
        cursor.execute(
            statement(f'{_CHUNKS} WHERE NOT c.is_parent AND {condition.sql} ORDER BY c."row"'),
            condition.parameters,
        )
        yield from map(rows.chunk, cursor)


def without_vector(
    db: Connection, generation: Generation, after_row: int, limit: int
) -> list[tuple[int, Chunk]]:
    """Up to ``limit`` searchable chunks above a row that lack a vector of ``generation``, with their rows, in order."""
    found = db.execute(
        statement(
            f"""SELECT c."row", {rows.CHUNK_COLUMNS} FROM chunks c JOIN documents d ON d.number = c.document
                WHERE c."row" > %s AND {_lacks_vector(generation)} ORDER BY c."row" LIMIT %s"""
        ),
        (after_row, limit),
    )
    return [(row[0], rows.chunk(row[1:])) for row in found]


def count_without_vector(db: Connection, generation: Generation) -> int:
    """How many searchable chunks lack a vector of ``generation``."""
    return _number(db, f"SELECT count(*) FROM chunks c WHERE {_lacks_vector(generation)}")


def tenants(db: Connection) -> list[str]:
    """Everyone who has a document, in order of name."""
    # From one tenant to the next in the index, instead of through all documents.
    found = db.execute(
        """WITH RECURSIVE each AS (
               (SELECT tenant FROM documents ORDER BY tenant LIMIT 1)
               UNION ALL
               SELECT (SELECT d.tenant FROM documents d WHERE d.tenant > each.tenant ORDER BY d.tenant LIMIT 1)
               FROM each WHERE each.tenant IS NOT NULL)
           SELECT tenant FROM each WHERE tenant IS NOT NULL"""
    )
    return sorted(name for (name,) in found)


def effective(db: Connection, filter: Filter) -> Filter:
    """``filter`` without a condition that leaves nothing out: that on ``within``, where nothing was fetched for other conversations."""
    if filter.within is None or OWN not in filter.within:
        return filter
    condition = elsewhere_condition(filter.tenant, filter.within)
    leaves_out = db.execute(
        statement(f"SELECT FROM documents d WHERE {condition.sql} LIMIT 1"), condition.parameters
    )
    return filter if leaves_out.fetchone() is not None else replace(filter, within=None)


def fingerprint(db: Connection, filter: Filter) -> str:
    """Of the searchable documents that ``filter`` selects."""
    if filter.within is not None and OWN in filter.within and replace(filter, within=None).is_unrestricted:
        # What the others fetched is little, and found through an index.
        elsewhere = _versions(db, elsewhere_condition(filter.tenant, filter.within))
        return fingerprints.fingerprint(tallies.versions(db, filter.tenant) - elsewhere)
    if filter.is_unrestricted:
        return fingerprints.fingerprint(tallies.versions(db, filter.tenant))
    condition = document_condition(filter)
    selected = Condition(f"d.chunks > 0 AND {condition.sql}", condition.parameters)
    return fingerprints.fingerprint(_versions(db, selected))


def document(db: Connection, document_id: str) -> Document | None:
    """A document with its text; None when unknown, or when it failed before its text was stored."""
    row = db.execute(
        statement(
            f"SELECT {rows.DOCUMENT_COLUMNS} FROM documents d JOIN texts t ON t.document = d.number WHERE d.id = %s"
        ),
        (document_id,),
    ).fetchone()
    return rows.document(row) if row else None


def documents(db: Connection, filter: Filter) -> list[DocumentRecord]:
    """The records that ``filter`` selects, by source and id."""
    condition = document_condition(filter)
    found = db.execute(
        statement(
            f"SELECT {rows.RECORD_COLUMNS} FROM documents d WHERE {condition.sql} ORDER BY d.source, d.id"
        ),
        condition.parameters,
    )
    return list(map(rows.record, found))


def known(db: Connection, tenant: str) -> dict[str, str]:
    """Content hash by document id, failed ones left out."""
    return dict(
        db.execute(
            "SELECT id, content_hash FROM documents WHERE tenant = %s AND state <> %s",
            (tenant, str(DocumentState.FAILED)),
        ).fetchall()
    )


def stats(db: Connection, tenant: str) -> StoreStats:
    """Counts over one tenant; documents, kinds and profiles of what can be searched, states of everything."""
    searchable = "FROM documents WHERE tenant = %s AND first_row IS NOT NULL"
    totals = db.execute(
        statement(f"SELECT count(*), coalesce(sum(chunks), 0), min(published), max(published) {searchable}"),
        (tenant,),
    ).fetchone() or (0, 0, None, None)
    generation = generations.active(db)
    return StoreStats(
        documents=totals[0],
        chunks=int(totals[1]),
        by_kind=_counts(db, f"SELECT kind, count(*) {searchable} GROUP BY kind ORDER BY kind", tenant),
        by_profile=_counts(
            db, f"SELECT profile, count(*) {searchable} GROUP BY profile ORDER BY profile", tenant
        ),
        by_state=_counts(
            db,
            "SELECT state, count(*) FROM documents WHERE tenant = %s GROUP BY state ORDER BY state",
            tenant,
        ),
        embedding_model=generation.model if generation else None,
        dimension=generation.dimension if generation else None,
        bytes_on_disk=bytes_on_disk(db),
        earliest=_date(db, tenant, totals[2]),
        latest=_date(db, tenant, totals[3]),
        corpus=tallies.corpus_profile(db, tenant),
    )


def bytes_on_disk(db: Connection) -> int:
    """What the tables of the schema take with their indexes."""
    return _number(
        db,
        """SELECT coalesce(sum(pg_total_relation_size(c.oid)), 0) FROM pg_class c
           JOIN pg_namespace n ON n.oid = c.relnamespace
           WHERE n.nspname = current_schema() AND c.relkind IN ('r', 'm')""",
    )


def _lacks_vector(generation: Generation) -> str:
    return f"""NOT c.is_parent AND NOT EXISTS (
        SELECT 1 FROM {generations.table(generation)} v WHERE v.document = c.document AND v."row" = c."row")"""


def _versions(db: Connection, condition: Condition) -> int:
    row = db.execute(
        statement(f"SELECT coalesce(sum(d.version), 0) FROM documents d WHERE {condition.sql}"),
        condition.parameters,
    ).fetchone()
    return int(row[0]) if row else 0


def _number(db: Connection, sql: str) -> int:
    row = db.execute(statement(sql)).fetchone()
    return int(row[0]) if row else 0


def _counts(db: Connection, sql: str, tenant: str) -> dict[str, int]:
    return dict(db.execute(statement(sql), (tenant,)).fetchall())


def _date(db: Connection, tenant: str, published: int | None) -> str | None:
    if published is None:
        return None
    row = db.execute(
        "SELECT published_at FROM documents WHERE tenant = %s AND published = %s AND first_row IS NOT NULL",
        (tenant, published),
    ).fetchone()
    return str(row[0]) if row else None
