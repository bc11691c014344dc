"""The best chunks for the units of a query, without looking at all that contain one."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

from ascertain.core.filters import Filter
from ascertain.stores.postgres.connections import Connection
from ascertain.stores.postgres.dialect import document_condition, row_condition
from ascertain.stores.postgres.text import statement
from ascertain.stores.postgres.words_query import Unit, any_of, likely_score, reaching
from ascertain.stores.postgres.words_score import scored
from ascertain.stores.postgres.words_statistics import Statistics
from ascertain.stores.relational.database import Condition
from ascertain.stores.relational.reads import simplify_filter

Scored = tuple[int, str, float]
"""Row, id and score of a chunk."""

# Chunks that a guessed score should be reached by, for each one needed. Words that go together come together more often than
# the guess assumes, so more reach it.
_MARGIN = 0.25
# How many times more chunks the next guess is for, at least.
_WIDENING = 8
# A filter that selects no more than this is narrow: scoring all of its chunks is quicker than looking for the best.
_FEW_DOCUMENTS, _FEW_CHUNKS = 200, 3_000


class Search:
    """Looks for the best chunks among those a filter allows, within one read transaction."""

    def __init__(self, db: Connection, units: Sequence[Unit], statistics: Statistics, filter: Filter) -> None:
        self._db = db
        self._units = units
        self._statistics = statistics
        effective = simplify_filter(db, filter)
        self._documents = document_condition(effective)
        self._allowed = row_condition(effective, 'c."row"')

    def best(self, limit: int) -> list[Scored]:
        """The ``limit`` best chunks, exactly, best first.

        The score of the last one is guessed, and chunks that cannot reach it are not looked at. When fewer reach it, the next
        guess is lower; at the end every chunk with one of the units is looked at.
        """
        if not self._units:
            return []
        if self._few is not None:
            return self._run(Condition("c.document = ANY(%s) AND c.words IS NOT NULL", (self._few,)), limit)
        wanted = _MARGIN * limit
        floor = likely_score(self._units, self._statistics.chunks, wanted)
        while True:
            found = self._run(self._reaching(floor), limit)
            reached = sum(score >= floor for _, _, score in found)
            if floor <= 0 or reached >= limit:
                return found
            if len(found) >= limit:
                # So much is reached for sure.
                floor = found[limit - 1][2]
            else:
                wanted *= max(_WIDENING, limit / max(1, reached))
                floor = likely_score(self._units, self._statistics.chunks, wanted)

    @cached_property
    def _few(self) -> list[int] | None:
        """The numbers of the documents that the filter selects, if it is narrow."""
        found = self._db.execute(
            statement(f"SELECT d.number, d.chunks FROM documents d WHERE {self._documents.sql} LIMIT %s"),
            (*self._documents.parameters, _FEW_DOCUMENTS + 1),
        ).fetchall()
        is_narrow = len(found) <= _FEW_DOCUMENTS and sum(chunks for _, chunks in found) <= _FEW_CHUNKS
        return [number for number, _ in found] if is_narrow else None

    def _reaching(self, floor: float) -> Condition:
        condition = reaching(self._units, self._statistics, floor) if floor > 0 else any_of(self._units)
        return Condition("c.words @@ %s", (condition,))

    def _run(self, looked_at: Condition, limit: int) -> list[Scored]:
        return run(self._db, scored(self._units, self._statistics, looked_at, self._allowed), limit)


def run(db: Connection, query: Condition, limit: int) -> list[Scored]:
    """The ``limit`` best of what ``words_score.scored`` selects, best first."""
    found = db.execute(
        statement(f'{query.sql} ORDER BY score DESC, "row" LIMIT %s'), (*query.parameters, limit)
    ).fetchall()
    # Left out are chunks that have a word only in a title that does not count.
    return [(row, chunk_id, score) for row, chunk_id, score in found if score > 0]
