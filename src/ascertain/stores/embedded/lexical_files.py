"""Tantivy's files: which ones an index needs, and whether one is whole.

Every segment file ends with a footer: a JSON object with the CRC-32 of what is before it, the JSON's length and the
number 1337, both 4 bytes little-endian (tantivy/src/directory/footer.rs).
"""

from __future__ import annotations

import json
import struct
import zlib
from collections.abc import Callable
from pathlib import Path

_MAGIC = 1337
_SUFFIXES = ("fast", "fieldnorm", "idx", "pos", "store", "term")
_BLOCK = 1 << 20


def segment_files(folder: Path) -> list[str] | None:
    """Names of the files that the last commit refers to; None when the list itself cannot be read."""
    try:
        meta = json.loads((folder / "meta.json").read_text())
        names: list[str] = []
        for segment in meta["segments"]:
            stem = str(segment["segment_id"]).replace("-", "")
            names.extend(f"{stem}.{suffix}" for suffix in _SUFFIXES)
            if segment["deletes"] is not None:
                names.append(f"{stem}.{segment['deletes']['opstamp']}.del")
    except (OSError, ValueError, KeyError, TypeError):
        return None
    return names


def is_whole(path: Path) -> bool:
    """Whether the file's checksum is that of its footer."""
    try:
        size = path.stat().st_size
        with path.open("rb") as file:
            file.seek(size - 8)
            length, magic = struct.unpack("<II", file.read(8))
            if magic != _MAGIC or length > size - 8:
                return False
            file.seek(size - 8 - length)
            expected = json.loads(file.read(length))["crc"]
            file.seek(0)
            return _checksum(file.read, size - 8 - length) == expected
    except (OSError, ValueError, KeyError, TypeError, struct.error):
        return False


def file_checksum(path: Path) -> int:
    """CRC-32 of a whole file."""
    with path.open("rb") as file:
        return _checksum(file.read, path.stat().st_size)


def _checksum(read: Callable[[int], bytes], length: int) -> int:
    checksum = 0
    while length > 0 and (block := read(min(_BLOCK, length))):
        checksum = zlib.crc32(block, checksum)
        length -= len(block)
    return checksum
