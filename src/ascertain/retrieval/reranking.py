"""Reranking: passages ordered by a model that reads each with the question, repetitions and strays dropped (RE-4).

Besides it the heuristic rerank of searches, and what a chat model does before writing: it scores passages and sums each
up for the question (RE-10).
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import lru_cache

from pydantic import BaseModel, Field

from ascertain.core.answers import Decision
from ascertain.core.documents import Chunk, DocumentKind
from ascertain.core.errors import ModelError
from ascertain.core.passages import Passage
from ascertain.core.runs import Run, Task
from ascertain.core.settings import HeuristicSettings, RetrievalSettings
from ascertain.language.languages import spoken_language
from ascertain.language.tokens import content_terms
from ascertain.language.validity import rank_validity
from ascertain.models.controls import Stray, choose_stray
from ascertain.models.ports import Chat, Reranker
from ascertain.models.prompts import PromptedStep, Prompts, as_data
from ascertain.retrieval.query.model_inputs import index_of, key_of, one_line, passages_as_data
from ascertain.retrieval.search.ranking import reciprocal_rank_fusion

# EvidenceNotes is the map step of PaperQA2 (Skarlinski et al., "Language agents achieve superhuman synthesis of scientific knowledge", arXiv
# 2409.13740), there the part that mattered most. Several passages share a call, to save calls.

PASSAGES_A_CALL = 4
CHARACTERS_A_CALL = 8000
"""About 2,000 tokens: small models lose track of more."""
HELPFUL = 3
"""Score, of the 0 to 10 that the prompt describes, from which a passage is written from (by judgement, not measured).
"""
LONGEST_NOTE = 600
MOST_FACTS = 5


class NoteReply(BaseModel):
    """What one passage gives for the question."""

    key: str
    score: int = Field(ge=0, le=10, description="How much it helps to answer.")
    summary: str = Field(default="", description="What it says about the question, in one or two sentences.")
    facts: list[str] = Field(default=[], description="Its key facts: names, figures, dates.")


class NotesReply(BaseModel):
    """One note for each passage."""

    notes: list[NoteReply]


@dataclass(frozen=True, slots=True)
class _Batch:
    first: int
    passages: Sequence[Passage]


class EvidenceNotes:
    """Drops passages scored under ``HELPFUL`` and puts a note on the others."""

    def __init__(self, chat: Chat, prompts: Prompts) -> None:
        self._step = PromptedStep(chat, prompts, Task.JUDGE, "judge", "note_evidence")

    def select(self, question: str, passages: Sequence[Passage], run: Run) -> tuple[Passage, ...]:
        """The passages that help, in the order given, with ``note`` and ``scores["evidence"]`` (0..1).

        A passage that the model says nothing of is kept without a note. When none helps, all are kept: abstaining is
        left to the calibrated confidence.
        """
        noted: list[Passage] = []
        dropped: list[Passage] = []
        for batch in _batch_passages(passages):
            notes = self._take_notes(question, batch, run)
            for index, passage in enumerate(batch.passages, batch.first):
                note = notes.get(index)
                if note is None:
                    noted.append(passage)
                elif note.score >= HELPFUL:
                    noted.append(_with_note(passage, note))
                else:
                    dropped.append(passage)
        if dropped:
            outcome = "passages dropped" if noted else "no passage helps"
            reason = f"{len(dropped)} of {len(passages)} scored under {HELPFUL} of 10 for the question"
            run.note(Decision("judge", outcome, reason))
        return tuple(noted or passages)

    def _take_notes(self, question: str, batch: _Batch, run: Run) -> dict[int, NoteReply]:
        """By index of the passage; only for passages of the batch."""
        reply = self._step.reply(
            NotesReply,
            run,
            question=as_data(question, "question"),
            passages=passages_as_data(batch.passages, CHARACTERS_A_CALL, batch.first),
        )
        if reply is None:
            return {}
        end = batch.first + len(batch.passages)
        found = {index_of(note.key, end): note for note in reply.notes}
        notes = {index: note for index, note in found.items() if index is not None and index >= batch.first}
        if not notes:
            self._step.fell_back(run, "the model noted nothing of the passages it was shown")
        return notes


def _batch_passages(passages: Sequence[Passage]) -> Iterator[_Batch]:
    first = 0
    while first < len(passages):
        end, characters = first, 0
        while end < len(passages) and end - first < PASSAGES_A_CALL:
            characters += len(passages[end].chunk.text)
            if characters > CHARACTERS_A_CALL and end > first:
                break
            end += 1
        yield _Batch(first, passages[first:end])
        first = end


def _with_note(passage: Passage, reply: NoteReply) -> Passage:
    facts = [one_line(fact) for fact in reply.facts[:MOST_FACTS]]
    note = " ".join(part for part in (one_line(reply.summary), *(f"- {fact}" for fact in facts if fact)) if part)
    return replace(passage, note=note[:LONGEST_NOTE], scores={**passage.scores, "evidence": reply.score / 10})


# Heuristic rerank is for material where a fresh, plainly titled article should win over an old one that merely reads
# alike (news).

FRESH = timedelta(hours=24)
RECENT = timedelta(hours=72)
RECENT_SCORE = 0.5
"""A day-old article counts fully, one of the last three days half, older ones not."""


def score_recency(published_at: datetime | None, now: datetime) -> float:
    """1 within 24 hours, 0.5 within 72, else 0; something dated in the future counts as fresh."""
    if published_at is None:
        return 0.0
    age = now - published_at
    if age <= FRESH:
        return 1.0
    return RECENT_SCORE if age <= RECENT else 0.0


def term_match(text: str, question_stems: Sequence[str]) -> float:
    """Share of the question's distinct stems that occur in ``text``, 0..1."""
    asked = set(question_stems)
    return len(asked & set(content_terms(text))) / len(asked) if asked else 0.0


