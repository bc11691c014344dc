"""Any Python string in a PostgreSQL column, and back.

PostgreSQL text holds neither NUL nor lone surrogates (file names that are not UTF-8). They are written as an escape
character and four hexadecimal digits, and so is the escape character itself: U+FDD0, which Unicode reserves for a program's
own use, so texts hardly ever contain it. Each character is replaced by itself, so a prefix stays a prefix.
"""

from __future__ import annotations

import re
from functools import cache

import psycopg
from psycopg.adapt import AdaptersMap, Loader
from psycopg.pq import Format
from psycopg.types.string import StrDumperUnknown

_ESCAPE = "\ufdd0"
_UNSTORABLE = re.compile("[\0\ud800-\udfff\ufdd0]")
_ESCAPED = re.compile("\ufdd0([0-9a-f]{4})")


def escaped(text: str) -> str:
    """``text`` as PostgreSQL can hold it."""
    if text.isascii() and "\0" not in text:
        return text
    return _UNSTORABLE.sub(lambda match: f"{_ESCAPE}{ord(match[0]):04x}", text)


def unescaped(text: str) -> str:
    """The inverse of ``escaped``."""
    return _ESCAPED.sub(lambda match: chr(int(match[1], 16)), text) if _ESCAPE in text else text


@cache
def text_adapters() -> AdaptersMap:
    """Psycopg's adapters, except that every string parameter is escaped and every text result is given back as it was."""
    adapters = AdaptersMap(psycopg.adapters)
    adapters.register_dumper(str, _EscapingDumper)
    adapters.register_dumper(Stored, StrDumperUnknown)
    adapters.register_loader("text", _UnescapingLoader)
    adapters.register_loader("text", _UnescapingBinaryLoader)
    return adapters


class Stored(str):
    """A string parameter that is escaped already."""

    __slots__ = ()


class _EscapingDumper(StrDumperUnknown):
    def dump(self, obj: str) -> bytes:
        return escaped(obj).encode()


class _UnescapingLoader(Loader):
    def load(self, data: bytes | bytearray | memoryview) -> str:
        return unescaped(bytes(data).decode())


class _UnescapingBinaryLoader(_UnescapingLoader):
    format = Format.BINARY
