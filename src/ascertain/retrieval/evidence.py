"""From a ranked list to the passages an answer is written from.

The list people see keeps the fused order and every hit; the evidence is collapsed, diversified and widened.
"""

from __future__ import annotations

from collections.abc import Sequence

from ascertain.core.filters import Filter
from ascertain.core.passages import Passage
from ascertain.core.settings import RetrievalSettings
from ascertain.retrieval.context import with_neighbours, with_parents
from ascertain.retrieval.diversity import maximal_marginal_relevance
from ascertain.stores.ports import CompleteStore

MMR_LAMBDA = 0.7
"""Share of relevance against diversity (Carbonell & Goldstein, SIGIR 1998: 0.7 to focus on what matters most)."""
NEIGHBOURS = 1
"""Chunks added on either side of a passage (RE-6; by judgement, not measured)."""


def gather_evidence(
    store: CompleteStore, passages: Sequence[Passage], count: int, settings: RetrievalSettings
) -> list[Passage]:
    """Up to ``count`` passages, near-duplicate documents told once, each with its context."""
    distinct = without_duplicates(store, passages)
    if settings.reranking_strategy != "rrf" and len(distinct) > 1:
        vectors = store.vectors([passage.chunk.id for passage in distinct])
        # "mmr" weighs the similarity to the question itself, "rrf_mmr" the fused score.
        by_similarity = settings.reranking_strategy == "mmr"
        relevance = [p.scores.get("dense", p.score) if by_similarity else p.score for p in distinct]
        order = maximal_marginal_relevance(relevance, vectors, count, MMR_LAMBDA)
        distinct = [distinct[index] for index in order]
    return with_context(store, distinct[:count], settings)


def with_context(
    store: CompleteStore, passages: Sequence[Passage], settings: RetrievalSettings
) -> list[Passage]:
    """The passages widened as ``retrieval.context`` says."""
    if settings.context == "neighbours":
        return with_neighbours(
            store,
            passages,
            neighbours=NEIGHBOURS,
            budget_tokens=settings.context_tokens,
        )
    if settings.context == "parents":
        return with_parents(store, passages, budget_tokens=settings.context_tokens)
    return list(passages)


def without_duplicates(store: CompleteStore, passages: Sequence[Passage]) -> list[Passage]:
    """The passages without those of a document whose near-duplicate stands higher in the list."""
    if not passages:
        return []
    ids = tuple(dict.fromkeys(passage.chunk.document_id for passage in passages))
    records = store.documents(Filter(document_ids=ids, tenant=passages[0].chunk.tenant))
    story = {record.id: record.duplicate_of or record.id for record in records}
    told: dict[str, str] = {}
    kept: list[Passage] = []
    for passage in passages:
        document = passage.chunk.document_id
        if told.setdefault(story.get(document, document), document) == document:
            kept.append(passage)
    return kept
