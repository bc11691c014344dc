"""Retrieval for one attempt of the workflow: the question, its parts, its other wordings."""

from __future__ import annotations

from dataclasses import dataclass

from ascertain.core.filters import Filter
from ascertain.core.passages import Strategy
from ascertain.core.plans import SubQuery, Variant
from ascertain.core.runs import Run
from ascertain.retrieval.search import Searcher, SearchResult


@dataclass(frozen=True, slots=True)
class RetrievalRequest:
    """``iterate`` follows what the first passages name to further ones, for questions over several documents."""

    question: str
    strategy: Strategy
    k: int
    filter: Filter = Filter()
    days_back: int | None = None
    sub_queries: tuple[SubQuery, ...] = ()
    variants: tuple[Variant, ...] = ()
    iterate: bool = False


class Retriever:
    """Searches for everything a request names and fuses what comes back."""

    def __init__(self, searcher: Searcher) -> None:
        self._searcher = searcher

    def retrieve(self, request: RetrievalRequest, run: Run) -> SearchResult:
        """The ``k`` best passages over the question, its parts and its variants; see ``Searcher.search``."""
        return self._searcher.search(
            request.question,
            strategy=request.strategy,
            k=request.k,
            filter=request.filter,
            days_back=request.days_back,
        )
