"""What the passages say for and against an answer, in numbers: the signals behind its confidence."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from ascertain.answering.judging.cascade import JudgedCandidates, Readers, judge_candidates
from ascertain.answering.judging.features import SENTENCE_FEATURES, Matrix, score_pairs, sentence_features, share_first
from ascertain.answering.judging.headings import bar_headings
from ascertain.answering.judging.reading import NOTHING_READ, PassageNotes, weigh_readings, weigh_second_readings
from ascertain.answering.judging.signals import score_signals
from ascertain.answering.matching.kinds import is_of_other_year
from ascertain.answering.units.candidates import PENALTY, Candidate, is_about
from ascertain.core.asking.passages import Passage
from ascertain.language.equivalents import held_terms
from ascertain.language.word_lists import load_alternatives
from ascertain.models.logistic_model import convert_log_odds, load_logistic_model, share_chances
from ascertain.models.ports import Vectors
from ascertain.models.vectors.sentences import SentenceModel
from ascertain.models.vectors.similarity import find_crossing
from ascertain.questions.reading.kinds import FACTS, AnswerKind
from ascertain.questions.reading.question import Question
from ascertain.questions.reading.signs import Sign

EMBEDDED = 16
"""Candidates that are embedded; the others share too few words with the question. On xquad_en, 12 find as much as 24."""
LOOKED_AT_TWICE = 2
"""Candidates also read without their title: a title lifts every sentence under it, right or wrong. With four, asked
(dev) is answered the same, and ranked by confidence as well.
"""
_LONGEST_EMBEDDED = 400
"""Characters of a candidate that are embedded."""


@dataclass(frozen=True, slots=True)
class Similarity:
    """``asked``: the question's vector. ``titled``: cosine of each candidate, under its document's title, to the
    question; NaN where not computed.
    """

    asked: Vectors
    titled: Matrix

    @property
    def nearest(self) -> list[int]:
        """The candidates worth a second look, nearest first."""
        known = np.where(np.isnan(self.titled), -np.inf, self.titled)
        order = [int(i) for i in np.argsort(-known, kind="stable")[:LOOKED_AT_TWICE]]
        return [i for i in order if np.isfinite(known[i])]


def compare_candidates(
    question: Question,
    candidates: Sequence[Candidate],
    passages: Sequence[Passage],
    model: SentenceModel,
    *,
    asked: Vectors,
    matched: Collection[int] = (),
) -> Similarity:
    """Compare the question, whose vector is ``asked``, with the most promising of ``candidates``, of which there is at least one, and those ``matched``."""
    titled = np.full(len(candidates), np.nan)
    promise = np.array([_rate_promise(question, c, passages) for c in candidates])
    rows = sorted({*matched, *(int(i) for i in np.argsort(-promise, kind="stable")[:EMBEDDED])})
    texts = [_title_text(candidates[i]) for i in rows]
    titled[rows] = model.compare(model.embed(texts, [candidates[i].document for i in rows]), asked)
    return Similarity(asked, titled)


def compare_closely(
    candidates: Sequence[Candidate], similarity: Similarity, best: Collection[int], model: SentenceModel
) -> dict[int, float]:
    """For the nearest candidates and the ``best`` ones the mean of their cosines to the question with and without their titles."""
    rows = list(dict.fromkeys([*similarity.nearest, *best]))
    texts, documents = [_embedded_text(candidates[i]) for i in rows], [candidates[i].document for i in rows]
    alone = model.compare(model.embed(texts, documents), similarity.asked)
    return dict(zip(rows, ((similarity.titled[rows] + alone) / 2).tolist(), strict=True))


def _title_text(candidate: Candidate) -> str:
    title = candidate.document.title
    return f"{title}\n{_embedded_text(candidate)}" if title else _embedded_text(candidate)


def _embedded_text(candidate: Candidate) -> str:
    return candidate.text[:_LONGEST_EMBEDDED]


def _rate_promise(question: Question, candidate: Candidate, passages: Sequence[Passage]) -> float:
    """A cheap first look: words shared with the question, and how good the passage is."""
    score = question.coverage(set(candidate.terms)) + passages[candidate.passage].score
    return score - float(candidate.is_fragment)


EVIDENCE_FEATURES = (
    "similarity",
    "similarity_lead",
    "coverage_lead",
    "pairs",
    "from_first_passage",
    "asks_fact",
    "asks_number",
    "asks_extreme",
    "asks_yes_or_no",
    "other_year",
    "unseen_specifics",
)
CHOICE = "choice"
"""Of the evidence: how far the best sentence stands out among all, as log-odds of its share of their chances."""
_MOST_CHOICE = 4.0
"""They are cut here, at a share of 98 %: beyond, one choice is as sure as another."""

_BACKGROUND = 8
"""Passages a lead is measured against; where fewer were found, the rest count as unrelated ones."""
_UNRELATED_SIMILARITY = 0.2
_UNRELATED_COVERAGE = 0.25
"""What a passage on another subject usually scores (median of the eighth passage on the development sets)."""


AS_GOOD = 0.5
"""Log-odds within which two sentences are about as good: scores of passages that differ by 0.002 move one by 0.05."""


CORRECTING = 2.0
"""Log-odds gained by a sentence that contains all of a question, in a document that corrects another (by judgement: what it corrects
is worded alike, and ranks before it by chance).
"""
REPLACED = 3.0
"""Log-odds deducted from a sentence of an outdated document (by judgement: as much as a definition gains)."""
_CORRECTION = re.compile(rf"\W*(?:{load_alternatives('question_signs', 'corrections')})\b", re.I)


@dataclass(frozen=True, slots=True)
class WeighedEvidence:
    """``scores``: log-odds that each candidate belongs to the answer, -inf where not examined. ``evidence``: by name,
    as ``EVIDENCE_FEATURES``, and ``READER_EVIDENCE`` where ``notes`` hold what the reader made of the passages.
    """

    scores: Matrix
    evidence: Mapping[str, float]
    notes: PassageNotes


_CROSSING_WIDTH = 0.05
"""Similarity by which a sentence in another language than the question is e times likelier than another to hold the answer (by judgement)."""


def read_evidence(
    question: Question,
    candidates: Sequence[Candidate],
    passages: Sequence[Passage],
    model: SentenceModel,
    *,
    matched: Collection[int] = (),
    replaced: Collection[str] = (),
    readers: Readers | None = None,
) -> WeighedEvidence:
    """Score at least one candidate sentence of ``passages`` (best first). Raises ModelError when the model fails.

    Those ``matched`` by other signals come before all others; those of the documents with the ids
    ``replaced`` come after equally good ones that are still current.
    """
    asked = model.embedder.embed_query(question.text)
    signals = score_signals(question, candidates, asked, model)
    judged = (
        None
        if readers is None or find_crossing(passages)
        else judge_candidates(question, candidates, passages, signals, readers=readers)
    )
    if judged is None:
        judged = JudgedCandidates(np.empty(0), NOTHING_READ)
    if judged.notes.is_empty:
        similarity = compare_candidates(question, candidates, passages, model, asked=asked, matched=matched)
        scores = _score_by_rules(question, candidates, passages, similarity) + signals
    else:
        likeliest = (int(i) for i in np.argsort(-judged.scores, kind="stable")[:LOOKED_AT_TWICE])
        similarity = compare_candidates(
            question, candidates, passages, model, asked=asked, matched={*matched, *likeliest}
        )
        scores = judged.scores.copy()
    scores += CORRECTING * np.array([question.coverage(set(c.terms)) * _is_correction(c) for c in candidates])
    scores -= REPLACED * np.array([c.document.id in replaced for c in candidates])
    if question.codes:
        scores -= PENALTY * np.array([not is_about(c, question.codes) for c in candidates])
    rows = list(matched)
    scores[rows] = np.where(np.isfinite(scores[rows]), scores[rows], 0.0) + PENALTY
    best = _weigh_best(scores)
    closeness = compare_closely(candidates, similarity, best, model)
    first = share_first([p.score for p in passages])
    nearest = similarity.nearest

    def blend(value: Callable[[int], float]) -> float:
        return sum(share * value(i) for i, share in best.items())

    evidence = {
        "similarity": blend(lambda i: max(closeness[row] for row in (*nearest, i))),
        "pairs": blend(lambda i: score_pairs(question, candidates[i])),
        "from_first_passage": blend(lambda i: first[candidates[i].passage]),
        "other_year": blend(lambda i: float(is_of_other_year(question.years, candidates[i].document.title))),
        **_score_leads(question, _passage_similarities(candidates, passages, similarity.titled), passages),
        **_question_signs(question),
        **weigh_readings(judged.notes.readings),
        **weigh_second_readings(judged.second_notes.readings),
        CHOICE: weigh_choice(scores),
    }
    return WeighedEvidence(scores, evidence, judged.best_notes)


def _score_by_rules(
    question: Question, candidates: Sequence[Candidate], passages: Sequence[Passage], similarity: Similarity
) -> Matrix:
    """Log-odds of the candidates that were compared, -inf for the others: for what no reader reads, as it is in another language."""
    if find_crossing(passages) is not None:
        scores = similarity.titled / _CROSSING_WIDTH
    else:
        features = sentence_features(question, candidates, passages, similarity.titled)
        scores = load_logistic_model("selection", SENTENCE_FEATURES).compute_log_odds(features)
    is_fragment = np.array([candidate.is_fragment for candidate in candidates], dtype=bool)
    scores[np.isnan(similarity.titled)] = -np.inf
    if np.isfinite(scores[~is_fragment]).any():
        scores[is_fragment] = -np.inf
    barred = bar_headings(question, candidates)
    return np.where(barred, -np.inf, scores) if np.isfinite(scores[~barred]).any() else scores


def weigh_choice(scores: Matrix, own: Collection[int] | None = None) -> float:
    """``CHOICE`` of the best sentence, or of the best among those that are ``own``."""
    shares = share_chances(scores)
    share = float(shares.max() if own is None else max(shares[i] for i in own))
    least = convert_log_odds(-_MOST_CHOICE)
    held = min(max(share, least), 1 - least)
    return math.log(held / (1 - held))


def _is_correction(candidate: Candidate) -> bool:
    return _CORRECTION.match(candidate.document.title) is not None


def _weigh_best(scores: Matrix) -> dict[int, float]:
    """The best candidates by index, with shares that add up to 1: one that stands out has all of it.

    Nearly equal sentences are treated like the best one, so that tiny differences do not decide. A share
    falls to nothing at ``AS_GOOD`` below the best, or at the score of the first that gets no second look.
    """
    order = [int(i) for i in np.argsort(-scores, kind="stable") if np.isfinite(scores[i])] or [int(np.argmax(scores))]
    width = AS_GOOD
    if len(order) > LOOKED_AT_TWICE:
        width = min(width, float(scores[order[0]] - scores[order[LOOKED_AT_TWICE]]))
    shares = {i: 1.0 - float(scores[order[0]] - scores[i]) / width for i in order[1:LOOKED_AT_TWICE]} if width else {}
    best = {order[0]: 1.0} | {i: share for i, share in shares.items() if share > 0}
    total = sum(best.values())
    return {i: share / total for i, share in best.items()}


def _score_leads(question: Question, similarities: Sequence[float], passages: Sequence[Passage]) -> dict[str, float]:
    """How far the best passage stands out from the rest: an answer does, a mere subject does not."""
    read = [held_terms(p.chunk.indexed_text, question.language) for p in passages]
    dense = sorted(similarities, reverse=True)[:_BACKGROUND]
    dense += [_UNRELATED_SIMILARITY] * (_BACKGROUND - len(dense))
    coverage = sorted([*(question.coverage(terms) for terms in read), _UNRELATED_COVERAGE], reverse=True)
    unseen = question.specifics.difference(*read)
    return {
        "similarity_lead": dense[0] - float(np.mean(dense)),
        "coverage_lead": coverage[0] - coverage[1],
        "unseen_specifics": len(unseen) / len(question.specifics) if question.specifics else 0.0,
    }


def _question_signs(question: Question) -> dict[str, float]:
    return {
        "asks_fact": float(question.kind in FACTS),
        "asks_number": float(question.kind is AnswerKind.NUMBER),
        "asks_extreme": float(Sign.EXTREME in question.signs),
        "asks_yes_or_no": float(Sign.YES_OR_NO in question.signs),
    }


def _passage_similarities(candidates: Sequence[Candidate], passages: Sequence[Passage], titled: Matrix) -> list[float]:
    """The dense score of each passage; where the search has none, that of its best sentence."""
    best = [0.0] * len(passages)
    for candidate, value in zip(candidates, titled, strict=True):
        if not np.isnan(value):
            best[candidate.passage] = max(best[candidate.passage], float(value))
    return [p.scores.get("dense", value) for p, value in zip(passages, best, strict=True)]
