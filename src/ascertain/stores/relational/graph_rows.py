"""The rows of document graphs, written, removed and read inside the caller's transaction."""

import hashlib
import json
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace

import numpy as np

from ascertain.core.documents.blocks import Span
from ascertain.core.graph.nouns import AliasClaim, DocumentGraph, Mention, Name, Relation
from ascertain.core.service.status import GraphCounts
from ascertain.stores.records.encoding import digest_names
from ascertain.stores.records.graph_columns import (
    MENTION_FIELDS,
    READ_FIELDS,
    PackedGraph,
    ReadDocument,
    ReadGraph,
    first_documents,
    read_mention,
)
from ascertain.stores.records.rows import Row
from ascertain.stores.relational.database import Session, bind_marks, split_groups

_OF_TENANT = "JOIN graph_documents d ON d.number = m.document WHERE d.tenant = ?"
_READ_DOCUMENT = "number, id, conversation, chunk_ids"
_MENTION_COLUMNS = (
    "m.document, m.position, m.name, m.place, m.span_start, m.span_end, m.sentence_start, m.sentence_end, m.role"
)


def fetch_names(db: Session, tenant: int, keys: Iterable[str]) -> dict[Name, int]:
    """The names that have these keys, with their numbers."""
    wanted = set(keys)
    names: dict[Name, int] = {}
    for hashes in split_groups({_hash_key(key) for key in wanted}):
        finding = (
            f"SELECT number, key, written, kind FROM graph_names WHERE tenant = ? AND hash IN ({bind_marks(hashes)})"
        )
        for number, key, written, kind in db.fetch_rows(finding, tenant, *hashes):
            if key in wanted:
                names[Name(key, written, kind)] = number
    return names


def number_names(db: Session, tenant: int, names: Collection[Name]) -> dict[Name, int]:
    """The number of each name; new ones are stored."""
    known = fetch_names(db, tenant, (name.key for name in names))
    for group in split_groups(name for name in names if name not in known):
        values = ", ".join(["(?, ?, ?, ?, ?)"] * len(group))
        adding = f"""INSERT INTO graph_names (tenant, hash, key, written, kind) VALUES {values}
                     RETURNING number, key, written, kind"""
        parameters = (
            part for name in group for part in (tenant, _hash_key(name.key), name.key, name.written, name.kind)
        )
        added = db.fetch_rows(adding, *parameters)
        known.update((Name(key, written, kind), number) for number, key, written, kind in added)
    return known


def delete_unused_names(db: Session, numbers: Sequence[int]) -> None:
    """Remove those of these names that are no longer mentioned."""
    for group in split_groups(numbers):
        db.change_rows(
            f"""DELETE FROM graph_names WHERE number IN ({bind_marks(group)})
                AND NOT EXISTS (SELECT 1 FROM graph_mentions m WHERE m.name = graph_names.number)""",
            *group,
        )


def list_names(db: Session, tenant: int) -> list[tuple[int, Name]]:
    """All names of a tenant with their numbers."""
    found = db.fetch_rows("SELECT number, key, written, kind FROM graph_names WHERE tenant = ?", tenant)
    return [(number, Name(key, written, kind)) for number, key, written, kind in found]


def _hash_key(key: str) -> int:
    encoded = key.encode("utf-8", "surrogatepass")
    return int.from_bytes(hashlib.blake2b(encoded, digest_size=8).digest(), "big", signed=True)


_DOCUMENT_COLUMNS = "tenant, id_key, id, version, conversation, chunk_ids, chunks, mentions, relations, aliases"
_STATEMENTS = ("graph_mentions", "graph_relations", "graph_aliases")


def write_graphs(db: Session, tenant: int, graphs: Mapping[str, PackedGraph]) -> None:
    """Replace the graphs of documents, by their ids."""
    _, dropped = _delete_documents(db, _document_keys(graphs.values()))
    used = {name for graph in graphs.values() for name in graph.names}
    numbers = number_names(db, tenant, used)
    documents = _insert_documents(db, tenant, list(graphs.values()))
    _insert_mentions(db, graphs, documents, numbers)
    db.insert_rows(
        "graph_relations",
        "document, position, place, sentence_start, sentence_end, subject, predicate, object, origin",
        [
            (number, position, place, *said.sentence, said.subject, said.predicate, said.object, said.origin)
            for document, number in documents.items()
            for position, (place, said) in enumerate(graphs[document].relations)
        ],
    )
    db.insert_rows(
        "graph_aliases",
        "document, position, place, span_start, span_end, alias, key, reason",
        [
            (number, position, place, *claim.span, claim.alias, claim.key, claim.reason)
            for document, number in documents.items()
            for position, (place, claim) in enumerate(graphs[document].aliases)
        ],
    )
    delete_unused_names(db, sorted(dropped - {numbers[name] for name in used}))


