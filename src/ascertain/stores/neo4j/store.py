"""The port over a Bolt server, and how graphs are read back."""

from collections import defaultdict
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import LiteralString, TypeVar

import numpy as np

from ascertain.core.documents.blocks import Span
from ascertain.core.errors import StoreBusy
from ascertain.core.graph.nouns import AliasClaim, DocumentGraph, Mention, Pin, Relation
from ascertain.core.service.status import GraphCounts, HealthReport
from ascertain.core.settings import GraphSettings, StoreSettings
from ascertain.stores.embedded.opening import stored_identity
from ascertain.stores.home.companion_records import check_exists, make_record
from ascertain.stores.neo4j import scopes, writing
from ascertain.stores.neo4j.connection import Bolt, Work, fetch_rows, fetch_value, run_statement
from ascertain.stores.neo4j.scopes import Scope
from ascertain.stores.ports.graph import GraphColumns
from ascertain.stores.records.encoding import escape_text, unescape_text
from ascertain.stores.records.graph_columns import (
    READ_FIELDS,
    Batch,
    ReadDocument,
    ReadGraph,
    alias_order,
    assemble_columns,
    batch_graphs,
    count_problem,
    describe_counts,
    first_documents,
    read_mention,
    relation_order,
)
from ascertain.stores.records.rows import Row
from ascertain.stores.registry import embedding_of

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
    """The size."""
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
    """The graphs of these documents, in this order; unknown ones are left out."""
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
                read_mention(scopes.read_name(key, whole_key, written, kind), unescape_text(chunk_id), spans)
                for _, chunk_id, key, whole_key, written, kind, *spans in sorted(mentions[number], key=_position)
            ),
            relations=tuple(said for _, said in sorted(map(_read_relation, relations[number]), key=relation_order)),
            aliases=tuple(claim for _, claim in sorted(map(_read_alias, aliases[number]), key=alias_order)),
        )
    return [found[document_id] for document_id in document_ids if document_id in found]


def _position(row: Row) -> int:
    position, *_ = row
    return position


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


_OF_BASE = "MATCH (t:AscertainTenant {base: $base}) MATCH (d:AscertainDocument) WHERE d.scope = t.uid "
_STORED: dict[str, LiteralString] = {
    "chunks": f"{_OF_BASE} MATCH (d)-[:HAS_CHUNK]->(c:AscertainChunk) RETURN count(c)",
    "mentions": f"{_OF_BASE} MATCH (d)-[:HAS_CHUNK]->(:AscertainChunk)-[m:MENTIONS]->(:AscertainName) RETURN count(m)",
    "relations": f"{_OF_BASE} MATCH (d)-[:HAS_CHUNK]->(:AscertainChunk)-[:STATES]->(r:AscertainRelation) RETURN count(r)",
    "aliases": f"{_OF_BASE} MATCH (d)-[:HAS_CHUNK]->(:AscertainChunk)-[:CLAIMS]->(a:AscertainAlias) RETURN count(a)",
}
_OF_NAMES = "MATCH (t:AscertainTenant {base: $base}) MATCH (n:AscertainName) WHERE n.scope = t.uid "


def build_report(tx: Work, base: str) -> HealthReport:
    """The size of all tenants of a knowledge base, and the problems."""
    here = escape_text(base)
    summing = f"{_OF_BASE} RETURN count(d), sum(d.chunks), sum(d.mentions), sum(d.relations), sum(d.aliases)"
    documents, *claims = map(int, next(fetch_rows(tx, summing, base=here)))
    problems: list[str] = []
    for (name, query), claim in zip(_STORED.items(), claims, strict=True):
        count = fetch_value(tx, query, base=here)
        if count != claim:
            problems.append(count_problem(name, claim, count))
    unused = fetch_value(tx, f"{_OF_NAMES} AND NOT EXISTS {{ MATCH (n)<-[:MENTIONS]-() }} RETURN count(n)", base=here)
    if unused:
        problems.append(f"{unused} names are mentioned nowhere")
    problems += [
        f"the index {name} is {str(state).lower()}"
        for name, state, labels in fetch_rows(tx, "SHOW INDEXES YIELD name, state, labelsOrTypes")
        if state != "ONLINE" and any(str(label).startswith("Ascertain") for label in labels or ())
    ]
    names = fetch_value(tx, f"{_OF_NAMES} WITH DISTINCT n.scope AS s, n.key AS k RETURN count(*)", base=here)
    return HealthReport(tuple(problems), describe_counts(documents, names, claims[1], claims[2]))


