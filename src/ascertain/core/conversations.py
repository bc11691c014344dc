"""Conversations: what was said before a question, and turns as they are on record."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Literal

from ascertain.core.answers import AnswerType


@dataclass(frozen=True, slots=True)
class Turn:
    """One message of a conversation."""

    role: Literal["user", "assistant"]
    text: str


@dataclass(frozen=True, slots=True)
class Standalone:
    """A question that can be understood without the conversation.

    ``text`` is the question itself when it already stands alone; ``added`` are the words that the conversation gave.
    """

    text: str
    is_follow_up: bool
    added: tuple[str, ...] = ()
    reason: str = ""


class TurnState(StrEnum):
    """How far a turn has come."""

    RUNNING = "running"
    FINISHED = "finished"
    FAILED = "failed"
    INTERRUPTED = "interrupted"
    """Its process ended before the turn did."""


@dataclass(frozen=True, slots=True)
class StoredTurn:
    """What a finished turn keeps.

    ``standalone`` is the question as it was looked up, None when that is the question itself. ``answer`` is the whole
    answer in the shape of ``ask --json``; None where it was pruned.
    """

    question: str
    text: str
    type: AnswerType
    finished_at: datetime
    standalone: str | None = None
    answer: Mapping[str, object] | None = None


@dataclass(frozen=True, slots=True)
class TurnRecord:
    """A turn as it is on record. ``reason`` says why it failed or was interrupted; ``outcome`` is set once finished."""

    turn_id: str
    question: str
    asked_at: datetime
    state: TurnState
    reason: str = ""
    outcome: StoredTurn | None = None


@dataclass(frozen=True, slots=True)
class ConversationSummary:
    """One line of a list of conversations; ``turns`` counts the finished ones."""

    id: str
    first_question: str
    turns: int
    last_used: datetime
