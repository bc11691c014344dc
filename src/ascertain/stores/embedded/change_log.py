"""What derived indexes read from the record (its position, removals, additions), and what they note beside their
files.

Rows of chunks are never used twice and never change, so the additions since a point are the rows above the highest row
of that point; removals are logged as intervals of rows.
"""

import json
import os
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ascertain.stores.records.rows import Text, list_columns

Half = NDArray[np.float16]
RowNumbers = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Position:
    """A point in the log: everything up to ``sequence`` has happened, every row up to ``high_row`` was assigned."""

    sequence: int
    high_row: int


START = Position(0, 0)


def latest_sequence(db: sqlite3.Connection) -> int:
    """The sequence number of the last change; cheap enough for every search."""
    return int(db.execute("SELECT coalesce(max(sequence), 0) FROM changes").fetchone()[0])


def read_position(db: sqlite3.Connection) -> Position:
    """Where the record stands now."""
    row = db.execute("SELECT seq FROM sqlite_sequence WHERE name = 'chunks'").fetchone()
    return Position(latest_sequence(db), int(row[0]) if row else 0)


def append_change(db: sqlite3.Connection, kind: str, first_row: int, last_row: int) -> None:
    """Log a change of the rows ``first_row`` to ``last_row``, both included."""
    db.execute("INSERT INTO changes (kind, first_row, last_row) VALUES (?, ?, ?)", (kind, first_row, last_row))


def removed_since(db: sqlite3.Connection, applied: Position) -> list[tuple[int, int]]:
    """Intervals of rows, both ends included, that an index at ``applied`` may still hold."""
    return db.execute(
        "SELECT first_row, last_row FROM changes WHERE sequence > ? AND kind = 'remove' AND first_row <= ?",
        (applied.sequence, applied.high_row),
    ).fetchall()


def rows_since(db: sqlite3.Connection, applied: Position) -> int:
    """How many rows an index at ``applied`` has to add or remove, at most."""
    return int(
        db.execute(
            "SELECT coalesce(sum(last_row - first_row + 1), 0) FROM changes WHERE sequence > ? AND kind != 'embed'",
            (applied.sequence,),
        ).fetchone()[0]
    )


class LexicalRow(NamedTuple):
    """What the lexical index holds of a chunk."""

    row: int
    heading: Text
    text: Text
    title: Text
    id: Text
    kind: str
    source: Text
    tags: str
    profile: Text
    published: int | None
    conversation_id: Text | None
    tenant: Text
    language: Text | None


_LEXICAL_COLUMNS = list_columns(LexicalRow._fields, "d", {field: f"c.{field}" for field in ("row", "heading", "text")})


def lexical_rows(db: sqlite3.Connection, after_row: int) -> Iterator[LexicalRow]:
    """Searchable chunks above ``after_row`` with what the lexical index holds of them, in order of row."""
    found = db.execute(
        f"""SELECT {_LEXICAL_COLUMNS} FROM chunks c JOIN documents d ON d.number = c.document
            WHERE c.row > ? AND c.is_parent = 0 ORDER BY c.row""",
        (after_row,),
    )
    return map(LexicalRow._make, found)


def vector_batches(
    db: sqlite3.Connection, generation: int, dimension: int, after_row: int, *, batch: int = 50_000
) -> Iterator[tuple[RowNumbers, Half]]:
    """Rows above ``after_row`` with their vectors, shape ``(n, dimension)``, in order of row."""
    cursor = db.execute(
        "SELECT row, vector FROM vectors WHERE row > ? AND generation = ? ORDER BY row", (after_row, generation)
    )
    while found := cursor.fetchmany(batch):
        rows = np.fromiter((row for row, _ in found), np.int64, len(found))
        vectors = np.frombuffer(b"".join(vector for _, vector in found), np.float16)
        yield rows, vectors.reshape(len(found), dimension)


STATE_NAME = "state.json"


@dataclass(frozen=True, slots=True)
class DerivedState:
    """How far a derived index on disk is, of which record, and how its files looked.

    Files whose size and time are as noted are taken as whole; others are read and compared by checksum.
    """

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
        values["files"] = {str(name): (int(size), int(time)) for name, (size, time) in values["files"].items()}
        values["details"] = dict(values["details"])
        values["sequence"], values["high_row"] = int(values["sequence"]), int(values["high_row"])
        state = DerivedState(**values)
    except (OSError, ValueError, TypeError, KeyError, AttributeError):
        return None
    return state


def write_state(folder: Path, state: DerivedState) -> None:
    """Replace the state of ``folder`` in one step (new file, fsync, rename): it is old or new, never half."""
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


def read_fingerprints(folder: Path, names: Iterable[str]) -> dict[str, tuple[int, int]]:
    """Size and time of the named files that exist."""
    fingerprints: dict[str, tuple[int, int]] = {}
    for name in names:
        try:
            status = (folder / name).stat()
        except FileNotFoundError:
            continue
        fingerprints[name] = (status.st_size, status.st_mtime_ns)
    return fingerprints


def damaged_files(
    folder: Path, names: Iterable[str], state: DerivedState, is_whole: Callable[[Path], bool], *, thorough: bool = False
) -> list[str]:
    """Those of the named files that are missing or broken; ``thorough`` reads even those that look as noted."""
    wanted = list(names)
    now = read_fingerprints(folder, wanted)
    return [
        name
        for name in wanted
        if name not in now or ((thorough or now[name] != state.files.get(name)) and not is_whole(folder / name))
    ]
