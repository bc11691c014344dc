"""A chat model words a question in other ways (QU-3): three variants, and on demand HyDE and step-back.

HyDE: Gao et al., "Precise Zero-Shot Dense Retrieval without Relevance Labels", arXiv 2212.10496. Step-back: Zheng et al.,
"Take a Step Back", arXiv 2310.06117.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol

from pydantic import BaseModel, Field

from ascertain.core.passages import Strategy
from ascertain.core.plans import Plan, Variant
from ascertain.core.runs import Run, Task
from ascertain.core.settings import RetrievalSettings
from ascertain.models.ports import Chat
from ascertain.models.prompted import PromptedStep
from ascertain.models.prompts import Prompts, as_data
from ascertain.retrieval.model_wording import LONGEST, is_wording, one_line, same_words, shares_words
from ascertain.retrieval.strategy_guidance import STRATEGY_GUIDANCE

LONGEST_IMAGINED = 1000
"""Characters of an imagined passage: the size of a chunk, past which the embedding model sees nothing."""

_HYDE = "hyde: a passage of three or four sentences as a document that answers the question might hold it."
_STEP_BACK = "step_back: the more general question behind it, whose answer would help with this one."
_EMPTY = "Leave {} empty."


class Expander(Protocol):
    """``RuleExpander``, as far as it is used here."""

    def expand(self, question: str, plan: Plan, strategy: Strategy, run: Run) -> tuple[Variant, ...]:
        """Variants to search beside the question."""
        ...


class ExpansionReply(BaseModel):
    """Other wordings of one question."""

    technical: str = Field(description="In the terms of an expert.")
    simple: str = Field(description="In everyday words.")
    aspect: str = Field(description="Asking after another side of the same matter.")
    hyde: str = ""
    step_back: str = ""


class ModelExpander:
    """Asks the model; the rules take over when none of its wordings can be used."""

    def __init__(self, chat: Chat, prompts: Prompts, fallback: Expander, settings: RetrievalSettings) -> None:
        self._step = PromptedStep(chat, prompts, Task.REWRITE, "expand", "expand")
        self._fallback = fallback
        self._settings = settings

    def expand(self, question: str, plan: Plan, strategy: Strategy, run: Run) -> tuple[Variant, ...]:
        """Variants to search beside the question; none where the plan does without."""
        if not plan.expand:
            return self._fallback.expand(question, plan, strategy, run)
        reply = self._step.reply(
            ExpansionReply,
            run,
            question=as_data(question, "question"),
            strategy=STRATEGY_GUIDANCE[strategy],
            options="\n".join(self._options()),
        )
        if reply is None:
            return self._fallback.expand(question, plan, strategy, run)
        variants = self._usable(reply, question)
        if not variants:
            self._step.fell_back(run, "none of the model's wordings asks after the same in other words")
            return self._fallback.expand(question, plan, strategy, run)
        return variants

    def _options(self) -> Iterator[str]:
        yield f"- {_HYDE}" if self._settings.hyde else f"- {_EMPTY.format('hyde')}"
        yield f"- {_STEP_BACK}" if self._settings.step_back else f"- {_EMPTY.format('step_back')}"

    def _usable(self, reply: ExpansionReply, question: str) -> tuple[Variant, ...]:
        wordings = {"technical": reply.technical, "simple": reply.simple, "aspect": reply.aspect}
        if self._settings.hyde:
            wordings["hyde"] = reply.hyde
        if self._settings.step_back:
            wordings["step_back"] = reply.step_back
        kept: list[Variant] = []
        for kind, wording in wordings.items():
            text = one_line(wording)
            longest = LONGEST_IMAGINED if kind == "hyde" else LONGEST
            repeats = same_words(text, question) or any(same_words(text, other.text) for other in kept)
            if is_wording(text, longest) and shares_words(text, question) and not repeats:
                kept.append(Variant(kind, text))
        return tuple(kept)
