"""Retrieval over the graph: a walk from what a search finds to what hangs together with it, in one ranked list."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from ascertain.core.answers import Decision
from ascertain.core.passages import Passage
from ascertain.core.plans import GraphQuery
from ascertain.graph.knowledge_graph import KnowledgeGraph
from ascertain.graph.linking import Embed, Match
from ascertain.graph.names import names_in
from ascertain.graph.walk import Start, Walked, neighbourhood, rarities, walk
from ascertain.retrieval.graph_routing import FIRST, Route, Signs, Use, route
from ascertain.retrieval.graph_view import GraphView, visible_chunks
from ascertain.retrieval.search import FirstPass, Searcher
from ascertain.stores.ports import ChunkStore

GRAPH = "graph"
"""``Passage.origin`` of what the walk found, and the key of its part in ``Passage.scores``."""
SEEDS = 30
"""Passages a walk begins at, the best ones; HippoRAG 2 begins at all, with so little weight on most that it makes no difference."""
SEED_POWER = 6.0
"""Scores of passages lie close together; to this power, half as good is a start as good as none."""
ENTITY_WEIGHT = 0.3
"""Weight of the rarest thing that the question names, beside all passages together."""
RELEVANCE_POWER = 0.5
"""A step from an entity prefers a passage by its own score for the question to this power."""
RELEVANCE_FLOOR = 0.02
"""Added to that score before, so that nothing is out of reach."""
WEIGHT = 0.7
"""The most that a walk adds of what a passage's score lacks to 1.