def delete_graphs(db: Session, tenant: str, document_ids: Collection[str]) -> int:
    """Remove the graphs of documents; how many of them were stored."""
    count, dropped = _delete_documents(db, [digest_names(tenant, document_id) for document_id in set(document_ids)])
    delete_unused_names(db, sorted(dropped))
    return count


def has_any(db: Session, tenant: str, document_ids: Collection[str]) -> bool:
    """Whether one of these documents is here."""
    keys = [digest_names(tenant, document_id) for document_id in set(document_ids)]
    return any(
        db.fetch_rows(f"SELECT 1 FROM graph_documents WHERE id_key IN ({bind_marks(group)}) LIMIT 1", *group)
        for group in split_groups(keys)
    )


def has_other_version(db: Session, tenant: str, document_id: str, content_hash: str) -> bool:
    """Whether the stored graph of the document was read from a text with another hash."""
    read = f"{content_hash}:"
    finding = "SELECT 1 FROM graph_documents WHERE id_key = ? AND substr(version, 1, ?) <> ?"
    return bool(db.fetch_rows(finding, digest_names(tenant, document_id), len(read), read))


def _delete_documents(db: Session, keys: Sequence[bytes]) -> tuple[int, set[int]]:
    """How many of these documents went, and the names that they mentioned, which are still stored."""
    count, mentioned = 0, set[int]()
    for group in split_groups(keys):
        found = db.fetch_rows(
            f"DELETE FROM graph_documents WHERE id_key IN ({bind_marks(group)}) RETURNING number", *group
        )
        if not found:
            continue
        numbers = [int(number) for (number,) in found]
        count += len(numbers)
        among = f"document IN ({bind_marks(numbers)})"
        mentioned.update(
            int(name) for (name,) in db.fetch_rows(f"SELECT DISTINCT name FROM graph_mentions WHERE {among}", *numbers)
        )
        for table in _STATEMENTS:
            db.change_rows(f"DELETE FROM {table} WHERE {among}", *numbers)
    return count, mentioned


def _insert_documents(db: Session, tenant: int, graphs: Sequence[PackedGraph]) -> dict[str, int]:
    """The number of each document, by its id."""
    numbers: dict[str, int] = {}
    for rows in split_groups(_document_row(tenant, graph) for graph in graphs):
        values = ", ".join([f"({bind_marks(rows[0])})"] * len(rows))
        adding = f"INSERT INTO graph_documents ({_DOCUMENT_COLUMNS}) VALUES {values} RETURNING number, id"
        parameters = (value for row in rows for value in row)
        numbers.update((name, int(number)) for number, name in db.fetch_rows(adding, *parameters))
    return numbers


def _document_row(tenant: int, packed: PackedGraph) -> Row:
    graph = packed.graph
    return (
        *(tenant, digest_names(graph.tenant, graph.document_id), graph.document_id, graph.version),
        *(graph.conversation_id, json.dumps(graph.chunk_ids), len(graph.chunk_ids)),
        *(len(packed.mentions), len(packed.relations), len(packed.aliases)),
    )


def _insert_mentions(
    db: Session, graphs: Mapping[str, PackedGraph], documents: Mapping[str, int], numbers: Mapping[Name, int]
) -> None:
    tables = [
        _mention_rows(graphs[document], number, numbers)
        for document, number in documents.items()
        if len(graphs[document].mentions)
    ]
    if tables:
        columns = f"document, position, {', '.join(MENTION_FIELDS)}"
        db.insert_integers("graph_mentions", columns, np.concatenate(tables))


def _mention_rows(
    packed: PackedGraph, document: int, numbers: Mapping[Name, int]
) -> np.ndarray[tuple[int, int], np.dtype[np.int32]]:
    count = len(packed.mentions)
    names_here = np.array([numbers[name] for name in packed.names], np.int32)
    rows = np.empty((count, 2 + len(MENTION_FIELDS)), np.int32)
    rows[:, 0] = document
    rows[:, 1] = np.arange(count)
    rows[:, 2:] = packed.mentions
    rows[:, 2] = names_here[packed.mentions[:, 0]]
    return rows


