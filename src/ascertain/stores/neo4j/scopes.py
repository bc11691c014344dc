"""A tenant's part of the database, and the mark that changes with every change to it."""

import secrets
from collections.abc import Collection, Iterable
from dataclasses import dataclass

from ascertain.core.graph.nouns import Name
from ascertain.stores.neo4j.connection import Work, fetch_rows, fetch_value, run_statement
from ascertain.stores.records.encoding import digest_names, escape_text, unescape_text

NOTHING = "0"
"""The generation of an empty graph."""


@dataclass(frozen=True, slots=True)
class Scope:
    """One tenant of one knowledge base."""

    base: str
    tenant: str

    @property
    def id(self) -> str:
        """The scope of every node of this tenant."""
        return digest_names(self.base, self.tenant).hex()

    def uid(self, *parts: str) -> str:
        """What makes a node of this tenant the only one of its kind."""
        return digest_names(self.base, self.tenant, *parts).hex()


@dataclass(frozen=True, slots=True)
class Counters:
    """The next numbers of a tenant's documents and names."""

    documents: int
    names: int


def begin_change(tx: Work, scope: Scope) -> Counters:
    """Change the tenant's mark, which keeps other writers out. Drawn by lot: see ``relational.graph_store``."""
    found = fetch_rows(
        tx,
        """MERGE (t:AscertainTenant {uid: $scope})
           ON CREATE SET t.base = $base, t.tenant = $tenant, t.documents = 0, t.names = 0
           SET t.generation = $generation
           RETURN t.documents, t.names""",
        scope=scope.id,
        base=escape_text(scope.base),
        tenant=escape_text(scope.tenant),
        generation=secrets.token_hex(8),
    )
    return Counters(*next(found))


def count_up(tx: Work, scope: Scope, counters: Counters) -> None:
    """Keep the next numbers."""
    run_statement(
        tx,
        "MATCH (t:AscertainTenant {uid: $scope}) SET t.documents = $documents, t.names = $names",
        scope=scope.id,
        documents=counters.documents,
        names=counters.names,
    )


def begin_note(tx: Work, scope: Scope) -> None:
    """Make sure that the tenant is here; the mark stays as it is."""
    run_statement(
        tx,
        """MERGE (t:AscertainTenant {uid: $scope})
           ON CREATE SET t.base = $base, t.tenant = $tenant, t.documents = 0, t.names = 0, t.generation = $generation
           SET t.touched = $touched""",
        scope=scope.id,
        base=escape_text(scope.base),
        tenant=escape_text(scope.tenant),
        generation=NOTHING,
        touched=secrets.token_hex(8),
    )


def end_change(tx: Work, scope: Scope) -> None:
    """Remove a tenant without data."""
    is_left = any(
        next(fetch_rows(tx, query, scope=scope.id), None)
        for query in (
            "MATCH (d:AscertainDocument {scope: $scope}) RETURN 1 LIMIT 1",
            "MATCH (p:AscertainPin {scope: $scope}) RETURN 1 LIMIT 1",
            "MATCH (s:AscertainSummary {scope: $scope}) RETURN 1 LIMIT 1",
        )
    )
    if not is_left:
        run_statement(tx, "MATCH (t:AscertainTenant {uid: $scope}) DELETE t", scope=scope.id)


def fetch_generation(tx: Work, scope: Scope) -> str:
    """The mark of the tenant's last change."""
    found = fetch_rows(tx, "MATCH (t:AscertainTenant {uid: $scope}) RETURN t.generation", scope=scope.id)
    return str(next(found, (NOTHING,))[0])


def settled_generation(tx: Work, scope: Scope) -> str:
    """The mark, once no writer is active: a transaction that is being committed may be seen in part, and this waits
    for its end.

    It locks the tenant for that, by a change that the caller rolls back.
    """
    found = fetch_rows(
        tx,
        "MATCH (t:AscertainTenant {uid: $scope}) SET t.touched = $touched RETURN t.generation",
        scope=scope.id,
        touched=secrets.token_hex(8),
    )
    return str(next(found, (NOTHING,))[0])


