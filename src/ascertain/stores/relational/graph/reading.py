"""What documents say, read back."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

from ascertain.core.documents import Span
from ascertain.core.graph import AliasClaim, DocumentGraph, Mention, Name, Relation
from ascertain.core.status import GraphCounts
from ascertain.stores.encoding import digest_names
from ascertain.stores.graph_columns import READ_FIELDS, ReadDocument, ReadGraph, first_documents, read_mention
from ascertain.stores.relational.database import Session, bind_marks, split_groups
from ascertain.stores.relational.graph import writing
from ascertain.stores.rows import Row

_OF_TENANT = "JOIN graph_documents d ON d.number = m.document WHERE d.tenant = ?"
_DOCUMENT = "number, id, conversation, chunk_ids"
_MENTION_COLUMNS = (
    "m.document, m.position, m.name, m.place, m.span_start, m.span_end, m.sentence_start, m.sentence_end, m.role"
)


def fetch_graph(db: Session, tenant: int, generation: str) -> ReadGraph:
    """Everything of a tenant."""
    found = db.fetch_rows("SELECT number, id, conversation, chunk_ids FROM graph_documents WHERE tenant = ?", tenant)
    documents = [ReadDocument(number, name, talk, json.loads(chunk_ids)) for number, name, talk, chunk_ids in found]
    chunks = {document.number: document.chunk_ids for document in documents}
    fields = ", ".join(f"m.{field}" for field in READ_FIELDS)
    return ReadGraph(
        generation,
        documents,
        writing.list_names(db, tenant),
        db.fetch_integers(f"SELECT {fields} FROM graph_mentions m {_OF_TENANT}", tenant),
        _fetch_relations(db, tenant, chunks),
        _fetch_aliases(db, tenant, chunks),
    )


def fetch_mentions(db: Session, tenant: int, keys: Collection[str], limit: int) -> list[Mention]:
    """The first ``limit`` places where these names are mentioned."""
    written = {number: name for name, number in writing.fetch_names(db, tenant, keys).items()}
    documents = _first_documents(db, list(written), limit)
    found: list[tuple[str, int, Mention]] = []
    for numbers in split_groups(written):
        for group in split_groups(documents):
            rows = db.fetch_rows(
                f"""SELECT {_MENTION_COLUMNS} FROM graph_mentions m
                    WHERE m.name IN ({bind_marks(numbers)}) AND m.document IN ({bind_marks(group)})""",
                *numbers,
                *group,
            )
            for document, position, name, place, *fields in rows:
                one = documents[document]
                found.append((one.id, position, read_mention(written[name], one.chunk_ids[int(place)], fields)))
    found.sort(key=lambda placed: placed[:2])
    return [one for _, _, one in found[:limit]]


def _first_documents(db: Session, numbers: Sequence[int], limit: int) -> dict[int, ReadDocument]:
    """The documents, in order of id, that hold the first ``limit`` mentions of names; both by their numbers."""
    counts: dict[int, int] = {}
    for group in split_groups(numbers):
        counting = (
            f"SELECT document, count(*) FROM graph_mentions WHERE name IN ({bind_marks(group)}) GROUP BY document"
        )
        for document, count in db.fetch_rows(counting, *group):
            counts[document] = counts.get(document, 0) + count
    ids: dict[int, str] = {}
    for group in split_groups(counts):
        ids.update(
            db.fetch_rows(f"SELECT number, id FROM graph_documents WHERE number IN ({bind_marks(group)})", *group)
        )
    found: dict[int, ReadDocument] = {}
    for group in split_groups(first_documents(ids, counts, limit)):
        for row in db.fetch_rows(
            f"SELECT {_DOCUMENT} FROM graph_documents WHERE number IN ({bind_marks(group)})", *group
        ):
            found[row[0]] = _read_document(row)
    return found


def fetch_versions(db: Session, tenant: int) -> dict[str, str]:
    """The version of each document."""
    return dict(db.fetch_rows("SELECT id, version FROM graph_documents WHERE tenant = ?", tenant))


def fetch_counts(db: Session, tenant: int) -> GraphCounts:
    """How much there is."""
    sums = ", ".join(f"coalesce(sum({column}), 0)" for column in ("chunks", "mentions", "relations", "aliases"))
    totals = db.fetch_rows(f"SELECT count(*), {sums} FROM graph_documents WHERE tenant = ?", tenant)
    keys = db.fetch_rows("SELECT count(*) FROM (SELECT DISTINCT key FROM graph_names WHERE tenant = ?) AS k", tenant)
    documents, chunks, mentioned, relations, aliases = map(int, totals[0])
    return GraphCounts(documents, chunks, int(keys[0][0]), mentioned, relations, aliases)


def _fetch_relations(db: Session, tenant: int, chunks: Mapping[int, Sequence[str]]) -> list[tuple[int, int, Relation]]:
    columns = "m.document, m.place, m.subject, m.predicate, m.object, m.sentence_start, m.sentence_end, m.origin"
    found = db.fetch_rows(f"SELECT {columns} FROM graph_relations m {_OF_TENANT}", tenant)
    return [
        (document, place, Relation(subject, said, object_, chunks[document][int(place)], Span(start, end), origin))
        for document, place, subject, said, object_, start, end, origin in found
    ]


def _fetch_aliases(db: Session, tenant: int, chunks: Mapping[int, Sequence[str]]) -> list[tuple[int, int, AliasClaim]]:
    columns = "m.document, m.place, m.alias, m.key, m.span_start, m.span_end, m.reason"
    found = db.fetch_rows(f"SELECT {columns} FROM graph_aliases m {_OF_TENANT}", tenant)
    return [
        (document, place, AliasClaim(alias, key, chunks[document][int(place)], Span(start, end), reason))
        for document, place, alias, key, start, end, reason in found
    ]


def _read_document(row: Row) -> ReadDocument:
    number, document_id, conversation_id, chunk_ids = row
    return ReadDocument(number, document_id, conversation_id, json.loads(chunk_ids))


def fetch_graphs(db: Session, tenant: str, document_ids: Sequence[str]) -> list[DocumentGraph]:
    """What these documents say, in this order; unknown ones are left out."""
    found: dict[str, DocumentGraph] = {}
    for group in split_groups(dict.fromkeys(document_ids)):
        found |= _fetch_group(db, tenant, group)
    return [found[document_id] for document_id in document_ids if document_id in found]


def _fetch_group(db: Session, tenant: str, document_ids: Sequence[str]) -> dict[str, DocumentGraph]:
    keys = [digest_names(tenant, document_id) for document_id in document_ids]
    rows = db.fetch_rows(
        f"SELECT number, id, version, conversation, chunk_ids FROM graph_documents WHERE id_key IN ({bind_marks(keys)})",
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
                read_mention(Name(key, written, kind), one.chunk_ids[int(place)], fields)
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
    among = f"{selecting} WHERE m.document IN ({bind_marks(numbers)}) ORDER BY m.document, m.position"
    for row in db.fetch_rows(among, *numbers):
        found[row[0]].append(row[1:])
    return found
