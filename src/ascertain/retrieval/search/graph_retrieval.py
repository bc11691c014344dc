"""Retrieval over the graph: a walk from the passages of a search to connected ones, in one ranked list."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from ascertain.core.asking.answers import Decision
from ascertain.core.asking.passages import Filter, NamedEntity, Passage, Way, WayStart
from ascertain.core.asking.plans import GraphQuery
from ascertain.core.graph.nouns import Relation
from ascertain.graph.knowledge_graph import KnowledgeGraph
from ascertain.graph.linking import Embed, Match
from ascertain.graph.snapshot import Mask, Snapshot
from ascertain.graph.snapshot_links import find_stated
from ascertain.graph.walk import Start, Walked, find_neighbourhood, walk_graph
from ascertain.retrieval.search.searcher import FirstPass, Searcher
from ascertain.stores.ports.chunks import CompleteStore

# The router is a pure function of what is known once the question has been searched for and its names have been looked
# up.

Use = Literal["auto", "always", "never"]


FIRST = 10
"""Passages of the first search whose documents and names are looked at."""


@dataclass(frozen=True, slots=True)
class Signs:
    """What speaks for or against the graph.

    ``planned`` is what the words of the question ask for, and ``hops`` says that its wording takes a document it does
    not name. ``linked`` counts the things it names that the graph knows, ``connected`` those of them that more than one
    passage names. ``documents`` counts those of the first FIRST passages, ``connections`` the things that these name
    and another passage does, ``stated`` the relations that answer the question outright.
    """

    planned: GraphQuery
    hops: bool
    linked: int
    connected: int
    documents: int
    connections: int
    stated: int = 0


@dataclass(frozen=True, slots=True)
class Route:
    """What the graph is queried for, NONE for nothing, with the reason for people."""

    kind: GraphQuery
    reason: str


def route_question(signs: Signs, use: Use) -> Route:
    """The first rule that applies.

    Chosen on the dev sets: what names a thing of several passages gains from the graph or loses nothing, whatever its
    wording; where neither the wording nor a name leads on, one search is as good
    (``bench/results/graph_quality.json``).
    """
    if use == "never":
        return Route(GraphQuery.NONE, "graph.use is never")
    if not signs.connected and not signs.connections and not signs.stated:
        return Route(GraphQuery.NONE, "neither the question nor the first passages name what other passages do")
    if signs.planned is GraphQuery.CROSS_DOCUMENT:
        return Route(GraphQuery.CROSS_DOCUMENT, "asks across documents")
    if signs.planned is GraphQuery.MULTI_HOP or signs.hops:
        return Route(GraphQuery.MULTI_HOP, "takes a document that the question does not name")
    if signs.connected > 1 and signs.documents > 1:
        return Route(GraphQuery.MULTI_HOP, f"names {signs.connected} things of several passages")
    if signs.connected:
        return Route(GraphQuery.ENTITY, "names a thing of several passages")
    if signs.stated:
        return Route(GraphQuery.ENTITY, "asks for what a sentence states")
    if use == "always":
        return Route(GraphQuery.CROSS_DOCUMENT, "graph.use is always")
    return Route(GraphQuery.NONE, "names nothing that several passages name, and one search is enough for its wording")


@dataclass(frozen=True, slots=True)
class GraphView:
    """``visible`` are the chunks that the filter admits, None for all; ``matches`` what the question names and such a
    chunk does; ``stated`` the relations in such chunks that the question asks for outright.
    """

    snapshot: Snapshot
    visible: Mask | None
    matches: Sequence[Match]
    stated: Sequence[Relation] = ()

    def tell_relation(self, relation: Relation) -> str:
        """``Steve Jobs founded Apple``."""
        ends = (self.snapshot.at(self.snapshot.names[key]).label for key in (relation.subject, relation.object))
        return f" {relation.predicate} ".join(ends)


def visible_chunks(snapshot: Snapshot, filter: Filter, store: CompleteStore) -> Mask | None:
    """Which chunks of ``snapshot`` the filter admits, None for all; the tenant is the snapshot's own.

    Documents are looked up in the store only where a condition is on what the graph does not know.
    """
    if filter.is_unrestricted:
        return None
    known = Filter(
        document_ids=filter.document_ids,
        chunk_ids=filter.chunk_ids,
        conversation_id=filter.conversation_id,
        within=filter.within,
        tenant=filter.tenant,
    )
    documents = set(filter.document_ids) or None
    if filter != known:
        admitted = {record.id for record in store.documents(replace(filter, chunk_ids=(), topics=()))}
        documents = admitted if documents is None else documents & admitted
    conversations = None if filter.within is None else set(filter.within)
    if filter.conversation_id is not None:
        only = {filter.conversation_id}
        conversations = only if conversations is None else conversations & only
    mask = snapshot.visible(conversations, documents)
    chunks = [chunk.id for chunk in store.iterate_chunks(filter)] if filter.topics else filter.chunk_ids
    if filter.names_chunks:
        named = {snapshot.chunk_place[chunk] for chunk in chunks if chunk in snapshot.chunk_place}
        mask &= [place in named for place in range(len(mask))]
    return mask


RELATION = "relation"
"""Key of what a stated relation adds, in ``Passage.scores``."""
STATED_GAIN = 0.7
"""How far a passage that states what is asked is raised towards the best score (by judgement: two or three of a hundred
dev questions ask so plainly)."""
GRAPH = "graph"
"""``Passage.origin`` of what the walk found, and the key of its part in ``Passage.scores``."""
SEEDS = 30
"""Passages a walk begins at, the best ones; HippoRAG 2 begins at all, with so little weight on most that it makes no
difference.
"""
SEED_POWER = 12.0
"""Scores of passages lie close together, those that names led to closer still; to this power, three quarters as good is
a start as good as none."""
ENTITY_WEIGHT = 0.3
"""Weight of the rarest thing that the question names, beside all passages together."""
RELEVANCE_POWER = 0.5
"""A step from an entity prefers a passage by its own score for the question to this power."""
RELEVANCE_FLOOR = 0.02
"""Added to that score before, so that nothing is out of reach."""
WEIGHT = 0.3
"""Share of the walk in a passage's final score."""
SHARE_POWER = 0.2
"""Time spent falls off by magnitudes from passage to passage; its fifth root falls off as scores do.

All of these, and those of ``graph.walk``, are chosen on musique_train100, hotpot_train100, morehopqa150 and
anthropic_docs; ``bench/results/graph_quality.json`` holds what the product reaches, and what is left where one of the
sets has no say in WEIGHT.
"""
TOLD = 50
"""Passages whose way is looked up, the best ones."""


