"""A chat model makes follow-ups self-contained (QU-1)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from pydantic import BaseModel, Field

from ascertain.core.conversations import Standalone, Turn
from ascertain.core.runs import Run, Task
from ascertain.models.ports import Chat
from ascertain.models.prompted import PromptedStep
from ascertain.models.prompts import Prompts, as_data
from ascertain.retrieval.model_wording import is_wording, lost_figures, new_words, one_line

TURNS = 8
"""Latest turns shown; what a follow-up leans on is rarely further back (MTRAG's conversations: the last three)."""
TURN_CHARACTERS = 600
"""Shown of each; the subject of a reply stands at its beginning."""
INVENTED = 0.34
"""Share of a rewrite's words that may stand neither in the question nor in the conversation."""


class Rewriter(Protocol):
    """``RuleRewriter``, as far as it is used here."""

    def standalone(self, question: str, history: Sequence[Turn], run: Run) -> Standalone:
        """``question`` as it would be asked without ``history``."""
        ...


class RewriteReply(BaseModel):
    """The question as it would be asked without the conversation."""

    is_follow_up: bool = Field(description="Whether the question needs the conversation to be understood.")
    standalone: str = Field(
        description="The question, understandable on its own; unchanged when it was so before."
    )


class ModelRewriter:
    """Asks the model; the rules take over when its rewrite loses figures or brings words from nowhere."""

    def __init__(self, chat: Chat, prompts: Prompts, fallback: Rewriter) -> None:
        self._step = PromptedStep(chat, prompts, Task.REWRITE, "rewrite", "rewrite")
        self._fallback = fallback

    def standalone(self, question: str, history: Sequence[Turn], run: Run) -> Standalone:
        """``question`` as it would be asked without ``history`` (oldest first)."""
        if not history:
            return self._fallback.standalone(question, history, run)
        reply = self._step.reply(
            RewriteReply, run, history=_shown(history), question=as_data(question, "question")
        )
        if reply is None:
            return self._fallback.standalone(question, history, run)
        text = one_line(reply.standalone)
        if not reply.is_follow_up or text.casefold() == question.strip().casefold():
            return Standalone(question, False, reason="the question stands on its own")
        wrong = _wrong_with(text, question, history)
        if wrong:
            self._step.fell_back(run, wrong)
            return self._fallback.standalone(question, history, run)
        added = new_words(text, question)
        return Standalone(text, True, added, "continues the conversation; a chat model completed it")


def _wrong_with(text: str, question: str, history: Sequence[Turn]) -> str:
    """Why ``text`` cannot be the question; empty when it can."""
    if not is_wording(text, max(400, 2 * len(question))):
        return f"the rewrite is empty or too long ({len(text)} characters)"
    lost = lost_figures(text, question)
    if lost:
        return f"the rewrite lost {', '.join(lost)}"
    invented = new_words(text, question, *(turn.text for turn in history))
    if len(invented) > INVENTED * len(text.split()):
        return f"the rewrite speaks of what nobody mentioned: {', '.join(invented[:5])}"
    return ""


def _shown(history: Sequence[Turn]) -> str:
    return "\n".join(
        as_data(turn.text[:TURN_CHARACTERS], "turn", {"speaker": turn.role}) for turn in history[-TURNS:]
    )
