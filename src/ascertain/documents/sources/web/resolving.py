"""Names into checked addresses, and connections to these only, with one deadline over all that is sent and received.

The look-up whose answer is checked is the only one there is. The name stays in the Host header, in TLS (SNI) and in the check of
the certificate; only the connection goes to the number.

Public is what IANA's registries of special-purpose addresses (RFC 6890 and its updates) call globally reachable. An IPv6 address
that carries an IPv4 one (mapped, NAT64, 6to4) is as public as the one it carries.
"""

import ipaddress
import queue
import socket
import ssl
import threading
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import partial
from typing import Any, cast

import httpcore
import httpx

from ascertain.core.errors import ConfigurationError
from ascertain.documents.sources.web.fetching import Deadline

Address = ipaddress.IPv4Address | ipaddress.IPv6Address

# Written out, not left to is_global: Python's own lists differ from one patch release to the next.
_RESERVED_V4 = tuple(
    ipaddress.IPv4Network(network)
    for network in (
        "0.0.0.0/8",
        "10.0.0.0/8",
        "100.64.0.0/10",
        "127.0.0.0/8",
        "169.254.0.0/16",
        "172.16.0.0/12",
        "192.0.0.0/24",
        "192.0.2.0/24",
        "192.88.99.0/24",
        "192.168.0.0/16",
        "198.18.0.0/15",
        "198.51.100.0/24",
        "203.0.113.0/24",
        "224.0.0.0/4",
        "240.0.0.0/4",
        # Azure's host agent answers virtual machines at this address, public by its number.
        "168.63.129.16/32",
    )
)
_GLOBAL_V6 = ipaddress.IPv6Network("2000::/3")
_RESERVED_V6 = tuple(ipaddress.IPv6Network(network) for network in ("2001::/23", "2001:db8::/32", "3fff::/20"))
_CARRIERS = (
    # Each network with how far right of its low end the IPv4 address stands, in bits.
    (ipaddress.IPv6Network("::ffff:0:0/96"), 0),
    (ipaddress.IPv6Network("::ffff:0:0:0/96"), 0),
    (ipaddress.IPv6Network("64:ff9b::/96"), 0),
    (ipaddress.IPv6Network("2002::/16"), 80),
)


def refuse_address(address: Address) -> str | None:
    """Why an address is not reached, as in "a private address"; None when it is public."""
    if isinstance(address, ipaddress.IPv6Address):
        carried = _carried_address(address)
        if carried is not None:
            return refuse_address(carried)
        is_public = address in _GLOBAL_V6 and not any(address in network for network in _RESERVED_V6)
    else:
        is_public = not any(address in network for network in _RESERVED_V4)
    # Both must agree, so that neither list can be behind.
    return None if is_public and address.is_global and not address.is_multicast else _name_kind(address)


def _carried_address(address: ipaddress.IPv6Address) -> ipaddress.IPv4Address | None:
    for network, shift in _CARRIERS:
        if address in network:
            return ipaddress.IPv4Address(int(address) >> shift & 0xFFFFFFFF)
    return None


def _name_kind(address: Address) -> str:
    if address.is_loopback:
        return "a loopback address"
    if address.is_link_local:
        return "a link-local address"
    if address.is_unspecified:
        return "the unspecified address"
    if address.is_multicast:
        return "a multicast address"
    return "a private address" if address.is_private else "a reserved address"


class AllowedHosts:
    """The hosts of ``web.allowed_hosts``: names or addresses, each for every port or for one.

    Raises ConfigurationError for an entry that is neither ``host`` nor ``host:port``.
    """

    def __init__(self, entries: Iterable[str]) -> None:
        self._known = frozenset(_split_entry(entry) for entry in entries)

    def hold(self, host: str, port: int) -> bool:
        """Whether a host may be reached at this port wherever its name leads."""
        name = host.lower().rstrip(".")
        return (name, None) in self._known or (name, port) in self._known