STATEMENTS: tuple[LiteralString, ...] = (
    "CREATE CONSTRAINT ascertain_tenant IF NOT EXISTS FOR (t:AscertainTenant) REQUIRE t.uid IS UNIQUE",
    "CREATE CONSTRAINT ascertain_document IF NOT EXISTS FOR (d:AscertainDocument) REQUIRE d.uid IS UNIQUE",
    "CREATE CONSTRAINT ascertain_name IF NOT EXISTS FOR (n:AscertainName) REQUIRE n.uid IS UNIQUE",
    "CREATE CONSTRAINT ascertain_pin IF NOT EXISTS FOR (p:AscertainPin) REQUIRE p.uid IS UNIQUE",
    "CREATE CONSTRAINT ascertain_summary IF NOT EXISTS FOR (s:AscertainSummary) REQUIRE s.uid IS UNIQUE",
    "CREATE INDEX ascertain_documents IF NOT EXISTS FOR (d:AscertainDocument) ON (d.scope)",
    "CREATE INDEX ascertain_names IF NOT EXISTS FOR (n:AscertainName) ON (n.scope)",
    "CREATE INDEX ascertain_keys IF NOT EXISTS FOR (n:AscertainName) ON (n.key)",
    "CREATE INDEX ascertain_pins IF NOT EXISTS FOR (p:AscertainPin) ON (p.scope)",
    "CREATE INDEX ascertain_summaries IF NOT EXISTS FOR (s:AscertainSummary) ON (s.scope)",
)


def create_schema(bolt: Bolt) -> None:
    """Make what is missing. What changes the schema stands in a transaction of its own, as Neo4j wants it."""
    for statement in STATEMENTS:

        def make(tx: Work, statement: LiteralString = statement) -> None:
            run_statement(tx, statement)

        bolt.change(make)


_Result = TypeVar("_Result")

_AT_ONCE = 5_000
"""Mentions and the like in one transaction, which the server holds in memory until it is committed."""

_TRIES = 3
"""How often everything is read without keeping writers out; after that they wait."""


