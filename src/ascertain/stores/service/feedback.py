"""The port of feedback: which answers satisfied people, with what is needed to learn from it (UI-6)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal, Protocol

Thumb = Literal["up", "down"]

KEPT_UNJUDGED = 10_000
"""Answers of a tenant that wait for somebody's opinion."""


@dataclass(frozen=True, slots=True)
class GivenAnswer:
    """An answer that was given, and what somebody thought of it. ``features`` are those of the question that strategies are chosen by."""

    answer_id: str
    answered_at: datetime
    question: str
    answer_type: str
    strategy: str
    confidence: int
    """0..100."""
    question_kind: str = ""
    """Kind of question, by its plan."""
    features: Mapping[str, object] = field(default_factory=dict[str, object])
    conversation_id: str | None = None
    tenant: str = "default"
    thumb: Thumb | None = None
    comment: str = ""
    judged_at: datetime | None = None


class FeedbackStore(Protocol):
    """Answers and opinions by tenant."""

    def note(self, answer: GivenAnswer) -> None:
        """Keep that an answer was given; one of this id stays as it is. Unjudged ones beyond the latest KEPT_UNJUDGED are forgotten."""
        ...

    def judge(
        self, answer_id: str, thumb: Thumb, comment: str, moment: datetime, tenant: str = "default"
    ) -> GivenAnswer | None:
        """Keep what somebody thought, over an earlier opinion; None when there is no such answer."""
        ...

    def get(self, answer_id: str, tenant: str = "default") -> GivenAnswer | None:
        """An answer with the opinion on it, if there is one."""
        ...

    def answers(self, tenant: str = "default") -> list[GivenAnswer]:
        """All that are kept, the first noted first."""
        ...

    def judged(self, tenant: str = "default", since: datetime | None = None) -> list[GivenAnswer]:
        """Those somebody judged, since a moment, the earliest judged first."""
        ...
