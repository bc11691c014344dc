"""Whose part of the database it is, and the mark that changes with everything that they change."""

from __future__ import annotations

import secrets
from dataclasses import dataclass

from ascertain.stores.digests import digest
from ascertain.stores.escaping import escaped, unescaped
from ascertain.stores.neo4j.connection import Work, rows, run

NOTHING = "0"
"""The generation of a graph in which nothing is."""


@dataclass(frozen=True, slots=True)
class Scope:
    """One tenant of one knowledge base."""

    base: str
    tenant: str

    @property
    def id(self) -> str:
        """What stands at every node of this tenant."""
        return digest(self.base, self.tenant).hex()

    def uid(self, *parts: str) -> str:
        """What makes a node of this tenant the only one of its kind."""
        return digest(self.base, self.tenant, *parts).hex()


@dataclass(frozen=True, slots=True)
class Counters:
    """The next numbers of a tenant's documents and names."""

    documents: int
    names: int


def begin_change(tx: Work, scope: Scope) -> Counters:
    """Change the tenant's mark, which keeps other writers out. Drawn by lot: see ``relational.graph.tenants``."""
    found = rows(
        tx,
        """MERGE (t:AscertainTenant {uid: $scope})
           ON CREATE SET t.base = $base, t.tenant = $tenant, t.documents = 0, t.names = 0
           SET t.generation = $generation
           RETURN t.documents, t.names""",
        scope=scope.id,
        base=escaped(scope.base),
        tenant=escaped(scope.tenant),
        generation=secrets.token_hex(8),
    )
    return Counters(*next(found))


def count_up(tx: Work, scope: Scope, counters: Counters) -> None:
    """Keep the next numbers."""
    run(
        tx,
        "MATCH (t:AscertainTenant {uid: $scope}) SET t.documents = $documents, t.names = $names",
        scope=scope.id,
        documents=counters.documents,
        names=counters.names,
    )


def begin_note(tx: Work, scope: Scope) -> None:
    """Make sure that the tenant is here; the mark stays as it is."""
    run(
        tx,
        """MERGE (t:AscertainTenant {uid: $scope})
           ON CREATE SET t.base = $base, t.tenant = $tenant, t.documents = 0, t.names = 0, t.generation = $generation
           SET t.touched = $touched""",
        scope=scope.id,
        base=escaped(scope.base),
        tenant=escaped(scope.tenant),
        generation=NOTHING,
        touched=secrets.token_hex(8),
    )


def end_change(tx: Work, scope: Scope) -> None:
    """Forget a tenant of whom nothing is left."""
    is_left = any(
        next(rows(tx, query, scope=scope.id), None)
        for query in (
            "MATCH (d:AscertainDocument {scope: $scope}) RETURN 1 LIMIT 1",
            "MATCH (p:AscertainPin {scope: $scope}) RETURN 1 LIMIT 1",
            "MATCH (s:AscertainSummary {scope: $scope}) RETURN 1 LIMIT 1",
        )
    )
    if not is_left:
        run(tx, "MATCH (t:AscertainTenant {uid: $scope}) DELETE t", scope=scope.id)


def generation(tx: Work, scope: Scope) -> str:
    """The mark of the tenant's last change."""
    found = rows(tx, "MATCH (t:AscertainTenant {uid: $scope}) RETURN t.generation", scope=scope.id)
    return str(next(found, (NOTHING,))[0])


def settled_generation(tx: Work, scope: Scope) -> str:
    """The mark, once no writer is under way: a transaction that is being committed may be seen in part, and this waits for its end.

    It locks the tenant for that, by a change that the caller rolls back.
    """
    found = rows(
        tx,
        "MATCH (t:AscertainTenant {uid: $scope}) SET t.touched = $touched RETURN t.generation",
        scope=scope.id,
        touched=secrets.token_hex(8),
    )
    return str(next(found, (NOTHING,))[0])


def with_documents(tx: Work, base: str) -> list[str]:
    """Everyone of a knowledge base who has a document, in order."""
    found = rows(
        tx,
        """MATCH (t:AscertainTenant {base: $base}) WHERE EXISTS { MATCH (d:AscertainDocument) WHERE d.scope = t.uid }
           RETURN t.tenant""",
        base=escaped(base),
    )
    return sorted(unescaped(tenant) for (tenant,) in found)
