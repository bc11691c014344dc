"""Names into checked addresses. The look-up whose answer is checked is the only one there is: connections go to its addresses."""

from __future__ import annotations

import ipaddress
import queue
import socket
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial

from ascertain.sources.web.address_rules import AllowedHosts, refusal
from ascertain.sources.web.deadline import Deadline

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
        addresses = [ipaddress.ip_address(text) for text in self._resolved(host, port, deadline)]
        if not addresses:
            raise OSError(f"{host} has no address")
        if not self.allowed.hold(host, port):
            # One public address among private ones is how names are made to lead inside: all must be public.
            reason = next((why for address in addresses if (why := refusal(address))), None)
            if reason is not None:
                verb = "is" if _is_address(host) else "leads to"
                raise ForbiddenAddress(
                    f"{host} {verb} {reason}; only public addresses are fetched; "
                    "if it is yours, name it in web.allowed_hosts"
                )
        return [str(address) for address in addresses]

    def _resolved(self, host: str, port: int, deadline: Deadline) -> list[str]:
        return [host] if _is_address(host) else _within(deadline, partial(self.resolve, host, port))


def _is_address(host: str) -> bool:
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return False
    return True


def _within(deadline: Deadline, resolve: Callable[[], list[str]]) -> list[str]:
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
