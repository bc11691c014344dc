"""Requests to a model on a server, other than a chat model: limits, retries, and cost.

The server's ``Retry-After`` applies to every thread; without it the pauses double. A status of 408, 409, 425, 429 or 5xx, a cut
connection and a reply that is not JSON are retried, everything else is an error at once. A server that failed is skipped for a while for
calls that someone waits for: see ``breaker``.
"""

import json
import math
import random
import threading
import time
import weakref
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any, TypeVar, cast

import httpx

from ascertain.core.errors import ConfigurationError
from ascertain.models.embed.cards import ModelCard
from ascertain.models.ports import Spent
from ascertain.models.servers.breaker import CircuitBreaker, ModelKind, Pause, find_breaker
from ascertain.models.servers.failures import UNREADABLE, CallFailed, read_failure

FIRST_PAUSE = 0.5
LONGEST_PAUSE = 30.0
"""Seconds between tries where the server does not say: doubled from the first, with up to a quarter added by chance."""
PATIENCE = 900.0
"""Seconds that adding documents waits for a server in one request, pauses together: quotas of providers are counted by the minute, and
an ingest of hours should outlive some of them (by judgement).
"""
QUESTION_PATIENCE = 10.0
"""The same for a question, which someone waits for."""
PATIENT_DOUBT = 1 / 3
"""What a failure counts for while documents are read or recordings heard: one may be too much for a server that answers questions, so three
must fail in a row, as with chat models (``chat.structured.EXTRACTION_DOUBT``).
"""


class ModelServer:
    """One model on one server; safe to use from several threads."""

    def __init__(self, card: ModelCard, base_url: str, key: str, setting: str, kind: ModelKind) -> None:
        self.card = card
        self._setting = setting
        self._base_url = base_url.rstrip("/")
        if not self._base_url.startswith(("http://", "https://")):
            raise ConfigurationError(
                f"{setting}: base_url = {base_url!r} is not an address; it begins with http:// or https:// and often ends in /v1"
            )
        self._key = key
        self._kind = kind
        headers = {"Authorization": f"Bearer {key}"} if key else {}
        self._client = httpx.Client(headers=headers, timeout=httpx.Timeout(card.options.seconds, connect=5.0))
        weakref.finalize(self, self._client.close)
        self._lock = threading.Lock()
        self._not_before = 0.0
        self._spent = Spent()
        self.sleep: Callable[[float], None] = time.sleep

    def __str__(self) -> str:
        return f"{self.card.model} at {self._base_url}"

    @property
    def spent(self) -> Spent:
        """What all requests together have cost."""
        with self._lock:
            return self._spent

    def admit_call(self) -> AbstractContextManager[None]:
        """Around all requests of one call that must not wait for a failed server; raises ModelLeftAlone while it is skipped."""
        return self._breaker.admit_call()

    @property
    def _breaker(self) -> CircuitBreaker:
        return find_breaker(f"{self._setting}: {self}", self._kind)

    def post(self, path: str, body: Mapping[str, Any], patience: float) -> dict[str, Any]:
        """The reply to ``body``; raises ``CallFailed`` once tries or ``patience`` are used up, in one line that names the server."""
        return cast("dict[str, Any]", self._try_to(self._send_json(path, body), patience, dict))

    def post_for_list(self, path: str, body: Mapping[str, Any], patience: float) -> list[Any]:
        """The same of a server that answers with a list."""
        return cast("list[Any]", self._try_to(self._send_json(path, body), patience, list))

    def _send_json(self, path: str, body: Mapping[str, Any]) -> Callable[[], httpx.Response]:
        return lambda: self._client.post(f"{self._base_url}{path}", json=body)

    def post_file(self, path: str, fields: Mapping[str, str], file: Path, patience: float) -> dict[str, Any]:
        """The reply to a form of ``fields`` and ``file``; raises as ``post`` does, and OSError where the file cannot be read."""

        def send() -> httpx.Response:
            with file.open("rb") as content:
                return self._client.post(
                    f"{self._base_url}{path}", data=dict(fields), files={"file": (file.name, content)}
                )

        return cast("dict[str, Any]", self._try_to(send, patience, dict))

    def _try_to(self, send: Callable[[], httpx.Response], patience: float, kind: type) -> object:
        began, waited, tried = time.monotonic(), 0.0, 0
        while True:
            self._await_turn()
            try:
                reply = self._send_once(send, kind)
            except CallFailed as failure:
                tried += 1
                wait = self._choose_pause(failure, tried)
                if not failure.is_transient or tried > self.card.options.retries or waited + wait > patience:
                    pause = self._count_failure(failure, time.monotonic() - began, patience)
                    raise self._explain(failure, tried, pause) from failure
            else:
                self._breaker.record_reply()
                return reply
            waited += wait
            with self._lock:
                self._not_before = max(self._not_before, time.monotonic() + wait)

    def _count_failure(self, failure: CallFailed, spent: float, patience: float) -> Pause | None:
        """Count a request that failed after ``spent`` seconds against the server; returns the pause, if any."""
        doubt = failure.outage if patience <= QUESTION_PATIENCE else failure.outage * PATIENT_DOUBT
        return self._breaker.record_failure(failure.summary, doubt, spent, failure.retry_after)

    def book(self, tokens: int) -> None:
        """Record the cost of one reply."""
        with self._lock:
            now = self._spent
            usd = now.usd + tokens * self.card.options.usd / 1e6
            self._spent = Spent(now.requests + 1, now.tokens + tokens, usd)

    def _await_turn(self) -> None:
        """Wait until the server may be asked again: after what it said itself, and at the rate of the options."""
        with self._lock:
            now = time.monotonic()
            turn = max(now, self._not_before)
            if self.card.options.per_minute:
                self._not_before = turn + 60 / self.card.options.per_minute
        if turn > now:
            self.sleep(turn - now)

    def _send_once(self, send: Callable[[], httpx.Response], kind: type) -> object:
        try:
            reply = send()
            reply.raise_for_status()
        except httpx.HTTPStatusError as error:
            failure = read_failure(error, self._key)
            said = _find_message(error.response, self._key)
            raise CallFailed(
                failure.summary,
                said,
                status=failure.status,
                is_transient=failure.is_transient,
                retry_after=failure.retry_after,
                outage=failure.outage,
            ) from error
        except httpx.HTTPError as error:
            raise read_failure(error, self._key) from error
        try:
            content: object = json.loads(reply.content)
        except ValueError as error:
            raise CallFailed("the reply is not JSON", is_transient=True, outage=UNREADABLE) from error
        if not isinstance(content, kind):
            raise CallFailed("the reply is not of this API", is_transient=True, outage=UNREADABLE)
        return content

    def _choose_pause(self, failure: CallFailed, tried: int) -> float:
        if failure.retry_after is not None:
            return failure.retry_after
        return min(FIRST_PAUSE * 2 ** (tried - 1), LONGEST_PAUSE) * (1 + random.random() / 4)

    def _explain(self, failure: CallFailed, tried: int, pause: Pause | None) -> CallFailed:
        again = f" after {tried} tries" if tried > 1 else ""
        wait = f"; it asks to wait {failure.retry_after:.0f} s" if failure.retry_after else ""
        return CallFailed(
            f"{self._setting}: {self}: {failure.summary}{again}{wait}{f'; {pause}' if pause else ''}",
            failure.reason.partition(": ")[2],
            status=failure.status,
        )