class Neo4jGraph:
    """A ``GraphStore``; made by ``open_neo4j_graph``. ``base`` tells knowledge bases apart that share a database."""

    def __init__(self, bolt: Bolt, base: str) -> None:
        self._bolt = bolt
        self._base = base

    def upsert(self, graphs: Sequence[DocumentGraph]) -> None:
        for tenant, batch in batch_graphs(graphs, _AT_ONCE):
            self._write_batch(Scope(self._base, tenant), batch)

    def delete(self, tenant: str, document_ids: Sequence[str]) -> int:
        scope = Scope(self._base, tenant)

        def work(tx: Work) -> int:
            if not writing.any_of(tx, scope, document_ids):
                return 0
            scopes.begin_change(tx, scope)
            count = writing.delete_graphs(tx, scope, document_ids)
            scopes.end_change(tx, scope)
            return count

        return self._bolt.change(work)

    def known(self, tenant: str) -> dict[str, str]:
        return self._read_tenant(tenant, fetch_versions)

    def generation(self, tenant: str) -> str:
        return self._read_tenant(tenant, scopes.fetch_generation)

    def columns(self, tenant: str) -> GraphColumns:
        scope = Scope(self._base, tenant)

        def alone(tx: Work) -> ReadGraph:
            scopes.settled_generation(tx, scope)
            return fetch_graph(tx, scope)

        for attempt in range(2 * _TRIES):
            read = self._bolt.read(lambda tx: fetch_graph(tx, scope)) if attempt < _TRIES else self._bolt.undo(alone)
            if self._bolt.undo(lambda tx: scopes.settled_generation(tx, scope)) == read.generation:
                return assemble_columns(read)
        raise StoreBusy(f"{self._bolt.place} is written without a pause: try again when that has ended")

    def mentions(self, tenant: str, keys: Sequence[str], limit: int = 1000) -> list[Mention]:
        return self._read_tenant(tenant, lambda tx, scope: fetch_mentions(tx, scope, keys, limit))

    def graphs(self, tenant: str, document_ids: Sequence[str]) -> list[DocumentGraph]:
        return self._read_tenant(tenant, lambda tx, scope: fetch_graphs(tx, scope, document_ids))

    def counts(self, tenant: str) -> GraphCounts:
        return self._read_tenant(tenant, fetch_counts)

    def tenants(self) -> list[str]:
        return self._bolt.read(lambda tx: scopes.with_documents(tx, self._base))

    def pin(self, tenant: str, pin: Pin) -> None:
        scope = Scope(self._base, tenant)

        def work(tx: Work) -> None:
            scopes.begin_change(tx, scope)
            writing.write_pin(tx, scope, pin)

        self._bolt.change(work)

    def unpin(self, tenant: str, left: str, right: str) -> bool:
        scope = Scope(self._base, tenant)

        def work(tx: Work) -> bool:
            if not writing.has_pin(tx, scope, left, right):
                return False
            scopes.begin_change(tx, scope)
            writing.delete_pin(tx, scope, left, right)
            scopes.end_change(tx, scope)
            return True

        return self._bolt.change(work)

    def pins(self, tenant: str) -> list[Pin]:
        return self._read_tenant(tenant, writing.list_pins)

    def summaries(self, tenant: str, digests: Sequence[str]) -> dict[str, str]:
        return self._read_tenant(tenant, lambda tx, scope: writing.fetch_summaries(tx, scope, digests))

    def keep_summaries(self, tenant: str, texts: Mapping[str, str]) -> None:
        scope = Scope(self._base, tenant)

        def work(tx: Work) -> None:
            scopes.begin_note(tx, scope)
            writing.keep_summaries(tx, scope, texts)

        if texts:
            self._bolt.change(work)

    def forget_summaries(self, tenant: str, keep: Sequence[str]) -> int:
        scope = Scope(self._base, tenant)

        def work(tx: Work) -> int:
            count = writing.forget_summaries(tx, scope, keep)
            if count:
                scopes.begin_note(tx, scope)
                scopes.end_change(tx, scope)
            return count

        return self._bolt.change(work)

    def check(self) -> HealthReport:
        found = self._bolt.read(lambda tx: build_report(tx, self._base))
        server = {"graph server": f"{self._bolt.server()} at {self._bolt.place}"}
        return HealthReport(found.problems, {**found.facts, **server})

    def close(self) -> None:
        self._bolt.close()

    def _write_batch(self, scope: Scope, batch: Batch) -> None:
        def work(tx: Work) -> None:
            counters = scopes.begin_change(tx, scope)
            scopes.count_up(tx, scope, writing.write_graphs(tx, scope, batch, counters))

        self._bolt.change(work)

    def _read_tenant(self, tenant: str, read: Callable[[Work, Scope], _Result]) -> _Result:
        scope = Scope(self._base, tenant)
        return self._bolt.read(lambda tx: read(tx, scope))


def open_neo4j_graph(graph: GraphSettings, store: StoreSettings, home: Path) -> Neo4jGraph:
    """The graph of the knowledge base, on the server at ``graph.url``; constraints and indexes are made where there are
    none yet.

    Raises StoreError when the server cannot be used or there is no knowledge base, ConfigurationError for an address
    that is invalid.
    """
    bolt = Bolt(graph, store)
    try:
        # a read gives up soon if the server is unreachable
        bolt.read(lambda tx: fetch_value(tx, "RETURN 1"))
        create_schema(bolt)
        return Neo4jGraph(bolt, base_of(store, home))
    except BaseException:
        bolt.close()
        raise


def base_of(store: StoreSettings, home: Path) -> str:
    """The identity of this knowledge base in the database.

    A record in a home has an identity that moves with the folder; knowledge bases on servers use the name that
    every machine knows.
    """
    if store.is_shared:
        check_exists(home, lambda: embedding_of(store, home) is not None)
        return f"{store.kind} {store.name}"
    make_record(home, lambda: embedding_of(store, home) is not None)
    return stored_identity(home)
