"""What single documents say, as it was written."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace

from ascertain.core.graph import AliasClaim, DocumentGraph, Name, Relation
from ascertain.core.spans import Span
from ascertain.stores.digests import digest
from ascertain.stores.graph_packing import mention
from ascertain.stores.relational.database import Session, groups, marks
from ascertain.stores.rows import Row


def graphs(db: Session, tenant: str, document_ids: Sequence[str]) -> list[DocumentGraph]:
    """What these documents say, in this order; unknown ones are left out."""
    found: dict[str, DocumentGraph] = {}
    for group in groups(dict.fromkeys(document_ids)):
        found |= _graphs(db, tenant, group)
    return [found[document_id] for document_id in document_ids if document_id in found]


def _graphs(db: Session, tenant: str, document_ids: Sequence[str]) -> dict[str, DocumentGraph]:
    keys = [digest(tenant, document_id) for document_id in document_ids]
    rows = db.fetch_rows(
        f"SELECT number, id, version, conversation, chunk_ids FROM graph_documents WHERE id_key IN ({marks(keys)})",
        *keys,
    )
    begun = {
        int(number): DocumentGraph(
            name, version, tuple(json.loads(chunk_ids)), conversation_id=conversation, tenant=tenant
        )
        for number, name, version, conversation, chunk_ids in rows
    }
    mentions = _of_documents(
        db,
        """SELECT m.document, m.place, n.key, n.written, n.kind, m.span_start, m.span_end, m.sentence_start, m.sentence_end, m.role
           FROM graph_mentions m JOIN graph_names n ON n.number = m.name""",
        list(begun),
    )
    relations = _of_documents(
        db,
        """SELECT m.document, m.place, m.subject, m.predicate, m.object, m.sentence_start, m.sentence_end, m.origin
           FROM graph_relations m""",
        list(begun),
    )
    aliases = _of_documents(
        db,
        "SELECT m.document, m.place, m.alias, m.key, m.span_start, m.span_end, m.reason FROM graph_aliases m",
        list(begun),
    )
    return {
        one.document_id: replace(
            one,
            mentions=tuple(
                mention(Name(key, written, kind), one.chunk_ids[int(place)], fields)
                for place, key, written, kind, *fields in mentions[number]
            ),
            relations=tuple(
                Relation(subject, predicate, object_, one.chunk_ids[int(place)], Span(start, end), origin)
                for place, subject, predicate, object_, start, end, origin in relations[number]
            ),
            aliases=tuple(
                AliasClaim(alias, key, one.chunk_ids[int(place)], Span(start, end), reason)
                for place, alias, key, start, end, reason in aliases[number]
            ),
        )
        for number, one in begun.items()
    }


def _of_documents(db: Session, selecting: str, numbers: Sequence[int]) -> dict[int, list[Row]]:
    """The rows of each document in order, without its number."""
    found: dict[int, list[Row]] = defaultdict(list)
    among = f"{selecting} WHERE m.document IN ({marks(numbers)}) ORDER BY m.document, m.position"
    for row in db.fetch_rows(among, *numbers):
        found[row[0]].append(row[1:])
    return found
