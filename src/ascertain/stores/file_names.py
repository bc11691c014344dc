"""Names of uploaded files as names that any file system takes."""

from __future__ import annotations

import re
from pathlib import PurePosixPath

_LONGEST = 200
"""Bytes; file systems take 255, some less when they encrypt names."""

# Separators, what Windows does not take, controls, and what cannot be encoded.
_UNUSABLE = re.compile('[\0-\x1f\x7f<>:"|?*\ud800-\udfff]')


def as_file_name(name: str) -> str:
    """The last part of a path as a usable file name with the same ending; ``file`` when nothing of it can be used."""
    last = re.split(r"[/\\]", name)[-1]
    usable = _UNUSABLE.sub("_", last).strip()
    if usable.strip(".") == "":
        return "file"
    ending = PurePosixPath(usable).suffix
    if len(ending.encode()) > 20:
        ending = ""
    stem = usable.removesuffix(ending) if ending else usable
    kept = stem.encode()[: _LONGEST - len(ending.encode())].decode(errors="ignore")
    return kept + ending
