"""What only PostgreSQL is asked otherwise. Every function runs inside the caller's read transaction."""

from __future__ import annotations

from dataclasses import replace

from ascertain.core.filters import OWN, Filter
from ascertain.stores import fingerprints
from ascertain.stores.postgres import tallies
from ascertain.stores.postgres.connections import Connection
from ascertain.stores.relational.filters import select_documents, select_elsewhere
from ascertain.stores.relational.reads import sum_versions


def fingerprint(db: Connection, filter: Filter) -> str:
    """Of the searchable documents that ``filter`` selects."""
    if filter.within is not None and OWN in filter.within and replace(filter, within=None).is_unrestricted:
        # What the others fetched is little, and found through an index.
        elsewhere = sum_versions(db, select_elsewhere(filter.tenant, filter.within))
        return fingerprints.fingerprint(tallies.versions(db, filter.tenant) - elsewhere)
    if filter.is_unrestricted:
        return fingerprints.fingerprint(tallies.versions(db, filter.tenant))
    return fingerprints.fingerprint(sum_versions(db, select_documents(filter, db.dialect)))


def bytes_on_disk(db: Connection) -> int:
    """What the tables of the schema take with their indexes."""
    found = db.fetch_rows(
        """SELECT coalesce(sum(pg_total_relation_size(c.oid)), 0) FROM pg_class c
           JOIN pg_namespace n ON n.oid = c.relnamespace
           WHERE n.nspname = current_schema() AND c.relkind IN ('r', 'm')"""
    )
    return int(found[0][0])