B = TypeVar("B")
R = TypeVar("R")
REFUSED = frozenset({400, 413, 422})
"""A request that is too long or contains something that the server refuses; halves of it may work."""


def ask_by_batches(ask: Callable[[B], R], batches: Sequence[B], requests: int) -> list[R]:
    """What ``ask`` gives for each batch, in order, so many at a time; after an error no other batch is begun."""
    workers = min(requests, len(batches))
    if workers <= 1:
        return [ask(batch) for batch in batches]
    with ThreadPoolExecutor(workers, "ascertain-model-server") as pool:
        tasks = [pool.submit(ask, batch) for batch in batches]
        try:
            return [task.result() for task in tasks]
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise


BYTES_PER_TOKEN = 3
"""UTF-8 bytes of a token at the least that is usual: English has 4 to 5, Chinese and Japanese about 3."""


def count_tokens(text: str) -> int:
    """About how many tokens ``text`` has, rather too many."""
    return math.ceil(len(text.encode("utf-8", "surrogatepass")) / BYTES_PER_TOKEN) + 2


def _find_message(reply: httpx.Response, key: str) -> str:
    """What the server says is wrong, in one line, without the key that it may repeat."""
    try:
        content: Any = json.loads(reply.content)
    except ValueError:
        return ""
    if isinstance(content, dict):
        loose = cast("dict[str, Any]", content)
        found = loose.get("error", loose.get("message", loose.get("detail", "")))
        content = cast("dict[str, Any]", found).get("message", found) if isinstance(found, dict) else found
    line = " ".join(str(content).split())[:300]
    return line.replace(key, "…") if key else line
