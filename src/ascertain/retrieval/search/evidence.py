"""From a ranked list to the passages an answer is written from.

The list people see keeps the fused order and every hit; the evidence is collapsed, diversified and widened.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from ascertain.core.asking.answers import Citation
from ascertain.core.asking.passages import Filter, Passage
from ascertain.core.documents.blocks import BlockKind, Span
from ascertain.core.documents.documents import Chunk, DocumentKind
from ascertain.core.settings import RetrievalSettings
from ascertain.stores.ports.chunks import CompleteStore
from ascertain.stores.records.vectors import cosine_scores, fetch_vectors

# A chunk is cut small so that it is found; the sentence that answers may stand just outside it.

CHARACTERS_PER_TOKEN = 4
"""Rule of thumb for English text, good enough for a budget."""


def with_neighbours(
    store: CompleteStore, passages: Sequence[Passage], *, neighbours: int, budget_tokens: int
) -> list[Passage]:
    """The passages, best first, each widened by its neighbouring chunks while the budget lasts.

    Every passage keeps at least its own text. A passage whose text a better one already covers is left out, one that
    overlaps a better one's context is not widened into it twice. ``text`` stays the exact slice of the document.
    """
    return _expand_passages(
        store, passages, budget_tokens, lambda chunk: store.neighbours(chunk.id, neighbours, neighbours)
    )


def with_parents(store: CompleteStore, passages: Sequence[Passage], *, budget_tokens: int) -> list[Passage]:
    """The passages, best first, each widened to its parent chunk as ``with_neighbours`` does."""
    return _expand_passages(
        store, passages, budget_tokens, lambda chunk: store.get([chunk.parent_id]) if chunk.parent_id else []
    )


def _expand_passages(
    store: CompleteStore, passages: Sequence[Passage], budget_tokens: int, around: Callable[[Chunk], Sequence[Chunk]]
) -> list[Passage]:
    left = budget_tokens * CHARACTERS_PER_TOKEN - sum(len(passage.chunk.text) for passage in passages)
    covered: dict[str, list[Span]] = {}
    expanded: list[Passage] = []
    for passage in passages:
        chunk = passage.chunk
        taken = covered.setdefault(chunk.document_id, [])
        if any(span.contains(chunk.span) for span in taken):
            left += len(chunk.text)
            continue
        wider = _widen_chunk(store, chunk, around(chunk), taken)
        growth = len(wider.text) - len(chunk.text)
        if growth > left:
            wider, growth = chunk, 0
        left -= growth
        taken.append(wider.span)
        expanded.append(replace(passage, chunk=wider))
    return expanded


def _widen_chunk(store: CompleteStore, chunk: Chunk, around: Sequence[Chunk], taken: Sequence[Span]) -> Chunk:
    start, end = chunk.span
    for other in around:
        if not any(span.overlap(other.span) for span in taken):
            start, end = min(start, other.span.start), max(end, other.span.end)
    document = store.document(chunk.document_id) if (start, end) != chunk.span else None
    if document is None:
        return chunk
    span = Span(start, end)
    return replace(chunk, span=span, text=span.of(document.text), place=document.place_of(span))


# Maximal marginal relevance: Carbonell & Goldstein, SIGIR 1998. It is for picking the passages an answer is written
# from, never for the list people see: on TREC-COVID it costs a fifth of nDCG@10 (arXiv 2604.13728).


def maximal_marginal_relevance(
    relevance: Sequence[float], vectors: NDArray[np.float32], k: int, trade_off: float
) -> list[int]:
    """Indices of up to ``k`` items in the order picked.

    Each next item maximises ``λ · relevance - (1 - λ) · max similarity to those picked``. ``vectors`` are unit rows in
    the order of ``relevance``; ``trade_off`` is λ: 1 gives plain relevance order.
    """
    scores = np.asarray(relevance, dtype=np.float64)
    picked: list[int] = []
    closest = np.full(len(scores), -np.inf)
    remaining = list(range(len(scores)))
    while remaining and len(picked) < k:
        redundancy = np.where(np.isneginf(closest), 0.0, closest)
        value = trade_off * scores - (1.0 - trade_off) * redundancy
        best = max(remaining, key=lambda index: (value[index], -index))
        picked.append(best)
        remaining.remove(best)
        closest = np.maximum(closest, cosine_scores(vectors @ vectors[best]))
    return picked


MMR_LAMBDA = 0.7
"""Share of relevance against diversity (Carbonell & Goldstein, SIGIR 1998: 0.7 to focus on what matters most)."""
NEIGHBOURS = 1
"""Chunks added on either side of a passage (RE-6; by judgement, not measured)."""


def gather_evidence(
    store: CompleteStore, passages: Sequence[Passage], count: int, settings: RetrievalSettings
) -> list[Passage]:
    """Up to ``count`` passages, near-duplicate documents once, each with its context."""
    distinct = without_duplicates(store, passages)
    if settings.reranking_strategy in {"mmr", "rrf_mmr"} and len(distinct) > 1:
        there, vectors = fetch_vectors(store, [passage.chunk.id for passage in distinct])
        left = set(there)
        distinct = [passage for passage in distinct if passage.chunk.id in left]
        relevance = _read_relevance(distinct, settings)
        order = maximal_marginal_relevance(relevance, vectors, count, MMR_LAMBDA)
        distinct = [distinct[index] for index in order]
    return with_openings(store, with_context(store, distinct[:count], settings))


LONGEST_REACH = 1_500
"""Characters before a passage that are read with it, up to the question that it goes on to answer: about two passages."""


def with_openings(store: CompleteStore, passages: Sequence[Passage]) -> list[Passage]:
    """The passages, those that stand under a question from where its answer begins: "No." stands there, and the reasons behind it."""
    return [replace(each, chunk=_open_chunk(store, each.chunk, passages)) for each in passages]


def _open_chunk(store: CompleteStore, chunk: Chunk, passages: Sequence[Passage]) -> Chunk:
    section = chunk.place.section
    document = store.document(chunk.document_id) if section and section[-1].rstrip().endswith("?") else None
    around = document.tree.at(BlockKind.SECTION, chunk.span.start) if document else None
    if document is None or around is None or not 0 < chunk.span.start - around.span.start <= LONGEST_REACH:
        return chunk
    begin = Span(around.span.start, around.span.start + 1)
    if any(each.chunk.document_id == chunk.document_id and each.chunk.span.contains(begin) for each in passages):
        return chunk
    span = Span(around.span.start, chunk.span.end)
    return replace(chunk, span=span, text=span.of(document.text))


def _read_relevance(passages: Sequence[Passage], settings: RetrievalSettings) -> list[float]:
    """What diversity is weighed against: nearness to the question for ``mmr`` alone, else the score that orders them.

    That is a reranker's where one has ordered them, and where some passage has no nearness (a search by words, the
    graph).
    """
    dense = [passage.scores["dense"] for passage in passages if "dense" in passage.scores]
    is_reranked = any("rerank" in passage.scores for passage in passages)
    if settings.reranking_strategy == "mmr" and not is_reranked and len(dense) == len(passages):
        return dense
    return [passage.score for passage in passages]


def with_context(store: CompleteStore, passages: Sequence[Passage], settings: RetrievalSettings) -> list[Passage]:
    """The passages widened as ``retrieval.context`` says."""
    if settings.context == "neighbours":
        return with_neighbours(store, passages, neighbours=NEIGHBOURS, budget_tokens=settings.context_tokens)
    if settings.context == "parents":
        return with_parents(store, passages, budget_tokens=settings.context_tokens)
    return list(passages)


def without_duplicates(store: CompleteStore, passages: Sequence[Passage]) -> list[Passage]:
    """The passages without those of a document whose near-duplicate stands higher in the list.

    Of texts other than articles the current version is never left out: an older version says other things.
    """
    if not passages:
        return []
    ids = tuple(dict.fromkeys(passage.chunk.document_id for passage in passages))
    records = store.documents(Filter(document_ids=ids, tenant=passages[0].chunk.tenant))
    story = {record.id: record.duplicate_of or record.id for record in records}
    told: dict[str, str] = {}
    kept: list[Passage] = []
    for passage in passages:
        document = passage.chunk.document_id
        first = told.setdefault(story.get(document, document), document)
        is_in_force = story.get(document) == document and passage.chunk.kind is DocumentKind.PROSE
        if first == document or is_in_force:
            kept.append(passage)
    return kept


def find_quoted_passages(
    store: CompleteStore, citations: Sequence[Citation], tenant: str, explanation: str
) -> tuple[Passage, ...]:
    """The chunks that hold what is quoted, each once, in the order of the quotations; ``explanation`` says why they were read."""
    ids = tuple(dict.fromkeys(each.document_id for each in citations))
    chunks: dict[str, list[Chunk]] = {}
    for chunk in store.iterate_chunks(Filter(document_ids=ids, tenant=tenant)) if ids else ():
        chunks.setdefault(chunk.document_id, []).append(chunk)
    kept: dict[str, Passage] = {}
    for citation in citations:
        for chunk in chunks.get(citation.document_id, ()):
            if chunk.span.overlap(citation.span):
                kept.setdefault(chunk.id, Passage(chunk, 1.0, explanation=explanation))
    return tuple(kept.values())
