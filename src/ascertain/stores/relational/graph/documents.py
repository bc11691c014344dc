"""What documents say, written and removed."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence

import numpy as np

from ascertain.core.graph import Name
from ascertain.stores.digests import digest
from ascertain.stores.graph_packing import MENTION_FIELDS, PackedGraph
from ascertain.stores.relational.database import Session, groups, marks
from ascertain.stores.relational.graph import names
from ascertain.stores.rows import Row

_DOCUMENT_COLUMNS = (
    "tenant, id_key, id, version, conversation, chunk_ids, chunks, mentions, relations, aliases"
)
_STATEMENTS = ("graph_mentions", "graph_relations", "graph_aliases")


def write(db: Session, tenant: int, graphs: Mapping[str, PackedGraph]) -> None:
    """Put what documents say, by their ids, in place of what they said before."""
    _, dropped = _drop(db, _keys(graphs.values()))
    used = {name for graph in graphs.values() for name in graph.names}
    numbers = names.numbers_of(db, tenant, used)
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
    names.forget_unused(db, sorted(dropped - {numbers[name] for name in used}))


def remove(db: Session, tenant: str, document_ids: Collection[str]) -> int:
    """Remove what documents said; how many of them had been here."""
    count, dropped = _drop(db, [digest(tenant, document_id) for document_id in set(document_ids)])
    names.forget_unused(db, sorted(dropped))
    return count


def any_of(db: Session, tenant: str, document_ids: Collection[str]) -> bool:
    """Whether one of these documents is here."""
    keys = [digest(tenant, document_id) for document_id in set(document_ids)]
    return any(
        db.fetch_rows(f"SELECT 1 FROM graph_documents WHERE id_key IN ({marks(group)}) LIMIT 1", *group)
        for group in groups(keys)
    )


def _drop(db: Session, keys: Sequence[bytes]) -> tuple[int, set[int]]:
    """How many of these documents went, and the names that they mentioned, which are still kept."""
    count, mentioned = 0, set[int]()
    for group in groups(keys):
        found = db.fetch_rows(
            f"DELETE FROM graph_documents WHERE id_key IN ({marks(group)}) RETURNING number", *group
        )
        if not found:
            continue
        numbers = [int(number) for (number,) in found]
        count += len(numbers)
        among = f"document IN ({marks(numbers)})"
        mentioned.update(
            int(name)
            for (name,) in db.fetch_rows(f"SELECT DISTINCT name FROM graph_mentions WHERE {among}", *numbers)
        )
        for table in _STATEMENTS:
            db.change_rows(f"DELETE FROM {table} WHERE {among}", *numbers)
    return count, mentioned


def _insert_documents(db: Session, tenant: int, graphs: Sequence[PackedGraph]) -> dict[str, int]:
    """The number of each document, by its id."""
    numbers: dict[str, int] = {}
    for rows in groups(_document_row(tenant, graph) for graph in graphs):
        values = ", ".join([f"({marks(rows[0])})"] * len(rows))
        adding = f"INSERT INTO graph_documents ({_DOCUMENT_COLUMNS}) VALUES {values} RETURNING number, id"
        parameters = (value for row in rows for value in row)
        numbers.update((name, int(number)) for number, name in db.fetch_rows(adding, *parameters))
    return numbers


def _document_row(tenant: int, packed: PackedGraph) -> Row:
    graph = packed.graph
    return (
        *(tenant, digest(graph.tenant, graph.document_id), graph.document_id, graph.version),
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


def _keys(graphs: Collection[PackedGraph]) -> list[bytes]:
    return [digest(packed.graph.tenant, packed.graph.document_id) for packed in graphs]