These, and those of ``graph.walk``, are chosen on musique_train100, hotpot_train100, morehopqa150 and anthropic_docs
(``bench/results/graph_quality.json`` holds what the product reaches, and how far it depends on the choice).
"""
TOLD = 50
"""Passages whose way is looked up, the best ones."""


@dataclass(frozen=True, slots=True)
class GraphPassages:
    """All passages, best first, those found before and those that the walk led to; and what was decided."""

    passages: Sequence[Passage]
    decisions: tuple[Decision, ...]
    route: Route


class GraphRetrieval:
    """Walks through the graph of one knowledge base, where the router finds it worth while."""

    def __init__(
        self,
        searcher: Searcher,
        store: ChunkStore,
        graph: KnowledgeGraph,
        use: Use = "auto",
        embed: Embed | None = None,
    ) -> None:
        self._searcher = searcher
        self._store = store
        self._graph = graph
        self._use: Use = use
        self._embed = embed

    def extend(
        self, first: FirstPass, passages: Sequence[Passage], planned: GraphQuery, hops: bool
    ) -> GraphPassages:
        """``passages`` with what the graph adds to them under the filter of ``first``.

        A passage's score is at least what it came with; ``scores["graph"]`` is what the walk adds. ``planned`` and ``hops`` are what the wording
        of the question asks for (see ``Signs``).
        """
        view = self._view(first)
        chosen = route(self._signs(first, view, planned, hops), self._use)
        if chosen.kind is GraphQuery.NONE:
            return GraphPassages(passages, (_decision(chosen, view, 0),), chosen)
        start = _start(view, first.ranked)
        near = neighbourhood(view.snapshot, start, view.visible)
        ids = [view.snapshot.chunk_ids[int(chunk)] for chunk in near.chunks]
        searched = {passage.chunk.id: passage for passage in self._searcher.ranked_with(first, ids)}
        own = np.array([searched[id].score if id in searched else 0.0 for id in ids])
        walked = walk(near, start, (own + RELEVANCE_FLOOR) ** RELEVANCE_POWER)
        known = {passage.chunk.id: passage for passage in passages}
        here = {id: place for place, id in enumerate(ids) if id in searched or id in known}
        everything = {id: known.get(id) or searched[id] for id in [*known, *here]}
        raised = _raised(everything, here, walked)
        ranked = sorted(raised.values(), key=lambda passage: (-passage.score, passage.chunk.id))
        told = [self._told(passage, here, walked, view, everything) for passage in ranked[:TOLD]]
        added = sum(passage.origin == GRAPH for passage in told)
        return GraphPassages([*told, *ranked[TOLD:]], (_decision(chosen, view, added),), chosen)

    def _view(self, first: FirstPass) -> GraphView:
        filter = first.result.filter
        linker = self._graph.linker(filter.tenant)
        snapshot = linker.snapshot
        visible = visible_chunks(snapshot, filter, self._store)
        at_hand = [
            entity for passage in first.ranked[:FIRST] for entity in snapshot.entities_in(passage.chunk.id)
        ]
        matches = [
            match
            for match in linker.link(first.question.text, at_hand, self._embed)
            if snapshot.chunks_of(match.entity, visible).size
        ]
        return GraphView(snapshot, visible, matches)

    def _signs(self, first: FirstPass, view: GraphView, planned: GraphQuery, hops: bool) -> Signs:
        snapshot = view.snapshot
        rarity = rarities(snapshot)
        best = first.ranked[:FIRST]
        beside = {entity for passage in best for entity in snapshot.entities_in(passage.chunk.id)}
        return Signs(
            planned=planned,
            linked=len(view.matches),
            connected=sum(bool(rarity[match.entity] > 0) for match in view.matches),
            named=len(names_in(first.question.text)),
            hops=hops,
            documents=len({passage.chunk.document_id for passage in best}),
            connections=sum(bool(rarity[entity] > 0) for entity in beside),
        )

    def _told(
        self,
        passage: Passage,
        here: Mapping[str, int],
        walked: Walked,
        view: GraphView,
        everything: Mapping[str, Passage],
    ) -> Passage:
        """``passage`` with the way that the walk came to it."""
        place = here.get(passage.chunk.id)
        way = None if place is None or GRAPH not in passage.scores else walked.way(place)
        if way is None or passage.explanation:
            return passage
        entity, source = way
        label = view.snapshot.at(entity).label
        start = None if source is None else everything.get(view.snapshot.chunk_ids[source])
        title = None if start is None else start.chunk.title
        is_other = start is not None and start.chunk.document_id != passage.chunk.document_id
        told = f"through {label}, named in “{title}”" if title and is_other else f"names {label}"
        return replace(passage, explanation=told)


def _start(view: GraphView, ranked: Sequence[Passage]) -> Start:
    places = view.snapshot.chunk_place
    known = [(places[p.chunk.id], p.score) for p in ranked if p.chunk.id in places and p.score > 0][:SEEDS]
    weights = {place: score**SEED_POWER for place, score in known}
    total = sum(weights.values())
    rarity = rarities(view.snapshot)
    entities = {
        match.entity: ENTITY_WEIGHT * match.score * float(rarity[match.entity])
        for match in view.matches
        if rarity[match.entity] > 0
    }
    return Start({place: weight / total for place, weight in weights.items()}, entities)


def _raised(everything: Mapping[str, Passage], here: Mapping[str, int], walked: Walked) -> dict[str, Passage]:
    """Each passage's own score, and on top a share of what that lacks to 1: by the root of the time spent there, next to the longest."""
    longest = float(walked.chunks.max(initial=0.0))
    raised = dict(everything)
    for id, place in here.items():
        share = float(walked.chunks[place]) / longest if longest > 0 else 0.0
        if share <= 0.0:
            continue
        passage = everything[id]
        gain = (1.0 - passage.score) * WEIGHT * share**0.5
        raised[id] = replace(
            passage,
            score=passage.score + gain,
            scores=passage.scores | {GRAPH: gain},
            origin=GRAPH if gain > passage.score else passage.origin,
        )
    return raised


def _decision(chosen: Route, view: GraphView, added: int) -> Decision:
    named = ", ".join(_label(view, match) for match in view.matches[:3])
    linked = f"; linked {named}" if named else ""
    return Decision(
        GRAPH,
        chosen.kind,
        f"{chosen.reason}{linked}",
        {"linked": float(len(view.matches)), "added": float(added)},
    )


def _label(view: GraphView, match: Match) -> str:
    label = view.snapshot.at(match.entity).label
    return label if label.casefold() == match.text.casefold() else f"{match.text} as {label}"
