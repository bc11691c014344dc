"""The vector index on disk: one segment, the rows of its positions, and which of them are alive."""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from ascertain.stores.embedded import derived_state
from ascertain.stores.embedded.change_log import Position
from ascertain.stores.embedded.derived_state import DerivedState
from ascertain.stores.embedded.lexical_files import file_checksum
from ascertain.stores.embedded.vector_segment import Mask, Segment, read_segment, write_segment
from ascertain.stores.generations import Generation

FORMAT = 1


@dataclass(frozen=True, slots=True)
class Snapshot:
    """What was read back."""

    position: Position
    segment: Segment
    alive: Mask | None


@dataclass(frozen=True, slots=True)
class Owner:
    """The record that a snapshot must have been taken from."""

    identity: str
    generation: Generation
    sequence: int
    """Of the record's last change."""


def save(folder: Path, owner: Owner, snapshot: Snapshot) -> None:
    """Write a snapshot; it replaces the former one in one step. Raises OSError or RuntimeError when it cannot."""
    folder.mkdir(parents=True, exist_ok=True)
    build = uuid.uuid4().hex
    names = {part: f"{part}-{build}" for part in ("segment", "rows", "alive")}
    alive = np.ones(len(snapshot.segment), np.bool_) if snapshot.alive is None else snapshot.alive
    try:
        write_segment(snapshot.segment, folder / names["segment"])
        for part, array in (("rows", snapshot.segment.rows), ("alive", alive)):
            with (folder / names[part]).open("wb") as file:
                np.save(file, array, allow_pickle=False)
        _sync(folder, names)
        details = {
            "names": names,
            "checksums": {name: file_checksum(folder / name) for name in names.values()},
            "generation": owner.generation.number,
            "dimension": owner.generation.dimension,
            "graph": snapshot.segment.has_graph,
        }
        files = derived_state.fingerprints(folder, names.values())
        position = snapshot.position
        state = DerivedState(
            FORMAT, owner.identity, build, position.sequence, position.high_row, files, details
        )
        derived_state.write_state(folder, state)
    except BaseException:
        for name in names.values():
            (folder / name).unlink(missing_ok=True)
        raise
    _remove_others(folder, names)


def damage(folder: Path, state: DerivedState | None, owner: Owner, *, thorough: bool = False) -> str:
    """Why the snapshot cannot be used; empty when it can. ``thorough`` reads the files even if they look untouched."""
    if state is None:
        return "it is missing"
    if state.format != FORMAT:
        return f"it has format {state.format}, this version writes {FORMAT}"
    if state.identity != owner.identity:
        return "it belongs to another record"
    if state.sequence > owner.sequence:
        return "it is ahead of the record"
    if state.details.get("generation") != owner.generation.number:
        return "it has vectors of another embedding model"
    try:
        wanted = {str(name): int(checksum) for name, checksum in state.details["checksums"].items()}
    except (AttributeError, KeyError, TypeError, ValueError):
        return "its state is damaged"

    def is_whole(path: Path) -> bool:
        try:
            return file_checksum(path) == wanted.get(path.name)
        except OSError:
            return False

    broken = derived_state.damaged_files(folder, wanted, state, is_whole, thorough)
    return f"{broken[0]} is damaged" if broken else ""


def read(folder: Path, state: DerivedState, dimension: int, mapped: bool = True) -> Snapshot:
    """Read the snapshot that ``state`` describes; raises ValueError, KeyError or OSError when it does not fit."""
    names = state.details["names"]
    rows = np.load(folder / names["rows"], allow_pickle=False)
    alive = np.load(folder / names["alive"], allow_pickle=False)
    segment = read_segment(folder / names["segment"], rows, dimension, mapped)
    return Snapshot(state.position, segment, None if alive.all() else alive)


def _sync(folder: Path, names: Mapping[str, str]) -> None:
    for name in names.values():
        derived_state.sync_file(folder / name)


def _remove_others(folder: Path, names: Mapping[str, str]) -> None:
    wanted = {*names.values(), derived_state.STATE_NAME}
    for path in folder.iterdir():
        if path.name not in wanted:
            path.unlink(missing_ok=True)