def with_documents(tx: Work, base: str) -> list[str]:
    """Everyone of a knowledge base who has a document, in order."""
    found = fetch_rows(
        tx,
        """MATCH (t:AscertainTenant {base: $base}) WHERE EXISTS { MATCH (d:AscertainDocument) WHERE d.scope = t.uid }
           RETURN t.tenant""",
        base=escape_text(base),
    )
    return sorted(unescape_text(tenant) for (tenant,) in found)


FIELDS = "n.key, n.whole_key, n.written, n.kind"
"""What a query gives back of a name."""

_INDEXED = 1000
"""Characters of a key that are indexed; Neo4j's index takes 8167 bytes, of which a character may be four."""


def shorten_key(key: str) -> str:
    """The value of ``key``: of a long one the beginning and a digest of the whole, which stands as ``whole_key``."""
    return key if len(key) <= _INDEXED else f"{key[:_INDEXED]}… {digest_names(key).hex()}"


def name_uid(scope: Scope, name: Name) -> str:
    """What makes this name the only one of its kind."""
    return scope.uid("name", name.key, name.written, name.kind)


def fetch_names(tx: Work, scope: Scope, keys: Iterable[str]) -> dict[int, Name]:
    """The names that have these keys, by their numbers."""
    found = fetch_rows(
        tx,
        f"""UNWIND $keys AS key MATCH (n:AscertainName {{key: key}}) WHERE n.scope = $scope
           RETURN n.number, {FIELDS}""",
        scope=scope.id,
        keys=sorted({escape_text(shorten_key(key)) for key in keys}),
    )
    return {number: read_name(*fields) for number, *fields in found}


def insert_names(tx: Work, scope: Scope, names: Collection[Name], first: int) -> int:
    """Store the new ones of these names under numbers from ``first`` on; the next number."""
    wanted = {name_uid(scope, name): name for name in names}
    known = {
        known_uid
        for (known_uid,) in fetch_rows(
            tx,
            "UNWIND $uids AS uid MATCH (n:AscertainName {uid: uid}) WHERE n.scope = $scope RETURN n.uid",
            scope=scope.id,
            uids=list(wanted),
        )
    }
    missing = [(key, name) for key, name in wanted.items() if key not in known]
    run_statement(
        tx,
        "UNWIND $rows AS row CREATE (n:AscertainName {scope: $scope}) SET n += row",
        scope=scope.id,
        rows=[
            {"uid": key, "number": number, **_name_properties(name)}
            for number, (key, name) in enumerate(missing, first)
        ],
    )
    return first + len(missing)


def delete_unused_names(tx: Work, scope: Scope, uids: Collection[str]) -> None:
    """Remove those of these names that are no longer mentioned."""
    run_statement(
        tx,
        """UNWIND $uids AS uid MATCH (n:AscertainName {uid: uid})
           WHERE n.scope = $scope AND NOT EXISTS { MATCH (n)<-[:MENTIONS]-() } DELETE n""",
        scope=scope.id,
        uids=sorted(uids),
    )


def list_names(tx: Work, scope: Scope) -> list[tuple[int, Name]]:
    """All names of a tenant with their numbers."""
    found = fetch_rows(
        tx,
        f"""MATCH (n:AscertainName {{scope: $scope}})
           RETURN n.number, {FIELDS}""",
        scope=scope.id,
    )
    return [(number, read_name(*fields)) for number, *fields in found]


def count_keys(tx: Work, scope: Scope) -> int:
    """How many different keys there are."""
    counting = "MATCH (n:AscertainName {scope: $scope}) RETURN count(DISTINCT n.key) AS n"
    return fetch_value(tx, counting, scope=scope.id)


def _name_properties(name: Name) -> dict[str, str]:
    short = shorten_key(name.key)
    stored = {"key": escape_text(short), "written": escape_text(name.written), "kind": escape_text(name.kind)}
    return stored if short == name.key else {**stored, "whole_key": escape_text(name.key)}


def read_name(key: str, whole_key: str | None, written: str, kind: str) -> Name:
    """A name from its FIELDS."""
    return Name(unescape_text(key if whole_key is None else whole_key), unescape_text(written), unescape_text(kind))