def _split_entry(text: str) -> tuple[str, int | None]:
    entry = text.strip().lower()
    host, port = entry, ""
    if entry.startswith("["):
        host, _, rest = entry[1:].partition("]")
        port = rest.removeprefix(":")
    elif entry.count(":") == 1:
        host, port = entry.split(":")
    is_host = bool(host) and not set(host) & set("/@?#[] ")
    if not is_host or (port and not (port.isascii() and port.isdecimal() and 0 < int(port) < 65536)):
        raise ConfigurationError(
            f"web.allowed_hosts: {text!r} is not a host; write a name or an address, with :port behind it for one port only"
        )
    return host.rstrip("."), int(port) if port else None


Resolver = Callable[[str, int], list[str]]
"""From a name and a port to its addresses as text, best first; raises OSError when there is none."""


class ForbiddenAddress(Exception):
    """A host leads to an address that is not public. It is not shown: callers need not learn the addresses of an internal network."""


def system_resolver(host: str, port: int) -> list[str]:
    """What this machine's resolver says."""
    found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(entry[4][0]) for entry in found))


@dataclass(frozen=True, slots=True)
class CheckedResolver:
    """Resolves a host and refuses it when any of its addresses is not public, unless it is allowed."""

    allowed: AllowedHosts
    resolve: Resolver = field(default=system_resolver)

    def addresses(self, host: str, port: int, deadline: Deadline) -> list[str]:
        """At least one address. Raises ForbiddenAddress, OSError when the name has no address, TimeoutError when the answer is late."""
        addresses = [ipaddress.ip_address(text) for text in self._resolve_host(host, port, deadline)]
        if not addresses:
            raise OSError(f"{host} has no address")
        if not self.allowed.hold(host, port):
            # One public address among private ones is how names are made to lead inside: all must be public.
            reason = next((why for address in addresses if (why := refuse_address(address))), None)
            if reason is not None:
                verb = "is" if _is_address(host) else "leads to"
                raise ForbiddenAddress(
                    f"{host} {verb} {reason}; only public addresses are fetched; "
                    "if it is yours, add it to web.allowed_hosts"
                )
        return [str(address) for address in addresses]

    def _resolve_host(self, host: str, port: int, deadline: Deadline) -> list[str]:
        return [host] if _is_address(host) else _resolve_in_time(deadline, partial(self.resolve, host, port))


def _is_address(host: str) -> bool:
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return False
    return True


def _resolve_in_time(deadline: Deadline, resolve: Callable[[], list[str]]) -> list[str]:
    """The answer in time: a look-up has no time limit of its own, so it runs in a thread and is abandoned when late."""
    answer: queue.SimpleQueue[list[str] | Exception] = queue.SimpleQueue()

    def look_up() -> None:
        try:
            answer.put(resolve())
        except Exception as error:  # carried to the thread that waits
            answer.put(error)

    threading.Thread(target=look_up, name="look-up", daemon=True).start()
    try:
        found = answer.get(timeout=deadline.left())
    except queue.Empty:
        raise TimeoutError("the look-up took too long") from None
    if isinstance(found, Exception):
        raise found
    return found


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
        stream = cast("Iterable[bytes]", answer.stream)
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
        raw = cast("socket.socket", self._stream.get_extra_info("socket")).dup()
        alarm = threading.Timer(left, _cut_connection, (raw,))
        alarm.daemon = True
        alarm.start()
        try:
            secured = self._stream.start_tls(ssl_context, server_hostname, left)
        finally:
            alarm.cancel()
            raw.close()
        return _TimedStream(secured, self._deadline)

    def get_extra_info(self, info: str) -> Any:
        return self._stream.get_extra_info(info)

    def _time_left(self, late: type[httpcore.TimeoutException]) -> float:
        left = self._deadline.left()
        if left <= 0:
            raise late("no time left")
        return left


def _cut_connection(connection: socket.socket) -> None:
    with suppress(OSError):
        connection.shutdown(socket.SHUT_RDWR)