@dataclass(frozen=True, slots=True)
class Look:
    """A first look at the graph: what the question sees of it, and what to query it for."""

    view: GraphView
    route: Route

    @property
    def is_worth_while(self) -> bool:
        """Whether the graph is queried."""
        return self.route.kind is not GraphQuery.NONE


@dataclass(frozen=True, slots=True)
class GraphPassages:
    """All passages, best first, those found before and those that the walk led to; and what was decided."""

    passages: Sequence[Passage]
    decision: Decision


class GraphRetrieval:
    """Walks through the graph of one knowledge base, where the router finds it worth while."""

    def __init__(
        self,
        searcher: Searcher,
        store: CompleteStore,
        graph: KnowledgeGraph,
        use: Use = "auto",
        embed: Embed | None = None,
        *,
        weight: float = WEIGHT,
    ) -> None:
        self._searcher = searcher
        self._store = store
        self._graph = graph
        self._use: Use = use
        self._embed = embed
        self._weight = weight

    def look(self, first: FirstPass, planned: GraphQuery, hops: bool) -> Look:
        """Link the question and route it; ``planned`` and ``hops`` are what its wording asks for (see ``Signs``)."""
        view = self._open_view(first)
        return Look(view, route_question(_routing_signs(first, view, planned, hops), self._use))

    def walk(self, look: Look, first: FirstPass, passages: Sequence[Passage]) -> GraphPassages:
        """``passages``, best first, and what the graph leads to from the first of them, under the filter of ``first``, in
        one list.

        ``scores["graph"]`` is the share of time that the walk spent at a passage, 1 at the one it spent most at; the
        score is made of that and of the one it came with. Unchanged if nothing is worth a query or leads anywhere.
        """
        view = look.view
        start = _walk_start(view, passages)
        if not look.is_worth_while or not (start.chunks or start.entities):
            return GraphPassages(passages, _describe_decision(look, 0))
        near = find_neighbourhood(view.snapshot, start, view.visible)
        ids = [view.snapshot.chunk_ids[int(chunk)] for chunk in near.chunks]
        stating = {relation.chunk_id: relation for relation in reversed(view.stated)}
        reached = [*ids, *(stating.keys() - set(ids))]
        searched = {passage.chunk.id: passage for passage in self._searcher.ranked_with(first, reached)}
        known = {passage.chunk.id: passage for passage in passages}
        own = np.array([passage.score if (passage := known.get(id) or searched.get(id)) else 0.0 for id in ids])
        walked = walk_graph(near, start, (own + RELEVANCE_FLOOR) ** RELEVANCE_POWER)
        shares = {id: share for id, share in _walk_shares(ids, walked).items() if id in searched or id in known}
        stated = [id for id in stating if id in searched or id in known]
        everything = {id: known.get(id) or searched[id] for id in [*known, *shares, *stated]}
        fused = [
            _raise_stating(passage, view.tell_relation(stating[passage.chunk.id]))
            if passage.chunk.id in stating
            else passage
            for passage in self._fuse_shares(everything, shares)
        ]
        ranked = sorted(fused, key=lambda passage: (-passage.score, passage.chunk.id))
        found = {passage.chunk.id for passage in first.ranked[:FIRST]}
        places = {id: place for place, id in enumerate(ids)}
        told = [
            passage
            if passage.chunk.id in found or GRAPH not in passage.scores or RELATION in passage.scores
            else _add_way(passage, walked.way(places[passage.chunk.id]), view, everything)
            for passage in ranked[:TOLD]
        ]
        added = sum(passage.origin == GRAPH for passage in told)
        return GraphPassages([*told, *ranked[TOLD:]], _describe_decision(look, added))

    def _fuse_shares(self, everything: Mapping[str, Passage], shares: Mapping[str, float]) -> list[Passage]:
        """Own scores and shares, on the scale of the own: the best passage of both has the best score there was."""
        best = max((passage.score for passage in everything.values()), default=0.0)
        fused: list[Passage] = []
        for id, passage in everything.items():
            share = shares.get(id, 0.0)
            score = (1.0 - self._weight) * passage.score + self._weight * best * share**SHARE_POWER
            scores = passage.scores | {GRAPH: share} if share > 0 else passage.scores
            fused.append(replace(passage, score=score, scores=scores))
        return fused

    def _open_view(self, first: FirstPass) -> GraphView:
        filter = first.result.filter
        linker = self._graph.linker(filter.tenant)
        snapshot = linker.snapshot
        visible = visible_chunks(snapshot, filter, self._store)
        at_hand = [entity for passage in first.ranked[:FIRST] for entity in snapshot.entities_in(passage.chunk.id)]
        matches = [
            match
            for match in linker.link(first.question.text, first.question.language, at_hand, self._embed)
            if snapshot.chunks_of(match.entity, visible).size
        ]
        named = {match.entity: match.text for match in matches}
        return GraphView(
            snapshot,
            visible,
            matches,
            find_stated(snapshot, first.question.text, first.question.language, named, visible=visible),
        )


