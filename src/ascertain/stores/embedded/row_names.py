"""Chunk ids and row numbers of recent searches, remembered while the record does not change.

One hybrid search asks for the same hundred or two hundred chunks several times.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence

from ascertain.stores.embedded import change_log, reads
from ascertain.stores.embedded.dialect import RecordConnection

_KEPT = 100_000


class RowNames:
    """Looks up chunk ids by row and rows by id; forgets everything when the record has moved on."""

    def __init__(self) -> None:
        self._mutex = threading.Lock()
        self._sequence = -1
        self._rows: dict[str, int] = {}

    def ids(self, db: RecordConnection, rows: Sequence[int], tenant: str) -> dict[int, str]:
        """Chunk id by row, for those that exist and belong to ``tenant``."""
        found = reads.ids_of_rows(db, rows, tenant)
        self._remember(change_log.latest_sequence(db), {chunk_id: row for row, chunk_id in found.items()})
        return found

    def rows(self, db: RecordConnection, chunk_ids: Sequence[str]) -> dict[int, str]:
        """Chunk id by row, of the searchable chunks that exist."""
        sequence = change_log.latest_sequence(db)
        with self._mutex:
            kept = self._rows if self._sequence == sequence else {}
            found = {kept[chunk_id]: chunk_id for chunk_id in chunk_ids if chunk_id in kept}
            missing = [chunk_id for chunk_id in chunk_ids if chunk_id not in kept]
        if missing:
            fetched = reads.row_numbers(db, missing)
            self._remember(sequence, {chunk_id: row for row, chunk_id in fetched.items()})
            found |= fetched
        return found

    def _remember(self, sequence: int, rows: dict[str, int]) -> None:
        with self._mutex:
            if sequence != self._sequence or len(self._rows) + len(rows) > _KEPT:
                self._rows = {}
            self._sequence = sequence
            self._rows.update(rows)
