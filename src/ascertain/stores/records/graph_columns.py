"""``GraphColumns`` from what a store has read, in one order whatever order the store has."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from ascertain.core.documents.blocks import Span
from ascertain.core.graph.nouns import AliasClaim, DocumentGraph, Mention, Name, Relation, Role
from ascertain.stores.ports.graph import GraphColumns, Indices

ROLES = tuple(Role)
"""A role is kept as its place here."""

MENTION_FIELDS = ("name", "place", "span_start", "span_end", "sentence_start", "sentence_end", "role")
"""What is kept of a mention, in the order of ``PackedGraph.mentions``; "place" is that of its chunk in the document."""


@dataclass(frozen=True, slots=True)
class PackedGraph:
    """What one document says.

    ``names`` are different and in order. ``mentions``, of shape (mentions, 7), has MENTION_FIELDS, the name as a place
    in ``names``; it is in order of chunk, start and name. Relations and aliases stand with the place of their chunk, in
    order of chunk, start and then their fields.
    """

    graph: DocumentGraph
    names: tuple[Name, ...]
    mentions: NDArray[np.int32]
    relations: tuple[tuple[int, Relation], ...]
    aliases: tuple[tuple[int, AliasClaim], ...]


def pack_graph(graph: DocumentGraph) -> PackedGraph:
    """``graph`` in order; ValueError where it says something of a chunk that it does not have."""
    places = {chunk_id: place for place, chunk_id in enumerate(graph.chunk_ids)}
    if len(places) < len(graph.chunk_ids):
        raise ValueError(f"the graph of {graph.document_id!r} has a chunk twice")
    try:
        names = tuple(sorted({mention.name for mention in graph.mentions}, key=name_order))
        return PackedGraph(
            graph,
            names,
            _mention_table(graph.mentions, names, places),
            tuple(sorted(((places[said.chunk_id], said) for said in graph.relations), key=relation_order)),
            tuple(sorted(((places[claim.chunk_id], claim) for claim in graph.aliases), key=alias_order)),
        )
    except KeyError as error:
        raise ValueError(
            f"the graph of {graph.document_id!r} names the chunk {error.args[0]!r}, which it does not have"
        ) from error


def read_mention(name: Name, chunk_id: str, fields: Iterable[int]) -> Mention:
    """A mention of ``name`` from its MENTION_FIELDS after the first two."""
    start, end, sentence_start, sentence_end, role = map(int, fields)
    return Mention(name, chunk_id, Span(start, end), Span(sentence_start, sentence_end), ROLES[role])


def name_order(name: Name) -> tuple[str, str, str]:
    """The order of names themselves; tuples of strings are compared several times as fast."""
    return (name.key, name.written, name.kind)


def relation_order(placed: tuple[int, Relation]) -> tuple[object, ...]:
    """By chunk, start, and then the fields."""
    place, said = placed
    sentence = said.sentence
    return (place, sentence.start, said.subject, said.predicate, said.object, sentence.end, said.origin)


def alias_order(placed: tuple[int, AliasClaim]) -> tuple[object, ...]:
    """By chunk, start, and then the fields."""
    place, claim = placed
    return (place, claim.span.start, claim.alias, claim.key, claim.span.end, claim.reason)


def _mention_table(mentions: Iterable[Mention], names: tuple[Name, ...], places: dict[str, int]) -> NDArray[np.int32]:
    numbers = {name: number for number, name in enumerate(names)}
    roles = {role: number for number, role in enumerate(ROLES)}
    rows = [(numbers[one.name], places[one.chunk_id], *one.span, *one.sentence, roles[one.role]) for one in mentions]
    table = np.array(rows, np.int32).reshape(len(rows), len(MENTION_FIELDS))
    name, place, start, end, sentence_start, sentence_end, role = table.T
    # What is the same in chunk, start and name is in order of the rest, so that the order never depends on that of the
    # extractor.
    return table[np.lexsort((role, sentence_end, sentence_start, end, name, start, place))]


Batch = dict[str, PackedGraph]
"""Graphs of one tenant by document id."""


def batch_graphs(graphs: Iterable[DocumentGraph], most: int) -> Iterator[tuple[str, Batch]]:
    """Tenants and batches of about ``most`` things said, each document whole; of several graphs of one the last."""
    batch: Batch = {}
    tenant, size = "", 0
    for graph in graphs:
        if batch and (graph.tenant != tenant or size >= most):
            yield tenant, batch
            batch, size = {}, 0
        tenant = graph.tenant
        one = pack_graph(graph)
        batch[graph.document_id] = one
        size += 1 + len(one.mentions) + len(one.relations) + len(one.aliases)
    if batch:
        yield tenant, batch


def describe_counts(documents: int, names: int, mentions: int, relations: int) -> dict[str, str]:
    """The counts."""
    counts = f"{documents:,} documents, {names:,} names, {mentions:,} mentions, {relations:,} relations"
    return {"knowledge graph": counts}


def count_problem(what: str, claims: int, stored: int) -> str:
    """The problem that documents claim another number of something than is stored."""
    return f"documents claim {claims} {what}, {stored} are stored"


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

    ``mentions`` has shape (mentions, 6) with READ_FIELDS: the numbers of document and name are the store's,
    ``position`` is the mention's place in the order of ``PackedGraph.mentions``. Relations and aliases stand with the
    number of their document and the place of their chunk.
    """

    generation: str
    documents: Sequence[ReadDocument]
    names: Sequence[tuple[int, Name]]
    mentions: NDArray[np.int32]
    relations: Sequence[tuple[int, int, Relation]]
    aliases: Sequence[tuple[int, int, AliasClaim]]


def assemble_columns(read: ReadGraph) -> GraphColumns:
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
    """The documents, in order of id, with the first ``limit`` mentions; each has ``counts``, both by number."""
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
