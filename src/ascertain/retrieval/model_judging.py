"""Judging passages: which of them help, how good they are together and what is wrong (RE-7), and what is missing (RE-8).

A chat model does all of it in one call, and notes what each passage says of the question for the writer: the map step of PaperQA2
(Skarlinski et al., "Language agents achieve superhuman synthesis of scientific knowledge", arXiv 2409.13740), there the part that
mattered most.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Literal, Protocol

from pydantic import BaseModel, BeforeValidator, Field

from ascertain.core.asking.answers import Decision
from ascertain.core.asking.judgements import (
    GOOD_QUALITY,
    OFF_TOPIC_SIGNAL,
    RULES_SIGNAL,
    SUBJECT_SIGNAL,
    Gap,
    GapKind,
    RetrievalIssue,
    RetrievalQuality,
    Sufficiency,
)
from ascertain.core.asking.passages import Filter, Passage
from ascertain.core.asking.plans import Plan
from ascertain.core.asking.runs import Run, Task
from ascertain.language.numbers import find_quantities, holds_quantity
from ascertain.language.sentences import cut_at_sentence
from ascertain.models.chat.controls import Stray, choose_stray
from ascertain.models.chat.replies import read_list
from ascertain.models.ports import Chat
from ascertain.models.prompts import PromptedStep, Prompts, as_data
from ascertain.questions.model_inputs import index_of, one_line, passages_as_data
from ascertain.retrieval.judging import LOW_SCORE

KEPT, RELEVANT = 4, 0.5
"""Passages an answer is written from once they were judged (RE-4), and the score they need: between a passage on the
subject that does not help (0.4 in the prompt) and one that holds a part of the answer (0.7).
"""
JUDGED = 15
"""Passages shown at most: as many as a reranker leaves (RE-4)."""
SHOWN_CHARACTERS = 16_000
"""Of all passages together: 4,000 tokens, and twice the eight chunks of 1,000 characters that are read at the defaults."""
LONGEST_NOTE = 600
"""Characters of a note; cut at the end of a sentence."""
MOST_MISSING = 5
JUDGED_SIGNAL = "judge"
"""The score of a passage by a chat model, 0..1, among its scores."""

_FATAL = frozenset({RetrievalIssue.OFF_TOPIC, RetrievalIssue.WRONG_DOMAIN})
_FLAWLESS = 90
"""From this quality on an issue contradicts the score."""


class RetrievalJudge(Protocol):
    """Judges passages as a whole (RE-7)."""

    def judge(
        self, question: str, language: str, plan: Plan, passages: Sequence[Passage], run: Run
    ) -> RetrievalQuality:
        """Quality 0..100 and what is wrong."""
        ...


class SufficiencyCheck(Protocol):
    """Says whether passages can hold an answer (RE-8)."""

    def check(
        self, question: str, plan: Plan, passages: Sequence[Passage], filter: Filter, run: Run, *, language: str
    ) -> Sufficiency:
        """What is missing, named."""
        ...


@dataclass(frozen=True, slots=True)
class Judgement:
    """``evidence``: the passages to write from, best first; ``quality`` and ``sufficiency`` of all of them."""

    evidence: tuple[Passage, ...]
    quality: RetrievalQuality
    sufficiency: Sufficiency


class PassageJudge(Protocol):
    """Reads what a search found (RE-4, RE-7, RE-8)."""

    def judge(
        self,
        question: str,
        plan: Plan,
        passages: Sequence[Passage],
        filter: Filter,
        run: Run,
        *,
        language: str,
        read: Collection[str] = frozenset(),
    ) -> Judgement:
        """Which passages to write from, how good they are, and what is missing; the chunks ``read``, by id, were judged before."""
        ...


class RulePassageJudge:
    """Keeps every passage in its order; the rules say how good they are and what is missing."""

    def __init__(self, retrieval_judge: RetrievalJudge, sufficiency: SufficiencyCheck) -> None:
        self._retrieval_judge = retrieval_judge
        self._sufficiency = sufficiency

    def judge(
        self,
        question: str,
        plan: Plan,
        passages: Sequence[Passage],
        filter: Filter,
        run: Run,
        *,
        language: str,
        read: Collection[str] = frozenset(),
    ) -> Judgement:
        """All of ``passages``, with quality and sufficiency by rules; reading again costs nothing."""
        quality = self._retrieval_judge.judge(question, language, plan, passages, run)
        return Judgement(
            tuple(passages), quality, self._sufficiency.check(question, plan, passages, filter, run, language=language)
        )


class PassageReply(BaseModel):
    """What one passage gives for the question."""

    key: str
    score: int = Field(ge=0, le=100)
    note: str = ""


class MissingReply(BaseModel):
    """One thing that an answer needs and no passage holds."""

    kind: Literal["name", "concept", "time", "figure"]
    what: str


class JudgementReply(BaseModel):
    """What the passages give, one by one and together; the prompt says what the fields mean."""

    passages: list[PassageReply]
    score: int = Field(ge=0, le=100)
    issues: Annotated[list[RetrievalIssue], BeforeValidator(read_list)] = []
    missing: Annotated[list[MissingReply], BeforeValidator(read_list)] = []
    reason: str = ""


class ModelPassageJudge:
    """Asks the model once for every ``at_once`` passages; the signals stay those of the rules, which take over where it gives nothing."""

    def __init__(self, chat: Chat, prompts: Prompts, rules: PassageJudge, at_once: int) -> None:
        self._step = PromptedStep(chat, prompts, Task.JUDGE, "judge", "judge_passages")
        self._rules = rules
        self._at_once = at_once

    def judge(
        self,
        question: str,
        plan: Plan,
        passages: Sequence[Passage],
        filter: Filter,
        run: Run,
        *,
        language: str,
        read: Collection[str] = frozenset(),
    ) -> Judgement:
        """The ``KEPT`` best of the passages not ``read`` yet, those of at least ``RELEVANT`` where there are some, with ``note`` and
        ``scores["judge"]`` (0..1), and what the model thinks of all of them.

        A model that skips all of them, or finds a control passage about something else relevant, is not
        trusted from then on. When it finds every one below the floor the best are kept all the same: whether they suffice for
        an answer is decided by its calibrated confidence, not here.
        """
        rules = self._rules.judge(question, plan, passages, filter, run, language=language)
        if not passages:
            return rules
        asked = plan.wording or question
        unread = [passage for passage in passages if passage.chunk.id not in read]
        shown, stray = tuple(unread[:JUDGED]), choose_stray(asked, language)
        replies: list[JudgementReply] = []
        judged: dict[int, PassageReply] = {}
        for first in range(0, len(shown), self._at_once):
            batch = shown[first : first + self._at_once]
            listed = (*batch, _disguise_stray(stray, batch[-1])) if stray else batch
            reply = self._step.reply(
                JudgementReply,
                run,
                question=as_data(asked, "question"),
                passages=passages_as_data(listed, SHOWN_CHARACTERS, first),
            )
            end = first + len(batch)
            if reply is None or not self._is_credible(reply, end, first + len(listed), run):
                return rules
            replies.append(reply)
            judged |= {index: each for index, each in _read_passages(reply.passages, end).items() if index >= first}
        if not judged:
            self._step.fell_back(run, "the model judged none of the passages it was shown")
            return rules
        # of passages that were judged apart the best ones say how good all are together
        reply = max(replies, key=lambda each: each.score)
        evidence = self._keep_best([*_score_passages(unread, judged)], judged, run)
        return Judgement(evidence, self._read_quality(reply, rules.quality, run), _read_sufficiency(reply, rules))

    def _is_credible(self, reply: JudgementReply, shown: int, listed: int, run: Run) -> bool:
        if not reply.passages:
            self._step.distrust(run, f"the model said nothing of {listed} passages")
            return False
        misjudged = max((each.score for each in reply.passages if index_of(each.key, listed) == shown), default=0)
        if misjudged >= 100 * RELEVANT:
            self._step.distrust(run, f"the model gave {misjudged} of 100 to a passage about something else")
            return False
        return True

    def _keep_best(
        self, ranked: Sequence[Passage], judged: Mapping[int, PassageReply], run: Run
    ) -> tuple[Passage, ...]:
        """Those that help; of those that the model skipped, as many as fit."""
        relevant = [p for p in ranked if p.scores.get(JUDGED_SIGNAL, 0.0) >= RELEVANT]
        unjudged = [p for p in ranked if JUDGED_SIGNAL not in p.scores]
        kept = tuple((relevant + unjudged if relevant else list(ranked))[:KEPT])
        reason = f"{len(relevant)} of {len(judged)} passages judged relevant (from {RELEVANT:g}); {len(kept)} kept"
        outcome = "passages judged" if relevant else "no passage judged relevant"
        run.note(Decision("judge", outcome, reason, {"best": max(each.score for each in judged.values()) / 100}))
        return kept

    def _read_quality(self, reply: JudgementReply, rules: RetrievalQuality, run: Run) -> RetrievalQuality:
        """The model's score and issues.

        A verdict that no passage is on the subject counts only if the rules find little too (a score below 40): of the
        questions of the development sets that are answered rightly without a model, none has less.
        """
        issues = tuple(dict.fromkeys(reply.issues))
        is_none = RetrievalIssue.OFF_TOPIC in issues
        by_rules = {RULES_SIGNAL: float(rules.score), OFF_TOPIC_SIGNAL: float(RetrievalIssue.OFF_TOPIC in rules.issues)}
        if (reply.score >= _FLAWLESS and _FATAL & set(issues)) or (reply.score >= GOOD_QUALITY and is_none):
            self._step.fell_back(run, f"the model gave {reply.score} to passages that it calls {issues[0]}")
            return replace(rules, signals={**rules.signals, **by_rules})
        if reply.score >= _FLAWLESS:
            issues = ()
        elif reply.score < LOW_SCORE and not issues:
            issues = rules.issues or (RetrievalIssue.LOW_CONFIDENCE,)
        reason = one_line(reply.reason)[:200] or "as a chat model judged them"
        if is_none and _finds_subject(rules):
            # that a model finds nothing ends as a rejection; one that says so of everything would silence every document
            issues = tuple(issue for issue in issues if issue is not RetrievalIssue.OFF_TOPIC)
            issues = issues or (RetrievalIssue.LOW_CONFIDENCE,)
            reason = f"{reason}; the rules find passages on the subject ({rules.score} of 100)"
        return RetrievalQuality(reply.score, issues, reason, {**rules.signals, **by_rules})


def is_judged_by_model(quality: RetrievalQuality) -> bool:
    """Whether a chat model read the passages."""
    return RULES_SIGNAL in quality.signals


def _disguise_stray(stray: Stray, last: Passage) -> Passage:
    """``stray`` as a passage that looks like the ``last`` one."""
    chunk = replace(last.chunk, title=stray.title, heading=stray.title, text=stray.text, source=f"{stray.title}.md")
    return replace(last, chunk=replace(chunk, url=None))


def _read_passages(replies: Sequence[PassageReply], count: int) -> dict[int, PassageReply]:
    """The reply on each passage; the one with the lowest score where the model gave several, unknown keys dropped."""
    judged: dict[int, PassageReply] = {}
    for given in replies:
        index = index_of(given.key, count)
        if index is not None and (index not in judged or given.score < judged[index].score):
            judged[index] = given
    return judged


def _score_passages(passages: Sequence[Passage], judged: Mapping[int, PassageReply]) -> list[Passage]:
    """The passages by score, ties in the order given, those without one behind the relevant ones."""
    scored = [_score_passage(passage, judged[i]) if i in judged else passage for i, passage in enumerate(passages)]

    def place(index: int) -> tuple[float, int]:
        return (-scored[index].scores.get(JUDGED_SIGNAL, RELEVANT - 0.001), index)

    return [scored[index] for index in sorted(range(len(scored)), key=place)]


def _score_passage(passage: Passage, reply: PassageReply) -> Passage:
    note = cut_at_sentence(one_line(reply.note), LONGEST_NOTE)
    held = find_quantities(f"{passage.chunk.indexed_text}\n{passage.chunk.published_at or ''}")
    if not all(holds_quantity(each, held) for each in find_quantities(note)):
        note = ""  # a figure that the passage does not hold would be written as if it did
    scores = {**passage.scores, JUDGED_SIGNAL: reply.score / 100}
    return replace(passage, note=note, score=reply.score / 100, scores=scores)


def _read_sufficiency(reply: JudgementReply, rules: Judgement) -> Sufficiency:
    """What the model misses; a gap of time that the rules measured stays in any case."""
    measured = tuple(gap for gap in rules.sufficiency.gaps if gap.kind is GapKind.TIME)
    named = [
        Gap(GapKind(gap.kind), cut_at_sentence(one_line(gap.what), 200)) for gap in reply.missing if one_line(gap.what)
    ]
    gaps = (*measured, *named[:MOST_MISSING])
    reason = one_line(reply.reason)[:200] or "as a chat model judged them"
    return Sufficiency(not gaps, gaps, reason, rules.sufficiency.signals)


def _finds_subject(rules: RetrievalQuality) -> bool:
    """Whether the rules see passages on the subject; a search by words alone that found none of its words shows
    nothing.
    """
    can_tell = "similarity" in rules.signals or rules.signals.get(SUBJECT_SIGNAL, 1.0) > 0
    return can_tell and rules.score >= LOW_SCORE and RetrievalIssue.OFF_TOPIC not in rules.issues
