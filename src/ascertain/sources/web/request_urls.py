"""URLs as they may be requested, and as messages may show them."""

from __future__ import annotations

import ipaddress
import re
from urllib.parse import urlsplit

import httpx

from ascertain.core.errors import SourceError

_LONGEST = 8000
"""Characters; RFC 9110 asks for at least 8000 octets in a request line, servers take little more."""
_SHOWN = 200
_NAME = re.compile(r"[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?(\.[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?)*\.?")
_NUMERIC_LABEL = re.compile(r"0x[0-9a-f]*|[0-9]+")
_FORBIDDEN = re.compile(r"[\x00-\x20\x7f\\]")


def requestable(text: str) -> httpx.URL:
    """``text`` as a URL with scheme http or https, no user name, and a host in its plain spelling.

    Hosts that only some parsers take for an address (2130706433, 0x7f.1, 127.1, 127.0.0.01) are refused: parsers that disagree are how
    guards are passed. Raises SourceError, beginning with the address without secrets.
    """
    if len(text) > _LONGEST:
        raise SourceError(f"{shown(text)}: an address of {len(text):,} characters; {_LONGEST:,} is the most")
    if _FORBIDDEN.search(text):
        raise SourceError(f"{shown(text)}: has a space, a backslash or a control character in it")
    try:
        url = httpx.URL(text)
        host = url.raw_host.decode("ascii")
    except (httpx.InvalidURL, UnicodeError, ValueError) as error:
        raise SourceError(f"{shown(text)}: is not a valid address") from error
    if url.scheme not in {"http", "https"}:
        raise SourceError(f"{shown(text)}: only http and https addresses are fetched")
    if url.userinfo:
        raise SourceError(f"{shown(text)}: has a user name or password in it; give the address without")
    if not _is_plain_host(host):
        raise SourceError(f"{shown(text)}: the host is not written as a name or a plain address")
    if not 0 < port_of(url) < 65536:
        raise SourceError(f"{shown(text)}: there is no port {url.port}")
    return url.copy_with(fragment=None)


def port_of(url: httpx.URL) -> int:
    """The port, that of the scheme where none is named."""
    return url.port if url.port is not None else (443 if url.scheme == "https" else 80)


def shown(url: httpx.URL | str) -> str:
    """An address for messages: without user name, password, query and fragment, which may hold keys, and on one line."""
    text = str(url)
    try:
        parts = urlsplit(text)
        place = f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path}"
        query = "?…" if parts.query else ""
    except ValueError:
        place, query = re.split(r"[?#]", text, maxsplit=1)[0].rpartition("@")[2], ""
    place = re.sub(r"[\x00-\x20\x7f-\x9f]+", " ", place).encode("utf-8", "replace").decode()
    return (place if len(place) <= _SHOWN else place[:_SHOWN] + "…") + query


def _is_plain_host(host: str) -> bool:
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        last = host.rstrip(".").rpartition(".")[2]
        return len(host) <= 253 and bool(_NAME.fullmatch(host)) and not _NUMERIC_LABEL.fullmatch(last)
    # The scope of a link-local address names an interface of this machine.
    return "%" not in host and (address.version == 6 or str(address) == host)
