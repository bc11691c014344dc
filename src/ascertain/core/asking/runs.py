"""Runs: the clock, what one question may spend on models, what it spent, and where a step had to fall back."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from typing import Protocol

from ascertain.core.asking.answers import Decision, TaskUsage, Usage
from ascertain.core.asking.requests import DraftText
from ascertain.core.errors import BudgetExceeded

FELL_BACK = "fell back to rules"
"""The outcome of a step that a chat model failed at, and rules did."""
FAILED_A_CONTROL = f"{FELL_BACK} after a control"
"""The same where the model is not asked again for this question."""


class Clock(Protocol):
    """Gives the time; injected wherever "today" has a meaning."""

    def now(self) -> datetime:
        """The current moment, time-zone aware."""
        ...


class SystemClock:
    """The machine's clock, in its local time zone."""

    def now(self) -> datetime:
        """The current moment with the local UTC offset."""
        return datetime.now().astimezone()


@dataclass(frozen=True, slots=True)
class FixedClock:
    """Always the same moment, for the demo, for tests and for asking as of a past day."""

    moment: datetime

    def now(self) -> datetime:
        """The fixed moment; a naive one is taken as UTC."""
        return self.moment if self.moment.tzinfo else self.moment.replace(tzinfo=UTC)


class Task(StrEnum):
    """What a chat model is called for; each can have its own model."""

    REWRITE = "rewrite"
    PLAN = "plan"
    JUDGE = "judge"
    WRITE = "write"
    VERIFY = "verify"
    EVALUATE = "evaluate"
    EXTRACT = "extract"
    DESCRIBE = "describe"


@dataclass(frozen=True, slots=True)
class Budget:
    """Limits of one question. ``seconds`` counts from the start of the run, models or not; ``whose`` says in messages what
    they are limits of.
    """

    calls: int
    tokens: int
    seconds: float
    usd: float
    whose: str = "the question's budget"


_KEPT = {Task.WRITE: 2, Task.VERIFY: 0, Task.EVALUATE: 0, Task.EXTRACT: 0, Task.DESCRIBE: 0}
"""Calls that a task leaves to those behind it: a draft to the check of it, which may have to be asked for twice."""
_KEPT_FOR_ANSWER = 3
"""Calls that every other task leaves to the draft and what follows it; of budgets under twice as many, none."""


class RunStopped(BaseException):
    """No one waits for the result of a run any more. It is not an error, and passes error handlers, as GeneratorExit does."""


