"""``GraphColumns`` from what a store has read, in one order whatever order the store has."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from ascertain.core.graph import AliasClaim, Name, Relation
from ascertain.stores.graph_packing import alias_order, name_order, relation_order
from ascertain.stores.graph_ports import GraphColumns, Indices

READ_FIELDS = ("document", "position", "name", "place", "sentence_start", "role")
"""What ``columns`` needs of a mention, in the order of ``ReadGraph.mentions``."""

_Statement = TypeVar("_Statement", Relation, AliasClaim)


@dataclass(frozen=True, slots=True)
class ReadDocument:
    """A document under the number that the store has for it."""

    number: int
    id: str
    conversation_id: str | None
    chunk_ids: Sequence[str]


@dataclass(frozen=True, slots=True)
class ReadGraph:
    """What one tenant's documents say as a store has read it, in any order.

    ``mentions`` has shape (mentions, 6) with READ_FIELDS: the numbers of document and name are the store's, ``position`` is the mention's place in
    the order of ``PackedGraph.mentions``. Relations and aliases stand with the number of their document and the place of their chunk.
    """

    generation: str
    documents: Sequence[ReadDocument]
    names: Sequence[tuple[int, Name]]
    mentions: NDArray[np.int32]
    relations: Sequence[tuple[int, int, Relation]]
    aliases: Sequence[tuple[int, int, AliasClaim]]


def assembled(read: ReadGraph) -> GraphColumns:
    """The columns of ``read``."""
    documents = sorted(read.documents, key=lambda document: document.id)
    names = sorted(read.names, key=lambda numbered: name_order(numbered[1]))
    document_places = _Places([document.number for document in documents])
    name_places = _Places([number for number, _ in names])
    sizes = np.array([len(document.chunk_ids) for document in documents], np.int64)
    first_chunks = np.concatenate([np.zeros(1, np.int64), np.cumsum(sizes)])
    document, position, name, place, sentence, role = read.mentions.T
    of_document = document_places.of(document)
    order = np.lexsort((position, of_document))
    ranks = {one.number: rank for rank, one in enumerate(documents)}
    return GraphColumns(
        generation=read.generation,
        documents=[one.id for one in documents],
        conversations=[one.conversation_id for one in documents],
        chunk_ids=[chunk_id for one in documents for chunk_id in one.chunk_ids],
        chunk_document=np.repeat(np.arange(len(documents), dtype=np.int32), sizes),
        names=[one for _, one in names],
        mention_name=name_places.of(name[order]),
        mention_chunk=(first_chunks[of_document[order]] + place[order]).astype(np.int32),
        mention_sentence=np.ascontiguousarray(sentence[order]),
        mention_role=np.ascontiguousarray(role[order]),
        relations=_in_order(read.relations, ranks, relation_order),
        aliases=_in_order(read.aliases, ranks, alias_order),
    )


def first_documents(ids: Mapping[int, str], counts: Mapping[int, int], limit: int) -> list[int]:
    """The documents, by number and in order of id, that hold the first ``limit`` mentions, of which each has ``counts``."""
    ordered = sorted(ids, key=lambda number: ids[number])
    before = accumulate((counts[number] for number in ordered), initial=0)
    return [number for number, held in zip(ordered, before, strict=False) if held < limit]


class _Places:
    """Finds the places of a store's numbers in a list of them."""

    def __init__(self, numbers: Sequence[int]) -> None:
        values = np.array(numbers, np.int64)
        self._order = np.argsort(values)
        self._sorted = values[self._order]

    def of(self, numbers: NDArray[np.int32]) -> Indices:
        """The place of each; all of them are in the list."""
        return self._order[np.searchsorted(self._sorted, numbers)].astype(np.int32)


def _in_order(
    statements: Sequence[tuple[int, int, _Statement]],
    ranks: dict[int, int],
    order: Callable[[tuple[int, _Statement]], tuple[object, ...]],
) -> list[_Statement]:
    ranked = sorted(statements, key=lambda said: (ranks[said[0]], *order(said[1:])))
    return [statement for _, _, statement in ranked]
