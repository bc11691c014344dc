"""Which rows of the record a filter selects."""

from __future__ import annotations

import threading
from collections import OrderedDict
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ascertain.core.filters import Filter
from ascertain.stores.embedded import change_log, reads
from ascertain.stores.embedded.change_log import RowNumbers
from ascertain.stores.embedded.dialect import RecordConnection

_FILTERS_KEPT = 16


@dataclass(frozen=True, slots=True)
class Selection:
    """Intervals of rows in ascending order, ``ends`` excluded."""

    starts: RowNumbers
    ends: RowNumbers

    @property
    def count(self) -> int:
        """How many rows there are."""
        return int((self.ends - self.starts).sum())

    @property
    def intervals(self) -> list[tuple[int, int]]:
        """As pairs, ends excluded."""
        return list(zip(self.starts.tolist(), self.ends.tolist(), strict=True))

    def has(self, rows: RowNumbers) -> NDArray[np.bool_]:
        """Which of ``rows`` are selected."""
        place = np.searchsorted(self.starts, rows, side="right") - 1
        return (place >= 0) & (rows < self.ends[place]) if len(self.starts) else np.zeros(len(rows), np.bool_)


class Selections:
    """Works out selections; the last ones are remembered while the record does not change."""

    def __init__(self) -> None:
        self._mutex = threading.Lock()
        self._kept: OrderedDict[tuple[Filter, int], Selection] = OrderedDict()
        self._total = (-1, 0)

    def of(self, db: RecordConnection, filter: Filter) -> Selection:
        """The rows that ``filter`` selects at the moment of the read transaction ``db``."""
        key = (filter, change_log.latest_sequence(db))
        with self._mutex:
            if key in self._kept:
                self._kept.move_to_end(key)
                return self._kept[key]
        found = np.asarray(sorted(reads.matching_rows(db, filter)), np.int64).reshape(-1, 2)
        selection = _joined(found[:, 0], found[:, 0] + found[:, 1])
        with self._mutex:
            self._kept[key] = selection
            while len(self._kept) > _FILTERS_KEPT:
                self._kept.popitem(last=False)
        return selection

    def everything(self, db: RecordConnection) -> int:
        """How many searchable chunks there are, of all tenants."""
        sequence = change_log.latest_sequence(db)
        known, total = self._total
        if known != sequence:
            total = int(db.execute("SELECT coalesce(sum(chunks), 0) FROM documents").fetchone()[0])
            self._total = (sequence, total)
        return total


def _joined(starts: RowNumbers, ends: RowNumbers) -> Selection:
    """Neighbours made one, so that a selection of everything is a few long intervals."""
    if not len(starts):
        return Selection(starts, ends)
    is_first = np.concatenate([[True], starts[1:] != ends[:-1]])
    is_last = np.concatenate([is_first[1:], [True]])
    return Selection(starts[is_first], ends[is_last])
