"""Any Python string as a server's text, and back.

PostgreSQL holds neither NUL nor lone surrogates (file names that are not UTF-8), and JSON in UTF-8 no surrogates. They are
written as an escape character and four hexadecimal digits, and so is the escape character itself: U+FDD0, which Unicode
reserves for a program's own use, so texts hardly ever contain it. Each character is replaced by itself, so a prefix stays a
prefix.
"""

from __future__ import annotations

import re

_ESCAPE = "\ufdd0"
_UNSTORABLE = re.compile("[\0\ud800-\udfff\ufdd0]")
_ESCAPED = re.compile("\ufdd0([0-9a-f]{4})")


def escaped(text: str) -> str:
    """``text`` as every server can hold it."""
    if text.isascii() and "\0" not in text:
        return text
    return _UNSTORABLE.sub(lambda match: f"{_ESCAPE}{ord(match[0]):04x}", text)


def unescaped(text: str) -> str:
    """The inverse of ``escaped``."""
    return _ESCAPED.sub(lambda match: chr(int(match[1], 16)), text) if _ESCAPE in text else text
