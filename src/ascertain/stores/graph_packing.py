"""One document's graph in the form in which stores keep it: names and chunks by their places, everything in order."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ascertain.core.graph import AliasClaim, DocumentGraph, Mention, Name, Relation, Role
from ascertain.core.spans import Span

ROLES = tuple(Role)
"""A role is kept as its place here."""

MENTION_FIELDS = ("name", "place", "span_start", "span_end", "sentence_start", "sentence_end", "role")
"""What is kept of a mention, in the order of ``PackedGraph.mentions``; "place" is that of its chunk in the document."""


@dataclass(frozen=True, slots=True)
class PackedGraph:
    """What one document says.

    ``names`` are different and in order. ``mentions``, of shape (mentions, 7), has MENTION_FIELDS, the name as a place in ``names``; it is
    in order of chunk, start and name. Relations and aliases stand with the place of their chunk, in order of chunk, start and then their fields.
    """

    graph: DocumentGraph
    names: tuple[Name, ...]
    mentions: NDArray[np.int32]
    relations: tuple[tuple[int, Relation], ...]
    aliases: tuple[tuple[int, AliasClaim], ...]


def packed(graph: DocumentGraph) -> PackedGraph:
    """``graph`` in order; ValueError where it says something of a chunk that it does not have."""
    places = {chunk_id: place for place, chunk_id in enumerate(graph.chunk_ids)}
    if len(places) < len(graph.chunk_ids):
        raise ValueError(f"the graph of {graph.document_id!r} has a chunk twice")
    try:
        names = tuple(sorted({mention.name for mention in graph.mentions}, key=name_order))
        return PackedGraph(
            graph,
            names,
            _mentions(graph.mentions, names, places),
            tuple(sorted(((places[said.chunk_id], said) for said in graph.relations), key=relation_order)),
            tuple(sorted(((places[claim.chunk_id], claim) for claim in graph.aliases), key=alias_order)),
        )
    except KeyError as error:
        raise ValueError(
            f"the graph of {graph.document_id!r} names the chunk {error.args[0]!r}, which it does not have"
        ) from error


def mention(name: Name, chunk_id: str, fields: Iterable[int]) -> Mention:
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


def _mentions(
    mentions: Iterable[Mention], names: tuple[Name, ...], places: dict[str, int]
) -> NDArray[np.int32]:
    numbers = {name: number for number, name in enumerate(names)}
    roles = {role: number for number, role in enumerate(ROLES)}
    rows = [
        (numbers[one.name], places[one.chunk_id], *one.span, *one.sentence, roles[one.role])
        for one in mentions
    ]
    table = np.array(rows, np.int32).reshape(len(rows), len(MENTION_FIELDS))
    name, place, start, end, sentence_start, sentence_end, role = table.T
    # What is the same in chunk, start and name is in order of the rest, so that the order never depends on that of the extractor.
    return table[np.lexsort((role, sentence_end, sentence_start, end, name, start, place))]
