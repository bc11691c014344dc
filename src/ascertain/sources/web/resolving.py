"""Names into checked addresses. The look-up whose answer is checked is the only one there is: connections go to its addresses."""

from __future__ import annotations

import ipaddress
import queue
import socket
import threading
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import partial

from ascertain.core.errors import ConfigurationError
from ascertain.sources.web.fetching import Deadline

# Which addresses a program may reach on behalf of somebody else: public ones, and the hosts that the settings allow.
#
# What counts as public follows IANA's registries of special-purpose addresses (RFC 6890 and its updates): only what is globally reachable. An IPv6
# address that carries an IPv4 one (mapped, NAT64, 6to4) is as public as the one it carries.

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
    """A host leads to an address that is not public. It is not named: who asks need not learn the numbers of a network inside."""


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
                    "if it is yours, name it in web.allowed_hosts"
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
    """The answer in time: a look-up has no time limit of its own, so it runs beside and is left alone when late."""
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
