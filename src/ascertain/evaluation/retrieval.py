"""Retrieval measured on a labelled set: search as a user would, rank documents by their best chunk."""

import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from ascertain.core.documents import Span
from ascertain.core.errors import UsageError
from ascertain.core.passages import Passage, Strategy
from ascertain.evaluation.datasets import EvaluationSet, Query
from ascertain.evaluation.knowledge import Knowledge, Listener
from ascertain.evaluation.metrics import DEPTH, average_rows, find_percentile, ranking_metrics
from ascertain.wire.evaluation import MeasuredJson, TimingsJson
from ascertain.wire.shape import JsonObject

# How much of the gold text the retrieved chunks hold is counted in characters as in "Evaluating Chunking Strategies for
# Retrieval" (Smith & Troynikov, Chroma, 2024), asked of the whole corpus: a chunk counts only in the document the gold
# text stands in, and characters that several chunks share count once.

CHUNKS = 5
"""How many chunks from the top are looked at."""


@dataclass(frozen=True, slots=True)
class GoldCount:
    """Gold characters of one question: how many there are and how many of them were retrieved."""

    found: int
    total: int


def count_gold(gold: Sequence[Span], retrieved: Iterable[Span]) -> GoldCount:
    """Count over spans of one document; both sides may overlap themselves."""
    wanted = merge_spans(gold)
    held = merge_spans(retrieved)
    found = sum(part.overlap(other) for part in wanted for other in held)
    return GoldCount(found, sum(part.length for part in wanted))


def merge_spans(spans: Iterable[Span]) -> list[Span]:
    """The same characters as disjoint spans in order."""
    merged: list[Span] = []
    for span in sorted(spans):
        if merged and span.start <= merged[-1].end:
            merged[-1] = Span(merged[-1].start, max(merged[-1].end, span.end))
        else:
            merged.append(Span(*span))
    return merged


def gold_metrics(counts: Sequence[GoldCount]) -> dict[str, float]:
    """``gold_characters@5``: found of all gold characters together; ``gold_recall@5``: the mean share of a question.

    Both in 0..1; empty when there is no gold text.
    """
    counted = [count for count in counts if count.total]
    if not counted:
        return {}
    return {
        f"gold_characters@{CHUNKS}": sum(count.found for count in counted) / sum(count.total for count in counted),
        f"gold_recall@{CHUNKS}": sum(count.found / count.total for count in counted) / len(counted),
    }


def build_row(
    data: EvaluationSet,
    queries: int,
    metrics: Mapping[str, float | None],
    index_seconds: float,
    query_seconds: Sequence[float],
) -> JsonObject:
    """A row of ``eval``; ``queries`` counts those that the metrics speak of."""
    row = MeasuredJson(
        set=data.name,
        documents=len(data.corpus),
        queries=queries,
        metrics=dict(metrics),
        seconds=TimingsJson(
            index=round(index_seconds, 3),
            query_p50=round(find_percentile(query_seconds, 0.5), 4),
            query_p95=round(find_percentile(query_seconds, 0.95), 4),
        ),
    )
    return row.to_json()


_FIRST_K = 50
"""Chunks asked for at first; enough for ten documents unless a few long ones fill the top."""
_LAST_K = 1000


@dataclass(frozen=True, slots=True)
class RankedDocuments:
    """What one query found: corpus ids by best chunk, the passages, and the seconds the search took."""

    corpus_ids: tuple[str, ...]
    passages: tuple[Passage, ...]
    seconds: float


def measure_retrieval(
    data: EvaluationSet, knowledge: Knowledge, strategy: Strategy | None, listener: Listener
) -> JsonObject:
    """The row of one set, as ``docs/benchmarks.md`` describes it.

    Queries without a relevant document are left out, and a remark says how many. Raises UsageError when none is left.
    """
    judged = [query for query in data.queries if any(gain > 0 for gain in data.judgements.get(query.id, {}).values())]
    if not judged:
        raise UsageError(
            f"{data.name}: no query has a relevant document in qrels.tsv; measure it with `ascertain eval answers`"
        )
    if len(judged) < len(data.queries):
        listener.remark(
            f"{data.name}: {len(data.queries) - len(judged)} queries without a relevant document are left out"
        )
    rows: list[dict[str, float]] = []
    seconds: list[float] = []
    gold: list[GoldCount] = []
    for done, query in enumerate(judged):
        if done % 10 == 0:
            listener.progress(f"{data.name}: searching {done:,} of {len(judged):,}")
        found = rank_documents(query, knowledge, strategy)
        rows.append(ranking_metrics(found.corpus_ids, data.judgements[query.id]))
        seconds.append(found.seconds)
        gold.append(_gold_found(query, found.passages, knowledge))
    return build_row(data, len(judged), average_rows(rows) | gold_metrics(gold), knowledge.index_seconds, seconds)


def rank_documents(query: Query, knowledge: Knowledge, strategy: Strategy | None) -> RankedDocuments:
    """Search for ``query``, asking for more chunks until ten documents are found or there are no more.

    The time is that of the first search: the later ones serve the measurement, not a user.
    """
    limits = knowledge.limits(query)
    k = _FIRST_K
    seconds: float | None = None
    while True:
        started = time.perf_counter()
        passages = knowledge.app.search(query.text, strategy=strategy, k=k, filter=limits).passages
        seconds = time.perf_counter() - started if seconds is None else seconds
        ranking = _ranked_documents(passages, knowledge)
        if len(ranking) >= DEPTH or len(passages) < k or k >= _LAST_K:
            return RankedDocuments(ranking, passages, seconds)
        k *= 4


def _ranked_documents(passages: Sequence[Passage], knowledge: Knowledge) -> tuple[str, ...]:
    return tuple(dict.fromkeys(knowledge.corpus_ids[passage.chunk.document_id] for passage in passages))


def _gold_found(query: Query, passages: Sequence[Passage], knowledge: Knowledge) -> GoldCount:
    retrieved = [
        passage.chunk.span
        for passage in passages[:CHUNKS]
        if knowledge.corpus_ids[passage.chunk.document_id] == query.gold_document
    ]
    return count_gold(query.gold, retrieved)
