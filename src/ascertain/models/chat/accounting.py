"""Booking model calls on a run: tokens as the server counts them or estimated, money by the settings' prices."""

from __future__ import annotations

import math
from collections.abc import Sequence

from ascertain.core.runs import Run, Task
from ascertain.core.settings import ChatSettings
from ascertain.models.chat.calls import Reply
from ascertain.models.ports import Message

CHARACTERS_PER_TOKEN = 4
"""OpenAI's rule of thumb for English text; only used where a server does not count."""


def book(run: Run, task: Task, messages: Sequence[Message], reply: Reply, settings: ChatSettings) -> None:
    """Book a call that got ``reply``."""
    _spend(
        run,
        task,
        reply.input_tokens or _estimated(messages),
        reply.output_tokens or _tokens(len(reply.text)),
        settings,
    )


def book_lost(run: Run, task: Task, messages: Sequence[Message], settings: ChatSettings) -> None:
    """Book a call that was read but not answered: its input is charged for, as providers do."""
    _spend(run, task, _estimated(messages), 0, settings)


def book_refused(run: Run, task: Task) -> None:
    """Book a call that the server turned away, which costs nothing but counts."""
    run.spend(task, input_tokens=0, output_tokens=0, cost_usd=0.0)


def _spend(run: Run, task: Task, input_tokens: int, output_tokens: int, settings: ChatSettings) -> None:
    dollars = (
        input_tokens * settings.input_usd_per_million + output_tokens * settings.output_usd_per_million
    ) / 1e6
    run.spend(task, input_tokens=input_tokens, output_tokens=output_tokens, cost_usd=dollars)


def _estimated(messages: Sequence[Message]) -> int:
    return _tokens(sum(len(message.content) for message in messages))


def _tokens(characters: int) -> int:
    return math.ceil(characters / CHARACTERS_PER_TOKEN)
