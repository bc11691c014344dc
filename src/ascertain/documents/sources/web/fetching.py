"""The port of fetching: everything that is read from the network on behalf of a user or a page goes through it."""

import random
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Protocol

from ascertain.core.errors import SourceError


class Deadline:
    """``seconds`` from now."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self._end = time.monotonic() + seconds

    def left(self) -> float:
        """Seconds left, 0 when there are none."""
        return max(0.0, self._end - time.monotonic())

    @property
    def has_passed(self) -> bool:
        """Whether no time is left."""
        return self.left() <= 0


@dataclass(frozen=True, slots=True)
class Fetched:
    """An answer with its whole body, decompressed. ``url`` is the one that answered, after redirects; header names are in lower case."""

    url: str
    status: int
    body: bytes
    media_type: str
    """Without parameters, in lower case; empty when the answer named none."""
    charset: str | None = None
    headers: Mapping[str, str] = field(default_factory=dict[str, str])


class FetchError(SourceError):
    """A failed request; the message begins with the address without secrets."""

    def __init__(
        self,
        message: str,
        *,
        status: int | None = None,
        body: bytes = b"",
        retry_after: float | None = None,
        is_passing: bool = False,
    ) -> None:
        super().__init__(message)
        self.status = status
        """Of the answer; None where there was none."""
        self.body = body
        """The beginning of the answer, decompressed, where a server may say more: as untrusted as a page."""
        self.retry_after = retry_after
        """Seconds after which the server asks for a retry."""
        self.is_passing = is_passing
        """Whether the same request may work later."""


class Fetcher(Protocol):
    """Requests with every protection: http(s) only, no private, loopback or link-local address at any redirect or answer of the DNS, limits
    on size, time, redirects and decompression, a check of the media type. Safe to use from several threads.

    Raises SourceError, beginning with the address without secrets, for anything but an answer of status 200 to 299 or 304;
    it is a ``FetchError`` wherever a request was made, whose message holds nothing that the server said.
    """

    def get(
        self, url: str, *, accept: tuple[str, ...] = (), headers: Mapping[str, str] = {}, seconds: float | None = None
    ) -> Fetched:
        """``accept`` are media types, or beginnings of them that end in ``/``; none is any. ``seconds`` shortens the configured time."""
        ...

    def post(
        self, url: str, body: Mapping[str, object], *, headers: Mapping[str, str] = {}, seconds: float | None = None
    ) -> Fetched:
        """Send JSON and take JSON; no redirect is followed."""
        ...

    def close(self) -> None:
        """Release connections."""
        ...


# A server is called again after an exponential back-off with equal jitter (Brooker, "Exponential Backoff And Jitter",
# AWS Architecture Blog 2015), unless the server says itself how long (Retry-After, RFC 9110, section 10.2.3).

FIRST_SECONDS = 0.5
"""Half of a second is the shortest pause that lets a busy server recover and the longest a person hardly notices."""
PASSING_STATUSES = frozenset({408, 425, 429, 500, 502, 503, 504})
"""Statuses whose meaning is that the same request may work later (RFC 9110, RFC 6585, RFC 8470)."""


def wait_seconds(attempt: int, retry_after: float | None) -> float:
    """The pause after failed try number ``attempt`` (from 0)."""
    if retry_after is not None:
        return retry_after
    doubled = FIRST_SECONDS * 2**attempt
    return doubled / 2 + random.random() * doubled / 2


def retry_after_seconds(header: str | None, now: datetime | None = None) -> float | None:
    """The seconds that Retry-After asks for, as a number or as a date; None when it does not say."""
    text = (header or "").strip()
    if text.isascii() and text.isdecimal() and len(text) < 10:
        return float(text)
    try:
        moment = parsedate_to_datetime(text)
    except ValueError:
        return None
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    return max(0.0, (moment - (now or datetime.now(UTC))).total_seconds())
