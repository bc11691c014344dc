"""What is kept of an answer beside its turn: a note for opinions on it, and the answer itself for the same question asked again.

Neither ever costs an answer: where something cannot be kept, or looked up, a decision of the answer says so.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, TypeVar

from ascertain.app.answer_cache import CacheKey, Recalled, RememberedAnswers
from ascertain.app.noting import given, question_features
from ascertain.core.answers import Answer, Decision
from ascertain.core.errors import AscertainError

if TYPE_CHECKING:
    from ascertain.app.opened import Opened
    from ascertain.core.plans import Plan
    from ascertain.core.requests import AskRequest

T = TypeVar("T")


class Keeping:
    """For one question; belongs to one thread."""

    def __init__(self, opened: Opened, tenant: str, request: AskRequest) -> None:
        self._opened = opened
        self._tenant = tenant
        self._request = request
        self._memory = RememberedAnswers(opened, tenant)
        self._key: CacheKey | None = None
        self._problems: dict[str, None] = {}

    def recall(self) -> Recalled | None:
        """What an equal question was answered, if that still holds."""
        self._key = key = self._attempt(lambda: self._memory.key(self._request))
        return self._attempt(lambda: self._memory.recall(key, self._request)) if key else None

    def noted_again(self, recalled: Recalled) -> Answer:
        """The recalled answer, noted as one that was given now."""
        now = self._opened.clock.now()
        note = given(recalled.answer, recalled.question, now, self._tenant)
        self._attempt(lambda: self._opened.service().feedback.note(note))
        return self._with_problems(recalled.answer)

    def noted(self, answer: Answer, plan: Plan | None, is_whole: bool) -> Answer:
        """A new answer, noted, and remembered where it is worth it and ``is_whole``: nothing was cut short."""
        now = self._opened.clock.now()
        question = question_features(self._request, plan, now)
        note = given(answer, question, now, self._tenant)
        self._attempt(lambda: self._opened.service().feedback.note(note))
        key = self._key
        if key is not None and is_whole:
            self._attempt(lambda: self._memory.keep(key, answer, question))
        return self._with_problems(answer)

    def _attempt(self, work: Callable[[], T]) -> T | None:
        try:
            return work()
        except AscertainError as error:
            self._problems.setdefault(str(error))
            return None

    def _with_problems(self, answer: Answer) -> Answer:
        if not self._problems:
            return answer
        decision = Decision("keep", "not kept", "; ".join(self._problems))
        return replace(answer, decisions=(*answer.decisions, decision))
