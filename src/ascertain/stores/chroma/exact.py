"""Cosines from the record's own vectors."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ascertain.stores.embedded.change_log import RowNumbers
from ascertain.stores.ports import Vectors
from ascertain.stores.prepared import cosines

_BATCH = 10_000


@dataclass(frozen=True, slots=True)
class Scored:
    """Rows with their cosines."""

    rows: RowNumbers
    scores: NDArray[np.float64]

    def best(self, limit: int) -> Scored:
        """The ``limit`` of highest score, best first, each row once."""
        rows, places = np.unique(self.rows, return_index=True)
        scores = self.scores[places]
        order = np.lexsort((rows, -scores))[:limit]
        return Scored(rows[order], scores[order])

    def joined(self, other: Scored) -> Scored:
        """Both together."""
        return Scored(np.concatenate([self.rows, other.rows]), np.concatenate([self.scores, other.scores]))


NOTHING = Scored(np.empty(0, np.int64), np.empty(0, np.float64))


def of_rows(db: sqlite3.Connection, generation: int, query: Vectors, rows: Sequence[int]) -> Scored:
    """Cosine of ``query`` with each of the rows that exist."""
    return _scored(
        db.execute(
            """SELECT v.row, v.vector FROM json_each(?) wanted
               CROSS JOIN vectors v ON v.row = wanted.value AND v.generation = ?""",
            (json.dumps(rows), generation),
        ),
        query,
    )


def of_intervals(
    db: sqlite3.Connection, generation: int, query: Vectors, intervals: Sequence[tuple[int, int]]
) -> Scored:
    """Cosine of ``query`` with each row that exists in one of the intervals, ends excluded."""
    return _scored(
        db.execute(
            """SELECT v.row, v.vector FROM json_each(?) wanted
               CROSS JOIN vectors v ON v.row >= wanted.value ->> 0 AND v.row < wanted.value ->> 1 AND v.generation = ?""",
            (json.dumps(intervals), generation),
        ),
        query,
    )


def _scored(found: sqlite3.Cursor, query: Vectors) -> Scored:
    # In double precision: summed in whatever order, equal vectors then have equal scores.
    wide = query.astype(np.float64)
    parts = [Scored(rows, cosines(vectors @ wide)) for rows, vectors in _batches(found, len(query))]
    if not parts:
        return NOTHING
    return Scored(
        np.concatenate([part.rows for part in parts]), np.concatenate([part.scores for part in parts])
    )


def _batches(found: sqlite3.Cursor, dimension: int) -> Iterator[tuple[RowNumbers, NDArray[np.float64]]]:
    while batch := found.fetchmany(_BATCH):
        rows = np.fromiter((row for row, _ in batch), np.int64, len(batch))
        halves = np.frombuffer(b"".join(vector for _, vector in batch), np.float16)
        # By way of single precision, which is twice as fast.
        yield rows, halves.astype(np.float32).astype(np.float64).reshape(len(batch), dimension)
