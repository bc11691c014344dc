"""Searching by words: the engine scores single words, phrases are scored here.

BM25 is cut in two: the document's side is stored as a sparse vector, the query's side is the server's IDF. The average
length has to be known when a chunk is written: ``collection.Facts`` keeps the one in use.
"""

import zlib
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Final

from tantivy import TextAnalyzer

from ascertain.core.asking.passages import Filter, Hit
from ascertain.core.documents.documents import Chunk
from ascertain.stores.qdrant import reads
from ascertain.stores.qdrant.collection import require_facts
from ascertain.stores.qdrant.counts import RememberedCounts
from ascertain.stores.qdrant.dense_leg import Found
from ascertain.stores.qdrant.points import Points
from ascertain.stores.qdrant.schema import IS_CHUNK, WORDS, AnyWord, Phrase, PointIds, Where, chunks_where
from ascertain.stores.qdrant.terms import Scored, Search, Weights
from ascertain.stores.qdrant.versions import Sight, Versions
from ascertain.stores.records.text_analysis import (
    QueryTerm,
    compute_idf,
    count_phrase,
    query_terms,
    saturate_frequency,
    space_text,
    weighted_terms,
)
from ascertain.stores.records.vectors import top_hits

# What sets words of the title apart from words of the text in the one sparse vector.
_TITLE = "title\0"


def body_words(analyzer: TextAnalyzer, chunk: Chunk) -> list[str]:
    """The tokens of heading and text, in order."""
    return analyzer.analyze(space_text(chunk.indexed_text, chunk.language))


def title_words(analyzer: TextAnalyzer, title: str, language: str | None = None) -> list[str]:
    """The tokens of a title, in order; ``language`` is its document's."""
    return analyzer.analyze(space_text(title, language))


def word_dimension(word: str, in_title: bool = False) -> int:
    """The dimension of a word: 32 bits (CRC-32) of it, as Qdrant's sparse vectors have.

    Of a million different words about 120 pairs share one; ``lexical_leg`` drops chunks that only a word of the same
    place found.
    """
    return zlib.crc32((_TITLE + word if in_title else word).encode())


def document_weights(body: Sequence[str], title: Sequence[str], averages: tuple[float, float]) -> Weights:
    """The stored side of a chunk; ``averages`` are the lengths of texts and of titles."""
    weights: dict[int, float] = {}
    for words, average, in_title in ((body, averages[0], False), (title, averages[1], True)):
        for word, occurrences in Counter(words).items():
            where = word_dimension(word, in_title)
            weights[where] = weights.get(where, 0.0) + saturate_frequency(occurrences, len(words), average)
    return Weights(list(weights), list(weights.values()))


def query_weights(words: Mapping[str, float], title_boost: float) -> Weights:
    """The query's side before the IDF: weighted words, and the same in the title where that counts."""
    weights: dict[int, float] = {}
    for word, weight in words.items():
        weights[word_dimension(word)] = weights.get(word_dimension(word), 0.0) + weight
        if title_boost > 0:
            where = word_dimension(word, in_title=True)
            weights[where] = weights.get(where, 0.0) + weight * title_boost
    return Weights(list(weights), list(weights.values()))


# The engine counts words of chunks that are on their way out too, so its bound may be a little low.
_MARGIN: Final = 1.02
_FIELDS: Final = (*Found.FIELDS, "words", "title_words")

Tokens = tuple[str, ...]


