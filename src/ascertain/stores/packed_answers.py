"""Whole answers as stores keep them: compressed JSON, about a quarter of its length."""

from __future__ import annotations

import json
import zlib
from collections.abc import Mapping


def packed(answer: Mapping[str, object] | None) -> bytes | None:
    """An answer as bytes."""
    # Escaped to ASCII, so that a lone surrogate in a quote survives.
    return None if answer is None else zlib.compress(json.dumps(answer, separators=(",", ":")).encode())


def unpacked(answer: bytes | None) -> Mapping[str, object] | None:
    """The inverse of ``packed``."""
    return None if answer is None else json.loads(zlib.decompress(answer))
