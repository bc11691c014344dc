"""Retrieval for one attempt of the workflow: the question, its parts, its other wordings, and what the graph adds."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace

from ascertain.core.answers import Decision
from ascertain.core.errors import StoreError
from ascertain.core.passages import Filter, Passage, Strategy
from ascertain.core.plans import GraphQuery, SubQuery, Variant
from ascertain.core.requests import SearchResult
from ascertain.core.runs import Run
from ascertain.core.settings import RetrievalSettings
from ascertain.retrieval.query.model_inputs import fold_wording
from ascertain.retrieval.search.graph_retrieval import GraphRetrieval, Look
from ascertain.retrieval.search.iteration import Iteration
from ascertain.retrieval.search.searcher import FirstPass, Searcher
from ascertain.stores.ports import CompleteStore

PART_WEIGHT = 0.3
"""How far the score for a part or another wording raises a passage's score for the question."""
MAX_PARTS = 8
"""Searches beside the question's own; more parts and wordings than that are left out, the least urgent first."""


@dataclass(frozen=True, slots=True)
class RetrievalRequest:
    """``iterate`` follows what the first passages name to further ones, for questions over several documents.

    ``graph_query`` is what the wording of the question asks of the graph, which the router then decides about; with
    None the graph is left out. ``asked`` is the question that ``question`` was made of by wording it anew: how near the
    passages found are is measured to it, since a wording that took up words of passages is near these whatever they
    say.
    """

    question: str
    strategy: Strategy
    k: int
    filter: Filter = Filter()
    days_back: int | None = None
    sub_queries: tuple[SubQuery, ...] = ()
    variants: tuple[Variant, ...] = ()
    iterate: bool = False
    graph_query: GraphQuery | None = None
    asked: str = ""


class Retriever:
    """Searches for everything a request names and fuses what comes back."""

    def __init__(
        self, searcher: Searcher, store: CompleteStore, settings: RetrievalSettings, graph: GraphRetrieval | None = None
    ) -> None:
        self._searcher = searcher
        self._iteration = Iteration(searcher, store, settings)
        self._graph = graph

    def retrieve(self, request: RetrievalRequest, run: Run) -> SearchResult:
        """The ``k`` best passages over the question, its parts and its variants; see ``Searcher.search``.

        Without the graph a passage's score is at least what the question itself gave it; ``scores`` holds what a part
        ("sub_query"), another wording ("variant"), a bridge and the graph added. Filter, dates included, are those of
        the question in every pass.
        """
        started = time.perf_counter()
        first = self._searcher.explore(
            request.question, strategy=request.strategy, k=request.k, filter=request.filter, days_back=request.days_back
        )
        passages: Sequence[Passage] = first.ranked
        decisions = list(first.result.decisions)
        parts = self._search_parts(request, first, run)
        if parts:
            passages = self._fuse_parts(first, parts)
            decisions += [part.decision for part in parts]
        look, unavailable = self._look_at_graph(request, first) if passages else (None, ())
        leads_on = look is not None and look.is_worth_while
        if passages and (request.iterate or leads_on):
            followed = self._iteration.follow(first, passages, run)
            passages = followed.passages
            decisions += followed.decisions
        decisions += unavailable
        if look is not None and self._graph is not None and not run.is_out_of_time:
            walked = self._graph.walk(look, first, passages)
            passages = walked.passages
            decisions.append(walked.decision)
        kept = passages[: request.k]
        if request.asked and fold_wording(request.asked) != fold_wording(first.question.text):
            kept = self._searcher.measure_nearness(request.asked, kept)
        return replace(
            first.result, passages=tuple(kept), decisions=tuple(decisions), seconds=time.perf_counter() - started
        )

    def _look_at_graph(self, request: RetrievalRequest, first: FirstPass) -> tuple[Look | None, Sequence[Decision]]:
        """What the graph is worth asking for; a store of it that cannot be read costs the question nothing else."""
        if self._graph is None or request.graph_query is None:
            return None, ()
        try:
            return self._graph.look(first, request.graph_query, request.iterate), ()
        except StoreError as error:
            return None, (Decision("graph", "unavailable", str(error)),)

    def _search_parts(self, request: RetrievalRequest, first: FirstPass, run: Run) -> list[_Part]:
        wanted = [("sub_query", f"sub-query “{part.text}”", part.text) for part in _by_urgency(request)]
        wanted += [
            ("variant", f"{variant.kind} wording “{variant.text}”", variant.text) for variant in request.variants
        ]
        seen = {fold_wording(request.question)}
        parts: list[_Part] = []
        for kind, label, text in wanted:
            if len(parts) == MAX_PARTS or run.is_out_of_time:
                break
            if not text.strip() or fold_wording(text) in seen:
                continue
            seen.add(fold_wording(text))
            found = self._searcher.search(text, strategy=request.strategy, k=request.k, filter=first.result.filter)
            parts.append(_Part(kind, label, found))
        return parts

    def _fuse_parts(self, first: FirstPass, parts: Sequence[_Part]) -> list[Passage]:
        known = {passage.chunk.id for passage in first.ranked}
        added = {passage.chunk.id for part in parts for passage in part.found.passages} - known
        passages = self._searcher.ranked_with(first, sorted(added)) if added else first.ranked
        raised = [_raise_score(passage, parts) for passage in passages]
        return sorted(raised, key=lambda passage: (-passage.score, passage.chunk.id))


@dataclass(frozen=True, slots=True)
class _Part:
    """One search beside the question's own."""

    kind: str
    label: str
    found: SearchResult

    @property
    def decision(self) -> Decision:
        count = len(self.found.passages)
        scores = {"confidence": float(self.found.confidence.score)}
        return Decision("search", f"{count} passages", self.label, scores, self.found.seconds)

    def score(self, chunk_id: str) -> float:
        return max((p.score for p in self.found.passages if p.chunk.id == chunk_id), default=0.0)


def _by_urgency(request: RetrievalRequest) -> list[SubQuery]:
    return sorted(request.sub_queries, key=lambda part: part.priority)


def _raise_score(passage: Passage, parts: Sequence[_Part]) -> Passage:
    """Its score for the question plus a share of the best that a part gave it: never less, never over 1."""
    by_kind: dict[str, float] = {}
    for part in parts:
        score = part.score(passage.chunk.id)
        if score > by_kind.get(part.kind, 0.0):
            by_kind[part.kind] = score
    if not by_kind:
        return passage
    best = max(by_kind.values())
    score = passage.score + PART_WEIGHT * best * (1.0 - passage.score)
    return replace(passage, score=score, scores=passage.scores | by_kind)
