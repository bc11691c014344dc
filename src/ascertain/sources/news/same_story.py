"""Which articles are the same: by where they stand, and by what they are called."""

from __future__ import annotations

import re
from urllib.parse import parse_qsl, urlencode, urlsplit, urlunsplit

from ascertain.core.folding import folded_text

NEAR = 0.8
"""Share of words that two titles have in common from which they are one story told on: a word or two of ten may differ."""
_FEWEST = 4
"""Words below which only equal titles count: "Markets today" is a column, not a story."""
_WORD = re.compile(r"\w+")
_PUBLISHER = re.compile(r"\s+[-–—|·]\s+[^-–—|·]{2,40}$")
"""What sites and aggregators put behind a title."""
_TRACKING = re.compile(
    r"(?:utm_\w+|fbclid|gclid|dclid|msclkid|yclid|mc_cid|mc_eid|igshid|cmpid|ocid|smid|ref|ref_src|source|src|guccounter|taid|traffic_source"
    r"|at_\w+|ito|ns_\w+|sh|spm|_ga)",
    re.IGNORECASE,
)
"""Parameters of an address that say where a reader came from, not which page is meant."""
_PORTS = {"http": 80, "https": 443}


def canonical_url(address: str) -> str:
    """The address without what does not say which page is meant: fragment, tracking, the port of the scheme; the host in lower case.

    An address that cannot be taken apart is given back as it is.
    """
    try:
        parts = urlsplit(address.strip())
        host, port = (parts.hostname or "").rstrip("."), parts.port
    except ValueError:
        return address
    if not host:
        return address
    shown = f"[{host}]" if ":" in host else host
    scheme = parts.scheme.lower()
    place = shown if port in {None, _PORTS.get(scheme)} else f"{shown}:{port}"
    told = [
        pair for pair in parse_qsl(parts.query, keep_blank_values=True) if not _TRACKING.fullmatch(pair[0])
    ]
    return urlunsplit((scheme, place, parts.path or "/", urlencode(told), ""))


def address_key(address: str) -> str:
    """Equal for addresses of one page, whatever the scheme, the ``www.`` or ``m.`` before the host and the slash at the end."""
    parts = urlsplit(canonical_url(address))
    host = re.sub(r"^(?:www\d?|m|amp|mobile)\.(?=[^.]+\.)", "", parts.netloc)
    path = re.sub(r"/(?:amp|index\.html?)?/*$", "", parts.path)
    return f"{host}{path}?{parts.query}".casefold()


class TitleKey:
    """A title as it is compared."""

    def __init__(self, title: str) -> None:
        words = _WORD.findall(folded_text(_PUBLISHER.sub("", title)))
        self._ordered = tuple(words)
        self._words = frozenset(words)
        self._figures = frozenset(word for word in words if any(c.isdigit() for c in word))

    def is_near(self, other: TitleKey) -> bool:
        """Whether both tell one story: the same words but for a few, and the same figures ("up 5 %" is not "up 9 %")."""
        if self._ordered == other._ordered:
            return bool(self._ordered)
        if min(len(self._words), len(other._words)) < _FEWEST or self._figures != other._figures:
            return False
        return len(self._words & other._words) >= NEAR * len(self._words | other._words)
