"""Structured replies from chat models: retried after failures, repaired once, and recorded.

A server that failed is skipped for a while: see ``servers.breaker``.
"""

from __future__ import annotations

import math
import random
import time
from collections.abc import Callable, Mapping, Sequence
from typing import TypeVar

from pydantic import BaseModel

from ascertain.core.asking.runs import Run, Task
from ascertain.core.errors import ConfigurationError, ModelError
from ascertain.core.settings import ChatSettings, ModelSettings
from ascertain.models.chat.calls import CalledModel, Reply, sleep_in_run
from ascertain.models.chat.presets import explain_empty_tier, limit_output, list_tier_models
from ascertain.models.chat.provider import Dialect, ModelAddress, model_address
from ascertain.models.chat.replies import BadReply, asking_again, read_reply, reply_schema
from ascertain.models.ports import Listen, Message
from ascertain.models.servers.breaker import CircuitBreaker, Pause, find_breaker
from ascertain.models.servers.failures import CallFailed

CHARACTERS_PER_TOKEN = 4
"""OpenAI's rule of thumb for English text; only used where a server does not count."""
TOKENS_PER_IMAGE = 1600
"""Of the largest that Anthropic's models take as it is (guide to vision); likewise."""


def book_call(run: Run, task: Task, messages: Sequence[Message], reply: Reply, *, settings: ChatSettings) -> None:
    """Record a call that got ``reply``."""
    _spend_tokens(
        run,
        task,
        reply.input_tokens or _estimate_tokens(messages),
        reply.output_tokens or _count_tokens(len(reply.text)),
        settings=settings,
    )


def book_lost(run: Run, task: Task, messages: Sequence[Message], settings: ChatSettings) -> None:
    """Record a call that was read but not answered: its input is charged, as providers do."""
    _spend_tokens(run, task, _estimate_tokens(messages), 0, settings=settings)


def book_refusal(run: Run, task: Task) -> None:
    """Record a call that the server refused, which costs nothing but counts."""
    run.spend(task, input_tokens=0, output_tokens=0, cost_usd=0.0)


def _spend_tokens(run: Run, task: Task, input_tokens: int, output_tokens: int, *, settings: ChatSettings) -> None:
    dollars = (input_tokens * settings.input_usd_per_million + output_tokens * settings.output_usd_per_million) / 1e6
    run.spend(task, input_tokens=input_tokens, output_tokens=output_tokens, cost_usd=dollars)


def _estimate_tokens(messages: Sequence[Message]) -> int:
    shown = sum(len(message.images) for message in messages)
    return _count_tokens(sum(len(message.content) for message in messages)) + shown * TOKENS_PER_IMAGE


def _count_tokens(characters: int) -> int:
    return math.ceil(characters / CHARACTERS_PER_TOKEN)


FIRST_SECONDS = 1.0
"""Rate limits of providers count by the second at the finest."""
LONGEST_SECONDS = 30.0
"""A quarter to a half of a minute is the window of most rate limits; the budget of seconds ends the rest."""


def backoff_seconds(attempt: int, retry_after: float | None, chance: float) -> float:
    """The wait after failed try number ``attempt`` (from 0); ``chance`` is uniform in 0..1.

    Exponential back-off with equal jitter (Brooker, AWS Architecture Blog 2015): half of the doubled wait is certain,
    half by chance, so that many clients do not return at once. The server's own wait is respected, with up to a tenth
    on top.
    """
    if retry_after is not None:
        return retry_after * (1 + 0.1 * chance)
    doubled = min(LONGEST_SECONDS, FIRST_SECONDS * 2**attempt)
    return doubled / 2 + chance * doubled / 2


EXTRACTION_DOUBT = 1 / 3
"""What a failure counts for while documents are read: no one waits for them, one may be too much for the model, and a
pause leaves hundreds of them to the rules. So three must fail in a row, as ``graph.extraction.model`` has it.
"""

AnswerT = TypeVar("AnswerT", bound=BaseModel)

