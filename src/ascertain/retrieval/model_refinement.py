"""A chat model words a question anew after poor retrieval, told what was wrong (WF-2, QU-8)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol

from pydantic import BaseModel, Field

from ascertain.core.judgements import Shortfall
from ascertain.core.plans import Refinement
from ascertain.core.runs import Run, Task
from ascertain.models.ports import Chat
from ascertain.models.prompted import PromptedStep
from ascertain.models.prompts import Prompts, as_data
from ascertain.retrieval.guidance import GUIDANCE
from ascertain.retrieval.model_wording import is_wording, new_words, one_line, same_words, shares_words
from ascertain.retrieval.passage_data import passages_as_data
from ascertain.retrieval.strategy_guidance import STRATEGY_GUIDANCE

SHOWN = 5
"""Passages shown: what came first says what the wording leads to."""
SHOWN_CHARACTERS = 300
ISSUES = 3
"""Issues whose guidance is given, weightiest first; more contradict each other."""


class Refiner(Protocol):
    """``RuleRefiner``, as far as it is used here."""

    def refine(self, shortfall: Shortfall, run: Run) -> Refinement:
        """Another wording that asks the same."""
        ...


class RefinementReply(BaseModel):
    """Another wording of the question."""

    query: str = Field(description="The question, worded anew.")
    reason: str = Field(default="", description="What was changed and why, in a short line.")


class ModelRefiner:
    """Asks the model; the rules take over when its wording is no other one or asks after something else."""

    def __init__(self, chat: Chat, prompts: Prompts, fallback: Refiner) -> None:
        self._step = PromptedStep(chat, prompts, Task.REWRITE, "refine", "refine")
        self._fallback = fallback

    def refine(self, shortfall: Shortfall, run: Run) -> Refinement:
        """Another wording that asks the same."""
        passages = passages_as_data(shortfall.passages[:SHOWN], SHOWN_CHARACTERS)
        reply = self._step.reply(
            RefinementReply,
            run,
            question=as_data(shortfall.question, "question"),
            guidance="\n".join(_guidance(shortfall)),
            passages=passages or "(none)",
        )
        if reply is None:
            return self._fallback.refine(shortfall, run)
        text = one_line(reply.query)
        wrong = _wrong_with(text, shortfall.question)
        if wrong:
            self._step.fell_back(run, wrong)
            return self._fallback.refine(shortfall, run)
        reason = one_line(reply.reason)[:200] or "a chat model worded it anew"
        return Refinement(text, reason, new_words(text, shortfall.question))


def _guidance(shortfall: Shortfall) -> Iterator[str]:
    for issue in shortfall.quality.issues[:ISSUES]:
        yield f"- {issue}: {GUIDANCE[issue]}"
    for gap in shortfall.sufficiency.gaps[:ISSUES]:
        # what is missing is named in words of the question or by the sufficiency check, not by a passage
        yield f"- missing {gap.kind}: {one_line(gap.what)[:100]}"
    yield f"- {shortfall.strategy} search: {STRATEGY_GUIDANCE[shortfall.strategy]}"


def _wrong_with(text: str, question: str) -> str:
    """Why ``text`` cannot be searched instead; empty when it can."""
    if not is_wording(text):
        return f"the wording is empty or too long ({len(text)} characters)"
    if same_words(text, question):
        return "the wording has the same words as before"
    if not shares_words(text, question):
        return "the wording shares no word with the question"
    return ""
