"""BM25 (``stores.bm25``) cut in two: the document's side is stored as a sparse vector, the query's side is the server's IDF.

The average length has to be known when a chunk is written: ``facts`` keeps the one in use.
"""

from __future__ import annotations

import zlib
from collections import Counter
from collections.abc import Mapping, Sequence

from tantivy import TextAnalyzer

from ascertain.core.chunks import Chunk
from ascertain.stores.analysis import spaced
from ascertain.stores.bm25 import saturation
from ascertain.stores.qdrant.points import Weights

# What sets words of the title apart from words of the text in the one sparse vector.
_TITLE = "title\0"


def body_words(analyzer: TextAnalyzer, chunk: Chunk) -> list[str]:
    """The tokens of heading and text, in order."""
    return analyzer.analyze(spaced(chunk.indexed_text))


def title_words(analyzer: TextAnalyzer, title: str) -> list[str]:
    """The tokens of a title, in order."""
    return analyzer.analyze(spaced(title))


def place(word: str, in_title: bool = False) -> int:
    """The dimension of a word: 32 bits (CRC-32) of it, as Qdrant's sparse vectors have.

    Of a million different words about 120 pairs share one; ``lexical_leg`` drops chunks that only a word of the same place found.
    """
    return zlib.crc32((_TITLE + word if in_title else word).encode())


def document_weights(body: Sequence[str], title: Sequence[str], averages: tuple[float, float]) -> Weights:
    """The stored side of a chunk; ``averages`` are the lengths of texts and of titles."""
    weights: dict[int, float] = {}
    for words, average, in_title in ((body, averages[0], False), (title, averages[1], True)):
        for word, occurrences in Counter(words).items():
            where = place(word, in_title)
            weights[where] = weights.get(where, 0.0) + saturation(occurrences, len(words), average)
    return Weights(list(weights), list(weights.values()))


def query_weights(words: Mapping[str, float], title_boost: float) -> Weights:
    """The query's side before the IDF: weighted words, and the same in the title where that counts."""
    weights: dict[int, float] = {}
    for word, weight in words.items():
        weights[place(word)] = weights.get(place(word), 0.0) + weight
        if title_boost > 0:
            where = place(word, in_title=True)
            weights[where] = weights.get(where, 0.0) + weight * title_boost
    return Weights(list(weights), list(weights.values()))
