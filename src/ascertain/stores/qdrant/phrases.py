"""Scores of chunks that contain a phrase.

A phrase counts as one word that occurs where its tokens stand next to each other; its IDF is the sum of theirs, as in Tantivy. It is never
more frequent than its rarest token, so a chunk's score is at most what it would be if every token counted by itself. The engine lists the
chunks with a phrase by that bound, best first, and they are scored here until no further one can be better (the threshold algorithm:
Fagin, Lotem & Naor 2003).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Final

from ascertain.stores.bm25 import count_phrase, rarity, saturation
from ascertain.stores.qdrant.conditions import Phrase, Where
from ascertain.stores.qdrant.found import Found
from ascertain.stores.qdrant.names import WORDS
from ascertain.stores.qdrant.points import Points, Scored, Search
from ascertain.stores.qdrant.remembered_counts import RememberedCounts
from ascertain.stores.qdrant.word_weights import query_weights

# The engine counts words of chunks that are on their way out too, so its bound may be a little low.
_MARGIN: Final = 1.02
_FIELDS: Final = (*Found.FIELDS, "words", "title_words")

Tokens = tuple[str, ...]


class PhraseScorer:
    """Scores for one query with phrases; ``words`` are its other words. Weights are above 0."""

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
        self._rarities = self._counted(counts)

    @property
    def has_phrase(self) -> Where:
        """Whether one of the phrases occurs."""
        return Where(
            should=tuple(Phrase(field, tokens) for field in self._fields for tokens in self._phrases)
        )

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
                (Scored(each.id, round(self._score(each), decimals), each.payload) for each in found),
                key=lambda point: (-point.score, point.id),
            )
            if len(found) < fetched:
                return scored[:limit]
            if scored[limit - 1].score > found[-1].score * _MARGIN:
                return scored[:limit]
            fetched *= 4

    def _score(self, point: Scored) -> float:
        total = 0.0
        for field, (boost, average) in self._fields.items():
            tokens = str(point.payload.get(field) or "").split(" ")
            counts = Counter(tokens)
            for unit, weight in self._units.items():
                occurrences = counts[unit[0]] if len(unit) == 1 else count_phrase(tokens, unit)
                if occurrences:
                    idf = sum(self._rarities[field, token] for token in unit)
                    total += weight * boost * idf * saturation(occurrences, len(tokens), average)
        return total

    def _counted(self, counts: RememberedCounts) -> dict[tuple[str, str], float]:
        chunks = counts.chunks()
        tokens = {token for unit in self._units for token in unit}
        return {
            (field, token): rarity(chunks, counts.with_tokens(field, (token,)))
            for field in self._fields
            for token in tokens
        }
