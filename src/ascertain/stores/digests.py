"""Names of any length and content as short keys, for indexes that hold only so much."""

from __future__ import annotations

import hashlib


def digest(*names: str) -> bytes:
    """SHA-256 of names of any length and content; other names have another."""
    found = hashlib.sha256()
    for name in names:
        encoded = name.encode("utf-8", "surrogatepass")
        found.update(len(encoded).to_bytes(8, "big") + encoded)
    return found.digest()
