"""A chat model says what a question wants (QU-4, QU-6)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from pydantic import BaseModel, Field

from ascertain.core.plans import (
    Complexity,
    GraphQuery,
    Intent,
    Plan,
    QuestionType,
    Sources,
    SubQuery,
    SubQueryType,
)
from ascertain.core.runs import Run, Task
from ascertain.language.tokens import content_terms
from ascertain.models.ports import Chat
from ascertain.models.prompted import PromptedStep
from ascertain.models.prompts import Prompts, as_data
from ascertain.retrieval.global_questions import global_question
from ascertain.retrieval.model_wording import is_wording, one_line, same_words, shares_words
from ascertain.retrieval.planning import inquiry_of

MOST_PARTS = 5
"""Parts of a question that are searched; each is a search of its own."""
GREETING_WORDS = 4
"""A message with more content words than this wants something, whatever it begins with."""


class Planner(Protocol):
    """``RulePlanner``, as far as it is used here."""

    def plan(self, question: str, run: Run) -> Plan:
        """The plan for a standalone question."""
        ...


class PartReply(BaseModel):
    """One part of a complex question."""

    text: str = Field(description="The part, as a question that can be searched on its own.")
    type: SubQueryType
    priority: int = Field(description="1 is looked up first.")


class PlanReply(BaseModel):
    """What a question wants and how it is to be looked up."""

    intent: Intent
    type: QuestionType
    complexity: Complexity
    parts: list[PartReply] = Field(default=[], description="Of a complex question; else empty.")
    sources: Sources = Sources.PASSAGES
    graph_query: GraphQuery = GraphQuery.NONE
    expand: bool = Field(
        default=False, description="Whether other wordings of the question should be searched."
    )
    reason: str = Field(default="", description="A short line.")


class ModelPlanner:
    """Asks the model; the rules take over when its plan contradicts the question."""

    def __init__(self, chat: Chat, prompts: Prompts, fallback: Planner) -> None:
        self._step = PromptedStep(chat, prompts, Task.PLAN, "plan", "plan")
        self._fallback = fallback

    def plan(self, question: str, run: Run) -> Plan:
        """The plan for a standalone question; one about the documents as a whole is recognised by rules alone."""
        if global_question(question) is not None:
            return self._fallback.plan(question, run)
        reply = self._step.reply(PlanReply, run, question=as_data(question, "question"))
        if reply is None:
            return self._fallback.plan(question, run)
        if reply.intent is Intent.GREETING and len(content_terms(question)) > GREETING_WORDS:
            self._step.fell_back(run, "the model took a message that asks for something for a greeting")
            return self._fallback.plan(question, run)
        parts = _parts(reply.parts, question) if reply.complexity is Complexity.COMPLEX else ()
        graph_query = reply.graph_query if reply.sources is not Sources.PASSAGES else GraphQuery.NONE
        if graph_query is GraphQuery.GLOBAL:
            graph_query = GraphQuery.CROSS_DOCUMENT
        return Plan(
            intent=reply.intent,
            type=reply.type,
            complexity=reply.complexity,
            reason=one_line(reply.reason)[:200] or "as a chat model planned it",
            sub_queries=parts,
            sources=Sources.PASSAGES if graph_query is GraphQuery.NONE else reply.sources,
            graph_query=graph_query,
            expand=reply.expand,
            inquiry=inquiry_of(question) if reply.intent is Intent.KNOWLEDGE else None,
        )


def _parts(replies: Sequence[PartReply], question: str) -> tuple[SubQuery, ...]:
    """The parts worth a search, by priority from 1; none when fewer than two are left."""
    kept: list[SubQuery] = []
    for reply in sorted(replies, key=lambda part: part.priority):
        text = one_line(reply.text)
        repeats = same_words(text, question) or any(same_words(text, part.text) for part in kept)
        if is_wording(text) and shares_words(text, question) and not repeats:
            kept.append(SubQuery(text, reply.type, len(kept) + 1))
    return tuple(kept[:MOST_PARTS]) if len(kept) > 1 else ()
