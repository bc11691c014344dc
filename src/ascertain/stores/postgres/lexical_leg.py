"""Searching by words: BM25 over the text vectors of one knowledge base."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ascertain.core.filters import Filter
from ascertain.core.passages import Hit
from ascertain.stores.analysis import QueryTerm, build_analyzer, query_terms, weighted_terms
from ascertain.stores.hits import top_hits
from ascertain.stores.postgres.conditions import Condition, row_condition
from ascertain.stores.postgres.connections import Connection, Connections, statement
from ascertain.stores.postgres.words_query import Unit, likely_score, reaching, weighed_units
from ascertain.stores.postgres.words_score import scored
from ascertain.stores.postgres.words_statistics import Statistics, read_statistics

# Chunks wanted for each one needed when guessing which score is reached: words that go together come together more often than
# the guess assumes, so it errs on the low side already.
_MARGIN = 1.5
# How much lower the next guess is at least.
_WIDENING = 4

_Scored = tuple[int, str, float]


class LexicalLeg:
    """Hits, scores and frequencies of words; every call reads one moment of the database."""

    def __init__(self, connections: Connections, title_boost: float) -> None:
        self._connections = connections
        self._title_boost = title_boost
        self._analyzer = build_analyzer()

    def hits(self, terms: Mapping[str, float], k: int, filter: Filter) -> list[Hit]:
        """The ``k`` best chunks among those the filter allows."""
        weighted = weighted_terms(self._analyzer, terms)
        if not weighted or k < 1:
            return []
        with self._connections.read() as db:
            units, statistics = self._weighed(db, weighted)
            condition = row_condition(filter, 'c."row"')
            ids: dict[int, str] = {}

            def fetch(limit: int) -> list[tuple[int, float]]:
                found = _best(db, units, statistics, condition, limit)
                ids.update((row, chunk_id) for row, chunk_id, _ in found)
                return [(row, score) for row, _, score in found]

            return top_hits(fetch, lambda rows: {row: ids[row] for row in rows}, k)

    def scores(self, terms: Mapping[str, float], chunk_ids: Sequence[str]) -> dict[str, float]:
        """BM25 of the named chunks that match."""
        weighted = weighted_terms(self._analyzer, terms)
        if not weighted or not chunk_ids:
            return {}
        with self._connections.read() as db:
            units, statistics = self._weighed(db, weighted)
            named = Condition("NOT c.is_parent AND c.id = ANY(%s)", (list(chunk_ids),))
            return {
                chunk_id: score for _, chunk_id, score in _run(db, units, statistics, named, len(chunk_ids))
            }

    def frequencies(self, terms: Sequence[str]) -> dict[str, int]:
        """In how many chunks each term occurs: of several units the rarest one's count, an upper bound."""
        wanted = {term: query_terms(self._analyzer, term) for term in terms}
        units = {unit for found in wanted.values() for unit in found}
        if not units:
            return dict.fromkeys(terms, 0)
        with self._connections.read() as db:
            statistics = read_statistics(db, (token for unit in units for token in unit.tokens))
            counts = {unit: statistics.in_chunks.get(unit.tokens[0], 0) for unit in units}
            # A phrase cannot occur where one of its words does not.
            phrases = [
                unit
                for unit in units
                if len(unit.tokens) > 1 and all(token in statistics.in_chunks for token in unit.tokens)
            ]
            counts |= {unit: 0 for unit in units if len(unit.tokens) > 1} | _phrase_counts(db, phrases)
        return {term: min((counts[unit] for unit in found), default=0) for term, found in wanted.items()}

    def _weighed(
        self, db: Connection, weighted: Mapping[QueryTerm, float]
    ) -> tuple[tuple[Unit, ...], Statistics]:
        statistics = read_statistics(db, (token for unit in weighted for token in unit.tokens))
        return weighed_units(weighted, statistics, self._title_boost), statistics


def settle(db: Connection) -> None:
    """End a run of writes: fold what was noted of words, and bring the indexes out of their lists of pending entries."""
    db.execute("SELECT settle_words()")


def _best(
    db: Connection, units: Sequence[Unit], statistics: Statistics, condition: Condition, limit: int
) -> list[_Scored]:
    """The ``limit`` best chunks, by a guess of the last one's score: chunks that cannot reach it are not looked at.

    When fewer reach it, the next guess is lower; at the end every chunk with one of the units is looked at.
    """
    wanted = _MARGIN * limit
    floor = likely_score(units, statistics.chunks, wanted)
    while True:
        candidates = Condition(
            f"c.words @@ %s AND {condition.sql}", (reaching(units, statistics, floor), *condition.parameters)
        )
        found = _run(db, units, statistics, candidates, limit)
        reached = sum(score >= floor for _, _, score in found)
        if floor <= 0 or reached >= limit:
            return found
        if len(found) >= limit:
            # So much is reached for sure.
            floor = found[limit - 1][2]
        else:
            wanted *= max(_WIDENING, _MARGIN * limit / max(1, reached))
            floor = likely_score(units, statistics.chunks, wanted)


def _run(
    db: Connection, units: Sequence[Unit], statistics: Statistics, condition: Condition, limit: int
) -> list[_Scored]:
    if not units:
        return []
    query = scored(units, statistics, condition)
    found = db.execute(
        statement(f'{query.sql} ORDER BY score DESC, "row" LIMIT %s'), (*query.parameters, limit)
    ).fetchall()
    # Chunks that have a word only in a title that does not count.
    return [(row, chunk_id, score) for row, chunk_id, score in found if score > 0]


def _phrase_counts(db: Connection, phrases: Sequence[QueryTerm]) -> dict[QueryTerm, int]:
    if not phrases:
        return {}
    count = "(SELECT count(*) FROM chunks WHERE words @@ %s)"
    row = db.execute(
        statement(f"SELECT {', '.join([count] * len(phrases))}"),
        [Unit(phrase, 1.0, 0.0, 0.0).in_text for phrase in phrases],
    ).fetchone()
    return dict(zip(phrases, row or (), strict=True))
