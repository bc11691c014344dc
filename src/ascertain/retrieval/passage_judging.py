"""A chat model scores each passage for the question, and the best few are written from (RE-4)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from pydantic import BaseModel, Field

from ascertain.core.answers import Decision
from ascertain.core.passages import Passage
from ascertain.core.runs import Run, Task
from ascertain.models.ports import Chat
from ascertain.models.prompted import PromptedStep
from ascertain.models.prompts import Prompts, as_data
from ascertain.retrieval.passage_data import index_of, key_of, passages_as_data

KEPT, RELEVANT = 4, 0.5
"""Passages an answer is written from once they were judged (RE-4), and the score they need: between a passage on the
subject that does not help (0.4 in the prompt) and one that holds a part of the answer (0.7)."""
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

        All of them, in the order given, when the model does not tell. When it finds every one below the floor the best are
        kept all the same: whether they suffice for an answer is decided by its calibrated confidence, not here.
        """
        if not passages:
            return ()
        shown = passages[:JUDGED]
        reply = self._step.reply(
            ScoresReply,
            run,
            question=as_data(question, "question"),
            passages=passages_as_data(shown, SHOWN_CHARACTERS),
        )
        if reply is None:
            return tuple(passages)
        judged = _by_index(reply.scores, len(shown))
        missing = [key_of(i) for i in range(len(shown)) if i not in judged]
        if missing:
            self._step.fell_back(run, f"the model gave no score to {', '.join(missing)}")
            return tuple(passages)
        order = sorted(judged, key=lambda index: (-judged[index], index))
        return self._kept([_scored(shown[i], judged[i]) for i in order], run)

    def _kept(self, ranked: Sequence[Passage], run: Run) -> tuple[Passage, ...]:
        relevant = [passage for passage in ranked if passage.scores["judge"] >= RELEVANT]
        kept = tuple((relevant or list(ranked))[:KEPT])
        reason = (
            f"{len(relevant)} of {len(ranked)} passages judged relevant (from {RELEVANT:g}); {len(kept)} kept"
        )
        outcome = "passages judged" if relevant else "no passage judged relevant"
        run.note(Decision("judge", outcome, reason, {"best": ranked[0].scores["judge"]}))
        return kept


def _by_index(scores: Sequence[PassageScore], count: int) -> dict[int, int]:
    """The score of each passage; the lowest where the model gave several, unknown keys dropped."""
    judged: dict[int, int] = {}
    for given in scores:
        index = index_of(given.key, count)
        if index is not None:
            judged[index] = min(given.score, judged.get(index, given.score))
    return judged


def _scored(passage: Passage, score: int) -> Passage:
    return replace(passage, score=score / 100, scores={**passage.scores, "judge": score / 100})