_FAULTY_REQUEST = frozenset({400, 422, 501})
"""What servers answer to a response_format or an option they do not know."""
_SHOWN_AGAIN = 4000
"""Characters of a bad reply that are shown to the model again; the fault lies in its form."""


class StructuredChat:
    """Fulfils the port ``Chat`` with the model that the settings name for each task.

    ``sleep`` takes seconds and the run that it holds up; ``chance`` gives a number in 0..1 for the jitter of the waits.
    """

    def __init__(
        self,
        settings: ChatSettings,
        models: Mapping[Task, CalledModel],
        *,
        sleep: Callable[[float, Run], None] = sleep_in_run,
        chance: Callable[[], float] = random.random,
    ) -> None:
        self._settings = settings
        self._models = models
        self._sleep = sleep
        self._chance = chance
        self._dialects: dict[ModelAddress, Dialect] = {}

    def ask(
        self, task: Task, messages: Sequence[Message], answer: type[AnswerT], run: Run, listen: Listen | None = None
    ) -> AnswerT:
        """The reply to ``messages`` as an ``answer``; see the port.

        A reply that cannot be used is shown to the model once more with what is wrong with it.
        """
        model = self._models.get(task)
        if model is None:
            raise ModelError(f"{task}: no chat model is set for this task (models.chat.model or the tier's)")
        reply = self._fetch_reply(model, task, messages, answer, run, listen=listen)
        try:
            return self._read_answer(reply, answer)
        except BadReply as bad:
            repair = [
                *messages,
                Message("assistant", reply.text[:_SHOWN_AGAIN].strip() or "(nothing)"),
                Message("user", asking_again(str(bad), reply_schema(answer))),
            ]
        reply = self._fetch_reply(model, task, repair, answer, run, listen=listen)
        try:
            return self._read_answer(reply, answer)
        except BadReply as bad:
            raise ModelError(f"{model.address}: {task}: no usable reply, asked twice: {bad}") from bad

    def find_dialect(self, task: Task) -> Dialect:
        """How the model of ``task`` is asked, as far as its server has said by now."""
        address = self._models[task].address
        return self._dialects.get(address) or first_dialect(address, self._settings)

    def _read_answer(self, reply: Reply, answer: type[AnswerT]) -> AnswerT:
        try:
            return read_reply(reply.text, answer)
        except BadReply as bad:
            if not reply.is_cut_off:
                raise
            limit = self._settings.max_output_tokens
            raise BadReply(f"it was cut off after {limit} tokens (models.chat.max_output_tokens)") from bad

    def _fetch_reply(
        self,
        model: CalledModel,
        task: Task,
        messages: Sequence[Message],
        answer: type[BaseModel],
        run: Run,
        *,
        listen: Listen | None,
    ) -> Reply:
        """A reply, however many tries it takes within the time limit of one call; raises BudgetExceeded or ModelError.

        Raises at once while the server is left alone.
        """
        breaker = find_breaker(str(model.address))
        dialect = self.find_dialect(task)
        began, spent, failed = time.monotonic(), 0.0, 0
        with breaker.admit_call():
            while True:
                run.allow(task)
                try:
                    reply = model.reply(messages, answer, dialect, self._seconds_left(spent, run), run, listen=listen)
                except CallFailed as failure:
                    spent = time.monotonic() - began
                    self._book_failure(run, task, messages, failure)
                    simpler = dialect.conceding(failure.reason) if failure.status in _FAULTY_REQUEST else None
                    if simpler is None:
                        wait = backoff_seconds(failed, failure.retry_after, self._chance())
                        ending = self._explain_end(failure, failed, wait, self._seconds_left(spent, run))
                        if ending is not None:
                            pause = self._count_failure(breaker, failure, spent, task, run)
                            message = (
                                f"{model.address}: {task}: {failure.reason}{ending}{f'; {pause}' if pause else ''}"
                            )
                            raise ModelError(message) from failure
                        self._sleep(wait, run)
                        spent = time.monotonic() - began
                        failed += 1
                    dialect = simpler or dialect
                else:
                    breaker.record_reply()
                    book_call(run, task, messages, reply, settings=self._settings)
                    self._dialects[model.address] = dialect
                    return reply

    def _seconds_left(self, spent: float, run: Run) -> float:
        """What a call may still take whose tries so far took ``spent`` seconds."""
        return max(0.0, min(self._settings.timeout_seconds - spent, run.seconds_left))

    def _explain_end(self, failure: CallFailed, failed: int, wait: float, seconds_left: float) -> str | None:
        """Why there is no further try after ``failed`` and this one, to follow the failure's reason; None where there is
        one.
        """
        if not failure.is_transient:
            return _suggest_remedy(failure, self._settings)
        if failed >= self._settings.retries:
            return f"; tried {failed + 1} times (models.chat.retries)"
        if wait > seconds_left:
            return f"; the next try would have to wait {wait:.3g} s, longer than a call may take"
        return None

    def _count_failure(
        self, breaker: CircuitBreaker, failure: CallFailed, spent: float, task: Task, run: Run
    ) -> Pause | None:
        """Count ``failure`` against the server; less of it where the question's own seconds ended before the server's."""
        doubt = failure.outage
        if run.is_out_of_time:
            doubt *= min(1.0, spent / self._settings.timeout_seconds)
        if task in (Task.EXTRACT, Task.DESCRIBE):
            doubt *= EXTRACTION_DOUBT
        return breaker.record_failure(failure.summary, doubt, self._settings.timeout_seconds, failure.retry_after)

    def _book_failure(self, run: Run, task: Task, messages: Sequence[Message], failure: CallFailed) -> None:
        if not failure.reached:
            return
        if failure.status is None:
            book_lost(run, task, messages, self._settings)
        else:
            book_refusal(run, task)


