"""Names, each one node of a tenant."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from ascertain.core.graph import Name
from ascertain.stores.digests import digest
from ascertain.stores.escaping import escaped, unescaped
from ascertain.stores.neo4j.connection import Work, rows, run, value
from ascertain.stores.neo4j.scopes import Scope

FIELDS = "n.key, n.whole_key, n.written, n.kind"
"""What a query gives back of a name."""

_INDEXED = 1000
"""Characters of a key that are indexed; Neo4j's index takes 8167 bytes, of which a character may be four."""


def indexed(key: str) -> str:
    """What stands as ``key``: of a long one the beginning, with a digest of the whole, which then stands as ``whole_key``."""
    return key if len(key) <= _INDEXED else f"{key[:_INDEXED]}… {digest(key).hex()}"


def uid(scope: Scope, name: Name) -> str:
    """What makes this name the only one of its kind."""
    return scope.uid("name", name.key, name.written, name.kind)


def find(tx: Work, scope: Scope, keys: Iterable[str]) -> dict[int, Name]:
    """The names that have these keys, by their numbers."""
    found = rows(
        tx,
        f"""UNWIND $keys AS key MATCH (n:AscertainName {{key: key}}) WHERE n.scope = $scope
           RETURN n.number, {FIELDS}""",
        scope=scope.id,
        keys=sorted({escaped(indexed(key)) for key in keys}),
    )
    return {number: name(*fields) for number, *fields in found}


def keep(tx: Work, scope: Scope, names: Collection[Name], first: int) -> int:
    """Keep those of these names that are new under numbers from ``first`` on; the next number."""
    wanted = {uid(scope, name): name for name in names}
    known = {
        known_uid
        for (known_uid,) in rows(
            tx,
            "UNWIND $uids AS uid MATCH (n:AscertainName {uid: uid}) WHERE n.scope = $scope RETURN n.uid",
            scope=scope.id,
            uids=list(wanted),
        )
    }
    missing = [(key, name) for key, name in wanted.items() if key not in known]
    run(
        tx,
        "UNWIND $rows AS row CREATE (n:AscertainName {scope: $scope}) SET n += row",
        scope=scope.id,
        rows=[
            {"uid": key, "number": number, **_properties(name)}
            for number, (key, name) in enumerate(missing, first)
        ],
    )
    return first + len(missing)


def forget_unused(tx: Work, scope: Scope, uids: Collection[str]) -> None:
    """Remove those of these names that nothing mentions any more."""
    run(
        tx,
        """UNWIND $uids AS uid MATCH (n:AscertainName {uid: uid})
           WHERE n.scope = $scope AND NOT EXISTS { MATCH (n)<-[:MENTIONS]-() } DELETE n""",
        scope=scope.id,
        uids=sorted(uids),
    )


def everything(tx: Work, scope: Scope) -> list[tuple[int, Name]]:
    """All names of a tenant with their numbers."""
    found = rows(
        tx,
        f"""MATCH (n:AscertainName {{scope: $scope}})
           RETURN n.number, {FIELDS}""",
        scope=scope.id,
    )
    return [(number, name(*fields)) for number, *fields in found]


def count_keys(tx: Work, scope: Scope) -> int:
    """How many different keys there are."""
    counting = "MATCH (n:AscertainName {scope: $scope}) RETURN count(DISTINCT n.key) AS n"
    return value(tx, counting, scope=scope.id)


def _properties(name: Name) -> dict[str, str]:
    short = indexed(name.key)
    stored = {"key": escaped(short), "written": escaped(name.written), "kind": escaped(name.kind)}
    return stored if short == name.key else {**stored, "whole_key": escaped(name.key)}


def name(key: str, whole_key: str | None, written: str, kind: str) -> Name:
    """A name from its FIELDS."""
    return Name(unescaped(key if whole_key is None else whole_key), unescaped(written), unescaped(kind))
