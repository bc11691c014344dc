"""Answers: the events on the way to one, and parts of one."""

from typing import Literal, Self

from pydantic import Field

from ascertain.app.wire.shape import NounShape, Shape, select_fields
from ascertain.core.asking.answers import Answer, AnswerType, Citation, Decision
from ascertain.core.asking.requests import AnswerText, Done, DraftText, Event, NodeFinished, NodeStarted, StepEvent


class NamedAnswerJson(Shape):
    """The answer of one of several knowledge bases."""

    knowledge_base: str = Field(examples=["papers"])
    answer: Answer


class StepBegunJson(NounShape[NodeStarted]):
    """A step has begun."""

    event: Literal["node_started"] = "node_started"
    node: str = Field(examples=["retrieve"])


class StepEndedJson(NounShape[NodeFinished]):
    """A step is done; the last of its decisions is its own."""

    event: Literal["node_finished"] = "node_finished"
    node: str = Field(examples=["retrieve"])
    decisions: list[Decision]


class AnswerTextJson(NounShape[AnswerText]):
    """A piece of the checked answer; the pieces make up its text."""

    event: Literal["answer_text"] = "answer_text"
    text: str = Field(examples=["Gas fees are what a transaction pays ..."])


class AnswerDoneJson(NounShape[Done]):
    """The end, with the whole answer."""

    event: Literal["done"] = "done"
    answer: Answer


EventJson = StepBegunJson | StepEndedJson | AnswerTextJson | AnswerDoneJson


def describe_event(event: StepEvent) -> EventJson:
    """One line of ``ask --stream --json``."""
    if isinstance(event, NodeStarted):
        return StepBegunJson.from_noun(event)
    if isinstance(event, AnswerText):
        return AnswerTextJson.from_noun(event)
    return AnswerDoneJson.from_noun(event) if isinstance(event, Done) else StepEndedJson.from_noun(event)


class StreamBegunJson(Shape):
    """`started`: the id that the answer will have, by which its stream is found again."""

    answer_id: str = Field(examples=["5b1f0c8e2d914b7a9c3e6f7a8b9c0d1e"])
    conversation_id: str | None


class NodeBegunJson(NounShape[NodeStarted]):
    """`node`: a step has begun."""

    node: str = Field(examples=["retrieve"])
    state: Literal["started"] = "started"


class NodeEndedJson(select_fields(Decision, "node", "outcome", "reason", "scores", "seconds")):
    """`node`: a step is done; `notes` are decisions on the way to its own."""

    state: Literal["finished"] = "finished"
    notes: list[Decision]


StreamEventJson = NodeBegunJson | NodeEndedJson | DraftText | AnswerText | Answer


def describe_stream_event(event: Event) -> tuple[str, StreamEventJson]:
    """An event of a run as the service sends it: its name and its data."""
    if isinstance(event, NodeStarted):
        return "node", NodeBegunJson.from_noun(event)
    if isinstance(event, DraftText):
        return "draft", event
    if isinstance(event, AnswerText):
        return "text", event
    if isinstance(event, Done):
        return "answer", event.answer
    own = event.decisions[-1] if event.decisions else Decision(event.node, "", "")
    given = {**own.to_json(), "node": event.node, "notes": event.decisions[:-1]}
    return "node", NodeEndedJson.model_validate(given)


class SourceJson(select_fields(Citation, "n", "document_id", "title", "url", "published_at", "quote", "source")):
    """A source of an answer about the news."""


class NewsDebugJson(
    select_fields(
        Answer,
        *("standalone", "strategy", "attempts", "confidence", "groundedness"),
        *("decisions", "usage", "is_cached", "seconds"),
    )
):
    """How an answer was made."""


class NewsJson(Shape):
    """An answer from articles that were fetched for a conversation."""

    answer_text: str = Field(examples=["The bridge was closed on Monday."])
    answer_type: AnswerType
    sources: list[SourceJson]
    conversation_id: str = Field(examples=["c7d1"])
    answer_id: str = Field(examples=["5b1f0c8e2d914b7a9c3e6f7a8b9c0d1e"])
    debug: NewsDebugJson | None = Field(default=None, description="How it was made, if requested.")

    @classmethod
    def from_answer(cls, answer: Answer, conversation_id: str, with_debug: bool) -> Self:
        """The answer with the field names of the clients of ``/rag``."""
        whole = answer.to_json()
        return cls.model_validate(
            {
                "answer_text": answer.text,
                "answer_type": answer.type,
                "sources": whole["citations"],
                "conversation_id": conversation_id,
                "answer_id": answer.id,
                "debug": whole if with_debug else None,
            }
        )
