"""The questions of ``planted_facts`` put to the product with a chat model in a role, and what can be wrong with what a user is told."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from model_role import Expected, Role, ask_counting
from planted_facts import ANSWERED, DECLINED, FOLLOW_UP, HISTORY, NEAR_MISS
from poor_models import ROLES, FailingLater, Slow
from scripted_chat_server import ScriptedChatServer

from ascertain.app.ascertain import Ascertain
from ascertain.core.asking.answers import Answer, AnswerType, VerdictLabel
from ascertain.core.settings import ChatSettings, ModelSettings, Settings

MOST_CALLS, MOST_SEARCHES = 15, 3
"""Of one question, at the defaults."""
SURE = 70
"""Confidence from which an answer is shown without a caveat."""


@dataclass(frozen=True)
class Told:
    """What a user was told, and what it took."""

    expected: Expected
    answer: Answer
    searches: int
    calls: int
    inventions: tuple[str, ...]
    """The sentences shown that the model made up."""

    @property
    def question(self) -> str:
        return self.expected.question

    @property
    def is_declined(self) -> bool:
        return self.answer.type is AnswerType.REJECTION

    @property
    def misled(self) -> tuple[str, ...]:
        """Inventions that are shown as supported."""
        supported = {s.text for s in self.answer.sentences if s.verdict.label is VerdictLabel.SUPPORTED}
        return tuple(sentence for sentence in self.inventions if sentence in supported)

    @property
    def is_right(self) -> bool:
        """Whether what can be answered is answered right, and what cannot is declined."""
        if not self.expected.is_answerable:
            return self.is_declined
        return not self.is_declined and self.expected.is_right(self.answer.text) and not self.misled


Interview = Callable[[str], tuple[Told, ...]]
"""What is told with a model in the role of this name, offline for ``""``: on each of ``ANSWERED``, ``FOLLOW_UP``, each of
``DECLINED``, ``NEAR_MISS``.
"""


def ask_as(name: str, home: Path) -> tuple[Told, ...]:
    """Ask everything with a model in the role of this name, offline for ``""``."""
    if not name:
        return _ask_questions(home, None, None)
    server = ScriptedChatServer()
    try:
        return _ask_questions(home, _play_role(name), server)
    finally:
        server.close()


def _play_role(name: str) -> Role:
    hastened = {"slow": lambda: Slow(seconds=0.02), "failing_later": lambda: FailingLater(retry_after="0")}
    return hastened.get(name, ROLES[name])()


def _ask_questions(home: Path, role: Role | None, server: ScriptedChatServer | None) -> tuple[Told, ...]:
    chat = ChatSettings()
    if role is not None and server is not None:
        server.reply_by(role.reply)
        limit = {"timeout_seconds": role.timeout_seconds} if role.timeout_seconds else {}
        chat = ChatSettings(model="openai:played", base_url=server.base_url, **limit)
    told: list[Told] = []
    with Ascertain(Settings(home=home, models=ModelSettings(chat=chat))) as knowledge:
        for expected in (*ANSWERED, FOLLOW_UP, *DECLINED, NEAR_MISS):
            if role is not None and server is not None:
                role.begin(expected)
                server.requests.clear()
            history = HISTORY if expected is FOLLOW_UP else ()
            answer, searches = ask_counting(knowledge, expected.question, history=history, use_cache=False)
            calls = len(server.requests) if server else 0
            shown = tuple(s.text for s in answer.sentences if role is not None and role.is_invention(s.text))
            told.append(Told(expected, answer, searches, calls, shown))
    return tuple(told)


def find_worse(told: Sequence[Told], offline: Sequence[Told]) -> dict[str, str]:
    """Questions that are answered right offline, and not here."""
    both = zip(told, offline, strict=True)
    return {here.question: here.answer.text[:200] for here, there in both if there.is_right and not here.is_right}


def find_misled(told: Sequence[Told]) -> dict[str, tuple[str, ...]]:
    """Inventions that are shown as supported."""
    return {each.question: each.misled for each in told if each.misled}


def find_sure_and_wrong(told: Sequence[Told]) -> dict[str, tuple[str, int]]:
    """Wrong answers that are shown without a caveat."""
    return {
        each.question: (each.answer.text[:200], each.answer.confidence.score)
        for each in told
        if not each.is_right and each.answer.confidence.score >= SURE
    }


def find_costly(told: Sequence[Told]) -> dict[str, dict[str, int]]:
    """Questions that took more calls or searches than they may."""
    return {
        each.question: {"calls": each.calls, "searches": each.searches}
        for each in told
        if each.calls > MOST_CALLS or each.searches > MOST_SEARCHES
    }


def find_answered_from_nothing(told: Sequence[Told]) -> dict[str, str]:
    """Answers to what stands in no document."""
    absent = told[len(ANSWERED) + 1 :][: len(DECLINED)]
    return {each.question: each.answer.text for each in absent if not each.is_declined}
