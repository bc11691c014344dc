"""BM25, and an index of words in memory for stores that have none.

    score(q, d) = Σ_t weight_t · idf(t) · tf · (k1 + 1) / (tf + k1 · (1 - b + b · length / average))
    idf(t) = ln(1 + (N - n + 0.5) / (n + 0.5))

Robertson & Zaragoza 2009, section 3; k1 and b as in Tantivy. A phrase counts as one word that occurs where its tokens stand next to each
other; its IDF is the sum of theirs.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from math import log
from typing import Final

from tantivy import TextAnalyzer

from ascertain.core.chunks import Chunk
from ascertain.stores.analysis import QueryTerm, spaced

K1: Final = 1.2
B: Final = 0.75


def saturation(occurrences: int, length: int, average: float) -> float:
    """The document's side for a word, 0 to k1 + 1."""
    return occurrences * (K1 + 1) / (occurrences + K1 * (1 - B + B * length / average))


def rarity(chunks: int, with_word: int) -> float:
    """The IDF of a word that occurs in ``with_word`` of ``chunks``."""
    return log(1 + max(0.0, chunks - with_word + 0.5) / (with_word + 0.5))


def count_phrase(tokens: Sequence[str], phrase: Sequence[str]) -> int:
    """How often the tokens of ``phrase`` stand next to each other in ``tokens``."""
    size = len(phrase)
    first, wanted = phrase[0], list(phrase)
    return sum(
        tokens[place] == first and list(tokens[place : place + size]) == wanted
        for place in range(len(tokens) - size + 1)
    )


class WordIndex:
    """The words of chunks, by word: what ``scores`` needs. ``documents`` is the document of each chunk by its id."""

    def __init__(self, analyzer: TextAnalyzer, chunks: Iterable[Chunk]) -> None:
        self._tokens: dict[str, list[str]] = {}
        self._having: dict[str, set[str]] = {}
        self.documents: dict[str, str] = {}
        for chunk in chunks:
            tokens = analyzer.analyze(spaced(chunk.indexed_text))
            self._tokens[chunk.id] = tokens
            self.documents[chunk.id] = chunk.document_id
            for token in tokens:
                self._having.setdefault(token, set()).add(chunk.id)
        self._average = sum(map(len, self._tokens.values())) / max(1, len(self._tokens))

    def score_chunks(self, units: Mapping[QueryTerm, float]) -> dict[str, float]:
        """BM25 of every chunk that has one of the weighted units."""
        scores: dict[str, float] = {}
        for unit, weight in units.items():
            idf = sum(rarity(len(self._tokens), len(self._having.get(token, ()))) for token in unit.tokens)
            for chunk_id, occurrences in self._find_unit(unit).items():
                part = saturation(occurrences, len(self._tokens[chunk_id]), self._average)
                scores[chunk_id] = scores.get(chunk_id, 0.0) + weight * idf * part
        return scores

    def count_chunks(self, unit: QueryTerm) -> int:
        """How many chunks have it."""
        return len(self._find_unit(unit))

    def _find_unit(self, unit: QueryTerm) -> dict[str, int]:
        having = set[str].intersection(*(self._having.get(token, set[str]()) for token in unit.tokens))
        counts = {chunk_id: count_phrase(self._tokens[chunk_id], unit.tokens) for chunk_id in having}
        return {chunk_id: occurrences for chunk_id, occurrences in counts.items() if occurrences}
