"""What a snapshot computes once from the columns of a graph: the thing that each mention is of, and the kind of each thing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from ascertain.core.graph import Pin
from ascertain.graph.resolution import Resolution, resolve
from ascertain.stores.graph_ports import GraphColumns, Indices


def resolution(columns: GraphColumns, pins: Sequence[Pin]) -> Resolution:
    """Which names are of one thing; documents fetched for conversations decide nothing for the others."""
    private = frozenset(
        document
        for document, conversation in zip(columns.documents, columns.conversations, strict=True)
        if conversation is not None
    )
    claiming = {claim.chunk_id for claim in columns.aliases}
    documents = {
        chunk_id: columns.documents[int(document)]
        for chunk_id, document in zip(columns.chunk_ids, columns.chunk_document, strict=True)
        if chunk_id in claiming
    }
    keys = {name.key for name in columns.names}
    keys |= {key for relation in columns.relations for key in (relation.subject, relation.object)}
    return resolve(keys, columns.aliases, documents, pins, private)


def mention_entities(columns: GraphColumns, found: Resolution, names: Mapping[str, int]) -> Indices:
    """The entity of each mention; a homonym's is that of its document."""
    usual = np.array([names[name.key] for name in columns.names], dtype=np.int32)
    entity = usual[columns.mention_name] if usual.size else np.zeros(0, dtype=np.int32)
    if not found.within:
        return entity
    document_of = {document: place for place, document in enumerate(columns.documents)}
    by_key: dict[str, list[int]] = {}
    for place, name in enumerate(columns.names):
        by_key.setdefault(name.key, []).append(place)
    order = np.argsort(columns.mention_name, kind="stable")
    sorted_names = columns.mention_name[order]
    mention_document = columns.chunk_document[columns.mention_chunk]
    for (document, key), leader in found.within.items():
        for name in by_key.get(key, ()):
            rows = order[np.searchsorted(sorted_names, name) : np.searchsorted(sorted_names, name, "right")]
            entity[rows[mention_document[rows] == document_of[document]]] = names[leader]
    return entity


def entity_kinds(columns: GraphColumns, entity: Indices, size: int) -> tuple[str, ...]:
    """The kind that most mentions of each entity are of; "" where none is known, ties by name."""
    kinds = sorted({name.kind for name in columns.names} - {""})
    if not kinds:
        return ("",) * size
    place = {kind: number for number, kind in enumerate(kinds)}
    of_name = np.array([place.get(name.kind, -1) for name in columns.names], dtype=np.int64)
    of_mention = of_name[columns.mention_name]
    told = of_mention >= 0
    pairs, counts = np.unique(
        entity[told].astype(np.int64) * len(kinds) + of_mention[told], return_counts=True
    )
    best: dict[int, tuple[int, int]] = {}
    for pair, count in zip(pairs.tolist(), counts.tolist(), strict=True):
        index, kind = divmod(pair, len(kinds))
        best[index] = max(best.get(index, (0, 0)), (count, -kind))
    return tuple(kinds[-best[index][1]] if index in best else "" for index in range(size))
