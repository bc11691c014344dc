"""What the passages say for and against an answer, in numbers: the signals that its confidence rests on."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ascertain.answering.candidates import PENALTY, Candidate, is_about, is_entry_of
from ascertain.answering.question import (
    FACTS,
    AnswerKind,
    Question,
    asks_for_extreme,
    asks_yes_or_no,
    find_subject,
    is_of_other_year,
    offers_kind,
    tells_subject,
)
from ascertain.answering.reading import (
    NOTHING_READ,
    READER_FEATURES,
    PassageNotes,
    read_passages,
    reader_features,
    weigh_readings,
)
from ascertain.core.passages import Passage
from ascertain.language.equivalents import held_terms
from ascertain.language.tokens import WORD, content_terms
from ascertain.language.word_lists import load_alternatives
from ascertain.models.logistic_model import convert_log_odds, load_logistic_model, share_chances
from ascertain.models.ports import TokenVectors, Vectors
from ascertain.models.reader import PassageReader
from ascertain.models.sentences import SentenceModel
from ascertain.models.similarity import find_crossing

# Late interaction (MaxSim of Khattab & Zaharia, "ColBERT", SIGIR 2020): each word of the question is compared with the
# token of the sentence that is closest to it in meaning, so that a sentence about the right thing but another side of
# it stands out.

UNREAD = 0.6
"""Match of a question all of whose words stand in the title: about the mean on the development sets."""


@dataclass(frozen=True, slots=True)
class Alignment:
    """``tokens``: mean over every token of the question. ``words``: over its words that tell something and do not stand
    in the title over the sentence, weighed by how much they tell. Both of the best matching token, about 0..1.
    """

    tokens: float
    words: float


def align_tokens(question: Question, asked: TokenVectors, said: TokenVectors, title: str) -> Alignment:
    """Align ``asked``, the tokens of the question, with those of a sentence under ``title``."""
    if not len(asked.vectors) or not len(said.vectors):
        return Alignment(0.0, UNREAD)
    nearest = (asked.vectors @ said.vectors.T).max(axis=1)
    known = set(content_terms(title))
    matches: list[float] = []
    weights: list[float] = []
    for match in WORD.finditer(question.text):
        terms = content_terms(match.group())
        rows = _tokens_of(match.span(), asked.spans)
        if terms and rows and not known.intersection(terms):
            matches.append(float(nearest[rows].mean()))
            weights.append(_weigh_terms(question, terms))
    words = float(np.average(matches, weights=weights)) if matches else UNREAD
    return Alignment(float(nearest.mean()), words)


def _tokens_of(word: tuple[int, int], spans: Sequence[tuple[int, int]]) -> list[int]:
    return [i for i, (start, end) in enumerate(spans) if start < word[1] and end > word[0]]


def _weigh_terms(question: Question, terms: Collection[str]) -> float:
    return max(question.weights.get(term, 0.05) for term in terms)


# Every feature of a sentence lies in about -1..1 and is computed from the question, the candidate, its neighbours and
# its passage only.

Matrix = NDArray[np.float64]

EVEN = 0.02
"""Difference of two passages' scores from which one surely stands before the other; below it both share the place.

