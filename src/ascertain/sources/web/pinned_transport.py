"""Connections to checked addresses only, with one deadline over everything that is sent and received.

The name stays in the Host header, in TLS (SNI) and in the check of the certificate; only the connection goes to the number.
"""

from __future__ import annotations

import socket
import ssl
import threading
import typing
from collections.abc import Generator, Iterable, Iterator
from contextlib import contextmanager, suppress

import httpcore
import httpx

from ascertain.sources.web.fetching import Deadline
from ascertain.sources.web.resolving import CheckedResolver

_Options = Iterable[httpcore.SOCKET_OPTION]


class PinnedTransport(httpx.BaseTransport):
    """A transport of httpx for the requests of one deadline. No proxy is used: it would look the name up itself, unchecked."""

    def __init__(self, resolver: CheckedResolver, tls: ssl.SSLContext, deadline: Deadline) -> None:
        backend = _PinnedBackend(resolver, deadline)
        self._pool = httpcore.ConnectionPool(ssl_context=tls, network_backend=backend)

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """Raises exceptions of httpx, ForbiddenAddress, OSError for a name without one."""
        with _as_httpx():
            answer = self._pool.handle_request(
                httpcore.Request(
                    method=request.method,
                    url=httpcore.URL(
                        scheme=request.url.raw_scheme,
                        host=request.url.raw_host,
                        port=request.url.port,
                        target=request.url.raw_path,
                    ),
                    headers=request.headers.raw,
                    content=request.read(),
                )
            )
        stream = typing.cast("Iterable[bytes]", answer.stream)
        return httpx.Response(answer.status, headers=answer.headers, stream=_Body(stream, answer))

    def close(self) -> None:
        """Close the connections."""
        self._pool.close()


class _Body(httpx.SyncByteStream):
    def __init__(self, stream: Iterable[bytes], answer: httpcore.Response) -> None:
        self._stream = stream
        self._answer = answer

    def __iter__(self) -> Iterator[bytes]:
        with _as_httpx():
            yield from self._stream

    def close(self) -> None:
        self._answer.close()


@contextmanager
def _as_httpx() -> Generator[None]:
    """The errors of httpcore as those of httpx, which carry the same names; the texts stay out, for they may quote headers."""
    try:
        yield
    except httpcore.TimeoutException as error:
        raise httpx.ReadTimeout("too late") from error
    except httpcore.ConnectError as error:
        raise httpx.ConnectError("no connection") from error
    except httpcore.NetworkError as error:
        raise httpx.NetworkError("the connection was cut") from error
    except httpcore.ProtocolError as error:
        kind = httpx.LocalProtocolError if isinstance(error, httpcore.LocalProtocolError) else httpx.RemoteProtocolError
        raise kind("not HTTP") from error


class _PinnedBackend(httpcore.NetworkBackend):
    def __init__(self, resolver: CheckedResolver, deadline: Deadline) -> None:
        self._resolver = resolver
        self._deadline = deadline
        self._sockets = httpcore.SyncBackend()

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: _Options | None = None,
    ) -> httpcore.NetworkStream:
        addresses = self._resolver.addresses(host, port, self._deadline)
        for number, address in enumerate(addresses):
            # Each address has its share of the time, so that one that never answers leaves some for the next.
            share = self._deadline.left() / (len(addresses) - number)
            if share <= 0:
                break
            try:
                stream = self._sockets.connect_tcp(address, port, share, local_address, socket_options)
            except (httpcore.ConnectError, httpcore.ConnectTimeout):
                if number == len(addresses) - 1:
                    raise
                continue
            return _TimedStream(stream, self._deadline)
        raise httpcore.ConnectTimeout("no time left")

    def connect_unix_socket(
        self, path: str, timeout: float | None = None, socket_options: _Options | None = None
    ) -> httpcore.NetworkStream:
        raise httpcore.ConnectError("sockets of this machine are not reached")


class _TimedStream(httpcore.NetworkStream):
    """A connection whose every step ends by the deadline: a server that sends a byte now and then does not hold it open."""

    def __init__(self, stream: httpcore.NetworkStream, deadline: Deadline) -> None:
        self._stream = stream
        self._deadline = deadline

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        return self._stream.read(max_bytes, self._time_left(httpcore.ReadTimeout))

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        self._stream.write(buffer, self._time_left(httpcore.WriteTimeout))

    def close(self) -> None:
        self._stream.close()

    def start_tls(
        self, ssl_context: ssl.SSLContext, server_hostname: str | None = None, timeout: float | None = None
    ) -> httpcore.NetworkStream:
        left = self._time_left(httpcore.ConnectTimeout)
        # A handshake is many reads, each with the whole time: the alarm ends it when it is up. It holds a duplicate, for the socket itself
        # passes into the TLS one.
        raw = typing.cast("socket.socket", self._stream.get_extra_info("socket")).dup()
        alarm = threading.Timer(left, _cut_connection, (raw,))
        alarm.daemon = True
        alarm.start()
        try:
            secured = self._stream.start_tls(ssl_context, server_hostname, left)
        finally:
            alarm.cancel()
            raw.close()
        return _TimedStream(secured, self._deadline)

    def get_extra_info(self, info: str) -> typing.Any:
        return self._stream.get_extra_info(info)

    def _time_left(self, late: type[httpcore.TimeoutException]) -> float:
        left = self._deadline.left()
        if left <= 0:
            raise late("no time left")
        return left


def _cut_connection(connection: socket.socket) -> None:
    with suppress(OSError):
        connection.shutdown(socket.SHUT_RDWR)
