"""Who has something in the graph, and the mark that changes with everything that they change."""

from __future__ import annotations

import secrets

from ascertain.stores.digests import digest
from ascertain.stores.relational.database import Session

NOTHING = "0"
"""The generation of a graph in which nothing is."""


def begin_change(db: Session, tenant: str) -> int:
    """The number of a tenant whose graph this transaction changes, alone until it ends.

    Generations are drawn by lot: a number that is counted up would come again after a backup was restored, with other contents.
    """
    found = db.fetch_rows(
        """INSERT INTO graph_tenants (tenant_key, tenant, generation) VALUES (?, ?, ?)
           ON CONFLICT (tenant_key) DO UPDATE SET generation = excluded.generation RETURNING number""",
        *(digest(tenant), tenant, secrets.token_hex(8)),
    )
    return int(found[0][0])


def begin_note(db: Session, tenant: str) -> int:
    """The number of a tenant, whose generation stays as it is."""
    found = db.fetch_rows(
        """INSERT INTO graph_tenants (tenant_key, tenant, generation) VALUES (?, ?, ?)
           ON CONFLICT (tenant_key) DO UPDATE SET tenant = excluded.tenant RETURNING number""",
        *(digest(tenant), tenant, NOTHING),
    )
    return int(found[0][0])


def end_change(db: Session, number: int) -> None:
    """Forget a tenant of whom nothing is left."""
    left = " AND ".join(
        f"NOT EXISTS (SELECT 1 FROM {table} WHERE tenant = number)"
        for table in ("graph_documents", "graph_pins", "graph_summaries")
    )
    db.change_rows(
        f"DELETE FROM graph_tenants WHERE number = ? AND {left.replace('number', 'graph_tenants.number')}",
        number,
    )


def find(db: Session, tenant: str) -> tuple[int, str] | None:
    """Number and generation of a tenant; None for one of whom nothing is here."""
    found = db.fetch_rows("SELECT number, generation FROM graph_tenants WHERE tenant_key = ?", digest(tenant))
    return (int(found[0][0]), str(found[0][1])) if found else None


def with_documents(db: Session) -> list[str]:
    """Everyone who has a document, in order."""
    having = "EXISTS (SELECT 1 FROM graph_documents d WHERE d.tenant = t.number)"
    return sorted(tenant for (tenant,) in db.fetch_rows(f"SELECT tenant FROM graph_tenants t WHERE {having}"))
