"""Who may talk to a service that runs open: programs on this machine, and no page of a stranger in a browser on it.

A browser sends requests to loopback on behalf of any page. One that was made to believe that its own name is this machine (DNS
rebinding) shows that name in Host; one that merely sends names itself in Origin.
"""

from __future__ import annotations

from collections.abc import Collection
from ipaddress import ip_address
from urllib.parse import urlsplit

from starlette.datastructures import Headers

from ascertain.server.problems import Problem, ProblemError


def is_loopback(host: str) -> bool:
    """Whether a name or address, without a port, is this machine and nobody else's."""
    if host.lower().rstrip(".") == "localhost":
        return True
    try:
        return ip_address(host.strip("[]").partition("%")[0]).is_loopback
    except ValueError:
        return False


def refuse_strangers(headers: Headers, allowed: Collection[str]) -> None:
    """Raise ProblemError for a request to an open service that a stranger's page may have made; ``allowed`` are ``server.cors_origins``."""
    host = headers.get("host", "")
    if not is_loopback(_name_of(f"//{host}")):
        raise ProblemError(
            Problem("forbidden", "Without API keys this service answers to the names of this machine only.")
        )
    origin = headers.get("origin")
    if origin is None or origin in allowed or "*" in allowed:
        return
    if urlsplit(origin).netloc.lower() != host.lower():
        raise ProblemError(
            Problem("forbidden", "Pages of this origin may not call the service (server.cors_origins).")
        )


def _name_of(address: str) -> str:
    try:
        return urlsplit(address).hostname or ""
    except ValueError:
        return ""
