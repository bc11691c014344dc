"""What documents say, written and removed."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any

from ascertain.stores.escaping import escaped
from ascertain.stores.graph_packing import PackedGraph
from ascertain.stores.neo4j import names
from ascertain.stores.neo4j.connection import Work, rows, run, value
from ascertain.stores.neo4j.scopes import Counters, Scope

_ROWS = 500
"""Chunks in one statement, with all that they say."""

_CREATE_CHUNKS = """
UNWIND $rows AS row
MATCH (d:AscertainDocument {uid: row.document}) WHERE d.scope = $scope
CREATE (d)-[:HAS_CHUNK]->(c:AscertainChunk {scope: $scope, id: row.id, place: row.place})
FOREACH (said IN row.relations |
    CREATE (c)-[:STATES]->(:AscertainRelation {scope: $scope, subject: said[0], predicate: said[1], object: said[2], origin: said[3],
        sentence_start: said[4], sentence_end: said[5]}))
FOREACH (said IN row.aliases |
    CREATE (c)-[:CLAIMS]->(:AscertainAlias {scope: $scope, alias: said[0], key: said[1], reason: said[2],
        span_start: said[3], span_end: said[4]}))
WITH c, row UNWIND row.mentions AS said
MATCH (n:AscertainName {uid: said[0]}) WHERE n.scope = $scope
CREATE (c)-[:MENTIONS {position: said[1], span_start: said[2], span_end: said[3], sentence_start: said[4], sentence_end: said[5],
    role: said[6]}]->(n)
"""


def write(tx: Work, scope: Scope, graphs: Mapping[str, PackedGraph], counters: Counters) -> Counters:
    """Put what documents say, by their ids, in place of what they said before; the next numbers."""
    _, dropped = _drop(tx, scope, graphs)
    used = {name for graph in graphs.values() for name in graph.names}
    next_name = names.keep(tx, scope, used, counters.names)
    run(
        tx,
        "UNWIND $rows AS row CREATE (d:AscertainDocument {scope: $scope, tenant: $tenant}) SET d += row",
        scope=scope.id,
        tenant=escaped(scope.tenant),
        rows=[
            _document(scope, graph, number)
            for number, graph in enumerate(graphs.values(), counters.documents)
        ],
    )
    for graph in graphs.values():
        for group in _groups(_chunks(scope, graph)):
            run(tx, _CREATE_CHUNKS, scope=scope.id, rows=group)
    names.forget_unused(tx, scope, dropped - {names.uid(scope, name) for name in used})
    return Counters(counters.documents + len(graphs), next_name)


def remove(tx: Work, scope: Scope, document_ids: Collection[str]) -> int:
    """Remove what documents said; how many of them had been here."""
    count, dropped = _drop(tx, scope, document_ids)
    names.forget_unused(tx, scope, dropped)
    return count


def any_of(tx: Work, scope: Scope, document_ids: Collection[str]) -> bool:
    """Whether one of these documents is here."""
    found = value(
        tx,
        "UNWIND $uids AS uid MATCH (d:AscertainDocument {uid: uid}) WHERE d.scope = $scope RETURN count(d)",
        scope=scope.id,
        uids=_uids(scope, document_ids),
    )
    return bool(found)


def _drop(tx: Work, scope: Scope, document_ids: Collection[str]) -> tuple[int, set[str]]:
    """How many of these documents went, and the names that they mentioned, which are still kept."""
    matched = "UNWIND $uids AS uid MATCH (d:AscertainDocument {uid: uid}) WHERE d.scope = $scope "
    here: dict[str, object] = {"scope": scope.id, "uids": _uids(scope, document_ids)}
    uids = [uid for (uid,) in rows(tx, f"{matched} RETURN d.uid", **here)]
    if not uids:
        return 0, set()
    here["uids"] = uids
    mentioned = rows(
        tx,
        f"{matched} MATCH (d)-[:HAS_CHUNK]->(:AscertainChunk)-[:MENTIONS]->(n:AscertainName) RETURN DISTINCT n.uid",
        **here,
    )
    dropped = {str(uid) for (uid,) in mentioned}
    run(
        tx,
        f"{matched} MATCH (d)-[:HAS_CHUNK]->(:AscertainChunk)-[:STATES|CLAIMS]->(s) DETACH DELETE s",
        **here,
    )
    run(tx, f"{matched} MATCH (d)-[:HAS_CHUNK]->(c:AscertainChunk) DETACH DELETE c", **here)
    run(tx, f"{matched} DETACH DELETE d", **here)
    return len(uids), dropped


def _document(scope: Scope, packed: PackedGraph, number: int) -> dict[str, Any]:
    graph = packed.graph
    conversation = {} if graph.conversation_id is None else {"conversation": escaped(graph.conversation_id)}
    return {
        "uid": _uid(scope, graph.document_id),
        "number": number,
        "id": escaped(graph.document_id),
        "version": escaped(graph.version),
        **conversation,
        "chunks": len(graph.chunk_ids),
        "mentions": len(packed.mentions),
        "relations": len(packed.relations),
        "aliases": len(packed.aliases),
    }


def _chunks(scope: Scope, packed: PackedGraph) -> Iterator[dict[str, Any]]:
    """Each chunk with all that it says."""
    document = _uid(scope, packed.graph.document_id)
    uids = [names.uid(scope, name) for name in packed.names]
    chunks: list[dict[str, Any]] = [
        {
            "document": document,
            "id": escaped(chunk_id),
            "place": place,
            "mentions": [],
            "relations": [],
            "aliases": [],
        }
        for place, chunk_id in enumerate(packed.graph.chunk_ids)
    ]
    rows: list[list[int]] = packed.mentions.tolist()
    for position, (name, place, *fields) in enumerate(rows):
        chunks[place]["mentions"].append([uids[name], position, *fields])
    for place, said in packed.relations:
        texts = (said.subject, said.predicate, said.object, said.origin)
        chunks[place]["relations"].append([*map(escaped, texts), *said.sentence])
    for place, claim in packed.aliases:
        texts = (claim.alias, claim.key, claim.reason)
        chunks[place]["aliases"].append([*map(escaped, texts), *claim.span])
    return iter(chunks)


def _groups(rows: Iterator[dict[str, Any]]) -> Iterator[Sequence[dict[str, Any]]]:
    while group := list(islice(rows, _ROWS)):
        yield group


def _uid(scope: Scope, document_id: str) -> str:
    return scope.uid("document", document_id)


def _uids(scope: Scope, document_ids: Collection[str]) -> list[str]:
    return sorted({_uid(scope, document_id) for document_id in document_ids})
