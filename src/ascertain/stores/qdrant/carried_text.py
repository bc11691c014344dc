"""Text as Qdrant carries it: lone surrogates, which UTF-8 and JSON cannot hold, written with an escape.

The escape is U+FDD0, a code point that Unicode keeps for such uses, with four hex digits; it stands for itself in the same way.
Escaping goes character by character, so what one text begins with, its escaped form begins with too.
"""

from __future__ import annotations

import re

_ESCAPE = "\ufdd0"
_NEEDS_ESCAPE = re.compile("[\ufdd0\ud800-\udfff]")
_ESCAPED = re.compile("\ufdd0([0-9a-f]{4})")


def carried(text: str) -> str:
    """``text`` so that it can be sent and stored."""
    if text.isascii():
        return text
    return _NEEDS_ESCAPE.sub(lambda match: f"{_ESCAPE}{ord(match.group()):04x}", text)


def original(text: str) -> str:
    """The inverse of ``carried``."""
    if text.isascii():
        return text
    return _ESCAPED.sub(lambda match: chr(int(match.group(1), 16)), text)
