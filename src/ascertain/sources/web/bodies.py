"""Bodies of answers, decompressed step by step so that no answer grows past its limit."""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Iterator
from typing import Protocol

ENCODINGS = "gzip, deflate"
"""What requests ask for, and all that is taken."""
_STEP = 64 * 1024


class BodyError(ValueError):
    """A body that is too large or cannot be unpacked; says which."""


class _Unpacker(Protocol):
    def unpack(self, data: bytes) -> Iterator[bytes]: ...

    def check_whole(self) -> None: ...


def unpacked(parts: Iterable[bytes], encoding: str, limit: int) -> bytes:
    """The whole body, decompressed by ``encoding`` (the header Content-Encoding).

    Raises BodyError when it is longer than ``limit`` bytes as sent or as decompressed, or in an encoding that was not asked for.
    """
    unpacker = _unpacker(encoding)
    body = bytearray()
    sent = 0
    for part in parts:
        sent += len(part)
        check_size(sent, limit)
        for piece in unpacker.unpack(part):
            body += piece
            check_size(len(body), limit, " once unpacked")
    unpacker.check_whole()
    return bytes(body)


def check_size(size: int, limit: int, when: str = "") -> None:
    """Raise BodyError when a body of ``size`` bytes is over ``limit``."""
    if size > limit:
        raise BodyError(
            f"larger than {limit / 1_000_000:g} MB{when}; raise web.max_megabytes if it should be read"
        )


def _unpacker(encoding: str) -> _Unpacker:
    names = [name for part in encoding.lower().split(",") if (name := part.strip()) not in {"", "identity"}]
    if not names:
        return _Plain()
    if names in (["gzip"], ["x-gzip"]):
        return _Deflated(zlib.MAX_WBITS | 16)
    if names == ["deflate"]:
        return _Deflated(zlib.MAX_WBITS)
    raise BodyError(f"compressed as {', '.join(names)[:60]!r}, though {ENCODINGS} was asked for")


class _Plain:
    def unpack(self, data: bytes) -> Iterator[bytes]:
        yield data

    def check_whole(self) -> None:
        """Any beginning of a plain body is a body."""


class _Deflated:
    """gzip of one or more members, or deflate with or without the header of zlib (servers send both by that name)."""

    def __init__(self, bits: int) -> None:
        self._bits = bits
        self._stream = zlib.decompressobj(bits)
        self._has_begun = False

    def unpack(self, data: bytes) -> Iterator[bytes]:
        is_pending = False
        while data or is_pending:
            if self._stream.eof:
                if not data.strip(b"\0"):
                    return  # padding behind the last member
                self._stream = zlib.decompressobj(self._bits)
            piece = self._step(data)
            yield piece
            data = self._stream.unused_data if self._stream.eof else self._stream.unconsumed_tail
            # A full step may have taken all of the input and still hold output back.
            is_pending = len(piece) == _STEP and not self._stream.eof

    def check_whole(self) -> None:
        if self._has_begun and not self._stream.eof:
            raise BodyError("the compressed answer is cut short")

    def _step(self, data: bytes) -> bytes:
        try:
            piece = self._stream.decompress(data, _STEP)
        except zlib.error as error:
            if self._has_begun or self._bits != zlib.MAX_WBITS:
                raise BodyError("the compressed answer is damaged") from error
            self._bits = -zlib.MAX_WBITS
            self._stream = zlib.decompressobj(self._bits)
            return self._step(data)
        self._has_begun = True
        return piece