class Stop:
    """Ends the runs that were made with it, from any thread: the call of a model that is under way, or before the next step."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._runs: list[Run] = []
        self._is_requested = False

    @property
    def is_requested(self) -> bool:
        """Whether the runs are to end."""
        return self._is_requested

    def request(self) -> None:
        """End the runs, and those that begin later."""
        with self._lock:
            self._is_requested = True
            runs, self._runs = self._runs, []
        for run in runs:
            run.interrupt()

    def watch(self, run: Run) -> None:
        """Let ``run`` end with the others."""
        with self._lock:
            if not self._is_requested:
                self._runs.append(run)


class Run:
    """The ledger of one question; belongs to one thread, but ``interrupt`` may be called from any.

    The last calls of a budget are reserved for writing and checking: a search that is judged repeatedly leaves
    them unused.
    """

    def __init__(self, budget: Budget, clock: Callable[[], float] = time.monotonic, stop: Stop | None = None) -> None:
        self._budget = budget
        self._stop = stop
        if stop is not None:
            stop.watch(self)
        self._clock = clock
        self._started = clock()
        self._spent: dict[Task, TaskUsage] = {}
        self._notes: list[Decision] = []
        self._is_distrusted = False
        self._is_interrupted = False
        self._keeps_calls = True
        self._of_question = budget
        """What messages name: of a part of a run the budget of the whole."""
        self._is_alone = True
        self._cancel: Callable[[], object] | None = None
        self.draft_listener: Callable[[DraftText], object] | None = None
        """The listener for drafts as they are written; with None, none is streamed."""

    @property
    def seconds_left(self) -> float:
        """Of the budget; never below 0."""
        return max(0.0, self._budget.seconds - (self._clock() - self._started))

    @property
    def usage(self) -> Usage:
        """What was spent so far."""
        return Usage.of(self._spent.values())

    @property
    def is_out_of_time(self) -> bool:
        """Whether the seconds are used up, or no one waits any more, which ends the work even where no model is used."""
        return self.seconds_left <= 0 or self._is_stopped

    @property
    def _is_stopped(self) -> bool:
        return self._stop is not None and self._stop.is_requested

    def check_wanted(self) -> None:
        """Raise RunStopped when no one waits any more: called before a step begins."""
        if self._is_stopped:
            raise RunStopped

    def allow(self, task: Task) -> None:
        """Raise BudgetExceeded, naming the limit, when ``task`` may not call a model any more, and as ``check_wanted`` does."""
        self.check_wanted()
        limit = self._find_limit(self._count_kept(task))
        if limit is not None:
            raise BudgetExceeded(f"{task}: {self._of_question.whose} of {limit}")

    def spend(self, task: Task, *, input_tokens: int, output_tokens: int, cost_usd: float) -> None:
        """Record one call."""
        before = self._spent.get(task, TaskUsage(task.value))
        self._spent[task] = before.plus(input_tokens, output_tokens, cost_usd)

    def note(self, decision: Decision) -> None:
        """Note something that happened inside a step, such as a fallback."""
        self._notes.append(decision)

    def take_notes(self) -> tuple[Decision, ...]:
        """The notes since the last call."""
        notes, self._notes = tuple(self._notes), []
        return notes

    def distrust(self, node: str, reason: str) -> None:
        """Stop using the chat model: it failed a control."""
        self._is_distrusted = True
        self.note(Decision(node, FAILED_A_CONTROL, f"{reason}; the rest of the question is done by rules"))

    @property
    def is_distrusted(self) -> bool:
        """Whether the chat model failed a control, and is not called any more."""
        return self._is_distrusted

    def interrupt(self) -> None:
        """End the wait that is open now, or the next one; a signal handler may call this."""
        self._is_interrupted = True
        if self._cancel is not None:
            self._cancel()

    @contextmanager
    def open_wait(self, cancel: Callable[[], object]) -> Generator[None]:
        """Around waiting for something that ``cancel`` ends; raises KeyboardInterrupt when it was interrupted, and RunStopped."""
        self._cancel = cancel
        try:
            if self._is_interrupted or self._is_stopped:
                cancel()
            yield
        except Exception:
            self.check_wanted()
            if self._is_interrupted:
                raise KeyboardInterrupt from None
            raise
        finally:
            self._cancel = None

    def split(self, task: Task, count: int, leaves_answer: bool = False) -> list[Run]:
        """``count`` runs or fewer for as many threads, each to be returned to ``join``; at least one.

        With ``leaves_answer``, ``task`` leaves the calls that an answer takes to what comes behind it, as judging does.

        Each has its part of the calls that ``task`` has left, so that all together make no more of them. Limits of tokens and money are
        looked at before a call, never within: as many are under way as fit where each takes what those of ``task`` took on the
        average so far, and one before any was seen. Dearer ones than that can pass such a limit, each by what it takes.
        """
        limits, usage = self._budget, self.usage
        kept = self._count_kept(Task.JUDGE if leaves_answer else task)
        calls = max(0, limits.calls - kept - usage.calls)
        tokens = limits.tokens - usage.input_tokens - usage.output_tokens
        seen = self._spent.get(task)
        wide = 1
        if seen is not None and seen.calls:
            wide = min(count, calls, int(tokens * seen.calls / max(1, seen.input_tokens + seen.output_tokens)))
            if seen.cost_usd > 0:
                wide = min(wide, int((limits.usd - usage.cost_usd) * seen.calls / seen.cost_usd))
        wide = max(1, wide)
        parts: list[Run] = []
        for place in range(wide):
            part = Run(
                Budget(calls // wide + (place < calls % wide), tokens, self.seconds_left, limits.usd - usage.cost_usd),
                self._clock,
                self._stop,
            )
            part._keeps_calls = False
            part._of_question = self._of_question
            part._is_alone = wide == 1
            parts.append(part)
        return parts

    @contextmanager
    def limit(self, task: Task, calls: int) -> Generator[Run]:
        """A part of this run in which ``task`` makes at most ``calls`` calls, booked when it ends; it ends when this run is interrupted."""
        usage, limits = self.usage, self._budget
        left = max(0, limits.calls - self._count_kept(task) - usage.calls)
        tokens = limits.tokens - usage.input_tokens - usage.output_tokens
        budget = Budget(min(calls, left), tokens, self.seconds_left, limits.usd - usage.cost_usd, "this step's share")
        part = Run(budget, self._clock, self._stop)
        part._keeps_calls = False
        part._is_distrusted = self._is_distrusted
        try:
            with self.open_wait(part.interrupt):
                yield part
        finally:
            self.join([part])

    def join(self, parts: Sequence[Run]) -> None:
        """Record what ``parts`` spent and noted, in their order; a control failed in one counts for all."""
        for part in parts:
            self._is_distrusted = self._is_distrusted or part._is_distrusted
            for name, spent in part._spent.items():
                held = self._spent.get(name, TaskUsage(name.value))
                self._spent[name] = TaskUsage(
                    name.value,
                    held.calls + spent.calls,
                    held.input_tokens + spent.input_tokens,
                    held.output_tokens + spent.output_tokens,
                    held.cost_usd + spent.cost_usd,
                )
            self._notes.extend(part.take_notes())

    def _count_kept(self, task: Task) -> int:
        if not self._keeps_calls:
            return 0
        return _KEPT.get(task, _KEPT_FOR_ANSWER) if self._budget.calls >= 2 * _KEPT_FOR_ANSWER else 0

    def _find_limit(self, kept: int) -> str | None:
        """The limit that is reached, of the question's budget, and how."""
        usage, budget, whole = self.usage, self._budget, self._of_question
        if usage.calls >= budget.calls - kept:
            limit = f"{whole.calls} model calls (budget.calls)"
            if not self._is_alone:
                return f"{limit} is shared out among threads, and this one made its {budget.calls}"
            rest = f", the last {kept} of them kept for the answer," if kept else ""
            return f"{limit}{rest} is used up"
        if usage.input_tokens + usage.output_tokens >= budget.tokens:
            return f"{whole.tokens:,} tokens (budget.tokens) is used up"
        if self.is_out_of_time:
            return f"{whole.seconds:g} seconds (budget.seconds) is used up"
        if usage.cost_usd >= budget.usd:
            return f"{whole.usd:g} US dollars (budget.usd) is used up"
        return None
