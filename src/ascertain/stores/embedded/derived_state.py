"""What a derived index notes beside its files: how far it is, of which record, and how its files looked.

Written in one step (new file, fsync, rename), so it is old or new, never half. Files whose size and time are as
noted are taken as whole; others are read and compared by checksum.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from ascertain.stores.embedded.change_log import Position

STATE_NAME = "state.json"


@dataclass(frozen=True, slots=True)
class DerivedState:
    """The state of one derived index on disk."""

    format: int
    identity: str
    """Of the record it was derived from."""
    build: str
    """New whenever the index is rebuilt from nothing."""
    sequence: int
    high_row: int
    files: Mapping[str, tuple[int, int]] = field(default_factory=dict[str, tuple[int, int]])
    """Size in bytes and modification time in nanoseconds by name."""
    details: Mapping[str, Any] = field(default_factory=dict[str, Any])

    @property
    def position(self) -> Position:
        """How much of the record's change log it has applied."""
        return Position(self.sequence, self.high_row)


def read_state(folder: Path) -> DerivedState | None:
    """The state noted in ``folder``; None when it is missing or unreadable."""
    try:
        values = json.loads((folder / STATE_NAME).read_text())
        values["files"] = {
            str(name): (int(size), int(time)) for name, (size, time) in values["files"].items()
        }
        values["details"] = dict(values["details"])
        values["sequence"], values["high_row"] = int(values["sequence"]), int(values["high_row"])
        state = DerivedState(**values)
    except (OSError, ValueError, TypeError, KeyError, AttributeError):
        return None
    return state


def write_state(folder: Path, state: DerivedState) -> None:
    """Replace the state of ``folder``."""
    new = folder / f"{STATE_NAME}.new"
    with new.open("w") as file:
        json.dump(asdict(state), file)
        file.flush()
        os.fsync(file.fileno())
    new.replace(folder / STATE_NAME)
    sync_file(folder)


def sync_file(path: Path) -> None:
    """Make what was written to a file durable; for a folder, the renames inside it."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def fingerprints(folder: Path, names: Iterable[str]) -> dict[str, tuple[int, int]]:
    """Size and time of the named files that exist."""
    found: dict[str, tuple[int, int]] = {}
    for name in names:
        try:
            status = (folder / name).stat()
        except FileNotFoundError:
            continue
        found[name] = (status.st_size, status.st_mtime_ns)
    return found


def damaged_files(
    folder: Path,
    names: Iterable[str],
    state: DerivedState,
    is_whole: Callable[[Path], bool],
    thorough: bool = False,
) -> list[str]:
    """Those of the named files that are missing or broken; ``thorough`` reads even those that look as noted."""
    wanted = list(names)
    now = fingerprints(folder, wanted)
    return [
        name
        for name in wanted
        if name not in now
        or ((thorough or now[name] != state.files.get(name)) and not is_whole(folder / name))
    ]
