"""What documents say, read back."""

from __future__ import annotations

from collections.abc import Collection
from itertools import chain

import numpy as np

from ascertain.core.graph import AliasClaim, Mention, Relation
from ascertain.core.spans import Span
from ascertain.stores.escaping import unescaped
from ascertain.stores.graph_columns import READ_FIELDS, ReadDocument, ReadGraph, first_documents
from ascertain.stores.graph_packing import mention
from ascertain.stores.graph_ports import GraphCounts
from ascertain.stores.neo4j import names, scopes
from ascertain.stores.neo4j.connection import Work, rows
from ascertain.stores.neo4j.scopes import Scope

_DOCUMENTS = """
MATCH (d:AscertainDocument {scope: $scope}) OPTIONAL MATCH (d)-[:HAS_CHUNK]->(c:AscertainChunk)
RETURN d.number, d.id, d.conversation, collect([c.place, c.id])
"""

_MENTIONS = """
MATCH (d:AscertainDocument {scope: $scope})-[:HAS_CHUNK]->(c:AscertainChunk)-[m:MENTIONS]->(n:AscertainName)
RETURN d.number, m.position, n.number, c.place, m.sentence_start, m.role
"""

_RELATIONS = """
MATCH (d:AscertainDocument {scope: $scope})-[:HAS_CHUNK]->(c:AscertainChunk)-[:STATES]->(r:AscertainRelation)
RETURN d.number, c.place, c.id, r.subject, r.predicate, r.object, r.sentence_start, r.sentence_end, r.origin
"""

_ALIASES = """
MATCH (d:AscertainDocument {scope: $scope})-[:HAS_CHUNK]->(c:AscertainChunk)-[:CLAIMS]->(a:AscertainAlias)
RETURN d.number, c.place, c.id, a.alias, a.key, a.span_start, a.span_end, a.reason
"""

_COUNTS = """
MATCH (n:AscertainName {scope: $scope})<-[m:MENTIONS]-(:AscertainChunk)<-[:HAS_CHUNK]-(d:AscertainDocument)
WHERE n.number IN $names RETURN d.number, d.id, count(m)
"""

_FOUND = """
MATCH (d:AscertainDocument {scope: $scope})-[:HAS_CHUNK]->(c:AscertainChunk)-[m:MENTIONS]->(n:AscertainName)
WHERE d.number IN $documents AND n.number IN $names
RETURN d.id, m.position, n.number, c.id, m.span_start, m.span_end, m.sentence_start, m.sentence_end, m.role
"""


def graph(tx: Work, scope: Scope) -> ReadGraph:
    """Everything of a tenant, as this transaction saw it, with the mark at its beginning."""
    generation = scopes.generation(tx, scope)
    if generation == scopes.NOTHING:
        return ReadGraph(generation, [], [], np.empty((0, len(READ_FIELDS)), np.int32), [], [])
    documents = [
        ReadDocument(
            number,
            unescaped(document_id),
            None if talk is None else unescaped(talk),
            _in_order(chunks),
        )
        for number, document_id, talk, chunks in rows(tx, _DOCUMENTS, scope=scope.id)
    ]
    mentioned = np.fromiter(chain.from_iterable(rows(tx, _MENTIONS, scope=scope.id)), np.int32)
    return ReadGraph(
        generation,
        documents,
        names.everything(tx, scope),
        mentioned.reshape(-1, len(READ_FIELDS)),
        _relations(tx, scope),
        _aliases(tx, scope),
    )


def mentions(tx: Work, scope: Scope, keys: Collection[str], limit: int) -> list[Mention]:
    """The first ``limit`` places where these names are mentioned."""
    written = names.find(tx, scope, keys)
    counted = list(rows(tx, _COUNTS, scope=scope.id, names=list(written)))
    needed = first_documents(
        {number: unescaped(document_id) for number, document_id, _ in counted},
        {number: count for number, _, count in counted},
        limit,
    )
    found: list[tuple[str, int, Mention]] = []
    for document_id, position, name, chunk_id, *fields in rows(
        tx, _FOUND, scope=scope.id, documents=needed, names=list(written)
    ):
        one = mention(written[name], unescaped(chunk_id), fields)
        found.append((unescaped(document_id), int(position), one))
    found.sort(key=lambda placed: placed[:2])
    return [one for _, _, one in found[:limit]]


def known(tx: Work, scope: Scope) -> dict[str, str]:
    """The version of each document."""
    found = rows(tx, "MATCH (d:AscertainDocument {scope: $scope}) RETURN d.id, d.version", scope=scope.id)
    return {unescaped(document_id): unescaped(version) for document_id, version in found}


def counts(tx: Work, scope: Scope) -> GraphCounts:
    """How much there is."""
    found = rows(
        tx,
        """MATCH (d:AscertainDocument {scope: $scope})
           RETURN count(d), sum(d.chunks), sum(d.mentions), sum(d.relations), sum(d.aliases)""",
        scope=scope.id,
    )
    documents, chunks, mentioned, relations, aliases = map(int, next(found))
    return GraphCounts(documents, chunks, names.count_keys(tx, scope), mentioned, relations, aliases)


def _in_order(chunks: list[tuple[int | None, str]]) -> list[str]:
    """The ids of chunks that are given by place and id; a document without chunks gives back a pair of nothing."""
    placed = [(place, chunk_id) for place, chunk_id in chunks if place is not None]
    return [unescaped(chunk_id) for _, chunk_id in sorted(placed)]


def _relations(tx: Work, scope: Scope) -> list[tuple[int, int, Relation]]:
    return [
        (
            document,
            place,
            Relation(
                unescaped(subject),
                unescaped(predicate),
                unescaped(object_),
                unescaped(chunk_id),
                Span(start, end),
                unescaped(origin),
            ),
        )
        for document, place, chunk_id, subject, predicate, object_, start, end, origin in rows(
            tx, _RELATIONS, scope=scope.id
        )
    ]


def _aliases(tx: Work, scope: Scope) -> list[tuple[int, int, AliasClaim]]:
    return [
        (
            document,
            place,
            AliasClaim(
                unescaped(alias), unescaped(key), unescaped(chunk_id), Span(start, end), unescaped(reason)
            ),
        )
        for document, place, chunk_id, alias, key, start, end, reason in rows(tx, _ALIASES, scope=scope.id)
    ]
