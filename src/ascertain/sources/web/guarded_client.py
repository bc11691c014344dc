"""The one client for everything from the network: what it asks for was named by a stranger, and what answers is one.

It is written against requests made on a stranger's behalf to places only this machine can reach (SSRF), names that change their address
between the check and the connection (DNS rebinding), and answers made to exhaust time or memory.
"""

from __future__ import annotations

import json
import socket
import ssl
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from urllib.parse import urljoin

import httpx

from ascertain.core.errors import SourceError
from ascertain.core.settings import WebSettings
from ascertain.sources.web.address_rules import AllowedHosts
from ascertain.sources.web.bodies import ENCODINGS, BodyError, check_size, unpacked
from ascertain.sources.web.deadline import Deadline
from ascertain.sources.web.failures import failure_of
from ascertain.sources.web.fetching import Fetched, FetchError
from ascertain.sources.web.pinned_transport import PinnedTransport
from ascertain.sources.web.request_urls import port_of, requestable, shown
from ascertain.sources.web.resolving import CheckedResolver, ForbiddenAddress, Resolver, system_resolver
from ascertain.sources.web.retrying import PASSING_STATUSES, retry_after_seconds, wait_seconds

_REDIRECTS = frozenset({301, 302, 303, 307, 308})
MAX_REDIRECTS = 5
"""Followed, each checked anew (by judgement: a circle must end)."""
_ERROR_BYTES = 64_000
"""Of an error answer: enough for the reason a service gives as JSON or XML."""


@dataclass(frozen=True, slots=True)
class _Call:
    """One call of the client with everything it was given."""

    method: str
    url: httpx.URL
    accept: tuple[str, ...]
    headers: Mapping[str, str]
    content: bytes | None
    deadline: Deadline