def heuristic_rerank(
    passages: Sequence[Passage], question: str, weights: HeuristicSettings, now: datetime
) -> list[Passage]:
    """The passages by weighted score, best first; the fused score is scaled to 0..1 over the list before."""
    stems = content_terms(question)
    highest = max((passage.score for passage in passages), default=0.0)
    total = weights.fused + weights.title + weights.content + weights.recency
    reranked: list[Passage] = []
    for passage in passages:
        parts = {
            "fused": passage.score / highest if highest > 0 else 0.0,
            "title": term_match(passage.chunk.title, stems),
            "content": term_match(passage.chunk.text, stems),
            "recency": score_recency(passage.chunk.published_at, now),
        }
        score = (
            weights.fused * parts["fused"]
            + weights.title * parts["title"]
            + weights.content * parts["content"]
            + weights.recency * parts["recency"]
        ) / (total or 1.0)
        scores = {**passage.scores, **parts, "fused": passage.score}
        reranked.append(replace(passage, score=score, scores=scores, explanation=_explain_parts(parts)))
    return sorted(reranked, key=lambda passage: (-passage.score, passage.chunk.id))


def _explain_parts(parts: Mapping[str, float]) -> str:
    words = {
        "fused": "search score",
        "title": "question words in the title",
        "content": "question words in the text",
        "recency": "recency",
    }
    return ", ".join(f"{words[name]} {value:.0%}" for name, value in parts.items())


KEPT, RELEVANT = 4, 0.5
"""Passages an answer is written from once they were judged (RE-4), and the score they need: between a passage on the
subject that does not help (0.4 in the prompt) and one that holds a part of the answer (0.7).
"""
JUDGED = 15
"""Passages shown at most: what a reranker hands on (RE-4)."""
SHOWN_CHARACTERS = 1200
"""Of each: a chunk and a little of what it was widened by."""


class PassageScore(BaseModel):
    """How well one passage helps to answer."""

    key: str
    score: int = Field(ge=0, le=100)


class ScoresReply(BaseModel):
    """One score for each passage."""

    scores: list[PassageScore]


class PassageJudge:
    """Keeps the ``KEPT`` best passages, those of at least ``RELEVANT`` where there are some."""

    def __init__(self, chat: Chat, prompts: Prompts) -> None:
        self._step = PromptedStep(chat, prompts, Task.JUDGE, "judge", "judge_passages")

    def select(self, question: str, passages: Sequence[Passage], run: Run) -> tuple[Passage, ...]:
        """The best of ``passages``, by the model's score, ties in the order given; ``scores["judge"]`` is 0..1.

        All of them, in the order given, when the model does not tell. One that says nothing of any of them, or finds a
        passage about something else relevant that is mixed in, is not believed from there on. When it finds every one
        below the floor the best are kept all the same: whether they suffice for an answer is decided by its calibrated
        confidence, not here.
        """
        if not passages:
            return ()
        shown, stray = passages[:JUDGED], choose_stray(question)
        listed = (*shown, _disguise_stray(stray, shown[-1])) if stray else shown
        reply = self._step.reply(
            ScoresReply,
            run,
            question=as_data(question, "question"),
            passages=passages_as_data(listed, SHOWN_CHARACTERS),
        )
        if reply is None:
            return tuple(passages)
        if not reply.scores:
            self._step.distrust(run, f"the model said nothing of {len(listed)} passages")
            return tuple(passages)
        misjudged = max(
            (each.score for each in reply.scores if index_of(each.key, len(listed)) == len(shown)), default=0
        )
        if misjudged >= 100 * RELEVANT:
            self._step.distrust(run, f"the model gave {misjudged} of 100 to a passage about something else")
            return tuple(passages)
        judged = _by_index(reply.scores, len(shown))
        missing = [key_of(i) for i in range(len(shown)) if i not in judged]
        if missing:
            self._step.fell_back(run, f"the model gave no score to {', '.join(missing)}")
            return tuple(passages)
        order = sorted(judged, key=lambda index: (-judged[index], index))
        return self._keep_best([_score_passage(shown[i], judged[i]) for i in order], run)

    def _keep_best(self, ranked: Sequence[Passage], run: Run) -> tuple[Passage, ...]:
        relevant = [passage for passage in ranked if passage.scores["judge"] >= RELEVANT]
        kept = tuple((relevant or list(ranked))[:KEPT])
        reason = f"{len(relevant)} of {len(ranked)} passages judged relevant (from {RELEVANT:g}); {len(kept)} kept"
        outcome = "passages judged" if relevant else "no passage judged relevant"
        run.note(Decision("judge", outcome, reason, {"best": ranked[0].scores["judge"]}))
        return kept