def first_dialect(address: ModelAddress, settings: ChatSettings) -> Dialect:
    """How a model is asked before it has refused anything."""
    return Dialect(settings.structured, old_limit=address.is_compatible_server)


def _suggest_remedy(failure: CallFailed, settings: ChatSettings) -> str:
    if failure.status in {401, 403}:
        variable = settings.api_key_variable
        return f"; check the key in {variable}" if variable else "; set its variable in models.chat.api_key_variable"
    if failure.status == 404:
        return "; check models.chat.model and models.chat.base_url"
    return ""


def open_chat(settings: ModelSettings) -> StructuredChat | None:
    """The chat models of the tier in force; None when neither a model nor a tier is named.

    Calls no server. Raises MissingExtra without LangChain, and ConfigurationError for a model, an address, a key or a
    provider's package that is missing.
    """
    chat = settings.chat
    names = model_names(chat)
    if not names and chat.tier != "none":
        raise ConfigurationError(explain_empty_tier(chat))
    return open_models(chat, names) if names else None


def open_models(settings: ChatSettings, names: Mapping[Task, str]) -> StructuredChat:
    """The named model of each task, each opened once; raises as ``open_chat``."""
    chat = settings.model_copy(update={"max_output_tokens": limit_output(settings)})
    opened: dict[str, CalledModel] = {}
    for name in names.values():
        if name not in opened:
            address = model_address(name, chat)
            opened[name] = CalledModel(address, chat.max_output_tokens, chat.timeout_seconds)
            opened[name].open(first_dialect(address, chat))
    return StructuredChat(chat, {task: opened[name] for task, name in names.items()})


def model_names(settings: ChatSettings) -> dict[Task, str]:
    """The model of each task in the tier in force; a task without one is left out and works by rules.

    Raises ConfigurationError where a tier could take the models of several providers.
    """
    return {Task(task): name for task, name in list_tier_models(settings).items()}


def find_breakers(settings: ChatSettings) -> tuple[CircuitBreaker, ...]:
    """The breakers of the models in the tier in force, asked yet or not; raises what ``model_address`` does."""
    names = dict.fromkeys(model_names(settings).values())
    return tuple(find_breaker(str(model_address(name, settings))) for name in names)