class GuardedClient:
    """A ``Fetcher``. It reads no proxy from the environment and keeps no cookie and no connection from one call to the next.

    ``resolver`` turns names into addresses, ``tls`` says which certificates are trusted, ``sleep`` waits between tries: for tests.
    """

    def __init__(
        self,
        settings: WebSettings,
        *,
        resolver: Resolver = system_resolver,
        tls: ssl.SSLContext | None = None,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._settings = settings
        self._resolver = CheckedResolver(AllowedHosts(settings.allowed_hosts), resolver)
        self._given_tls = tls
        self._sleep = sleep
        self._limit = int(settings.max_megabytes * 1_000_000)

    def get(
        self,
        url: str,
        *,
        accept: tuple[str, ...] = (),
        headers: Mapping[str, str] = {},
        seconds: float | None = None,
    ) -> Fetched:
        """See ``Fetcher.get``. ``headers`` go to the origin of ``url`` only, not to another that a redirect names."""
        return self._retried(_Call("GET", requestable(url), accept, headers, None, self._deadline(seconds)))

    def post(
        self,
        url: str,
        body: Mapping[str, object],
        *,
        headers: Mapping[str, str] = {},
        seconds: float | None = None,
    ) -> Fetched:
        """See ``Fetcher.post``. It is tried again only where the server refused it or was never reached."""
        accept = ("application/json",)
        content = json.dumps(body).encode()
        typed = {**headers, "Content-Type": "application/json"}
        return self._retried(_Call("POST", requestable(url), accept, typed, content, self._deadline(seconds)))

    def close(self) -> None:
        """Nothing is kept open between calls."""

    def _deadline(self, seconds: float | None) -> Deadline:
        longest = self._settings.timeout_seconds
        return Deadline(longest if seconds is None else max(0.0, min(seconds, longest)))

    def _retried(self, call: _Call) -> Fetched:
        attempt = 0
        while True:
            try:
                return self._once(call)
            except FetchError as error:
                wait = wait_seconds(attempt, error.retry_after)
                is_safe = call.method == "GET" or error.status is not None or _was_never_reached(error)
                if not (error.is_passing and is_safe) or attempt >= self._settings.retries:
                    raise
                if wait >= call.deadline.left():
                    raise
            self._sleep(wait)
            attempt += 1

    def _once(self, call: _Call) -> Fetched:
        """One try: the request and the redirects that it leads to."""
        transport = PinnedTransport(self._resolver, self._tls, call.deadline)
        with httpx.Client(transport=transport, trust_env=False, timeout=None) as client:
            url = call.url
            for _ in range(MAX_REDIRECTS + 1):
                answered = self._exchange(client, call, url)
                if isinstance(answered, Fetched):
                    return answered
                url = answered
        raise FetchError(f"{shown(call.url)}: more than {MAX_REDIRECTS} redirects; it may lead in a circle")

    def _exchange(self, client: httpx.Client, call: _Call, url: httpx.URL) -> Fetched | httpx.URL:
        """The answer of one URL, or the URL that it redirects to."""
        request = client.build_request(
            call.method, url, headers=self._headers(call, url), content=call.content
        )
        try:
            answer = client.send(request, stream=True, follow_redirects=False)
            try:
                if answer.status_code in _REDIRECTS:
                    return _redirect(call, url, answer)
                return self._fetched(call, url, answer)
            finally:
                answer.close()
        except (httpx.HTTPError, OSError, ForbiddenAddress) as error:
            raise failure_of(url, error, call.deadline) from error

    def _headers(self, call: _Call, url: httpx.URL) -> dict[str, str]:
        own = {
            "User-Agent": self._settings.user_agent,
            "Accept": ", ".join(f"{kind}*" if kind.endswith("/") else kind for kind in call.accept) or "*/*",
            "Accept-Encoding": ENCODINGS,
        }
        is_same = (url.scheme, url.host, port_of(url)) == (call.url.scheme, call.url.host, port_of(call.url))
        return {**own, **call.headers} if is_same else own

    def _fetched(self, call: _Call, url: httpx.URL, answer: httpx.Response) -> Fetched:
        status = answer.status_code
        if not (200 <= status < 300 or status == 304):
            raise self._refused(url, answer)
        media_type, charset = _content_type(answer.headers.get("content-type", ""))
        is_wanted = not call.accept or not media_type or _matches(media_type, call.accept)
        if not is_wanted and status != 304:
            raise FetchError(
                f"{shown(url)}: answers with {media_type[:80]}, not with {' or '.join(call.accept)}",
                status=status,
            )
        headers = {name.lower(): value for name, value in answer.headers.items()}
        body = b"" if status == 304 else self._body(url, answer, self._limit)
        return Fetched(str(url), status, body, media_type, charset, headers)

    def _body(self, url: httpx.URL, answer: httpx.Response, limit: int) -> bytes:
        try:
            length = answer.headers.get("content-length", "")
            check_size(int(length) if length.isdecimal() else 0, limit)
            return unpacked(answer.iter_raw(), answer.headers.get("content-encoding", ""), limit)
        except BodyError as error:
            raise FetchError(f"{shown(url)}: {error}", status=answer.status_code) from error

    def _refused(self, url: httpx.URL, answer: httpx.Response) -> FetchError:
        status = answer.status_code
        try:
            body = self._body(url, answer, _ERROR_BYTES)
        except FetchError:
            body = b""
        retry_after = retry_after_seconds(answer.headers.get("retry-after"))
        name = httpx.codes.get_reason_phrase(status)
        return FetchError(
            f"{shown(url)}: answers with {status}{f' ({name})' if name else ''}{_asks_to_wait(retry_after)}",
            status=status,
            body=body,
            retry_after=retry_after,
            is_passing=status in PASSING_STATUSES,
        )

    @cached_property
    def _tls(self) -> ssl.SSLContext:
        # The environment may name certificates (SSL_CERT_FILE), as companies need that sign their own.
        return self._given_tls or httpx.create_ssl_context(trust_env=True)


def _redirect(call: _Call, url: httpx.URL, answer: httpx.Response) -> httpx.URL:
    """Where a redirect leads, checked as the first address was."""
    target = answer.headers.get("location", "")
    if call.method != "GET" or not target:
        reason = "with a redirect that is not followed" if target else "with a redirect to nowhere"
        raise FetchError(f"{shown(url)}: answers {reason}", status=answer.status_code)
    try:
        return requestable(urljoin(str(url), target))
    except (SourceError, ValueError) as error:
        raise FetchError(f"{shown(url)}: redirects to an address that is not fetched: {error}") from error


def _content_type(header: str) -> tuple[str, str | None]:
    """Media type and charset of a Content-Type header."""
    media_type, *parameters = (part.strip() for part in header.split(";"))
    pairs = (parameter.partition("=") for parameter in parameters)
    charset = next(
        (value.strip("\"' ") for name, _, value in pairs if name.strip().lower() == "charset"), None
    )
    return media_type.lower(), charset or None


def _matches(media_type: str, accept: tuple[str, ...]) -> bool:
    return any(media_type.startswith(kind) if kind.endswith("/") else media_type == kind for kind in accept)


def _asks_to_wait(seconds: float | None) -> str:
    return "" if seconds is None else f" and asks to wait {seconds:.0f} s"


def _was_never_reached(error: FetchError) -> bool:
    return isinstance(error.__cause__, (httpx.ConnectError, socket.gaierror))
