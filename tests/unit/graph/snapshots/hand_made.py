"""Graphs of documents written by hand, and the snapshot of them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime

import numpy as np

from ascertain.core.documents.blocks import Span
from ascertain.core.graph.nouns import AliasClaim, DocumentGraph, Mention, Name, Pin, Relation, Role
from ascertain.graph.keys import key_of
from ascertain.graph.snapshot import ROLES, Snapshot
from ascertain.stores.ports.graph import GraphColumns
from ascertain.stores.records.graph_columns import ReadDocument, ReadGraph, assemble_columns

SENTENCE = 100
"""Code points between the starts of two sentences."""


def a_name(written: str, kind: str = "") -> Name:
    return Name(key_of(written), written, kind)


def says(
    document: str,
    *chunks: Sequence[Sequence[str]],
    title: str = "",
    aliases: Sequence[tuple[str, str, str]] = (),
    relations: Sequence[tuple[str, str, str]] = (),
    conversation: str | None = None,
) -> DocumentGraph:
    """A document: its chunks, of each the sentences, of each the names. Aliases (alias, name, reason) and relations stand in the first sentence."""
    ids = tuple(f"{document}:{number}" for number in range(len(chunks)))
    mentions: list[Mention] = []
    for number, (chunk, sentences) in enumerate(zip(ids, chunks, strict=True)):
        base = number * 10_000
        if title:
            whole = Span(base, base + 9_999)
            mentions.append(Mention(a_name(title), chunk, whole, whole, Role.TITLE))
        for place, names in enumerate(sentences):
            start = base + 1 + place * SENTENCE
            sentence = Span(start, start + SENTENCE - 1)
            mentions += [
                Mention(a_name(name), chunk, Span(start + 2 * n, start + 2 * n + 1), sentence)
                for n, name in enumerate(names)
            ]
    first = Span(1, SENTENCE)
    return DocumentGraph(
        document,
        f"hash of {document}:hand",
        ids,
        tuple(mentions),
        tuple(Relation(key_of(s), verb, key_of(o), ids[0], first) for s, verb, o in relations),
        tuple(AliasClaim(key_of(alias), key_of(name), ids[0], first, why) for alias, name, why in aliases),
        conversation,
    )


def columns_of(graphs: Iterable[DocumentGraph], generation: str = "1") -> GraphColumns:
    """The columns of ``graphs``, put together in the order given."""
    names: dict[Name, int] = {}
    documents, mentions, relations, aliases = [], [], [], []
    for number, graph in enumerate(graphs):
        place = {chunk: at for at, chunk in enumerate(graph.chunk_ids)}
        documents.append(ReadDocument(number, graph.document_id, graph.conversation_id, graph.chunk_ids))
        ordered = sorted(graph.mentions, key=lambda m: (place[m.chunk_id], m.span.start, m.name))
        mentions += [
            (number, at, names.setdefault(m.name, len(names)), place[m.chunk_id], m.sentence.start, ROLES.index(m.role))
            for at, m in enumerate(ordered)
        ]
        relations += [(number, place[said.chunk_id], said) for said in graph.relations]
        aliases += [(number, place[claim.chunk_id], claim) for claim in graph.aliases]
    numbered = [(number, name) for name, number in names.items()]
    rows = np.array(mentions, np.int32).reshape(-1, 6)
    return assemble_columns(ReadGraph(generation, documents, numbered, rows, relations, aliases))


def a_snapshot(*graphs: DocumentGraph, pins: Sequence[Pin] = ()) -> Snapshot:
    return Snapshot.of(columns_of(graphs), pins)


def a_pin(left: str, right: str, same: bool) -> Pin:
    return Pin(key_of(left), key_of(right), same, "somebody said so", datetime(2024, 12, 5, tzinfo=UTC))


def label(snapshot: Snapshot, entity: int) -> str:
    return snapshot.at(entity).label
