"""Which articles are the same: by where they stand, and by what they are called."""

from __future__ import annotations

import re
from urllib.parse import urlsplit

from ascertain.language.folding import folded_text

NEAR = 0.8
"""Share of words that two titles have in common from which they are one story told on: a word or two of ten may differ."""
_FEWEST = 4
"""Words below which only equal titles count: "Markets today" is a column, not a story."""
_WORD = re.compile(r"\w+")
_PUBLISHER = re.compile(r"\s+[-–—|·]\s+[^-–—|·]{2,40}$")
"""What sites and aggregators put behind a title."""


def address_key(address: str) -> str:
    """Equal for canonical addresses of one page, whatever the scheme, the ``www.`` or ``m.`` before the host and the slash at the end."""
    parts = urlsplit(address)
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