Stores that compute the same score differ by up to 0.002, which then moves a confidence by a point or so. The first two
passages of 261 questions that people ask were further apart than this in 99 of 100.
"""


def _share_of_lead(scores: Sequence[float]) -> Matrix:
    """``[i, j]``: how far passage i stands before passage j, 0..1, one half for equal scores."""
    column = np.asarray(scores, dtype=np.float64)
    lead = np.clip(0.5 + (column[:, None] - column[None, :]) / (2 * EVEN), 0.0, 1.0)
    return np.asarray(lead, dtype=np.float64)


def soften_ranks(scores: Sequence[float]) -> list[float]:
    """The rank of each passage, from 0, without a step where two scores are nearly the same."""
    lead = _share_of_lead(scores)
    return [float(lead[:, i].sum() - lead[i, i]) for i in range(len(scores))]


def share_first(scores: Sequence[float]) -> list[float]:
    """How far each passage is the first, 0..1."""
    lead = _share_of_lead(scores)
    np.fill_diagonal(lead, 1.0)
    return [float(share) for share in lead.prod(axis=1)]


SENTENCE_FEATURES = (
    "similarity",
    "passage_score",
    "passage_rank",
    "coverage",
    "pairs",
    "specifics",
    "kind_offered",
    "named_kind_offered",
    "repeats_question",
    "length",
    "fragment",
    "is_question",
)


def sentence_features(
    question: Question, candidates: Sequence[Candidate], passages: Sequence[Passage], similarity: Matrix
) -> Matrix:
    """One row a candidate, columns as in ``SENTENCE_FEATURES``.

    ``similarity`` holds the cosine of each candidate to the question, NaN where it was not computed.
    """
    coverage = np.array([question.coverage(set(c.terms)) for c in candidates])
    known = np.where(np.isnan(similarity), 0.0, similarity)
    best = max((p.score for p in passages), default=0.0)
    ranks = soften_ranks([p.score for p in passages])
    rows = [
        [
            known[i],
            passages[c.passage].score / best if best > 0 else 0.0,
            1.0 / (1.0 + ranks[c.passage]),
            coverage[i],
            _score_pairs(question, c),
            _score_specifics(question, c),
            *_score_kind(question, c),
            float(all(term in question.weights for term in c.terms)),
            min(math.log1p(len(c.terms)) / math.log1p(40), 1.0),
            float(c.is_fragment),
            float(c.text.rstrip("\"'”’)").endswith("?")),
        ]
        for i, c in enumerate(candidates)
    ]
    return np.array(rows, dtype=np.float64).reshape(len(candidates), len(SENTENCE_FEATURES))


def _score_pairs(question: Question, candidate: Candidate) -> float:
    """Share of the question's neighbouring terms that stand within three content words of each other, in order."""
    if not question.pairs:
        return 0.0
    terms = candidate.terms
    near = {(a, b) for i, a in enumerate(terms) for b in terms[i + 1 : i + 4]}
    return len(question.pairs & near) / len(question.pairs)


def _score_specifics(question: Question, candidate: Candidate) -> float:
    """Share of the question's names and numbers that the sentence, or its title, holds; 0 when there are none."""
    if not question.specifics:
        return 0.0
    return len(question.specifics & set(candidate.terms)) / len(question.specifics)


def _score_kind(question: Question, candidate: Candidate) -> tuple[float, float]:
    """Whether the expected kind is offered: for kinds of fact (time, number ...), and for names and places."""
    if question.kind is AnswerKind.ANY:
        return 0.0, 0.0
    sign = 1.0 if offers_kind(question.kind, candidate.text, question.weights.keys()) else -1.0
    return (0.0, sign) if question.kind in (AnswerKind.NAME, AnswerKind.PLACE) else (sign, 0.0)


