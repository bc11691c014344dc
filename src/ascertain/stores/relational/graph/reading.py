"""What documents say, read back."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence

from ascertain.core.graph import AliasClaim, Mention, Relation
from ascertain.core.spans import Span
from ascertain.stores.graph_columns import READ_FIELDS, ReadDocument, ReadGraph, first_documents
from ascertain.stores.graph_packing import mention
from ascertain.stores.graph_ports import GraphCounts
from ascertain.stores.relational.database import Session, groups, marks
from ascertain.stores.relational.graph import names
from ascertain.stores.rows import Row

_OF_TENANT = "JOIN graph_documents d ON d.number = m.document WHERE d.tenant = ?"
_DOCUMENT = "number, id, conversation, chunk_ids"
_MENTION_COLUMNS = "m.document, m.position, m.name, m.place, m.span_start, m.span_end, m.sentence_start, m.sentence_end, m.role"


def graph(db: Session, tenant: int, generation: str) -> ReadGraph:
    """Everything of a tenant."""
    found = db.fetch_rows(
        "SELECT number, id, conversation, chunk_ids FROM graph_documents WHERE tenant = ?", tenant
    )
    documents = [
        ReadDocument(number, name, talk, json.loads(chunk_ids)) for number, name, talk, chunk_ids in found
    ]
    chunks = {document.number: document.chunk_ids for document in documents}
    fields = ", ".join(f"m.{field}" for field in READ_FIELDS)
    return ReadGraph(
        generation,
        documents,
        names.everything(db, tenant),
        db.fetch_integers(f"SELECT {fields} FROM graph_mentions m {_OF_TENANT}", tenant),
        _relations(db, tenant, chunks),
        _aliases(db, tenant, chunks),
    )


def mentions(db: Session, tenant: int, keys: Collection[str], limit: int) -> list[Mention]:
    """The first ``limit`` places where these names are mentioned."""
    written = {number: name for name, number in names.find(db, tenant, keys).items()}
    documents = _first_documents(db, list(written), limit)
    found: list[tuple[str, int, Mention]] = []
    for numbers in groups(written):
        for group in groups(documents):
            rows = db.fetch_rows(
                f"""SELECT {_MENTION_COLUMNS} FROM graph_mentions m
                    WHERE m.name IN ({marks(numbers)}) AND m.document IN ({marks(group)})""",
                *numbers,
                *group,
            )
            for document, position, name, place, *fields in rows:
                one = documents[document]
                found.append((one.id, position, mention(written[name], one.chunk_ids[int(place)], fields)))
    found.sort(key=lambda placed: placed[:2])
    return [one for _, _, one in found[:limit]]


def _first_documents(db: Session, numbers: Sequence[int], limit: int) -> dict[int, ReadDocument]:
    """The documents, in order of id, that hold the first ``limit`` mentions of names; both by their numbers."""
    counts: dict[int, int] = {}
    for group in groups(numbers):
        counting = (
            f"SELECT document, count(*) FROM graph_mentions WHERE name IN ({marks(group)}) GROUP BY document"
        )
        for document, count in db.fetch_rows(counting, *group):
            counts[document] = counts.get(document, 0) + count
    ids: dict[int, str] = {}
    for group in groups(counts):
        ids.update(
            db.fetch_rows(f"SELECT number, id FROM graph_documents WHERE number IN ({marks(group)})", *group)
        )
    found: dict[int, ReadDocument] = {}
    for group in groups(first_documents(ids, counts, limit)):
        for row in db.fetch_rows(
            f"SELECT {_DOCUMENT} FROM graph_documents WHERE number IN ({marks(group)})", *group
        ):
            found[row[0]] = _document(row)
    return found


def known(db: Session, tenant: int) -> dict[str, str]:
    """The version of each document."""
    return dict(db.fetch_rows("SELECT id, version FROM graph_documents WHERE tenant = ?", tenant))


def counts(db: Session, tenant: int) -> GraphCounts:
    """How much there is."""
    sums = ", ".join(
        f"coalesce(sum({column}), 0)" for column in ("chunks", "mentions", "relations", "aliases")
    )
    totals = db.fetch_rows(f"SELECT count(*), {sums} FROM graph_documents WHERE tenant = ?", tenant)
    keys = db.fetch_rows(
        "SELECT count(*) FROM (SELECT DISTINCT key FROM graph_names WHERE tenant = ?) AS k", tenant
    )
    documents, chunks, mentioned, relations, aliases = map(int, totals[0])
    return GraphCounts(documents, chunks, int(keys[0][0]), mentioned, relations, aliases)


def _relations(
    db: Session, tenant: int, chunks: Mapping[int, Sequence[str]]
) -> list[tuple[int, int, Relation]]:
    columns = (
        "m.document, m.place, m.subject, m.predicate, m.object, m.sentence_start, m.sentence_end, m.origin"
    )
    found = db.fetch_rows(f"SELECT {columns} FROM graph_relations m {_OF_TENANT}", tenant)
    return [
        (
            document,
            place,
            Relation(subject, said, object_, chunks[document][int(place)], Span(start, end), origin),
        )
        for document, place, subject, said, object_, start, end, origin in found
    ]


def _aliases(
    db: Session, tenant: int, chunks: Mapping[int, Sequence[str]]
) -> list[tuple[int, int, AliasClaim]]:
    columns = "m.document, m.place, m.alias, m.key, m.span_start, m.span_end, m.reason"
    found = db.fetch_rows(f"SELECT {columns} FROM graph_aliases m {_OF_TENANT}", tenant)
    return [
        (document, place, AliasClaim(alias, key, chunks[document][int(place)], Span(start, end), reason))
        for document, place, alias, key, start, end, reason in found
    ]


def _document(row: Row) -> ReadDocument:
    number, document_id, conversation_id, chunk_ids = row
    return ReadDocument(number, document_id, conversation_id, json.loads(chunk_ids))
