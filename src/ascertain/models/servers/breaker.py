"""Skipping a model on a server for a while after it failed.

The circuit breaker of Michael Nygard, "Release It!" (2nd edition, 2018, chapter 5). Closed, it lets calls through. A
failure opens it: calls are refused without being made. After a pause it is half-open: one call tries the server again,
while all others are still refused; a reply closes it, another failure opens it for another pause.

A process has one for each model of each server, shared by all callers: threads, tenants and knowledge bases learn of each
other's failures. What it reports therefore contains no text from a server, which may quote a question.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum

from ascertain.core.asking.runs import Clock, SystemClock
from ascertain.core.errors import ModelLeftAlone

SHORTEST_PAUSE = 120.0
"""Seconds, by judgement: about what a server takes to restart and load its model."""
PAUSE_IN_LIMITS = 2.0
"""A pause is at least this many time limits of a call, so that a server that hangs for hours holds up at most a third
of the questions that come one by one.
"""
LONGEST_PAUSE = 3600.0
"""Seconds. Providers name a day where a quota is used up; a call an hour costs nothing, and quotas are raised."""

TRIAL_SECONDS = 2.0
"""When to retry while another call tries the server (by judgement): a reply of a model that works takes about that."""

_logger = logging.getLogger("ascertain.models")


@dataclass(frozen=True, slots=True)
class ModelKind:
    """What sort of model a breaker stands before: ``noun`` for people, what holds ``meanwhile``, and the shortest pause in seconds."""

    noun: str
    meanwhile: str
    shortest_pause: float = SHORTEST_PAUSE


CHAT = ModelKind("chat model", "the rules answer")
ENTAILMENT = ModelKind("model that checks claims", "claims are checked by rules")
RERANKING = ModelKind("reranker", "passages stay in the order found")
EMBEDDING = ModelKind("embedding model", "searches by meaning fail", 10.0)
"""Nothing replaces it, so it is retried sooner: about as soon as a question gives up by itself."""
SPEECH = ModelKind("speech model", "recordings fail", 10.0)


class BreakerState(StrEnum):
    """What happens to the next call: it goes through, is refused, or tries a server that failed."""

    CLOSED = "closed"
    OPEN = "open"
    HALF_OPEN = "half-open"


@dataclass(frozen=True, slots=True)
class Pause:
    """Why a server is skipped, until when (``ends`` by the breaker's clock, ``until`` for people), and what holds ``meanwhile``."""

    reason: str
    ends: float
    until: datetime
    meanwhile: str

    def __str__(self) -> str:
        return f"{self.meanwhile} until {self.until:%H:%M}"


class CircuitBreaker:
    """The breaker of one model at one server; ``name`` is what people call it. Safe to use from several threads."""

    def __init__(
        self,
        name: str,
        kind: ModelKind = CHAT,
        clock: Callable[[], float] = time.monotonic,
        wall_clock: Clock = SystemClock(),
    ) -> None:
        self.name = name
        self.kind = kind
        self._clock = clock
        self._wall_clock = wall_clock
        self._lock = threading.Lock()
        self._pause: Pause | None = None
        self._is_tried = False
        self._doubt = 0.0

    @property
    def state(self) -> BreakerState:
        """What happens to the next call."""
        pause = self._pause
        if pause is None:
            return BreakerState.CLOSED
        return BreakerState.OPEN if self._clock() < pause.ends else BreakerState.HALF_OPEN

    def describe_state(self) -> str:
        """One line for people."""
        pause, state = self._pause, self.state
        if pause is None or state is BreakerState.CLOSED:
            return f"{self.name} is asked"
        if state is BreakerState.OPEN:
            return f"{self.name} is left alone ({pause.reason}); {pause}"
        return f"{self.name} was left alone ({pause.reason}); the next call tries it again"

    @contextmanager
    def admit_call(self) -> Generator[None]:
        """Let a call through; raises ModelLeftAlone during a pause.

        A call that tells nothing of the server, because it was interrupted or its key refused, leaves it to the next
        one to try.
        """
        is_trial = self._begin_call()
        try:
            yield
        finally:
            if is_trial:
                with self._lock:
                    self._is_tried = False

    def _begin_call(self) -> bool:
        """Whether the call tries a server that failed."""
        with self._lock:
            pause = self._pause
            if pause is None:
                return False
            if (seconds := pause.ends - self._clock()) > 0:
                raise ModelLeftAlone(self.describe_state(), seconds)
            if self._is_tried:
                message = f"{self.name} was left alone ({pause.reason}) and is being tried by another question"
                raise ModelLeftAlone(message, TRIAL_SECONDS)
            self._is_tried = True
            return True

    def record_reply(self) -> None:
        """The server replied: it is back, however long the pause was to be."""
        with self._lock:
            if self._pause is not None:
                _logger.info("the %s answers again", self.kind.noun)
            self._pause, self._doubt = None, 0.0

    def record_failure(
        self, reason: str, doubt: float, time_limit: float, retry_after: float | None = None
    ) -> Pause | None:
        """A call with a ``time_limit`` failed for ``reason``; the pause that there is now because of it.

        ``doubt`` in 0..1 says how far the failure shows that the server is down. Of failures without a reply between
        them it is summed, and opens the breaker at 1. ``retry_after`` is for how long the server asks to be left alone.
        Calls that began before a pause and fail in it do not prolong it.
        """
        if doubt <= 0:
            return None
        with self._lock:
            if self._pause is not None and self._clock() < self._pause.ends:
                return self._pause
            self._doubt += doubt
            if self._doubt < 1.0:
                return None
            seconds = min(
                LONGEST_PAUSE, max(self.kind.shortest_pause, PAUSE_IN_LIMITS * time_limit, retry_after or 0.0)
            )
            until = self._wall_clock.now() + timedelta(seconds=seconds)
            self._pause = Pause(reason, self._clock() + seconds, until, self.kind.meanwhile)
            _logger.warning("the %s is left alone (%s); %s", self.kind.noun, reason, self._pause)
            return self._pause


_breakers: dict[str, CircuitBreaker] = {}
_finding = threading.Lock()


def find_breaker(name: str, kind: ModelKind = CHAT) -> CircuitBreaker:
    """The one breaker of the model named ``name``, its server included and no key."""
    with _finding:
        return _breakers.setdefault(name, CircuitBreaker(name, kind))


def list_breakers() -> tuple[CircuitBreaker, ...]:
    """The breakers of all models that were called in this process."""
    with _finding:
        return tuple(_breakers.values())


def forget_breakers() -> None:
    """Reset all breakers."""
    with _finding:
        _breakers.clear()
