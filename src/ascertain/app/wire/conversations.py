"""Conversations with their turns, and feedback on answers."""

from __future__ import annotations

from typing import Literal, Self

from pydantic import Field

from ascertain.app.wire.shape import Date, NounShape, Shape
from ascertain.core.asking.answers import Answer, AnswerType
from ascertain.core.asking.requests import ConversationSummary, FollowUp, TurnRecord, TurnState
from ascertain.core.service.service import GivenAnswer


class ConversationSummaryJson(NounShape[ConversationSummary]):
    """One conversation."""

    id: str = Field(examples=["budget-2026"])
    first_question: str = Field(examples=["What did we spend?"])
    turns: int = Field(description="The finished ones.", examples=[3])
    last_used: Date = Field(examples=["2026-11-22T10:00:00+00:00"])
    name: str = Field(description="Its name; empty if it was not named.", examples=["Budget of 2026"])
    is_pinned: bool = Field(description="Whether it is pinned to the top.", examples=[False])
    is_shared: bool = Field(description="Whether all of the tenant may read it.", examples=[False])
    is_own: bool = Field(description="Whether the caller may ask in it, change and delete it.", examples=[True])

    @classmethod
    def read_noun(cls, noun: ConversationSummary) -> object:
        """With the label beside the rest, for its owner."""
        label = noun.label
        return cls.read_attributes(
            noun, name=label.name, is_pinned=label.is_pinned, is_shared=label.is_shared, is_own=True
        )

    @classmethod
    def from_summary(cls, summary: ConversationSummary, *, is_own: bool) -> Self:
        """One conversation for its owner, or for another user."""
        return cls.from_noun(summary).model_copy(update={"is_own": is_own})


class ConversationsJson(Shape):
    """All conversations, the last used first."""

    conversations: list[ConversationSummaryJson]


class ForgottenJson(Shape):
    """A conversation that was deleted, and how many turns it had."""

    conversation_id: str = Field(examples=["budget-2026"])
    deleted: int = Field(examples=[3])


class FeedbackJson(NounShape[GivenAnswer]):
    """Stored feedback."""

    answer_id: str = Field(examples=["5b1f0c8e2d914b7a9c3e6f7a8b9c0d1e"])
    thumb: Literal["up", "down"]
    comment: str = Field(examples=[""])


class BriefTurnJson(NounShape[TurnRecord]):
    """A question with the text of its answer."""

    turn_id: str = Field(examples=["6f1e"])
    question: str = Field(examples=["And in May?"])
    standalone: str | None = Field(
        description="The question as it was searched, where the conversation changed it.",
        examples=["What did we spend in May?"],
    )
    asked_at: Date = Field(examples=["2026-11-22T10:00:00+00:00"])
    state: TurnState = Field(description="`interrupted`: its process ended before the turn did.", examples=["finished"])
    reason: str = Field(description="Why it failed or was interrupted.", examples=[""])
    answer: str | None = Field(examples=["In May ..."])
    type: AnswerType | None = Field(examples=["followup_answer"])

    @classmethod
    def read_noun(cls, noun: TurnRecord) -> object:
        """With what a finished turn keeps; null before."""
        kept = noun.outcome
        standalone, answer, type = (kept.standalone, kept.text, kept.type) if kept else (None, None, None)
        return cls.read_attributes(noun, standalone=standalone, answer=answer, type=type)


class BriefConversationJson(Shape):
    """A conversation in text, oldest turn first."""

    id: str = Field(examples=["budget-2026"])
    turns: list[BriefTurnJson]


class TurnJson(BriefTurnJson):
    """A question with its answer."""

    whole: Answer | None = Field(description="Null where the whole answer is no longer stored.")
    feedback: FeedbackJson | None = Field(description="Null without feedback on the answer.")

    @classmethod
    def from_turn(cls, turn: TurnRecord, feedback: GivenAnswer | None) -> Self:
        """A turn and the feedback on its answer."""
        kept = turn.outcome.answer if turn.outcome else None
        # turns of earlier versions name their answer by the turn alone
        whole = {"id": turn.turn_id, **kept} if kept else None
        return cls.model_validate({**dict(BriefTurnJson.from_noun(turn)), "whole": whole, "feedback": feedback})


class ConversationJson(Shape):
    """A conversation, oldest turn first."""

    id: str = Field(examples=["budget-2026"])
    turns: list[TurnJson]


class FollowUpsJson(Shape):
    """What an answer leads on to; a search for each of them finds it."""

    follow_ups: list[FollowUp]
