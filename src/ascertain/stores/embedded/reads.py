"""What only an embedded store reads of its record, inside the caller's read transaction."""

from __future__ import annotations

import json
from collections.abc import Sequence

import numpy as np

from ascertain.core.filters import Filter
from ascertain.core.profiling import CorpusProfile, DocumentType
from ascertain.stores import fingerprints
from ascertain.stores.embedded.dialect import RecordConnection
from ascertain.stores.generations import Generation
from ascertain.stores.relational.filters import select_chunks, select_documents
from ascertain.stores.relational.reads import StoredVectors, simplify_filter, sum_versions
from ascertain.stores.rows import python_text


def row_numbers(db: RecordConnection, chunk_ids: Sequence[str]) -> dict[int, str]:
    """Id by row number, of the searchable chunks that exist."""
    return dict(
        db.execute(
            "SELECT row, id FROM chunks WHERE id IN (SELECT value FROM json_each(?)) AND is_parent = 0",
            (json.dumps(chunk_ids),),
        )
    )


def ids_of_rows(db: RecordConnection, numbers: Sequence[int], tenant: str) -> dict[int, str]:
    """Chunk id by row number, for those that still exist and belong to ``tenant``."""
    wanted = json.dumps(numbers)
    chosen = "SELECT c.row, c.id FROM json_each(?) wanted CROSS JOIN chunks c ON c.row = wanted.value"
    if only_tenant(db) == tenant:
        return dict(db.execute(chosen, (wanted,)))
    # CROSS JOIN and + keep SQLite from beginning with all documents of the tenant.
    owned = "CROSS JOIN documents d ON d.number = c.document WHERE +d.tenant = ?"
    return dict(db.fetch_rows(f"{chosen} {owned}", wanted, tenant))


def matching_rows(db: RecordConnection, filter: Filter) -> list[tuple[int, int]]:
    """Intervals ``(first row, count)`` of the searchable chunks that ``filter`` selects."""
    if filter.chunk_ids:
        condition = select_chunks(filter, db.dialect)
        found = f"""SELECT c.row, 1 FROM chunks c JOIN documents d ON d.number = c.document
                    WHERE NOT c.is_parent AND {condition.sql}"""
    else:
        condition = select_documents(filter, db.dialect)
        found = f"SELECT d.first_row, d.chunks FROM documents d WHERE d.chunks > 0 AND {condition.sql}"
    return [(row, count) for row, count in db.fetch_rows(found, *condition.parameters)]


def only_tenant(db: RecordConnection) -> str | None:
    """The tenant that owns everything, if there is only one."""
    lowest, highest = db.execute(
        "SELECT (SELECT min(tenant) FROM documents), (SELECT max(tenant) FROM documents)"
    ).fetchone()
    return python_text(lowest) if lowest is not None and lowest == highest else None


def stored_vectors(db: RecordConnection, generation: Generation, chunk_ids: Sequence[str]) -> StoredVectors:
    """Ids and vectors of the named chunks that have one, in no order."""
    found = db.execute(
        """SELECT c.id, v.vector FROM chunks c JOIN vectors v ON v.row = c.row
           WHERE c.id IN (SELECT value FROM json_each(?)) AND v.generation = ?""",
        (json.dumps(chunk_ids), generation.number),
    ).fetchall()
    joined = b"".join(vector for _, vector in found)
    return [name for name, _ in found], np.frombuffer(joined, np.float16).reshape(-1, generation.dimension)


def fingerprint(db: RecordConnection, filter: Filter) -> str:
    """Of the searchable documents that ``filter`` selects."""
    condition = select_documents(simplify_filter(db, filter), db.dialect)
    return fingerprints.fingerprint(sum_versions(db, condition))


def count(db: RecordConnection, tenant: str) -> int:
    """Searchable chunks of one tenant."""
    counting = "SELECT coalesce(sum(chunks), 0) FROM documents WHERE tenant = ? AND first_row IS NOT NULL"
    return int(db.fetch_rows(counting, tenant)[0][0])


def corpus_profile(db: RecordConnection, tenant: str) -> CorpusProfile:
    """Aggregated over the searchable documents that have a profile."""
    # The index on tenant and type holds all that is read here but the domains.
    profiled = "d.tenant = ? AND d.type IS NOT NULL AND d.first_row IS NOT NULL"
    types = db.fetch_rows(
        f"""SELECT d.type, count(*), sum(d.technical_density) FROM documents d WHERE {profiled}
            GROUP BY d.type""",
        tenant,
    )
    domains = db.fetch_rows(
        f"""SELECT each.value, count(*) FROM documents d, json_each(d.domains) each WHERE {profiled}
            GROUP BY each.value""",
        tenant,
    )
    return CorpusProfile.counted(
        sum(number for _, number, _ in types),
        sum(density for _, _, density in types),
        {DocumentType(name): number for name, number, _ in types},
        {python_text(name): number for name, number in domains},
    )