def _disguise_stray(stray: Stray, last: Passage) -> Passage:
    """``stray`` as a passage that looks like the ``last`` one."""
    source = f"{stray.title}.md"
    return replace(
        last, chunk=replace(last.chunk, title=stray.title, heading=stray.title, text=stray.text, source=source)
    )


def _by_index(scores: Sequence[PassageScore], count: int) -> dict[int, int]:
    """The score of each passage; the lowest where the model gave several, unknown keys dropped."""
    judged: dict[int, int] = {}
    for given in scores:
        index = index_of(given.key, count)
        if index is not None:
            judged[index] = min(given.score, judged.get(index, given.score))
    return judged


def _score_passage(passage: Passage, score: int) -> Passage:
    return replace(passage, score=score / 100, scores={**passage.scores, "judge": score / 100})


NODE = "rerank"
CALIBRATED = ("rerank", "judge")
"""Names of the scores in 0..1 that say how relevant a passage is; fused scores only order."""


@dataclass(frozen=True, slots=True)
class Reranking:
    """``passages`` best first, and what was decided: ``decision.scores`` holds ``measure_diversity`` and
    ``measure_coverage``, each 0..1.

    ``measure_diversity`` is one minus the mean similarity of the passages kept, ``measure_coverage`` the share of the
    question's terms that one of them has.
    """

    passages: tuple[Passage, ...]
    decision: Decision


_YEAR = re.compile(r"\b(?:19|20)\d\d\b")
MOST_RERANKED = 15
"""Passages that a reranker leaves: about twice as many as an answer considers (``answers.passages``)."""


def rerank_passages(
    question: str, passages: Sequence[Passage], reranker: Reranker | None, settings: RetrievalSettings
) -> Reranking:
    """Order ``passages`` by the reranker, drop what repeats or misses the point, keep ``MOST_RERANKED``.

    Before the reranker, the ranks of the legs are fused where ``retrieval.reranking_strategy`` says so. Without a
    reranker the order stays. The floor holds for passages with a calibrated relevance only, from the reranker
    or from a judge before; when all are under it, all are kept: whether they suffice is decided later. Where the
    reranker fails the order stays too, and the decision says so.
    """
    if settings.reranking_strategy in {"rrf", "rrf_mmr"}:
        passages = fuse_ranks(passages)
    ranked, by = _order_passages(question, passages, reranker)
    relevant = [p for p in ranked if _lowest_relevance(p) >= settings.rerank_floor]
    strays = len(ranked) - len(relevant) if relevant else 0
    distinct = _drop_duplicates(question, relevant or ranked, settings.near_duplicate)
    repeated = len(ranked) - strays - len(distinct)
    kept = tuple(distinct[:MOST_RERANKED])
    reason = f"{by}: {repeated} near-duplicates and {strays} of little relevance dropped"
    scores = {"diversity": measure_diversity(kept), "coverage": measure_coverage(question, kept)}
    return Reranking(kept, Decision(NODE, f"{len(kept)} of {len(ranked)} passages kept", reason, scores))


RANKED_BY = ("dense", "lexical", "sub_query", "variant", "graph", "recency")
"""Scores that each make a ranking of their own: the legs, parts and other wordings, the graph, and how fresh a passage
is where the heuristic rerank looked at that.
"""


