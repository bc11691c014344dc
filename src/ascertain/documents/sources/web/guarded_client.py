"""The one client for everything from the network: addresses come from strangers, and so do answers.

It is written against requests made on a stranger's behalf to places only this machine can reach (SSRF), names that change their address
between the check and the connection (DNS rebinding), and answers made to exhaust time or memory.
"""

import json
import socket
import ssl
import time
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol
from urllib.parse import urljoin

import httpx

from ascertain.core.errors import SourceError
from ascertain.core.settings import WebSettings
from ascertain.documents.sources.web.fetching import (
    PASSING_STATUSES,
    Deadline,
    Fetched,
    FetchError,
    retry_after_seconds,
    wait_seconds,
)
from ascertain.documents.sources.web.resolving import (
    AllowedHosts,
    CheckedResolver,
    ForbiddenAddress,
    PinnedTransport,
    Resolver,
    system_resolver,
)
from ascertain.documents.sources.web.urls import hide_secrets, parse_requestable, port_of

ENCODINGS = "gzip, deflate"
"""What requests ask for, and all that is taken."""
_STEP = 64 * 1024


class BodyError(ValueError):
    """A body that is too large or cannot be unpacked; says which."""


class _Unpacker(Protocol):
    def unpack(self, data: bytes) -> Iterator[bytes]: ...

    def check_whole(self) -> None: ...


def unpack_body(parts: Iterable[bytes], encoding: str, limit: int) -> bytes:
    """The whole body, decompressed by ``encoding`` (the header Content-Encoding).

    Raises BodyError when it is longer than ``limit`` bytes as sent or as decompressed, or in an encoding that was not asked for.
    """
    unpacker = _choose_unpacker(encoding)
    body = bytearray()
    sent = 0
    for part in parts:
        sent += len(part)
        check_size(sent, limit)
        for piece in unpacker.unpack(part):
            body += piece
            check_size(len(body), limit, " once unpacked")
    unpacker.check_whole()
    return bytes(body)


def check_size(size: int, limit: int, when: str = "") -> None:
    """Raise BodyError when a body of ``size`` bytes is over ``limit``."""
    if size > limit:
        raise BodyError(f"larger than {limit / 1_000_000:g} MB{when}; raise web.max_megabytes if it should be read")


def _choose_unpacker(encoding: str) -> _Unpacker:
    names = [name for part in encoding.lower().split(",") if (name := part.strip()) not in {"", "identity"}]
    if not names:
        return _Plain()
    if names in (["gzip"], ["x-gzip"]):
        return _Deflated(zlib.MAX_WBITS | 16)
    if names == ["deflate"]:
        return _Deflated(zlib.MAX_WBITS)
    raise BodyError(f"compressed as {', '.join(names)[:60]!r}, though {ENCODINGS} was asked for")


class _Plain:
    def unpack(self, data: bytes) -> Iterator[bytes]:
        yield data

    def check_whole(self) -> None:
        """Any beginning of a plain body is a body."""


class _Deflated:
    """gzip of one or more members, or deflate with or without the header of zlib (servers send both by that name)."""

    def __init__(self, bits: int) -> None:
        self._bits = bits
        self._stream = zlib.decompressobj(bits)
        self._has_begun = False

    def unpack(self, data: bytes) -> Iterator[bytes]:
        is_pending = False
        while data or is_pending:
            if self._stream.eof:
                if not data.strip(b"\0"):
                    return  # padding behind the last member
                self._stream = zlib.decompressobj(self._bits)
            piece = self._inflate_step(data)
            yield piece
            data = self._stream.unused_data if self._stream.eof else self._stream.unconsumed_tail
            # A full step may have taken all of the input and still hold output back.
            is_pending = len(piece) == _STEP and not self._stream.eof

    def check_whole(self) -> None:
        if self._has_begun and not self._stream.eof:
            raise BodyError("the compressed answer is cut short")

    def _inflate_step(self, data: bytes) -> bytes:
        try:
            piece = self._stream.decompress(data, _STEP)
        except zlib.error as error:
            if self._has_begun or self._bits != zlib.MAX_WBITS:
                raise BodyError("the compressed answer is damaged") from error
            self._bits = -zlib.MAX_WBITS
            self._stream = zlib.decompressobj(self._bits)
            return self._inflate_step(data)
        self._has_begun = True
        return piece


def failure_of(url: httpx.URL, error: Exception, deadline: Deadline) -> FetchError:
    """The error of a request of ``url`` that ended without an answer."""
    reason, is_passing = _explain_error(error, deadline)
    return FetchError(f"{hide_secrets(url)}: {reason}", is_passing=is_passing)


