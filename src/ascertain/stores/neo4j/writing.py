"""Writing and removing the graphs of documents."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any

from ascertain.core.graph.nouns import Pin
from ascertain.stores.neo4j import scopes
from ascertain.stores.neo4j.connection import Work, fetch_rows, fetch_value, run_statement
from ascertain.stores.neo4j.scopes import Counters, Scope
from ascertain.stores.records.encoding import escape_text, unescape_text
from ascertain.stores.records.graph_columns import PackedGraph
from ascertain.stores.records.rows import moment_of, to_microseconds


def write_pin(tx: Work, scope: Scope, made: Pin) -> None:
    """Store a decision, replacing an earlier one about the same two names."""
    run_statement(
        tx,
        """MERGE (p:AscertainPin {uid: $uid})
           SET p.scope = $scope, p.left = $left, p.right = $right, p.same = $same, p.reason = $reason,
               p.made = $made""",
        uid=_pin_uid(scope, made.left, made.right),
        scope=scope.id,
        left=escape_text(made.left),
        right=escape_text(made.right),
        same=made.same,
        reason=escape_text(made.reason),
        made=to_microseconds(made.made_at),
    )


def has_pin(tx: Work, scope: Scope, left: str, right: str) -> bool:
    """Whether something was decided about two names."""
    finding = "MATCH (p:AscertainPin {uid: $uid}) WHERE p.scope = $scope RETURN count(p) AS n"
    return bool(fetch_value(tx, finding, uid=_pin_uid(scope, left, right), scope=scope.id))


def delete_pin(tx: Work, scope: Scope, left: str, right: str) -> None:
    """Revert a decision."""
    removing = "MATCH (p:AscertainPin {uid: $uid}) WHERE p.scope = $scope DELETE p"
    run_statement(tx, removing, uid=_pin_uid(scope, left, right), scope=scope.id)


def list_pins(tx: Work, scope: Scope) -> list[Pin]:
    """All decisions, in order."""
    found = fetch_rows(
        tx, "MATCH (p:AscertainPin {scope: $scope}) RETURN p.left, p.right, p.same, p.reason, p.made", scope=scope.id
    )
    decided = [
        Pin(unescape_text(left), unescape_text(right), same, unescape_text(reason), moment_of(made))
        for left, right, same, reason, made in found
    ]
    return sorted(decided, key=lambda made: (made.left, made.right))


def fetch_summaries(tx: Work, scope: Scope, wanted: Collection[str]) -> dict[str, str]:
    """Texts by their digests."""
    found = fetch_rows(
        tx,
        """UNWIND $uids AS uid MATCH (s:AscertainSummary {uid: uid}) WHERE s.scope = $scope
           RETURN s.digest, s.text""",
        uids=sorted({_summary_uid(scope, name) for name in wanted}),
        scope=scope.id,
    )
    return {unescape_text(name): unescape_text(text) for name, text in found}


def keep_summaries(tx: Work, scope: Scope, texts: Mapping[str, str]) -> None:
    """Store texts, replacing those with the same digests."""
    run_statement(
        tx,
        """UNWIND $rows AS row MERGE (s:AscertainSummary {uid: row.uid})
           SET s.scope = $scope, s.digest = row.digest, s.text = row.text""",
        scope=scope.id,
        rows=[
            {"uid": _summary_uid(scope, name), "digest": escape_text(name), "text": escape_text(text)}
            for name, text in texts.items()
        ],
    )


def forget_summaries(tx: Work, scope: Scope, keep: Collection[str]) -> int:
    """Remove all texts but those under the digests in ``keep``."""
    stored = fetch_rows(tx, "MATCH (s:AscertainSummary {scope: $scope}) RETURN s.uid", scope=scope.id)
    gone = {uid for (uid,) in stored} - {_summary_uid(scope, name) for name in keep}
    run_statement(
        tx,
        "UNWIND $uids AS uid MATCH (s:AscertainSummary {uid: uid}) WHERE s.scope = $scope DELETE s",
        uids=sorted(gone),
        scope=scope.id,
    )
    return len(gone)


def _pin_uid(scope: Scope, left: str, right: str) -> str:
    return scope.uid("pin", *sorted((left, right)))


def _summary_uid(scope: Scope, name: str) -> str:
    return scope.uid("summary", name)


_ROWS = 500
"""Chunks in one statement, with all that they say."""

_CREATE_CHUNKS = """
UNWIND $rows AS row
MATCH (d:AscertainDocument {uid: row.document}) WHERE d.scope = $scope
CREATE (d)-[:HAS_CHUNK]->(c:AscertainChunk {scope: $scope, id: row.id, place: row.place})
FOREACH (said IN row.relations |
    CREATE (c)-[:STATES]->(:AscertainRelation {scope: $scope, subject: said[0], predicate: said[1],
        object: said[2], origin: said[3], sentence_start: said[4], sentence_end: said[5]}))
FOREACH (said IN row.aliases |
    CREATE (c)-[:CLAIMS]->(:AscertainAlias {scope: $scope, alias: said[0], key: said[1], reason: said[2],
        span_start: said[3], span_end: said[4]}))
