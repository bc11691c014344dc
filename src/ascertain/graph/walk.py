"""Walks: personalised PageRank over entities and passages, in the neighbourhood of what a question finds.

The graph has two sides: passages, and the entities that they name. A walk starts at passages and entities with the
question's own weights and steps from side to side; the share of time it spends at a passage is the passage's score
(Page et al. 1999; Haveliwala, WWW 2002). For retrieval over several documents this is HippoRAG 2 (Gutiérrez et al.,
ICML 2025, arXiv 2502.14802), and without a model at indexing LinearRAG (arXiv 2510.10114). Two things differ here: a
step from an entity prefers the passages that have to do with the question, and only the passages within two steps of
the start that the walk is likeliest to reach take part, so that its cost does not grow with the corpus (the idea of
forward push: Andersen, Chung & Lang, FOCS 2006).
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ascertain.core.graph.nouns import Role
from ascertain.graph.snapshot import ROLES, Mask, Snapshot
from ascertain.stores.ports.graph import Indices

Weights = NDArray[np.float64]

DAMPING = 0.7
"""Chance of going on at each step, otherwise back to the start."""
RARITY_POWER = 2.0
"""Common names connect unrelated things: half as rare counts a quarter."""
TITLE_WEIGHT = 3.0
"""How much sooner a step from an entity leads to a passage of the document called so than to one that names it."""
STEPS = 10
"""Rounds over both sides; what is left out is under 0.7 ** 10 of the whole, and the order has long settled."""
WIDEST = 1000
"""Passages of one entity that a walk may go to, the first ones; a name of more passages is too common to lead anywhere."""
REACHED = 300
"""Passages that take part."""


@dataclass(frozen=True, slots=True)
class Start:
    """Where a walk begins: places of chunks and numbers of entities, with weights over 0."""

    chunks: Mapping[int, float]
    entities: Mapping[int, float]


@dataclass(frozen=True, slots=True)
class Neighbourhood:
    """The part of the graph that a walk goes through.

    ``chunks`` and ``entities``, ascending, are places in the snapshot. Of shape (edges,): ``edge_chunk`` and
    ``edge_entity`` are places in those two, ``edge_title`` says that the entity is the title of the chunk's document.
    ``rarity`` of each entity is 0..1.
    """

    chunks: Indices
    entities: Indices
    edge_chunk: Indices
    edge_entity: Indices
    edge_title: Mask
    rarity: Weights

    def start(self, start: Start) -> tuple[Weights, Weights]:
        """The weights of ``start`` over ``chunks`` and ``entities``; together 1, or 0 where none is here."""
        chunks = np.array([start.chunks.get(chunk, 0.0) for chunk in self.chunks.tolist()])
        entities = np.array([start.entities.get(entity, 0.0) for entity in self.entities.tolist()])
        total = chunks.sum() + entities.sum()
        return (chunks / total, entities / total) if total > 0 else (chunks, entities)


def find_neighbourhood(
    snapshot: Snapshot, start: Start, visible: Mask | None = None, reached: int = REACHED
) -> Neighbourhood:
    """What lies within two steps of ``start`` among visible chunks: its own and at most ``reached`` others."""
    begin = np.array(sorted(start.chunks), dtype=np.int32)
    if visible is not None:
        begin = begin[visible[begin]]
    rarity = snapshot.rarity
    mass = np.array([start.chunks[chunk] for chunk in begin.tolist()])
    named = np.zeros(snapshot.size)
    for entity, weight in start.entities.items():
        named[entity] += weight
    chunks = begin
    for _ in range(2):
        chunks, mass = _push_weights(snapshot, (chunks, mass), named, rarity, visible=visible)
        best = np.lexsort((chunks, -mass))[:reached]
        chunks, mass = chunks[best], mass[best]
    return _edges_among(snapshot, np.union1d(begin, chunks), rarity)


@dataclass(frozen=True, slots=True)
class Walked:
    """Shares of time spent at ``near.chunks`` and ``near.entities``, and the chance of a step over each edge."""

    near: Neighbourhood
    chunks: Weights
    entities: Weights
    out: Weights
    """From the passage to the entity."""
    back: Weights

    def way(self, chunk: int) -> tuple[int, int | None] | None:
        """How the walk mostly came to ``chunk``, a place in ``near.chunks``: the entity, and the other passage that led
        to it if any did.

        Both are places in the snapshot; None where it did not come over an entity at all.
        """
        near = self.near
        here = np.flatnonzero(near.edge_chunk == chunk)
        came = self.back[here] * self.entities[near.edge_entity[here]]
        if not came.any():
            return None
        entity = near.edge_entity[here[int(np.argmax(came))]]
        there = np.flatnonzero((near.edge_entity == entity) & (near.edge_chunk != chunk))
        led = self.out[there] * self.chunks[near.edge_chunk[there]]
        source = int(near.chunks[near.edge_chunk[there[int(np.argmax(led))]]]) if led.any() else None
        return int(near.entities[entity]), source


def walk_graph(near: Neighbourhood, start: Start, relevance: Weights | None = None) -> Walked:
    """Walk from ``start``; all shares are 0 where it begins nowhere.

    ``relevance`` of shape (chunks,), over 0, is how much a step from an entity prefers each passage. Equal graphs give
    equal shares, whatever order the documents came in.
    """
    begin_chunks, begin_entities = near.start(start)
    prefers = np.ones(len(near.chunks)) if relevance is None else relevance
    out = near.rarity[near.edge_entity] ** RARITY_POWER
    out = out / _sum_groups(near.edge_chunk, out, len(near.chunks))[near.edge_chunk]
    back = prefers[near.edge_chunk] * np.where(near.edge_title, TITLE_WEIGHT, 1.0)
    back = back / _sum_groups(near.edge_entity, back, len(near.entities))[near.edge_entity]
    chunks, entities = begin_chunks, begin_entities
    for _ in range(STEPS):
        came = _sum_groups(near.edge_entity, out * chunks[near.edge_chunk], len(near.entities))
        went = _sum_groups(near.edge_chunk, back * entities[near.edge_entity], len(near.chunks))
        chunks = DAMPING * went + (1.0 - DAMPING) * begin_chunks
        entities = DAMPING * came + (1.0 - DAMPING) * begin_entities
    return Walked(near, chunks, entities, out, back)


def _push_weights(
    snapshot: Snapshot, at: tuple[Indices, Weights], named: Weights, rarity: Weights, *, visible: Mask | None
) -> tuple[Indices, Weights]:
    """Where one step from the chunks ``at`` and from the entities named leads; the mass there is conserved."""
    chunks, mass = at
    rows, origin = snapshot.by_chunk.join_groups(chunks)
    entities = snapshot.mention_entity[rows]
    gained = np.bincount(entities, mass[origin] * rarity[entities] ** RARITY_POWER, snapshot.size) + named
    through = np.flatnonzero((gained > 0) & (rarity > 0) & (snapshot.chunk_counts <= WIDEST)).astype(np.int32)
    rows, origin = snapshot.by_entity.join_groups(through)
    reached = snapshot.mention_chunk[rows]
    kept = np.ones(len(rows), dtype=np.bool_) if visible is None else visible[reached]
    share = gained[through] / snapshot.chunk_counts[through]
    both = np.concatenate([chunks, reached[kept]])
    masses = np.concatenate([mass, share[origin[kept]]])
    found, place = np.unique(both, return_inverse=True)
    return found.astype(np.int32), _sum_groups(place, masses, len(found))


def _edges_among(snapshot: Snapshot, chunks: Indices, rarity: Weights) -> Neighbourhood:
    rows, origin = snapshot.by_chunk.join_groups(chunks)
    entities = snapshot.mention_entity[rows]
    kept = rarity[entities] > 0
    rows, origin, entities = rows[kept], origin[kept], entities[kept]
    pairs, place = np.unique(origin.astype(np.int64) << 32 | entities, return_inverse=True)
    is_title = np.zeros(len(pairs), dtype=np.bool_)
    is_title[place[snapshot.mention_role[rows] == ROLES.index(Role.TITLE)]] = True
    here, edge_entity = np.unique((pairs & 0xFFFFFFFF).astype(np.int32), return_inverse=True)
    return Neighbourhood(
        chunks=chunks.astype(np.int32),
        entities=here,
        edge_chunk=(pairs >> 32).astype(np.int32),
        edge_entity=edge_entity.astype(np.int32),
        edge_title=is_title,
        rarity=rarity[here],
    )


def _sum_groups(groups: NDArray[np.integer], values: Weights, count: int) -> Weights:
    return np.bincount(groups, values, count).astype(np.float64)
