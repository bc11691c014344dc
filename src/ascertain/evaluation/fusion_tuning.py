"""The weights of the fusion fitted to labelled questions: candidates are fetched once and ranked under every setting."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np
from numpy.typing import NDArray

from ascertain.core.clock import SystemClock
from ascertain.core.passages import Strategy
from ascertain.core.settings import FusionSettings, RetrievalSettings
from ascertain.evaluation.datasets import EvaluationSet, Query
from ascertain.evaluation.knowledge import Knowledge, Listener
from ascertain.evaluation.metrics import DEPTH, ndcg
from ascertain.retrieval.legs import Candidates, Legs
from ascertain.retrieval.question import prepare
from ascertain.retrieval.ranking import rank
from ascertain.stores.registry import open_store

DENSE_WEIGHTS = (0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0)
TITLE_WEIGHTS = (0.0, 0.1, 0.2)
FEEDBACK_WEIGHTS = (0.0, 0.25, 0.5)
_CANDIDATES = 50
WORTH_IT = 0.002
"""nDCG@10 that new weights must gain on unseen questions: less is noise, and the shipped ones were fitted on many sets."""


@dataclass(frozen=True, slots=True)
class FusionTuning:
    """``before`` and ``after``: nDCG@10 under the settings as they are and under those chosen without the question at hand.

    ``values`` are settings by dotted key, empty when the present ones are as good.
    """

    questions: int
    before: float
    after: float
    values: Mapping[str, float]


def judged_queries(data: EvaluationSet) -> list[Query]:
    """Those with a relevant text."""
    return [q for q in data.queries if any(gain > 0 for gain in data.judgements.get(q.id, {}).values())]


def tune_fusion(data: EvaluationSet, knowledge: Knowledge, folds: int, listener: Listener) -> FusionTuning:
    """Try every combination of weights on the judged queries of ``data`` and choose the best."""
    now = knowledge.app.settings.retrieval
    queries = judged_queries(data)
    grid = [_fusion(now, weights) for weights in product(DENSE_WEIGHTS, TITLE_WEIGHTS, FEEDBACK_WEIGHTS)]
    tried = [now.fusion, *grid]
    table = np.zeros((len(queries), len(tried)))
    for row, (query, candidates) in enumerate(_candidates(queries, knowledge, listener)):
        for column, fusion in enumerate(tried):
            ranked = rank(candidates, Strategy.HYBRID, now.model_copy(update={"fusion": fusion}))
            found = dict.fromkeys(knowledge.corpus_ids[p.chunk.document_id] for p in ranked)
            table[row, column] = ndcg(tuple(found), data.judgements[query.id], DEPTH)
    after = _held_out(table, folds)
    before = float(table[:, 0].mean())
    if after < before + WORTH_IT:
        return FusionTuning(len(queries), before, before, {})
    return FusionTuning(len(queries), before, after, _values(tried[int(table.mean(axis=0).argmax())]))


def _fusion(now: RetrievalSettings, weights: tuple[float, float, float]) -> FusionSettings:
    dense, title, feedback = weights
    changed = {"method": "convex", "dense_weight": dense, "title_weight": title, "feedback_weight": feedback}
    return now.fusion.model_copy(update=changed)


def _values(fusion: FusionSettings) -> dict[str, float]:
    return {
        "retrieval.fusion.dense_weight": fusion.dense_weight,
        "retrieval.fusion.title_weight": fusion.title_weight,
        "retrieval.fusion.feedback_weight": fusion.feedback_weight,
    }


def _candidates(
    queries: Sequence[Query], knowledge: Knowledge, listener: Listener
) -> list[tuple[Query, Candidates]]:
    app = knowledge.app
    embedder, settings = app.embedder, app.settings
    store = open_store(settings.store, settings.home, embedder.name, embedder.dimension, create=False)
    try:
        legs = Legs(store, embedder, settings.retrieval)
        found: list[tuple[Query, Candidates]] = []
        for done, query in enumerate(queries):
            if done % 10 == 0:
                listener.progress(f"searching {done:,} of {len(queries):,}")
            question = prepare(query.text, profiles=(), clock=SystemClock(), filter=knowledge.limits(query))
            found.append((query, legs.candidates(question, Strategy.HYBRID, _CANDIDATES)))
        return found
    finally:
        store.close()


def _held_out(table: NDArray[np.float64], folds: int) -> float:
    """Mean of each fold under the column that is best on the others."""
    fold = np.arange(len(table)) % folds
    scores = np.zeros(len(table))
    for k in range(folds):
        best = int(table[fold != k].mean(axis=0).argmax())
        scores[fold == k] = table[fold == k, best]
    return float(scores.mean())
