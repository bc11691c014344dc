"""An immutable set of segments with the rows that were removed since, searched as one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ascertain.stores.embedded.change_log import START, Half, Position, RowNumbers
from ascertain.stores.embedded.vector_segment import Found, Mask, Segment, Workers, best, flat_segment
from ascertain.stores.ports import Vectors

# Candidates that a search of the graph keeps (efSearch), at least, and for each hit asked for. On 100,000 MiniLM vectors
# of real texts and questions: recall@100 0.956 with 200, 0.984 with 400, 0.988 with 600, for 1, 1.7 and 2.4 ms.
GRAPH_EFFORT = 400
GRAPH_EFFORT_PER_HIT = 3


@dataclass(frozen=True, slots=True)
class VectorView:
    """Segments in order of row. ``alive`` has one mask per segment, None when nothing in it was removed."""

    position: Position = START
    segments: tuple[Segment, ...] = ()
    alive: tuple[Mask | None, ...] = ()

    @property
    def count(self) -> int:
        """Rows that can be found."""
        return sum(
            len(segment) if mask is None else int(np.count_nonzero(mask))
            for segment, mask in zip(self.segments, self.alive, strict=True)
        )

    def search(self, query: Vectors, k: int, chosen: Sequence[Mask] | None, workers: Workers) -> Found:
        """The best ``k`` rows among those ``chosen`` (one mask per segment; None: all), best first."""
        found: list[Found] = []
        effort = max(GRAPH_EFFORT, GRAPH_EFFORT_PER_HIT * k)
        for place, (segment, alive) in enumerate(zip(self.segments, self.alive, strict=True)):
            allowed = alive
            if chosen is not None:
                allowed = chosen[place] if alive is None else chosen[place] & alive
            found.append(segment.search(query, k, allowed, effort, workers))
        return best(found, k)

    def similarities(self, query: Vectors, rows: RowNumbers) -> dict[int, float]:
        """Inner product with each of the rows that are here."""
        found: dict[int, float] = {}
        for segment, alive in zip(self.segments, self.alive, strict=True):
            places, positions = segment.positions(rows)
            if alive is not None:
                kept = alive[positions]
                places, positions = places[kept], positions[kept]
            if len(positions):
                scores = segment.scores(query, positions)
                found.update(zip(rows[places].tolist(), scores.tolist(), strict=True))
        return found

    def masks(self, intervals: Sequence[tuple[int, int]]) -> tuple[Mask, ...]:
        """One mask per segment of the positions whose row lies in an interval ``(first row, count)``."""
        bounds = np.asarray(intervals, np.int64).reshape(-1, 2)
        starts, ends = bounds[:, 0], bounds[:, 0] + bounds[:, 1]
        return tuple(_mask(segment.rows, starts, ends) for segment in self.segments)

    def without(self, position: Position, removed: Sequence[tuple[int, int]]) -> VectorView:
        """The view at ``position`` with the intervals ``removed``, both ends included, taken out."""
        alive = list(self.alive)
        gone = self.masks([(first, last - first + 1) for first, last in removed]) if removed else ()
        for place, mask in enumerate(gone):
            if mask.any():
                present = alive[place]
                alive[place] = ~mask if present is None else present & ~mask
        return VectorView(position, self.segments, tuple(alive))

    def living(self, dimension: int, start: int = 0) -> tuple[RowNumbers, Half]:
        """Rows and vectors of the segments from ``start`` on, removed ones left out."""
        rows: list[RowNumbers] = [np.empty(0, np.int64)]
        vectors: list[Half] = [np.empty((0, dimension), np.float16)]
        for segment, alive in zip(self.segments[start:], self.alive[start:], strict=True):
            rows.append(segment.rows if alive is None else segment.rows[alive])
            vectors.append(segment.codes if alive is None else segment.codes[alive])
        return np.concatenate(rows), np.concatenate(vectors)

    def extended(self, rows: RowNumbers, vectors: Half) -> VectorView:
        """The view with more rows, all above those it has."""
        # Like carrying in binary addition: a segment joins its predecessor unless that is more than twice as long,
        # so there are few segments and every vector is copied O(log n) times.
        keep = len(self.segments)
        size = len(rows)
        while keep and not self.segments[keep - 1].has_graph and len(self.segments[keep - 1]) <= 2 * size:
            keep -= 1
            size += len(self.segments[keep])
        if keep < len(self.segments):
            old_rows, old_vectors = self.living(vectors.shape[1], keep)
            rows, vectors = np.concatenate([old_rows, rows]), np.concatenate([old_vectors, vectors])
        return VectorView(
            self.position,
            (*self.segments[:keep], flat_segment(rows, vectors)),
            (*self.alive[:keep], None),
        )


def _mask(rows: RowNumbers, starts: RowNumbers, ends: RowNumbers) -> Mask:
    opened = np.bincount(np.searchsorted(rows, starts), minlength=len(rows) + 1)
    closed = np.bincount(np.searchsorted(rows, ends), minlength=len(rows) + 1)
    return np.cumsum(opened - closed)[: len(rows)] > 0
