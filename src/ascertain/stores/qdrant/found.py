"""Points that a search found, as rows of ``stores.hits``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar
from uuid import UUID

from ascertain.stores.qdrant.payloads import text_of
from ascertain.stores.qdrant.points import Scored
from ascertain.stores.qdrant.versions import Sight


class Found:
    """Remembers what was found in one reading, to tell later which of it is current."""

    FIELDS: ClassVar = ("id", "owner", "version")
    """The fields of a chunk that have to be read."""

    def __init__(self, sight: Sight) -> None:
        self._sight = sight
        self._points: dict[int, tuple[str, tuple[str, str]]] = {}

    def rows(self, points: Sequence[Scored], scores: Sequence[float]) -> list[tuple[int, float]]:
        """The points as rows with their scores, in the same order."""
        rows: list[tuple[int, float]] = []
        for point, score in zip(points, scores, strict=True):
            row = UUID(point.id).int
            payload = point.payload
            self._points[row] = text_of(payload["id"]), (str(payload["owner"]), str(payload["version"]))
            rows.append((row, score))
        return rows

    def ids(self, rows: Sequence[int]) -> dict[int, str]:
        """The chunk id of each row that is current."""
        shown = self._sight.visible({row: self._points[row][1] for row in rows})
        return {row: self._points[row][0] for row in rows if row in shown}