EMBEDDED = 16
"""Candidates that are embedded; the others share too few words with the question. On xquad_en 12 find as much as 24."""
LOOKED_AT_TWICE = 2
"""Candidates that are read without their title too: a title lifts every sentence under it, right or wrong. With four, asked
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
        """The candidates that are worth a second look, nearest first."""
        known = np.where(np.isnan(self.titled), -np.inf, self.titled)
        order = [int(i) for i in np.argsort(-known, kind="stable")[:LOOKED_AT_TWICE]]
        return [i for i in order if np.isfinite(known[i])]


@dataclass(frozen=True, slots=True)
class CloseReading:
    """What a second look at a few candidates saw, by candidate.

    ``closeness``: the mean of its cosines with and without its title. ``alignments`` are empty where the embedder gives
    no tokens.
    """

    closeness: Mapping[int, float]
    alignments: Mapping[int, Alignment]


def compare_candidates(
    question: Question,
    candidates: Sequence[Candidate],
    passages: Sequence[Passage],
    model: SentenceModel,
    *,
    matched: Collection[int] = (),
) -> Similarity:
    """Compare the question with the most promising of ``candidates``, of which there is at least one, and those ``matched``."""
    titled = np.full(len(candidates), np.nan)
    promise = np.array([_rate_promise(question, c, passages) for c in candidates])
    rows = sorted({*matched, *(int(i) for i in np.argsort(-promise, kind="stable")[:EMBEDDED])})
    asked = model.embedder.embed_query(question.text)
    texts = [_title_text(candidates[i]) for i in rows]
    titled[rows] = model.compare(model.embed(texts, [candidates[i].document for i in rows]), asked)
    return Similarity(asked, titled)


def read_closely(
    question: Question,
    candidates: Sequence[Candidate],
    similarity: Similarity,
    best: Collection[int],
    model: SentenceModel,
) -> CloseReading:
    """Look again at the nearest candidates and the ``best`` ones, without their titles and word by word."""
    rows = list(dict.fromkeys([*similarity.nearest, *best]))
    texts, documents = [_embedded_text(candidates[i]) for i in rows], [candidates[i].document for i in rows]
    alignments: dict[int, Alignment] = {}
    read = model.read(question.text, texts, documents)
    if read is None:
        plain = model.embed(texts, documents)
    else:
        asked, tokens = read
        plain = np.stack([text.whole for text in tokens])
        for i, said in zip(rows, tokens, strict=True):
            alignments[i] = align_tokens(question, asked, said, candidates[i].document.title)
    alone = model.compare(plain, similarity.asked)
    both = (similarity.titled[rows] + alone) / 2
    return CloseReading(dict(zip(rows, both.tolist(), strict=True)), alignments)


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
TOKEN_FEATURES = ("token_match", "word_match")
"""Only where the embedder gives tokens."""
CHOICE = "choice"
"""Of the evidence: how far the best sentence stands out among all, as log-odds of its share of their chances."""
_MOST_CHOICE = 4.0
"""They are cut here, at a share of 98 %: beyond, one choice is as sure as another."""

_BACKGROUND = 8
"""Passages that a lead is measured against; where fewer were found, the rest count as unrelated ones."""
_UNRELATED_SIMILARITY = 0.2
_UNRELATED_COVERAGE = 0.25
"""What a passage on another subject commonly holds (median of the eighth passage on the development sets)."""


AS_GOOD = 0.5
"""Log-odds within which two sentences are about as good: scores of passages that differ by 0.002 move one by 0.05."""


DEFINING = 3.0
"""Log-odds that a sentence gains which says what the thing is of which that is asked (asked, dev: the right ones of eight such
questions stood 0.1 to 3.1 below the first), or which stands under a code that is asked for.
"""
CORRECTING = 2.0
"""Log-odds that a sentence gains which holds all of a question, in a document that corrects another (by judgement: what it corrects
is worded alike, and stands before it by chance).
"""
REPLACED = 3.0
"""Log-odds taken from a sentence of a document that holds no longer (by judgement: as much as a definition gains)."""
_CORRECTION = re.compile(rf"\W*(?:{load_alternatives('question_signs', 'corrections')})\b", re.I)


@dataclass(frozen=True, slots=True)
class WeighedEvidence:
    """``scores``: log-odds that each candidate belongs to the answer, -inf where not looked at. ``evidence``: by name,
    as ``EVIDENCE_FEATURES``, and ``READER_EVIDENCE`` where ``notes`` hold what the reader made of the passages.
    """

    scores: Matrix
    evidence: Mapping[str, float]
    notes: PassageNotes


_CROSSING_WIDTH = 0.05
"""Nearness by which a sentence in another language than the question is e times likelier than another to hold the answer (by judgement)."""


def read_evidence(
    question: Question,
    candidates: Sequence[Candidate],
    passages: Sequence[Passage],
    model: SentenceModel,
    *,
    matched: Collection[int] = (),
    replaced: Collection[str] = (),
    reader: PassageReader | None = None,
) -> WeighedEvidence:
    """Score at least one candidate sentence of ``passages`` (best first). Raises ModelError when the model fails.

    Those ``matched``, by other signs than a sentence is known by, stand before all others; those of the documents with the ids
    ``replaced`` after what is as good and still holds.
    """
    similarity = compare_candidates(question, candidates, passages, model, matched=matched)
    features = sentence_features(question, candidates, passages, similarity.titled)
    scores = load_logistic_model("selection", SENTENCE_FEATURES).compute_log_odds(features)
    is_crossing = find_crossing(passages) is not None
    if is_crossing:
        scores = similarity.titled / _CROSSING_WIDTH
    scores[np.isnan(similarity.titled)] = -np.inf
    notes = (
        NOTHING_READ if reader is None or is_crossing else read_passages(question, candidates, passages, reader, scores)
    )
    if not notes.is_empty:
        weights = load_logistic_model("selection_with_reader", (*SENTENCE_FEATURES, *READER_FEATURES))
        scores = weights.compute_log_odds(np.hstack([features, reader_features(notes)]))
        scores[np.isnan(similarity.titled)] = -np.inf
    scores += DEFINING * _score_definitions(question, candidates)
    scores += CORRECTING * np.array([question.coverage(set(c.terms)) * _is_correction(c) for c in candidates])
    scores -= REPLACED * np.array([c.document.id in replaced for c in candidates])
    if question.codes:
        scores -= PENALTY * np.array([not is_about(c, question.codes) for c in candidates])
        scores += DEFINING * np.array([is_entry_of(c, question.codes) for c in candidates])
    scores[list(matched)] += PENALTY
    best = _weigh_best(scores)
    close = read_closely(question, candidates, similarity, best, model)
    first = share_first([p.score for p in passages])
    nearest = similarity.nearest

    def blend(value: Callable[[int], float]) -> float:
        return sum(share * value(i) for i, share in best.items())

    evidence = {
        "similarity": blend(lambda i: max(close.closeness[row] for row in (*nearest, i))),
        "pairs": blend(lambda i: float(features[i, SENTENCE_FEATURES.index("pairs")])),
        "from_first_passage": blend(lambda i: first[candidates[i].passage]),
        "other_year": blend(lambda i: float(is_of_other_year(question.text, candidates[i].document.title))),
        **_score_leads(question, _passage_similarities(candidates, passages, similarity.titled), passages),
        **_question_signs(question),
        **weigh_readings(notes.readings),
        CHOICE: weigh_choice(scores),
    }
    if close.alignments:
        evidence["token_match"] = blend(lambda i: close.alignments[i].tokens)
        evidence["word_match"] = blend(lambda i: max(close.alignments[row].words for row in (*nearest, i)))
    return WeighedEvidence(scores, evidence, notes)


def weigh_choice(scores: Matrix, own: Collection[int] | None = None) -> float:
    """``CHOICE`` of the best sentence, or of the best among those that are ``own``."""
    shares = share_chances(scores)
    share = float(shares.max() if own is None else max(shares[i] for i in own))
    least = convert_log_odds(-_MOST_CHOICE)
    held = min(max(share, least), 1 - least)
    return math.log(held / (1 - held))


def _score_definitions(question: Question, candidates: Sequence[Candidate]) -> Matrix:
    """For each candidate that tells what the subject asked about is, how much of the question it and its title hold."""
    subject = find_subject(question.text)
    if not subject:
        return np.zeros(len(candidates))
    return np.array(
        [
            question.coverage({*each.terms, *content_terms(each.document.title)})
            if tells_subject(subject, each.text)
            else 0.0
            for each in candidates
        ]
    )


def _is_correction(candidate: Candidate) -> bool:
    return _CORRECTION.match(candidate.document.title) is not None


def _weigh_best(scores: Matrix) -> dict[int, float]:
    """The best candidates by index, with shares that add up to 1: all of it is one's where it stands out.

    What is said of the best sentence is said of those that are nearly as good too, so that no hair decides. A share
    falls to nothing at ``AS_GOOD`` below the best, or at the score of the first that is not looked at twice.
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
    read = [held_terms(p.chunk.indexed_text) for p in passages]
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
        "asks_extreme": float(asks_for_extreme(question.text)),
        "asks_yes_or_no": float(asks_yes_or_no(question.text)),
    }


def _passage_similarities(candidates: Sequence[Candidate], passages: Sequence[Passage], titled: Matrix) -> list[float]:
    """The dense score of each passage; where a search made none, that of its best sentence."""
    best = [0.0] * len(passages)
    for candidate, value in zip(candidates, titled, strict=True):
        if not np.isnan(value):
            best[candidate.passage] = max(best[candidate.passage], float(value))
    return [p.scores.get("dense", value) for p, value in zip(passages, best, strict=True)]
