"""The port of fetching: everything that is read from the network on behalf of a user or a page goes through it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol

from ascertain.core.errors import SourceError


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
    """A request that did not end well; the message begins with the address without secrets."""

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
        """Seconds after which the server asks to be tried again."""
        self.is_passing = is_passing
        """Whether the same request may work later."""


class Fetcher(Protocol):
    """Requests with every protection: http(s) only, no private, loopback or link-local address at any redirect or answer of the DNS, limits
    on size, time, redirects and decompression, a check of the media type. Safe to use from several threads.

    Raises SourceError, beginning with the address without secrets, for whatever does not end in an answer of status 200 to 299 or 304;
    it is a ``FetchError`` wherever a request was made, whose message holds nothing that the server said.
    """

    def get(
        self,
        url: str,
        *,
        accept: tuple[str, ...] = (),
        headers: Mapping[str, str] = {},
        seconds: float | None = None,
    ) -> Fetched:
        """``accept`` are media types, or beginnings of them that end in ``/``; none is any. ``seconds`` shortens the configured time."""
        ...

    def post(
        self,
        url: str,
        body: Mapping[str, object],
        *,
        headers: Mapping[str, str] = {},
        seconds: float | None = None,
    ) -> Fetched:
        """Send JSON and take JSON; no redirect is followed."""
        ...

    def close(self) -> None:
        """Release connections."""
        ...
