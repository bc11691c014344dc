"""Searching by words: BM25 over the text vectors of one knowledge base."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ascertain.core.filters import Filter
from ascertain.core.passages import Hit
from ascertain.stores.analysis import QueryTerm, build_analyzer, query_terms, weighted_terms
from ascertain.stores.hits import top_hits
from ascertain.stores.postgres.connections import Connection, Connections
from ascertain.stores.postgres.text import statement
from ascertain.stores.postgres.words_query import Unit, weighed_units
from ascertain.stores.postgres.words_score import scored
from ascertain.stores.postgres.words_search import Search, run
from ascertain.stores.postgres.words_statistics import Statistics, read_statistics
from ascertain.stores.relational.database import Condition

_ALL = Condition("true", ())


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
            search = Search(db, units, statistics, filter)
            ids: dict[int, str] = {}

            def fetch(limit: int) -> list[tuple[int, float]]:
                found = search.best(limit)
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
            found = run(db, scored(units, statistics, named, _ALL), len(chunk_ids)) if units else []
        return {chunk_id: score for _, chunk_id, score in found}

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


def _phrase_counts(db: Connection, phrases: Sequence[QueryTerm]) -> dict[QueryTerm, int]:
    if not phrases:
        return {}
    count = "(SELECT count(*) FROM chunks WHERE words @@ %s)"
    row = db.execute(
        statement(f"SELECT {', '.join([count] * len(phrases))}"),
        [Unit(phrase, 1.0, 0.0, 0.0).in_text for phrase in phrases],
    ).fetchone()
    return dict(zip(phrases, row or (), strict=True))
