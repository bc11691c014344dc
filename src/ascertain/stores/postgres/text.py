"""How psycopg hands strings over and gives them back, so that any Python string can stand in a column (see ``stores.escaping``)."""

from __future__ import annotations

from functools import cache

import psycopg
from psycopg.adapt import AdaptersMap, Loader
from psycopg.pq import Format
from psycopg.types.string import StrDumperUnknown

from ascertain.stores.escaping import escaped, unescaped


def statement(text: str) -> bytes:
    """SQL made of constants of this package, table names among them; values are bound, never part of it."""
    return text.encode()


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