def _explain_error(error: Exception, deadline: Deadline) -> tuple[str, bool]:
    """The reason, and whether it may pass."""
    if isinstance(error, ForbiddenAddress):
        return str(error), False
    if deadline.has_passed or isinstance(error, (httpx.TimeoutException, TimeoutError)):
        return f"no whole answer within {deadline.seconds:g} s (web.timeout_seconds)", True
    cause = _root_cause(error)
    if isinstance(cause, ssl.SSLCertVerificationError):
        return f"its certificate is not trusted: {cause.verify_message}", False
    if isinstance(cause, ssl.SSLError):
        return f"no secure connection: {cause.reason or 'the handshake failed'}", False
    if isinstance(cause, socket.gaierror):
        return f"the name has no address: {cause.strerror}", cause.errno == socket.EAI_AGAIN
    if isinstance(error, httpx.ConnectError):
        return f"cannot be connected to: {_system_error(cause)}", True
    if isinstance(error, httpx.LocalProtocolError):
        return "the request has a header that cannot be sent", False
    if isinstance(error, httpx.RemoteProtocolError):
        return "breaks off, or answers with something that is not HTTP", True
    return f"the connection was cut: {_system_error(cause)}", True


def _root_cause(error: BaseException) -> BaseException:
    """The first cause of an exception: that of the socket, where there is one."""
    while (cause := error.__cause__ or error.__context__) is not None:
        error = cause
    return error


def _system_error(error: BaseException) -> str:
    return getattr(error, "strerror", None) or "no reason given"


