"""Searching by words: the engine scores single words, phrases are scored here."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from tantivy import TextAnalyzer

from ascertain.core.filters import Filter
from ascertain.core.passages import Hit
from ascertain.stores.analysis import QueryTerm, query_terms, weighted_terms
from ascertain.stores.hits import top_hits
from ascertain.stores.qdrant import reads
from ascertain.stores.qdrant.conditions import AnyOf, AnyWord, Where
from ascertain.stores.qdrant.conditions import Points as PointIds
from ascertain.stores.qdrant.facts import present
from ascertain.stores.qdrant.filters import chunks_where
from ascertain.stores.qdrant.found import Found
from ascertain.stores.qdrant.names import WORDS
from ascertain.stores.qdrant.phrases import PhraseScorer
from ascertain.stores.qdrant.points import Points, Scored, Search
from ascertain.stores.qdrant.remembered_counts import RememberedCounts
from ascertain.stores.qdrant.schema import What
from ascertain.stores.qdrant.versions import Sight, Versions
from ascertain.stores.qdrant.word_weights import query_weights

# Scores of equal texts differ in the last bits of a 32-bit number with the way the engine takes to them.
_DECIMALS: Final = 4

_CHUNK = AnyOf("what", [What.CHUNK.value])


class LexicalLeg:
    """BM25 over one collection."""

    def __init__(
        self,
        points: Points,
        counts: RememberedCounts,
        versions: Versions,
        analyzer: TextAnalyzer,
        title_boost: float,
    ) -> None:
        self._points = points
        self._counts = counts
        self._versions = versions
        self._analyzer = analyzer
        self._title_boost = title_boost

    def hits(self, terms: Mapping[str, float], k: int, filter: Filter) -> list[Hit]:
        """The ``k`` best chunks among those the filter allows."""
        units = weighted_terms(self._analyzer, terms)
        if not units or k < 1:
            return []
        where = chunks_where(filter)

        def read(sight: Sight) -> list[Hit]:
            found = Found(sight)

            def fetch(limit: int) -> list[tuple[int, float]]:
                points = self._search(units, where, limit)
                return found.rows(points, [point.score for point in points])

            return top_hits(fetch, found.ids, k)

        return self._versions.settled(read)

    def scores(self, terms: Mapping[str, float], chunk_ids: Sequence[str]) -> dict[str, float]:
        """BM25 of the named chunks that match."""
        units = weighted_terms(self._analyzer, terms)
        if not units:
            return {}

        def read(sight: Sight) -> dict[str, float]:
            scores: dict[str, float] = {}
            for where in reads.named(self._points, chunk_ids, _CHUNK):
                found = Found(sight)
                points = self._search(units, where, 2 * reads.SLICE)
                rows = dict(found.rows(points, [point.score for point in points]))
                scores |= {name: rows[row] for row, name in found.ids(list(rows)).items()}
            return scores

        return self._versions.settled(read)

    def frequencies(self, terms: Sequence[str]) -> dict[str, int]:
        """In how many chunks each term occurs; of a term with several units, the rarest one's count."""
        return {term: self._frequency(query_terms(self._analyzer, term)) for term in terms}

    def _frequency(self, units: Sequence[QueryTerm]) -> int:
        if not units:
            return 0
        return min(self._counts.with_tokens("words", unit.tokens) for unit in units)

    def _search(self, units: Mapping[QueryTerm, float], where: Where, limit: int) -> list[Scored]:
        """The best ``limit`` points, best first."""
        words = {unit.tokens[0]: weight for unit, weight in units.items() if len(unit.tokens) == 1}
        phrases = {unit.tokens: weight for unit, weight in units.items() if len(unit.tokens) > 1}
        if not phrases:
            return self._by_words(words, where, limit)
        averages = present(self._points).averages
        if averages is None:
            return []
        scorer = PhraseScorer(
            self._points, self._counts, words, phrases, averages=averages, title_boost=self._title_boost
        )
        with_phrase = scorer.best(where, limit, _DECIMALS)
        without = self._by_words(words, where.without(scorer.has_phrase), limit) if words else []
        return sorted([*with_phrase, *without], key=lambda point: (-point.score, point.id))[:limit]

    def _by_words(self, words: Mapping[str, float], where: Where, limit: int) -> list[Scored]:
        """The best by single words. Chunks found through a word of the same place only are left out."""
        search = Search(query_weights(words, self._title_boost), WORDS)
        dropped: set[str] = set()
        while True:
            found = self._points.search(search, where, limit + len(dropped), Found.FIELDS)
            false = self._without(words, [point.id for point in found])
            if false <= dropped or len(found) < limit + len(dropped):
                kept = [point for point in found if point.id not in false]
                return [
                    Scored(point.id, round(point.score, _DECIMALS), point.payload) for point in kept[:limit]
                ]
            dropped |= false

    def _without(self, words: Mapping[str, float], ids: Sequence[str]) -> set[str]:
        """Those of the points that have none of the words."""
        if not ids:
            return set()
        tokens = tuple(words)
        none = Where((PointIds(ids),), must_not=(AnyWord("words", tokens),))
        if self._title_boost > 0:
            none = none.without(AnyWord("title_words", tokens))
        return {point.id for point in self._points.scroll(none, ())}
