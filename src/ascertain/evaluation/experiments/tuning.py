"""Settings fitted to a user's own labelled questions: how scores are fused, and from which confidence on to answer.

Everything is reported cross-validated: the figures of new settings were measured on questions that they were not fitted on.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ascertain.answering.confidence import Calibration, choose_threshold, fit_calibration
from ascertain.app.ascertain import Ascertain
from ascertain.core.asking.passages import Strategy
from ascertain.core.asking.runs import SystemClock
from ascertain.core.errors import UsageError
from ascertain.core.settings import FusionSettings, RetrievalSettings, Settings
from ascertain.evaluation.answers import contains_any
from ascertain.evaluation.measures.calibration import Judged, brier_score, calibration_error
from ascertain.evaluation.measures.metrics import DEPTH, ndcg_at
from ascertain.evaluation.sets.datasets import EvaluationSet, Query, read_set
from ascertain.evaluation.sets.knowledge import Knowledge, Listener, open_knowledge
from ascertain.language.languages import ENGLISH
from ascertain.retrieval.query.prepared import prepare_question
from ascertain.retrieval.search.ranking import Candidates, Legs, rank_candidates
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
    grid = [_change_fusion(now, weights) for weights in product(DENSE_WEIGHTS, TITLE_WEIGHTS, FEEDBACK_WEIGHTS)]
    tried = [now.fusion, *grid]
    table = np.zeros((len(queries), len(tried)))
    for row, (query, candidates) in enumerate(_fetch_candidates(queries, knowledge, listener)):
        for column, fusion in enumerate(tried):
            ranked = rank_candidates(candidates, Strategy.HYBRID, now.model_copy(update={"fusion": fusion}), ENGLISH)
            found = dict.fromkeys(knowledge.corpus_ids[p.chunk.document_id] for p in ranked)
            table[row, column] = ndcg_at(tuple(found), data.judgements[query.id], DEPTH)
    after = held_out_mean(table, folds)
    before = float(table[:, 0].mean())
    if after < before + WORTH_IT:
        return FusionTuning(len(queries), before, before, {})
    return FusionTuning(len(queries), before, after, _list_values(tried[int(table.mean(axis=0).argmax())]))


def _change_fusion(now: RetrievalSettings, weights: tuple[float, float, float]) -> FusionSettings:
    dense, title, feedback = weights
    changed = {"method": "convex", "dense_weight": dense, "title_weight": title, "feedback_weight": feedback}
    return now.fusion.model_copy(update=changed)


def _list_values(fusion: FusionSettings) -> dict[str, float]:
    return {
        "retrieval.fusion.dense_weight": fusion.dense_weight,
        "retrieval.fusion.title_weight": fusion.title_weight,
        "retrieval.fusion.feedback_weight": fusion.feedback_weight,
    }


def _fetch_candidates(
    queries: Sequence[Query], knowledge: Knowledge, listener: Listener
) -> list[tuple[Query, Candidates]]:
    app = knowledge.app
    embedder, settings = app.embedder, app.settings
    store = open_store(settings.store, settings.home, embedder.name, embedder.dimension, create=False)
    try:
        legs = Legs(store, embedder, settings.retrieval, app.container.similarity_scale())
        candidates: list[tuple[Query, Candidates]] = []
        for done, query in enumerate(queries):
            if done % 10 == 0:
                listener.progress(f"searching {done:,} of {len(queries):,}")
            question = prepare_question(
                query.text, ENGLISH, profiles=(), clock=SystemClock(), filter=knowledge.limits(query)
            )
            candidates.append((query, legs.candidates(question, Strategy.HYBRID, _CANDIDATES)))
        return candidates
    finally:
        store.close()


def held_out_mean(table: NDArray[np.float64], folds: int) -> float:
    """Mean of each fold under the column that is best on the others."""
    fold = np.arange(len(table)) % folds
    scores = np.zeros(len(table))
    for k in range(folds):
        best = int(table[fold != k].mean(axis=0).argmax())
        scores[fold == k] = table[fold == k, best]
    return float(scores.mean())


FEWEST = 30
"""Labelled questions below which nothing is fitted: with fewer, chance decides."""
FOLDS = 5


@dataclass(frozen=True, slots=True)
class Aim:
    """``risk``: share of wrong among the answers given that may not be exceeded, with probability ``certainty``."""

    risk: float
    certainty: float


@dataclass(frozen=True, slots=True)
class Behaviour:
    """What some settings do on the labelled questions. ``coverage``: share answered; ``risk``: share of wrong among these, None
    when none is; ``calibration_error`` and ``brier`` of the confidence.
    """

    coverage: float
    risk: float | None
    calibration_error: float | None
    brier: float | None


@dataclass(frozen=True, slots=True)
class AnswerTuning:
    """``values``: settings by dotted key, empty if no threshold meets the risk. ``bound``: highest risk that is still likely."""

    questions: int
    before: Behaviour
    after: Behaviour | None
    bound: float | None
    values: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Tuning:
    """None for a part that the labels do not allow."""

    set: str
    fusion: FusionTuning | None
    answers: AnswerTuning | None

    @property
    def values(self) -> dict[str, float]:
        """All settings to write, by dotted key."""
        return {**(self.fusion.values if self.fusion else {}), **(self.answers.values if self.answers else {})}


def tune_settings(folder: Path, settings: Settings, aim: Aim, cache: Path | None, listener: Listener) -> Tuning:
    """Fit what the labels of the set in ``folder`` allow: judged passages the fusion, known answers the threshold.

    The set is indexed into a temporary home; nothing is written. Raises UsageError when it has fewer than 30 questions with
    either kind of label, and what ``read_set`` raises.
    """
    data = read_set(folder)
    labelled = [query for query in data.queries if query.answers or query.answerable is not None]
    judged = judged_queries(data)
    if max(len(labelled), len(judged)) < FEWEST:
        raise UsageError(
            f"{folder}: {len(judged)} questions with relevant texts in qrels.tsv and {len(labelled)} with 'answer' or "
            f"'answerable'; tuning needs {FEWEST} of either. Label more questions."
        )
    with open_knowledge(data, settings, cache, listener) as knowledge:
        fusion = None
        if len(judged) >= FEWEST:
            fusion = tune_fusion(data, knowledge, FOLDS, listener)
        else:
            listener.remark(_too_few(data, len(judged), "relevant texts", "the fusion weights"))
        answers = None
        if len(labelled) >= FEWEST:
            answers = _tune_answers(labelled, knowledge, aim, fusion.values if fusion else {}, listener=listener)
        else:
            listener.remark(_too_few(data, len(labelled), "a known answer", "the rejection threshold"))
    return Tuning(data.name, fusion, answers)


def _too_few(data: EvaluationSet, count: int, label: str, what: str) -> str:
    return f"{data.name}: {count} questions have {label}, {FEWEST} are needed: {what} stay as they are"


def _tune_answers(
    labelled: Sequence[Query], knowledge: Knowledge, aim: Aim, fusion: Mapping[str, float], *, listener: Listener
) -> AnswerTuning:
    """Ask every question with nothing rejected, then see which confidences were deserved."""
    now = knowledge.app.settings
    given = Calibration(now.answers.calibration_slope, now.answers.calibration_intercept)
    outcomes = _ask_all(labelled, knowledge, fusion, listener)
    before = _measure_behaviour(
        [Judged(given.apply(one.confidence), one.right) for one in outcomes], now.answers.rejection_threshold
    )
    chosen = _choose_threshold(outcomes, aim)
    if chosen is None:
        return AnswerTuning(len(outcomes), before, None, None, {})
    calibration, threshold, bound = chosen
    values: dict[str, float] = {
        "answers.rejection_threshold": threshold,
        "answers.calibration_slope": round(calibration.slope, 3),
        "answers.calibration_intercept": round(calibration.intercept, 3),
    }
    return AnswerTuning(len(outcomes), before, _cross_validate(outcomes, aim), bound, values)


def _ask_all(
    labelled: Sequence[Query], knowledge: Knowledge, fusion: Mapping[str, float], listener: Listener
) -> list[Judged]:
    plain = {"rejection_threshold": 0, "calibration_slope": 1.0, "calibration_intercept": 0.0}
    with reopen_with(knowledge, {**{f"answers.{key}": value for key, value in plain.items()}, **fusion}) as app:
        outcomes: list[Judged] = []
        for done, query in enumerate(labelled):
            if done % 10 == 0:
                listener.progress(f"asking {done:,} of {len(labelled):,}")
            answer = app.ask(query.text, filter=knowledge.limits(query), history=query.history, use_cache=False)
            outcomes.append(Judged(answer.confidence.score / 100, is_right(query, answer.text)))
        return outcomes


def is_right(query: Query, text: str) -> bool:
    """Whether an answer is right as far as is known: it holds the expected words, or at least the question has an answer."""
    if query.answerable is False:
        return False
    return contains_any(text, query.answers) if query.answers else True


def reopen_with(knowledge: Knowledge, values: Mapping[str, float]) -> Ascertain:
    """The same knowledge base under other settings, by dotted key."""
    return Ascertain(with_values(knowledge.app.settings, values), embedder=knowledge.app.embedder)


def with_values(settings: Settings, values: Mapping[str, float]) -> Settings:
    """``settings`` with some changed, by dotted key; validated."""
    content = settings.model_dump()
    for key, value in values.items():
        *path, name = key.split(".")
        section = content
        for part in path:
            section = section[part]
        section[name] = value
    return Settings.model_validate(content)


def _choose_threshold(outcomes: Sequence[Judged], aim: Aim) -> tuple[Calibration, int, float] | None:
    right = [one.right for one in outcomes]
    calibration = fit_calibration([one.confidence for one in outcomes], right)
    scores = [_score_of(calibration, one) for one in outcomes]
    chosen = choose_threshold(scores, right, aim.risk, aim.certainty)
    return (calibration, chosen.score, chosen.bound) if chosen else None


def _cross_validate(outcomes: Sequence[Judged], aim: Aim) -> Behaviour:
    """Each fold behaves as what the others chose tells it to; where they chose nothing, nothing is answered."""
    answered: list[Judged] = []
    calibrated: list[Judged] = []
    for fold in range(FOLDS):
        held = outcomes[fold::FOLDS]
        rest = [one for i, one in enumerate(outcomes) if i % FOLDS != fold]
        chosen = _choose_threshold(rest, aim)
        calibration = chosen[0] if chosen else fit_calibration([o.confidence for o in rest], [o.right for o in rest])
        calibrated += [Judged(calibration.apply(one.confidence), one.right) for one in held]
        if chosen is not None:
            answered += [one for one in held if _score_of(calibration, one) >= chosen[1]]
    return _sum_behaviour(answered, calibrated)


def _measure_behaviour(judged: Sequence[Judged], threshold: int) -> Behaviour:
    return _sum_behaviour([one for one in judged if round(100 * one.confidence) >= threshold], judged)


def _sum_behaviour(answered: Sequence[Judged], judged: Sequence[Judged]) -> Behaviour:
    risk = sum(not one.right for one in answered) / len(answered) if answered else None
    return Behaviour(len(answered) / len(judged), risk, calibration_error(judged), brier_score(judged))


def _score_of(calibration: Calibration, one: Judged) -> int:
    return round(100 * calibration.apply(one.confidence))