def fuse_ranks(passages: Sequence[Passage]) -> list[Passage]:
    """The passages by reciprocal rank fusion of the rankings behind them, which no score decides alone.

    ``score`` and ``scores["rrf"]`` are the fused one, 1 for what leads every ranking; ties stay in the order given.
    """
    rankings: list[list[int]] = []
    for name in RANKED_BY:
        ranked = [index for index, passage in enumerate(passages) if passage.scores.get(name, 0.0) > 0]
        if ranked:
            rankings.append(_sort_by_score(ranked, passages, name))
    if not rankings:
        return list(passages)
    fused = reciprocal_rank_fusion(rankings)
    order = sorted(range(len(passages)), key=lambda index: (-fused.get(index, 0.0), index))
    return [_with_fused(passages[index], fused.get(index, 0.0)) for index in order]


def _sort_by_score(indices: Sequence[int], passages: Sequence[Passage], name: str) -> list[int]:
    return sorted(indices, key=lambda index: -passages[index].scores[name])


def _with_fused(passage: Passage, score: float) -> Passage:
    return replace(passage, score=score, scores={**passage.scores, "rrf": score})


def measure_diversity(passages: Sequence[Passage]) -> float:
    """One minus the mean Jaccard similarity of the passages' terms over all pairs; 1 for a single passage."""
    terms = [text_terms(p.chunk.text) for p in passages]
    pairs = [_jaccard_similarity(a, b) for i, a in enumerate(terms) for b in terms[:i]]
    return 1.0 - sum(pairs) / len(pairs) if pairs else 1.0


def measure_coverage(question: str, passages: Sequence[Passage]) -> float:
    """Share of the question's content terms that at least one passage has; 1 for a question without any."""
    asked = set(content_terms(question))
    held = set[str]().union(*(text_terms(p.chunk.text) for p in passages))
    return len(asked & held) / len(asked) if asked else 1.0


def _order_passages(question: str, passages: Sequence[Passage], reranker: Reranker | None) -> tuple[list[Passage], str]:
    if reranker is None or not passages:
        return list(passages), "in the order found"
    try:
        scores = reranker.scores(question, [p.chunk.indexed_text for p in passages])
    except ModelError as error:
        return list(passages), f"fell back to the order found, {error}"
    scored = [
        replace(passage, score=score, scores={**passage.scores, "rerank": score})
        for passage, score in zip(passages, scores, strict=True)
    ]
    return sorted(scored, key=lambda passage: -passage.score), f"by {reranker.name}"


def _lowest_relevance(passage: Passage) -> float:
    return min((passage.scores[name] for name in CALIBRATED if name in passage.scores), default=1.0)


@dataclass(slots=True)
class _Repeated:
    """A passage and what repeats it: of versions of a text the one in force, or of a year that the question names, stands beside
    the best, for it says other things.
    """

    place: int
    best: Passage
    terms: frozenset[str]
    in_force: tuple[int, Passage]
    years: frozenset[str]
    """Those that the question names."""

    def add(self, place: int, passage: Passage) -> None:
        """Take what repeats the best where it is of a version that is rather in force."""
        one, other = passage.chunk, self.in_force[1].chunk
        if one.document_id == other.document_id or {one.kind, other.kind} != {DocumentKind.PROSE}:
            return
        if self._rank(one) <= self._rank(other):
            return
        if one.text == self.best.chunk.text:
            self.best = replace(passage, score=self.best.score)
            place, passage = self.place, self.best
        self.in_force = place, passage

    def _rank(self, chunk: Chunk) -> tuple[bool, bool, float]:
        is_named = chunk.published_at is not None and str(chunk.published_at.year) in self.years
        return is_named, *rank_validity(chunk.text, chunk.published_at)


def _drop_duplicates(question: str, passages: Sequence[Passage], threshold: float) -> list[Passage]:
    """The passages in their order without those that repeat a better one, but for the one in force of several versions."""
    groups: list[_Repeated] = []
    years = frozenset(_YEAR.findall(question))
    for place, passage in enumerate(passages):
        terms = text_terms(passage.chunk.text)
        first = next((each for each in groups if _jaccard_similarity(terms, each.terms) > threshold), None)
        if first is None:
            groups.append(_Repeated(place, passage, terms, (place, passage), years))
        else:
            first.add(place, passage)
    kept = dict(each for group in groups for each in ((group.place, group.best), group.in_force))
    return [kept[place] for place in sorted(kept)]


def text_terms(text: str) -> frozenset[str]:
    """The different ``content_terms`` of a passage's text; those of the last passages are remembered."""
    return _remember_terms(text, spoken_language())


@lru_cache(maxsize=500)
def _remember_terms(text: str, language: str) -> frozenset[str]:
    """By the ``language`` that is spoken; remembered, as the same passage is compared four times for a question."""
    return frozenset(content_terms(text))


def _jaccard_similarity(one: frozenset[str], other: frozenset[str]) -> float:
    return len(one & other) / len(one | other) if one or other else 1.0
