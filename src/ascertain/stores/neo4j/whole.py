"""What single documents say, as it was written."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from typing import LiteralString

from ascertain.core.graph import AliasClaim, DocumentGraph, Relation
from ascertain.core.spans import Span
from ascertain.stores.escaping import unescaped
from ascertain.stores.graph_packing import alias_order, mention, relation_order
from ascertain.stores.neo4j import names
from ascertain.stores.neo4j.connection import Work, rows
from ascertain.stores.neo4j.scopes import Scope
from ascertain.stores.rows import Row

_OF = "UNWIND $uids AS uid MATCH (d:AscertainDocument {uid: uid}) WHERE d.scope = $scope "
_SAID = f"{_OF} MATCH (d)-[:HAS_CHUNK]->(c:AscertainChunk)"


def graphs(tx: Work, scope: Scope, document_ids: Sequence[str]) -> list[DocumentGraph]:
    """What these documents say, in this order; unknown ones are left out."""
    uids = sorted({scope.uid("document", document_id) for document_id in document_ids})
    chunks = _of_documents(tx, scope, uids, f"{_SAID} RETURN d.number, c.place, c.id")
    mentions = _of_documents(
        tx,
        scope,
        uids,
        f"""{_SAID}-[m:MENTIONS]->(n:AscertainName)
            RETURN d.number, m.position, c.id, {names.FIELDS}, m.span_start, m.span_end, m.sentence_start, m.sentence_end, m.role""",
    )
    relations = _of_documents(
        tx,
        scope,
        uids,
        f"""{_SAID}-[:STATES]->(r:AscertainRelation)
            RETURN d.number, c.place, c.id, r.subject, r.predicate, r.object, r.sentence_start, r.sentence_end, r.origin""",
    )
    aliases = _of_documents(
        tx,
        scope,
        uids,
        f"""{_SAID}-[:CLAIMS]->(a:AscertainAlias) RETURN d.number, c.place, c.id, a.alias, a.key, a.span_start, a.span_end, a.reason""",
    )
    found: dict[str, DocumentGraph] = {}
    for number, document_id, version, talk in rows(
        tx, f"{_OF} RETURN d.number, d.id, d.version, d.conversation", uids=uids, scope=scope.id
    ):
        one = DocumentGraph(
            unescaped(document_id),
            unescaped(version),
            tuple(unescaped(chunk_id) for _, chunk_id in sorted(chunks[number])),
            conversation_id=None if talk is None else unescaped(talk),
            tenant=scope.tenant,
        )
        found[one.document_id] = replace(
            one,
            mentions=tuple(
                mention(names.name(*fields[:4]), unescaped(chunk_id), fields[4:])
                for _, chunk_id, *fields in sorted(mentions[number], key=lambda row: row[0])
            ),
            relations=tuple(
                said for _, said in sorted(map(_relation, relations[number]), key=relation_order)
            ),
            aliases=tuple(claim for _, claim in sorted(map(_alias, aliases[number]), key=alias_order)),
        )
    return [found[document_id] for document_id in document_ids if document_id in found]


def _of_documents(tx: Work, scope: Scope, uids: Sequence[str], query: LiteralString) -> dict[int, list[Row]]:
    """The rows of each document, without its number."""
    found: dict[int, list[Row]] = defaultdict(list)
    for number, *fields in rows(tx, query, uids=uids, scope=scope.id):
        found[number].append(tuple(fields))
    return found


def _relation(row: Row) -> tuple[int, Relation]:
    place, chunk_id, subject, predicate, object_, start, end, origin = row
    subject, predicate, object_ = (unescaped(text) for text in (subject, predicate, object_))
    return place, Relation(
        subject, predicate, object_, unescaped(chunk_id), Span(start, end), unescaped(origin)
    )


def _alias(row: Row) -> tuple[int, AliasClaim]:
    place, chunk_id, alias, key, start, end, reason = row
    return place, AliasClaim(
        unescaped(alias), unescaped(key), unescaped(chunk_id), Span(start, end), unescaped(reason)
    )
