"""Rows by what they belong to: the index of a sparse matrix, without its values."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ascertain.stores.graph_ports import Indices

Offsets = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Groups:
    """``rows[starts[g]:starts[g + 1]]`` are the rows of group ``g``, ascending."""

    starts: Offsets
    rows: Indices

    @classmethod
    def of(cls, labels: Indices, count: int) -> Groups:
        """The rows of each of ``count`` groups, by the group of each row."""
        starts = np.zeros(count + 1, dtype=np.int64)
        np.cumsum(np.bincount(labels, minlength=count), out=starts[1:])
        return cls(starts, np.argsort(labels, kind="stable").astype(np.int32))

    def __getitem__(self, group: int) -> Indices:
        """The rows of one group."""
        return self.rows[self.starts[group] : self.starts[group + 1]]

    def __len__(self) -> int:
        """How many groups there are."""
        return len(self.starts) - 1

    def joined(self, groups: Indices) -> tuple[Indices, Indices]:
        """The rows of several groups one after the other, and for each the place in ``groups`` that it comes from."""
        starts, ends = self.starts[groups], self.starts[groups + 1]
        lengths = ends - starts
        origin = np.repeat(np.arange(len(groups), dtype=np.int32), lengths)
        shift = starts - np.concatenate([[0], np.cumsum(lengths)[:-1]]) if len(groups) else starts
        return self.rows[np.arange(int(lengths.sum())) + shift[origin]], origin
