"""Which addresses a program may reach on behalf of somebody else: public ones, and the hosts that the settings allow.

What counts as public follows IANA's registries of special-purpose addresses (RFC 6890 and its updates): only what is globally reachable. An IPv6
address that carries an IPv4 one (mapped, NAT64, 6to4) is as public as the one it carries.
"""

from __future__ import annotations

import ipaddress
from collections.abc import Iterable

from ascertain.core.errors import ConfigurationError

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
_RESERVED_V6 = tuple(
    ipaddress.IPv6Network(network) for network in ("2001::/23", "2001:db8::/32", "3fff::/20")
)
_CARRIERS = (
    # Each network with how far right of its low end the IPv4 address stands, in bits.
    (ipaddress.IPv6Network("::ffff:0:0/96"), 0),
    (ipaddress.IPv6Network("::ffff:0:0:0/96"), 0),
    (ipaddress.IPv6Network("64:ff9b::/96"), 0),
    (ipaddress.IPv6Network("2002::/16"), 80),
)


def refusal(address: Address) -> str | None:
    """Why an address is not reached, as in "a private address"; None when it is public."""
    if isinstance(address, ipaddress.IPv6Address):
        carried = _carried(address)
        if carried is not None:
            return refusal(carried)
        is_public = address in _GLOBAL_V6 and not any(address in network for network in _RESERVED_V6)
    else:
        is_public = not any(address in network for network in _RESERVED_V4)
    # Both must agree, so that neither list can be behind.
    return None if is_public and address.is_global and not address.is_multicast else _kind(address)


def _carried(address: ipaddress.IPv6Address) -> ipaddress.IPv4Address | None:
    for network, shift in _CARRIERS:
        if address in network:
            return ipaddress.IPv4Address(int(address) >> shift & 0xFFFFFFFF)
    return None


def _kind(address: Address) -> str:
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
        self._known = frozenset(_entry(entry) for entry in entries)

    def hold(self, host: str, port: int) -> bool:
        """Whether a host may be reached at this port wherever its name leads."""
        name = host.lower().rstrip(".")
        return (name, None) in self._known or (name, port) in self._known


def _entry(text: str) -> tuple[str, int | None]:
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
