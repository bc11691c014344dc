"""Retrieval measured on a labelled set: search as a user would, rank documents by their best chunk."""

import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from ascertain.app.wire.evaluation import MeasuredJson, TimingsJson
from ascertain.app.wire.shape import JsonObject
from ascertain.core.asking.passages import Passage, Strategy
from ascertain.core.documents.blocks import Span
from ascertain.core.errors import UsageError
from ascertain.evaluation.measures.metrics import DEPTH, RANKING_METRICS, average_rows, find_percentile, ranking_metrics
from ascertain.evaluation.measures.significance import Interval
from ascertain.evaluation.runs import Journal, Result, choose_every, measure_intervals
from ascertain.evaluation.sets.datasets import EvaluationSet, Query
from ascertain.evaluation.sets.knowledge import Knowledge, Listener

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
    results: Sequence[Result],
    metrics: Mapping[str, float | None],
    index_seconds: float,
    *,
    intervals: Mapping[str, Interval] | None = None,
) -> MeasuredJson:
    """A row of ``eval``; ``results`` are the questions that the metrics speak of, ``intervals`` those of figures that are no means."""
    query_seconds = [result.seconds for result in results]
    return MeasuredJson(
        set=data.name,
        documents=len(data.corpus),
        queries=len(results),
        metrics=dict(metrics),
        intervals=measure_intervals(results, metrics) | dict(intervals or {}),
        seconds=TimingsJson(
            index=round(index_seconds, 3),
            query_p50=round(find_percentile(query_seconds, 0.5), 4),
            query_p95=round(find_percentile(query_seconds, 0.95), 4),
        ),
    )


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
    data: EvaluationSet,
    knowledge: Knowledge,
    strategy: Strategy | None,
    listener: Listener,
    *,
    journal: Journal | None = None,
    every: int = 1,
) -> JsonObject:
    """The row of one set, as ``docs/benchmarks.md`` describes it.

    Queries without a relevant document are left out, and a remark says how many; of the others every ``every``-th is asked.
    Raises UsageError when none is left.
    """
    kept = journal or Journal()
    judged = [query for query in data.queries if any(gain > 0 for gain in data.judgements.get(query.id, {}).values())]
    if not judged:
        raise UsageError(
            f"{data.name}: no query has a relevant document in qrels.tsv; measure it with `ascertain eval answers`"
        )
    if len(judged) < len(data.queries):
        listener.remark(
            f"{data.name}: {len(data.queries) - len(judged)} queries without a relevant document are left out"
        )
    chosen = choose_every(judged, every)
    results: list[Result] = []
    for done, query in enumerate(chosen):
        if done % 10 == 0:
            listener.progress(f"{data.name}: searching {done:,} of {len(chosen):,}")
        results.append(kept.measure(data.name, query.id, partial(_measure_query, query, data, knowledge, strategy)))
    metrics = average_rows([_ranking_scores(result) for result in results])
    return build_row(data, results, metrics | gold_metrics(_gold_counts(results)), knowledge.index_seconds).to_json()


def _measure_query(query: Query, data: EvaluationSet, knowledge: Knowledge, strategy: Strategy | None) -> Result:
    found = rank_documents(query, knowledge, strategy)
    gains = data.judgements[query.id]
    gold = _gold_found(query, found.passages, knowledge)
    facts: dict[str, object] = {
        "found": list(found.corpus_ids[:DEPTH]),
        "relevant": [document for document, gain in gains.items() if gain > 0],
    }
    scores: dict[str, float | None] = dict(ranking_metrics(found.corpus_ids, gains))
    if gold.total:
        facts |= {"gold_found": gold.found, "gold_total": gold.total}
        scores[f"gold_recall@{CHUNKS}"] = gold.found / gold.total
    return Result(data.name, query.id, query.text, found.seconds, scores, facts)


def _ranking_scores(result: Result) -> dict[str, float]:
    return {name: result.scores[name] or 0.0 for name in RANKING_METRICS}


def _gold_counts(results: Sequence[Result]) -> list[GoldCount]:
    pairs = [(result.read_number("gold_found"), result.read_number("gold_total")) for result in results]
    return [GoldCount(int(found), int(total)) for found, total in pairs if found is not None and total is not None]


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
