"""Retrieval measured on a labelled set: search as a user would, rank documents by their best chunk."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass

from ascertain.core.errors import UsageError
from ascertain.core.passages import Passage, Strategy
from ascertain.evaluation.datasets import EvaluationSet, Query
from ascertain.evaluation.gold_spans import CHUNKS, GoldCount, count_gold, gold_metrics
from ascertain.evaluation.knowledge import Knowledge, Listener
from ascertain.evaluation.metrics import DEPTH, means, ranking_metrics
from ascertain.evaluation.rows import row

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
) -> dict[str, object]:
    """The row of one set, as ``docs/benchmarks.md`` describes it.

    Queries without a relevant document are left out, and a remark says how many. Raises UsageError when none is left.
    """
    judged = [
        query
        for query in data.queries
        if any(gain > 0 for gain in data.judgements.get(query.id, {}).values())
    ]
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
    return row(data, len(judged), means(rows) | gold_metrics(gold), knowledge.index_seconds, seconds)


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
        ranking = _distinct(passages, knowledge)
        if len(ranking) >= DEPTH or len(passages) < k or k >= _LAST_K:
            return RankedDocuments(ranking, passages, seconds)
        k *= 4


def _distinct(passages: Sequence[Passage], knowledge: Knowledge) -> tuple[str, ...]:
    return tuple(dict.fromkeys(knowledge.corpus_ids[passage.chunk.document_id] for passage in passages))


def _gold_found(query: Query, passages: Sequence[Passage], knowledge: Knowledge) -> GoldCount:
    retrieved = [
        passage.chunk.span
        for passage in passages[:CHUNKS]
        if knowledge.corpus_ids[passage.chunk.document_id] == query.gold_document
    ]
    return count_gold(query.gold, retrieved)