class PhraseScorer:
    """Scores for one query with phrases; ``words`` are its other words. Weights are above 0.

    A phrase counts as one word that occurs where its tokens stand next to each other; its IDF is the sum of theirs, as
    in Tantivy. It is never more frequent than its rarest token, so a chunk's score is at most what it would be if every
    token counted by itself. The engine lists the chunks with a phrase by that bound, best first, and they are scored
    here until no further one can be better (the threshold algorithm: Fagin, Lotem & Naor 2003).
    """

    def __init__(
        self,
        points: Points,
        counts: RememberedCounts,
        words: Mapping[str, float],
        phrases: Mapping[Tokens, float],
        *,
        averages: tuple[float, float],
        title_boost: float,
    ) -> None:
        self._points = points
        self._units: dict[Tokens, float] = {(word,): weight for word, weight in words.items()} | dict(phrases)
        self._phrases = list(phrases)
        self._fields = {"words": (1.0, averages[0])}
        if title_boost > 0:
            self._fields["title_words"] = (title_boost, averages[1])
        self._title_boost = title_boost
        self._rarities = self._compute_idfs(counts)

    @property
    def has_phrase(self) -> Where:
        """Whether one of the phrases occurs."""
        return Where(should=tuple(Phrase(field, tokens) for field in self._fields for tokens in self._phrases))

    def best(self, where: Where, limit: int, decimals: int) -> list[Scored]:
        """The best ``limit`` chunks with a phrase, best first, scores to so many decimals."""
        bounds: dict[str, float] = {}
        for tokens, weight in self._units.items():
            for token in tokens:
                bounds[token] = bounds.get(token, 0.0) + weight
        search = Search(query_weights(bounds, self._title_boost), WORDS)
        condition = where.also(self.has_phrase)
        fetched = limit
        while True:
            found = self._points.search(search, condition, fetched, _FIELDS)
            scored = sorted(
                (Scored(each.id, round(self._score_point(each), decimals), each.payload) for each in found),
                key=lambda point: (-point.score, point.id),
            )
            if len(found) < fetched:
                return scored[:limit]
            if scored[limit - 1].score > found[-1].score * _MARGIN:
                return scored[:limit]
            fetched *= 4

    def _score_point(self, point: Scored) -> float:
        total = 0.0
        for field, (boost, average) in self._fields.items():
            tokens = str(point.payload.get(field) or "").split(" ")
            counts = Counter(tokens)
            for unit, weight in self._units.items():
                occurrences = counts[unit[0]] if len(unit) == 1 else count_phrase(tokens, unit)
                if occurrences:
                    idf = sum(self._rarities[field, token] for token in unit)
                    total += weight * boost * idf * saturate_frequency(occurrences, len(tokens), average)
        return total

    def _compute_idfs(self, counts: RememberedCounts) -> dict[tuple[str, str], float]:
        chunks = counts.chunks()
        tokens = {token for unit in self._units for token in unit}
        return {
            (field, token): compute_idf(chunks, counts.with_tokens(field, (token,)))
            for field in self._fields
            for token in tokens
        }


# Scores of equal texts differ in the last bits of a 32-bit number with the way the engine takes to them.
_DECIMALS: Final = 4


class LexicalLeg:
    """BM25 over one collection."""

    def __init__(
        self, points: Points, counts: RememberedCounts, versions: Versions, analyzer: TextAnalyzer, title_boost: float
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
                points = self._search_points(units, where, limit)
                return found.rows(points, [point.score for point in points])

            return top_hits(fetch, found.ids, k)

        return self._versions.read_consistently(read)

    def scores(self, terms: Mapping[str, float], chunk_ids: Sequence[str]) -> dict[str, float]:
        """BM25 of the named chunks that match."""
        units = weighted_terms(self._analyzer, terms)
        if not units:
            return {}

        def read(sight: Sight) -> dict[str, float]:
            scores: dict[str, float] = {}
            for where in reads.build_id_conditions(chunk_ids, IS_CHUNK):
                found = Found(sight)
                points = self._search_points(units, where, 2 * reads.SLICE)
                rows = dict(found.rows(points, [point.score for point in points]))
                scores |= {name: rows[row] for row, name in found.ids(list(rows)).items()}
            return scores

        return self._versions.read_consistently(read)

    def frequencies(self, terms: Sequence[str]) -> dict[str, int]:
        """In how many chunks each term occurs; of a term with several units, the rarest one's count."""
        return {term: self._count_matches(query_terms(self._analyzer, term)) for term in terms}

    def _count_matches(self, units: Sequence[QueryTerm]) -> int:
        if not units:
            return 0
        return min(self._counts.with_tokens("words", unit.tokens) for unit in units)

    def _search_points(self, units: Mapping[QueryTerm, float], where: Where, limit: int) -> list[Scored]:
        """The best ``limit`` points, best first."""
        words = {unit.tokens[0]: weight for unit, weight in units.items() if len(unit.tokens) == 1}
        phrases = {unit.tokens: weight for unit, weight in units.items() if len(unit.tokens) > 1}
        if not phrases:
            return self._by_words(words, where, limit)
        averages = require_facts(self._points).averages
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
            false = self._find_false_hits(words, [point.id for point in found])
            if false <= dropped or len(found) < limit + len(dropped):
                kept = [point for point in found if point.id not in false]
                return [Scored(point.id, round(point.score, _DECIMALS), point.payload) for point in kept[:limit]]
            dropped |= false

    def _find_false_hits(self, words: Mapping[str, float], ids: Sequence[str]) -> set[str]:
        """Those of the points that have none of the words."""
        if not ids:
            return set()
        tokens = tuple(words)
        none = Where((PointIds(ids),), must_not=(AnyWord("words", tokens),))
        if self._title_boost > 0:
            none = none.without(AnyWord("title_words", tokens))
        return {point.id for point in self._points.scroll(none, ())}
