"""What documents say, read back."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Sequence
from dataclasses import replace
from itertools import chain
from typing import LiteralString

import numpy as np

from ascertain.core.documents import Span
from ascertain.core.graph import AliasClaim, DocumentGraph, Mention, Relation
from ascertain.core.status import GraphCounts
from ascertain.stores.encoding import unescape_text
from ascertain.stores.graph_columns import (
    READ_FIELDS,
    ReadDocument,
    ReadGraph,
    alias_order,
    first_documents,
    read_mention,
    relation_order,
)
from ascertain.stores.neo4j import scopes
from ascertain.stores.neo4j.connection import Work, fetch_rows
from ascertain.stores.neo4j.scopes import Scope
from ascertain.stores.rows import Row

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


def fetch_graph(tx: Work, scope: Scope) -> ReadGraph:
    """Everything of a tenant, as this transaction saw it, with the mark at its beginning."""
    generation = scopes.fetch_generation(tx, scope)
    if generation == scopes.NOTHING:
        return ReadGraph(generation, [], [], np.empty((0, len(READ_FIELDS)), np.int32), [], [])
    documents = [
        ReadDocument(
            number, unescape_text(document_id), None if talk is None else unescape_text(talk), _in_order(chunks)
        )
        for number, document_id, talk, chunks in fetch_rows(tx, _DOCUMENTS, scope=scope.id)
    ]
    mentioned = np.fromiter(chain.from_iterable(fetch_rows(tx, _MENTIONS, scope=scope.id)), np.int32)
    return ReadGraph(
        generation,
        documents,
        scopes.list_names(tx, scope),
        mentioned.reshape(-1, len(READ_FIELDS)),
        [(number, *_read_relation(tuple(row))) for number, *row in fetch_rows(tx, _RELATIONS, scope=scope.id)],
        [(number, *_read_alias(tuple(row))) for number, *row in fetch_rows(tx, _ALIASES, scope=scope.id)],
    )


def fetch_mentions(tx: Work, scope: Scope, keys: Collection[str], limit: int) -> list[Mention]:
    """The first ``limit`` places where these names are mentioned."""
    written = scopes.fetch_names(tx, scope, keys)
    counted = list(fetch_rows(tx, _COUNTS, scope=scope.id, names=list(written)))
    needed = first_documents(
        {number: unescape_text(document_id) for number, document_id, _ in counted},
        {number: count for number, _, count in counted},
        limit,
    )
    found: list[tuple[str, int, Mention]] = []
    for document_id, position, name, chunk_id, *fields in fetch_rows(
        tx, _FOUND, scope=scope.id, documents=needed, names=list(written)
    ):
        one = read_mention(written[name], unescape_text(chunk_id), fields)
        found.append((unescape_text(document_id), int(position), one))
    found.sort(key=lambda placed: placed[:2])
    return [one for _, _, one in found[:limit]]


def fetch_versions(tx: Work, scope: Scope) -> dict[str, str]:
    """The version of each document."""
    found = fetch_rows(tx, "MATCH (d:AscertainDocument {scope: $scope}) RETURN d.id, d.version", scope=scope.id)
    return {unescape_text(document_id): unescape_text(version) for document_id, version in found}


def fetch_counts(tx: Work, scope: Scope) -> GraphCounts:
    """How much there is."""
    found = fetch_rows(
        tx,
        """MATCH (d:AscertainDocument {scope: $scope})
           RETURN count(d), sum(d.chunks), sum(d.mentions), sum(d.relations), sum(d.aliases)""",
        scope=scope.id,
    )
    documents, chunks, mentioned, relations, aliases = map(int, next(found))
    return GraphCounts(documents, chunks, scopes.count_keys(tx, scope), mentioned, relations, aliases)


def _in_order(chunks: list[tuple[int | None, str]]) -> list[str]:
    """The ids of chunks that are given by place and id; a document without chunks gives back a pair of nothing."""
    placed = [(place, chunk_id) for place, chunk_id in chunks if place is not None]
    return [unescape_text(chunk_id) for _, chunk_id in sorted(placed)]


_OF = "UNWIND $uids AS uid MATCH (d:AscertainDocument {uid: uid}) WHERE d.scope = $scope "
_SAID = f"{_OF} MATCH (d)-[:HAS_CHUNK]->(c:AscertainChunk)"


def fetch_graphs(tx: Work, scope: Scope, document_ids: Sequence[str]) -> list[DocumentGraph]:
    """What these documents say, in this order; unknown ones are left out."""
    uids = sorted({scope.uid("document", document_id) for document_id in document_ids})
    chunks = _of_documents(tx, scope, uids, f"{_SAID} RETURN d.number, c.place, c.id")
    mentions = _of_documents(
        tx,
        scope,
        uids,
        f"""{_SAID}-[m:MENTIONS]->(n:AscertainName)
            RETURN d.number, m.position, c.id, {scopes.FIELDS}, m.span_start, m.span_end,
                m.sentence_start, m.sentence_end, m.role""",
    )
    relations = _of_documents(
        tx,
        scope,
        uids,
        f"""{_SAID}-[:STATES]->(r:AscertainRelation)
            RETURN d.number, c.place, c.id, r.subject, r.predicate, r.object, r.sentence_start, r.sentence_end,
                r.origin""",
    )
    aliases = _of_documents(
        tx,
        scope,
        uids,
        f"""{_SAID}-[:CLAIMS]->(a:AscertainAlias)
            RETURN d.number, c.place, c.id, a.alias, a.key, a.span_start, a.span_end, a.reason""",
    )
    found: dict[str, DocumentGraph] = {}
    for number, document_id, version, talk in fetch_rows(
        tx, f"{_OF} RETURN d.number, d.id, d.version, d.conversation", uids=uids, scope=scope.id
    ):
        one = DocumentGraph(
            unescape_text(document_id),
            unescape_text(version),
            tuple(unescape_text(chunk_id) for _, chunk_id in sorted(chunks[number])),
            conversation_id=None if talk is None else unescape_text(talk),
            tenant=scope.tenant,
        )
        found[one.document_id] = replace(
            one,
            mentions=tuple(
                read_mention(scopes.read_name(*fields[:4]), unescape_text(chunk_id), fields[4:])
                for _, chunk_id, *fields in sorted(mentions[number], key=lambda row: row[0])
            ),
            relations=tuple(said for _, said in sorted(map(_read_relation, relations[number]), key=relation_order)),
            aliases=tuple(claim for _, claim in sorted(map(_read_alias, aliases[number]), key=alias_order)),
        )
    return [found[document_id] for document_id in document_ids if document_id in found]


def _of_documents(tx: Work, scope: Scope, uids: Sequence[str], query: LiteralString) -> dict[int, list[Row]]:
    """The rows of each document, without its number."""
    found: dict[int, list[Row]] = defaultdict(list)
    for number, *fields in fetch_rows(tx, query, uids=uids, scope=scope.id):
        found[number].append(tuple(fields))
    return found


def _read_relation(row: Row) -> tuple[int, Relation]:
    place, chunk_id, subject, predicate, object_, start, end, origin = row
    subject, predicate, object_ = (unescape_text(text) for text in (subject, predicate, object_))
    return place, Relation(
        subject, predicate, object_, unescape_text(chunk_id), Span(start, end), unescape_text(origin)
    )


def _read_alias(row: Row) -> tuple[int, AliasClaim]:
    place, chunk_id, alias, key, start, end, reason = row
    return place, AliasClaim(
        unescape_text(alias), unescape_text(key), unescape_text(chunk_id), Span(start, end), unescape_text(reason)
    )
