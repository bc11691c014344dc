"""Structured replies from chat models: retried, repaired once, booked, and never later than allowed."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Mapping, Sequence
from typing import TypeVar

from pydantic import BaseModel

from ascertain.core.errors import ModelError
from ascertain.core.runs import Run, Task
from ascertain.core.settings import ChatSettings
from ascertain.models.chat.accounting import book, book_lost, book_refused
from ascertain.models.chat.addresses import ModelAddress
from ascertain.models.chat.backoff import backoff_seconds
from ascertain.models.chat.calls import CalledModel, Reply
from ascertain.models.chat.dialect import Dialect
from ascertain.models.chat.failures import CallFailed
from ascertain.models.chat.replies import BadReply, read_reply
from ascertain.models.chat.schemas import asking_again, reply_schema
from ascertain.models.ports import Message

T = TypeVar("T", bound=BaseModel)

_FAULTY_REQUEST = frozenset({400, 422, 501})
"""What servers answer to a response_format or an option they do not know."""
_SHOWN_AGAIN = 4000
"""Characters of a bad reply that are shown to the model again; the fault lies in its form."""


class StructuredChat:
    """Fulfils the port ``Chat`` with the model that the settings name for each task.

    ``sleep`` takes seconds; ``chance`` gives a number in 0..1 for the jitter of the waits.
    """

    def __init__(
        self,
        settings: ChatSettings,
        models: Mapping[Task, CalledModel],
        *,
        sleep: Callable[[float], None] = time.sleep,
        chance: Callable[[], float] = random.random,
    ) -> None:
        self._settings = settings
        self._models = models
        self._sleep = sleep
        self._chance = chance
        self._dialects: dict[ModelAddress, Dialect] = {}

    def ask(self, task: Task, messages: Sequence[Message], answer: type[T], run: Run) -> T:
        """The reply to ``messages`` as an ``answer``; see the port.

        A reply that cannot be used is shown to the model once more with what is wrong with it.
        """
        model = self._models.get(task)
        if model is None:
            raise ModelError(f"{task}: no chat model is set for this task (models.chat.model or the tier's)")
        reply = self._reply(model, task, messages, answer, run)
        try:
            return self._read(reply, answer)
        except BadReply as bad:
            repair = [
                *messages,
                Message("assistant", reply.text[:_SHOWN_AGAIN].strip() or "(nothing)"),
                Message("user", asking_again(str(bad), reply_schema(answer))),
            ]
        reply = self._reply(model, task, repair, answer, run)
        try:
            return self._read(reply, answer)
        except BadReply as bad:
            raise ModelError(f"{model.address}: {task}: no usable reply, asked twice: {bad}") from bad

    def _read(self, reply: Reply, answer: type[T]) -> T:
        try:
            return read_reply(reply.text, answer)
        except BadReply as bad:
            if not reply.is_cut_off:
                raise
            limit = self._settings.max_output_tokens
            raise BadReply(f"it was cut off after {limit} tokens (models.chat.max_output_tokens)") from bad

    def _reply(
        self, model: CalledModel, task: Task, messages: Sequence[Message], answer: type[BaseModel], run: Run
    ) -> Reply:
        """A reply, however many calls it takes; raises BudgetExceeded or ModelError."""
        dialect = self._dialects.get(model.address) or first_dialect(model.address, self._settings)
        failed = 0
        while True:
            run.allow(task)
            try:
                reply = model.reply(messages, answer, dialect, self._seconds(run))
            except CallFailed as failure:
                self._book_failed(run, task, messages, failure)
                simpler = dialect.conceding(failure.reason) if failure.status in _FAULTY_REQUEST else None
                if simpler is None:
                    self._wait(model, task, run, failure, failed)
                    failed += 1
                dialect = simpler or dialect
            else:
                book(run, task, messages, reply, self._settings)
                self._dialects[model.address] = dialect
                return reply

    def _seconds(self, run: Run) -> float:
        return min(self._settings.timeout_seconds, run.seconds_left)

    def _wait(self, model: CalledModel, task: Task, run: Run, failure: CallFailed, failed: int) -> None:
        """Wait before the next try; ModelError when there is to be none."""
        where = f"{model.address}: {task}: {failure.reason}"
        if not failure.is_transient:
            raise ModelError(where + _remedy(failure, self._settings)) from failure
        if failed >= self._settings.retries:
            raise ModelError(f"{where}; tried {failed + 1} times (models.chat.retries)") from failure
        seconds = backoff_seconds(failed, failure.retry_after, self._chance())
        if seconds > self._seconds(run):
            raise ModelError(
                f"{where}; the next try would have to wait {seconds:.3g} s, longer than a call may take"
            ) from failure
        self._sleep(seconds)

    def _book_failed(self, run: Run, task: Task, messages: Sequence[Message], failure: CallFailed) -> None:
        if not failure.reached:
            return
        if failure.status is None:
            book_lost(run, task, messages, self._settings)
        else:
            book_refused(run, task)


def first_dialect(address: ModelAddress, settings: ChatSettings) -> Dialect:
    """How a model is asked before it has refused anything."""
    return Dialect(settings.structured, old_limit=address.is_compatible_server)


def _remedy(failure: CallFailed, settings: ChatSettings) -> str:
    if failure.status in {401, 403}:
        variable = settings.api_key_variable
        return (
            f"; check the key in {variable}"
            if variable
            else "; name its variable in models.chat.api_key_variable"
        )
    if failure.status == 404:
        return "; check models.chat.model and models.chat.base_url"
    return ""