def _routing_signs(first: FirstPass, view: GraphView, planned: GraphQuery, hops: bool) -> Signs:
    rarity = view.snapshot.rarity
    best = first.ranked[:FIRST]
    beside = {entity for passage in best for entity in view.snapshot.entities_in(passage.chunk.id)}
    return Signs(
        planned=planned,
        hops=hops,
        linked=len(view.matches),
        connected=sum(bool(rarity[match.entity] > 0) for match in view.matches),
        documents=len({passage.chunk.document_id for passage in best}),
        connections=sum(bool(rarity[entity] > 0) for entity in beside),
        stated=len(view.stated),
    )


def _raise_stating(passage: Passage, said: str) -> Passage:
    """``passage``, which says in a sentence what is asked for, nearer to the best score there can be."""
    score = passage.score + STATED_GAIN * (1.0 - passage.score)
    return replace(passage, score=score, scores=passage.scores | {RELATION: STATED_GAIN}, explanation=f"states: {said}")


def _add_way(
    passage: Passage, way: tuple[int, int | None] | None, view: GraphView, everything: Mapping[str, Passage]
) -> Passage:
    """``passage``, which the search did not have among its first, with the way that the walk came to it."""
    if way is None:
        return passage
    entity, source = way
    label = view.snapshot.label(entity)
    named = (NamedEntity(view.snapshot.keys[entity], label),)
    start = None if source is None else everything.get(view.snapshot.chunk_ids[source])
    if start is None or start.chunk.document_id == passage.chunk.document_id:
        return replace(passage, origin=GRAPH, explanation=f"names {label}", way=Way(named))
    title = start.chunk.title
    return replace(
        passage,
        origin=GRAPH,
        explanation=f"through {label}, named in “{title}”",
        way=Way(named, WayStart(start.chunk.document_id, title)),
    )


def _walk_start(view: GraphView, ranked: Sequence[Passage]) -> Start:
    places = view.snapshot.chunk_place
    known = [(places[p.chunk.id], p.score) for p in ranked if p.chunk.id in places and p.score > 0][:SEEDS]
    weights = {place: score**SEED_POWER for place, score in known}
    total = sum(weights.values())
    rarity = view.snapshot.rarity
    entities = {
        match.entity: ENTITY_WEIGHT * match.score * float(rarity[match.entity])
        for match in view.matches
        if rarity[match.entity] > 0
    }
    return Start({place: weight / total for place, weight in weights.items() if total > 0}, entities)


def _walk_shares(ids: Sequence[str], walked: Walked) -> dict[str, float]:
    """Time spent at each passage, next to the longest; those never come to are left out."""
    longest = float(walked.chunks.max(initial=0.0))
    if longest <= 0.0:
        return {}
    relative = (walked.chunks / longest).tolist()
    return {id: share for id, share in zip(ids, relative, strict=True) if share > 0.0}


def _describe_decision(look: Look, added: int) -> Decision:
    view, chosen = look.view, look.route
    named = ", ".join(_label_match(view, match) for match in view.matches[:3])
    linked = f"; linked {named}" if named else ""
    stated = "; ".join(dict.fromkeys(map(view.tell_relation, view.stated[:3])))
    said = f"; stated: {stated}" if stated else ""
    scores = {"linked": float(len(view.matches)), "added": float(added)}
    return Decision(GRAPH, chosen.kind.value, f"{chosen.reason}{linked}{said}", scores)


def _label_match(view: GraphView, match: Match) -> str:
    label = view.snapshot.label(match.entity)
    return label if label.casefold() == match.text.casefold() else f"{match.text} as {label}"