WITH c, row UNWIND row.mentions AS said
MATCH (n:AscertainName {uid: said[0]}) WHERE n.scope = $scope
CREATE (c)-[:MENTIONS {position: said[1], span_start: said[2], span_end: said[3],
    sentence_start: said[4], sentence_end: said[5], role: said[6]}]->(n)
"""


def write_graphs(tx: Work, scope: Scope, graphs: Mapping[str, PackedGraph], counters: Counters) -> Counters:
    """Replace the graphs of documents, by their ids; the next numbers."""
    _, dropped = _delete_documents(tx, scope, graphs)
    used = {name for graph in graphs.values() for name in graph.names}
    next_name = scopes.insert_names(tx, scope, used, counters.names)
    run_statement(
        tx,
        "UNWIND $rows AS row CREATE (d:AscertainDocument {scope: $scope, tenant: $tenant}) SET d += row",
        scope=scope.id,
        tenant=escape_text(scope.tenant),
        rows=[_document_row(scope, graph, number) for number, graph in enumerate(graphs.values(), counters.documents)],
    )
    for graph in graphs.values():
        for group in _batch_rows(_chunk_rows(scope, graph)):
            run_statement(tx, _CREATE_CHUNKS, scope=scope.id, rows=group)
    scopes.delete_unused_names(tx, scope, dropped - {scopes.name_uid(scope, name) for name in used})
    return Counters(counters.documents + len(graphs), next_name)


def delete_graphs(tx: Work, scope: Scope, document_ids: Collection[str]) -> int:
    """Remove the graphs of documents; how many of them were stored."""
    count, dropped = _delete_documents(tx, scope, document_ids)
    scopes.delete_unused_names(tx, scope, dropped)
    return count


def any_of(tx: Work, scope: Scope, document_ids: Collection[str]) -> bool:
    """Whether one of these documents is here."""
    found = fetch_value(
        tx,
        "UNWIND $uids AS uid MATCH (d:AscertainDocument {uid: uid}) WHERE d.scope = $scope RETURN count(d)",
        scope=scope.id,
        uids=_document_uids(scope, document_ids),
    )
    return bool(found)


def _delete_documents(tx: Work, scope: Scope, document_ids: Collection[str]) -> tuple[int, set[str]]:
    """How many of these documents went, and the names that they mentioned, which are still stored."""
    matched = "UNWIND $uids AS uid MATCH (d:AscertainDocument {uid: uid}) WHERE d.scope = $scope "
    here: dict[str, object] = {"scope": scope.id, "uids": _document_uids(scope, document_ids)}
    uids = [uid for (uid,) in fetch_rows(tx, f"{matched} RETURN d.uid", **here)]
    if not uids:
        return 0, set()
    here["uids"] = uids
    mentioned = fetch_rows(
        tx,
        f"{matched} MATCH (d)-[:HAS_CHUNK]->(:AscertainChunk)-[:MENTIONS]->(n:AscertainName) RETURN DISTINCT n.uid",
        **here,
    )
    dropped = {str(uid) for (uid,) in mentioned}
    run_statement(
        tx, f"{matched} MATCH (d)-[:HAS_CHUNK]->(:AscertainChunk)-[:STATES|CLAIMS]->(s) DETACH DELETE s", **here
    )
    run_statement(tx, f"{matched} MATCH (d)-[:HAS_CHUNK]->(c:AscertainChunk) DETACH DELETE c", **here)
    run_statement(tx, f"{matched} DETACH DELETE d", **here)
    return len(uids), dropped


def _document_row(scope: Scope, packed: PackedGraph, number: int) -> dict[str, Any]:
    graph = packed.graph
    conversation = {} if graph.conversation_id is None else {"conversation": escape_text(graph.conversation_id)}
    return {
        "uid": _document_uid(scope, graph.document_id),
        "number": number,
        "id": escape_text(graph.document_id),
        "version": escape_text(graph.version),
        **conversation,
        "chunks": len(graph.chunk_ids),
        "mentions": len(packed.mentions),
        "relations": len(packed.relations),
        "aliases": len(packed.aliases),
    }


def _chunk_rows(scope: Scope, packed: PackedGraph) -> Iterator[dict[str, Any]]:
    """Each chunk with all that it says."""
    document = _document_uid(scope, packed.graph.document_id)
    uids = [scopes.name_uid(scope, name) for name in packed.names]
    chunks: list[dict[str, Any]] = [
        {
            "document": document,
            "id": escape_text(chunk_id),
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
        chunks[place]["relations"].append([*map(escape_text, texts), *said.sentence])
    for place, claim in packed.aliases:
        texts = (claim.alias, claim.key, claim.reason)
        chunks[place]["aliases"].append([*map(escape_text, texts), *claim.span])
    return iter(chunks)


def _batch_rows(rows: Iterator[dict[str, Any]]) -> Iterator[Sequence[dict[str, Any]]]:
    while group := list(islice(rows, _ROWS)):
        yield group


def _document_uid(scope: Scope, document_id: str) -> str:
    return scope.uid("document", document_id)


def _document_uids(scope: Scope, document_ids: Collection[str]) -> list[str]:
    return sorted({_document_uid(scope, document_id) for document_id in document_ids})