_HARMLESS = frozenset({"Accept-Encoding", "If-Range", "Range"})
"""Headers that hold no secret, and that the address a redirect names needs as much as the first one."""
_REDIRECTS = frozenset({301, 302, 303, 307, 308})
MAX_REDIRECTS = 5
"""Followed, each checked again (by judgement: a circle must end)."""
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
        self, url: str, *, accept: tuple[str, ...] = (), headers: Mapping[str, str] = {}, seconds: float | None = None
    ) -> Fetched:
        """See ``Fetcher.get``. ``headers`` go to the origin of ``url`` only, not to another that a redirect names, but for those that say
        which part of the file is wanted.
        """
        return self._fetch_retrying(
            _Call("GET", parse_requestable(url), accept, headers, None, self._set_deadline(seconds))
        )

    def post(
        self, url: str, body: Mapping[str, object], *, headers: Mapping[str, str] = {}, seconds: float | None = None
    ) -> Fetched:
        """See ``Fetcher.post``. It is tried again only where the server refused it or was never reached."""
        accept = ("application/json",)
        content = json.dumps(body).encode()
        typed = {**headers, "Content-Type": "application/json"}
        return self._fetch_retrying(
            _Call("POST", parse_requestable(url), accept, typed, content, self._set_deadline(seconds))
        )

    def close(self) -> None:
        """Nothing stays open between calls."""

    def _set_deadline(self, seconds: float | None) -> Deadline:
        longest = self._settings.timeout_seconds
        return Deadline(longest if seconds is None else max(0.0, min(seconds, longest)))

    def _fetch_retrying(self, call: _Call) -> Fetched:
        attempt = 0
        while True:
            try:
                return self._fetch_once(call)
            except FetchError as error:
                wait = wait_seconds(attempt, error.retry_after)
                is_safe = call.method == "GET" or error.status is not None or _is_unreachable(error)
                if not (error.is_passing and is_safe) or attempt >= self._settings.retries:
                    raise
                if wait >= call.deadline.left():
                    raise
            self._sleep(wait)
            attempt += 1

    def _fetch_once(self, call: _Call) -> Fetched:
        """One try: the request and the redirects that it leads to."""
        transport = PinnedTransport(self._resolver, self._tls_context, call.deadline)
        with httpx.Client(transport=transport, trust_env=False, timeout=None) as client:
            url = call.url
            for _ in range(MAX_REDIRECTS + 1):
                answered = self._exchange_one(client, call, url)
                if isinstance(answered, Fetched):
                    return answered
                url = answered
        raise FetchError(f"{hide_secrets(call.url)}: more than {MAX_REDIRECTS} redirects; it may lead in a circle")

    def _exchange_one(self, client: httpx.Client, call: _Call, url: httpx.URL) -> Fetched | httpx.URL:
        """The answer of one URL, or the URL that it redirects to."""
        request = client.build_request(call.method, url, headers=self._build_headers(call, url), content=call.content)
        try:
            answer = client.send(request, stream=True, follow_redirects=False)
            try:
                if answer.status_code in _REDIRECTS:
                    return _follow_redirect(call, url, answer)
                return self._read_answer(call, url, answer)
            finally:
                answer.close()
        except (httpx.HTTPError, OSError, ForbiddenAddress) as error:
            raise failure_of(url, error, call.deadline) from error

    def _build_headers(self, call: _Call, url: httpx.URL) -> dict[str, str]:
        own = {
            "User-Agent": self._settings.user_agent,
            "Accept": ", ".join(f"{kind}*" if kind.endswith("/") else kind for kind in call.accept) or "*/*",
            "Accept-Encoding": ENCODINGS,
        }
        is_same = (url.scheme, url.host, port_of(url)) == (call.url.scheme, call.url.host, port_of(call.url))
        kept = {name: value for name, value in call.headers.items() if is_same or name in _HARMLESS}
        return {**own, **kept}

    def _read_answer(self, call: _Call, url: httpx.URL, answer: httpx.Response) -> Fetched:
        status = answer.status_code
        if not (200 <= status < 300 or status == 304):
            raise self._refuse_status(url, answer)
        media_type, charset = _content_type(answer.headers.get("content-type", ""))
        is_wanted = not call.accept or not media_type or _matches_type(media_type, call.accept)
        if not is_wanted and status != 304:
            raise FetchError(
                f"{hide_secrets(url)}: answers with {media_type[:80]}, not with {' or '.join(call.accept)}",
                status=status,
            )
        headers = {name.lower(): value for name, value in answer.headers.items()}
        body = b"" if status == 304 else self._read_body(url, answer, self._limit)
        return Fetched(str(url), status, body, media_type, charset, headers)

    def _read_body(self, url: httpx.URL, answer: httpx.Response, limit: int) -> bytes:
        try:
            length = answer.headers.get("content-length", "")
            check_size(int(length) if length.isdecimal() else 0, limit)
            return unpack_body(answer.iter_raw(), answer.headers.get("content-encoding", ""), limit)
        except BodyError as error:
            raise FetchError(f"{hide_secrets(url)}: {error}", status=answer.status_code) from error

    def _refuse_status(self, url: httpx.URL, answer: httpx.Response) -> FetchError:
        status = answer.status_code
        try:
            body = self._read_body(url, answer, _ERROR_BYTES)
        except FetchError:
            body = b""
        retry_after = retry_after_seconds(answer.headers.get("retry-after"))
        name = httpx.codes.get_reason_phrase(status)
        return FetchError(
            f"{hide_secrets(url)}: answers with {status}{f' ({name})' if name else ''}{_asks_to_wait(retry_after)}",
            status=status,
            body=body,
            retry_after=retry_after,
            is_passing=status in PASSING_STATUSES,
        )

    @cached_property
    def _tls_context(self) -> ssl.SSLContext:
        # The environment may name certificates (SSL_CERT_FILE), as companies need that sign their own.
        return self._given_tls or httpx.create_ssl_context(trust_env=True)


def _follow_redirect(call: _Call, url: httpx.URL, answer: httpx.Response) -> httpx.URL:
    """Where a redirect leads, checked as the first address was."""
    target = answer.headers.get("location", "")
    if call.method != "GET" or not target:
        reason = "with a redirect that is not followed" if target else "with a redirect to nowhere"
        raise FetchError(f"{hide_secrets(url)}: answers {reason}", status=answer.status_code)
    try:
        return parse_requestable(urljoin(str(url), target))
    except (SourceError, ValueError) as error:
        raise FetchError(f"{hide_secrets(url)}: redirects to an address that is not fetched: {error}") from error


def _content_type(header: str) -> tuple[str, str | None]:
    """Media type and charset of a Content-Type header."""
    media_type, *parameters = (part.strip() for part in header.split(";"))
    pairs = (parameter.partition("=") for parameter in parameters)
    charset = next((value.strip("\"' ") for name, _, value in pairs if name.strip().lower() == "charset"), None)
    return media_type.lower(), charset or None


def _matches_type(media_type: str, accept: tuple[str, ...]) -> bool:
    return any(media_type.startswith(kind) if kind.endswith("/") else media_type == kind for kind in accept)


def _asks_to_wait(seconds: float | None) -> str:
    return "" if seconds is None else f" and asks to wait {seconds:.0f} s"


def _is_unreachable(error: FetchError) -> bool:
    return isinstance(error.__cause__, (httpx.ConnectError, socket.gaierror))
