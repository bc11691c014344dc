"""Conversations with their turns, and feedback on answers."""

from __future__ import annotations

from typing import Literal, Self

from pydantic import Field

from ascertain.app.wire.shape import Date, NounShape, Number, Shape
from ascertain.core.asking.answers import Answer, AnswerType
from ascertain.core.asking.feedback import Drift, FeedbackSummary, Figure, Period, UnansweredTheme
from ascertain.core.asking.requests import ConversationSummary, FollowUp, TurnRecord, TurnState
from ascertain.core.documents.documents import DocumentKind
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


class FollowUpJson(NounShape[FollowUp]):
    """A document, or a section of one, that an answer leads on to."""

    document_id: str = Field(examples=["2b5c5f3e0e9d4f1c8a77"])
    title: str = Field(examples=["Refunds"])
    kind: DocumentKind = Field(examples=["prose"])
    section: str = Field(description="Empty for the document as a whole.", examples=["How it is paid"])


class FollowUpsJson(Shape):
    """What an answer leads on to; a search for each of them finds it."""

    follow_ups: list[FollowUpJson]


class SatisfactionJson(Shape):
    """Feedback on answers to one kind of question found in one way."""

    question_kind: str = Field(examples=["factual"])
    strategy: str = Field(examples=["hybrid"])
    judged: int = Field(examples=[12])
    up: int = Field(examples=[9])
    share: Number = Field(description="Thumbs up of all feedback.", examples=[0.75])
    low: Number = Field(description="`low` and `high` bound the share (95 %).", examples=[0.467695])
    high: Number = Field(examples=[0.911058])


class FeedbackSummaryJson(NounShape[FeedbackSummary]):
    """Feedback counted; see [cache-and-feedback.md](cache-and-feedback.md)."""

    judged: int = Field(examples=[12])
    up: int = Field(examples=[9])
    rows: list[SatisfactionJson]


class FigureJson(NounShape[Figure]):
    """A mean or share with its 95 % interval."""

    value: Number | None = Field(description="Null without data.", examples=[0.12])
    low: Number = Field(examples=[0.07])
    high: Number = Field(examples=[0.2])


class PeriodJson(NounShape[Period]):
    """The answers of some days."""

    begin: Date = Field(examples=["2026-11-15T10:00:00+00:00"])
    end: Date = Field(examples=["2026-11-22T10:00:00+00:00"])
    answers: int = Field(examples=[120])
    judged: int = Field(examples=[14])
    confidence: FigureJson = Field(description="The mean, 0 to 100.")
    declined: FigureJson = Field(description="The share of questions without an answer.")
    up: FigureJson = Field(description="Thumbs up of all feedback.")


class UnansweredThemeJson(NounShape[UnansweredTheme]):
    """Questions without an answer that share a word."""

    word: str = Field(examples=["invoice"])
    questions: list[str] = Field(examples=[["Where do I find my invoice?"]])


class DriftJson(NounShape[Drift]):
    """Recent changes in the answers."""

    recent: PeriodJson
    earlier: PeriodJson = Field(description="The time before, four times as long.")
    moved: list[str] = Field(
        description="Of `confidence`, `declined` and `up`, those whose intervals do not overlap.",
        examples=[["declined"]],
    )
    course: list[PeriodJson] = Field(description="Both in periods of one length, the oldest first.")
    unanswered: list[UnansweredThemeJson] = Field(
        description="Recent questions without an answer, by a word they share."
    )