def _document_keys(graphs: Collection[PackedGraph]) -> list[bytes]:
    return [digest_names(packed.graph.tenant, packed.graph.document_id) for packed in graphs]


def fetch_graph(db: Session, tenant: int, generation: str) -> ReadGraph:
    """Everything of a tenant."""
    found = db.fetch_rows(f"SELECT {_READ_DOCUMENT} FROM graph_documents WHERE tenant = ?", tenant)
    documents = list(map(_read_document, found))
    chunks = {document.number: document.chunk_ids for document in documents}
    fields = ", ".join(f"m.{field}" for field in READ_FIELDS)
    return ReadGraph(
        generation,
        documents,
        list_names(db, tenant),
        db.fetch_integers(f"SELECT {fields} FROM graph_mentions m {_OF_TENANT}", tenant),
        _fetch_relations(db, tenant, chunks),
        _fetch_aliases(db, tenant, chunks),
    )


def fetch_mentions(db: Session, tenant: int, keys: Collection[str], limit: int) -> list[Mention]:
    """The first ``limit`` places where these names are mentioned."""
    written = {number: name for name, number in fetch_names(db, tenant, keys).items()}
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
            f"SELECT {_READ_DOCUMENT} FROM graph_documents WHERE number IN ({bind_marks(group)})", *group
        ):
            document = _read_document(row)
            found[document.number] = document
    return found


def fetch_versions(db: Session, tenant: int) -> dict[str, str]:
    """The version of each document."""
    return dict(db.fetch_rows("SELECT id, version FROM graph_documents WHERE tenant = ?", tenant))


def fetch_counts(db: Session, tenant: int) -> GraphCounts:
    """The size."""
    sums = ", ".join(f"coalesce(sum({column}), 0)" for column in ("chunks", "mentions", "relations", "aliases"))
    totals = db.fetch_rows(f"SELECT count(*), {sums} FROM graph_documents WHERE tenant = ?", tenant)
    ((keys,),) = db.fetch_rows(
        "SELECT count(*) FROM (SELECT DISTINCT key FROM graph_names WHERE tenant = ?) AS k", tenant
    )
    documents, chunks, mentioned, relations, aliases = map(int, totals[0])
    return GraphCounts(documents, chunks, int(keys), mentioned, relations, aliases)


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
    """The graphs of these documents, in this order; unknown ones are left out."""
    found: dict[str, DocumentGraph] = {}
    for group in split_groups(dict.fromkeys(document_ids)):
        found |= _fetch_group(db, tenant, group)
    return [found[document_id] for document_id in document_ids if document_id in found]


def _fetch_group(db: Session, tenant: str, document_ids: Sequence[str]) -> dict[str, DocumentGraph]:
    keys = [digest_names(tenant, document_id) for document_id in document_ids]
    columns = "number, id, version, conversation, chunk_ids"
    rows = db.fetch_rows(f"SELECT {columns} FROM graph_documents WHERE id_key IN ({bind_marks(keys)})", *keys)
    begun = {
        int(number): DocumentGraph(
            name, version, tuple(json.loads(chunk_ids)), conversation_id=conversation, tenant=tenant
        )
        for number, name, version, conversation, chunk_ids in rows
    }
    mentions = _fetch_statements(
        db,
        """SELECT m.document, m.place, n.key, n.written, n.kind, m.span_start, m.span_end,
               m.sentence_start, m.sentence_end, m.role
           FROM graph_mentions m JOIN graph_names n ON n.number = m.name""",
        list(begun),
    )
    relations = _fetch_statements(
        db,
        """SELECT m.document, m.place, m.subject, m.predicate, m.object, m.sentence_start, m.sentence_end, m.origin
           FROM graph_relations m""",
        list(begun),
    )
    aliases = _fetch_statements(
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


def _fetch_statements(db: Session, selecting: str, numbers: Sequence[int]) -> dict[int, list[Row]]:
    """The rows of each document in order, without its number."""
    statements: dict[int, list[Row]] = defaultdict(list)
    among = f"{selecting} WHERE m.document IN ({bind_marks(numbers)}) ORDER BY m.document, m.position"
    for number, *fields in db.fetch_rows(among, *numbers):
        statements[number].append(tuple(fields))
    return statements
