"""Words of documents and chunks as PostgreSQL takes them in: text vectors with positions, made by the analysis of all stores.

PostgreSQL's own analysis is not used. The vectors are written in its input syntax, where every lexeme is quoted, so that
nothing is cut up or folded again.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from tantivy import TextAnalyzer

from ascertain.core.chunks import Chunk
from ascertain.core.documents import Document
from ascertain.stores.analysis import spaced

CHUNK_COLUMNS = ("title_words", "heading_words", "text_words", "title_length", "length")
"""Columns of ``chunks`` that ``chunk_values`` fills."""
DOCUMENT_COLUMNS = ("title_words", "summary_words", "text_words")
"""Columns of ``documents`` that ``document_values`` fills."""

STRONG = "⁺"
"""Ends the marker of a word that a chunk has more than once, or that is in a short chunk: the only ones where its share of the score
can be high. No word contains this character: it is not a letter, and what analysis makes of letters is.
"""
SHORT = 48
"""A chunk of fewer words is short. Half as long as the chunks of prose that ingest makes, and longer than most rows of tables."""

_LAST_POSITION = 16_383
"""Greatest position that a text vector holds; words further on count as being there."""
_BYTES, _BYTES_BESIDE = 800_000, 40_000
"""Room for the different words of a text, and of a title, heading or summary: PostgreSQL takes 1 MB together, positions included.
A text has some 25,000 different words before words are left out.
"""
_DOCUMENT_WORDS = 2_000
"""First words of a document's text by which the document as a whole is found; the rest is found by its chunks."""


def chunk_values(analyzer: TextAnalyzer, chunk: Chunk) -> tuple[str | int | None, ...]:
    """The values of CHUNK_COLUMNS; parents are not searched and have none."""
    if chunk.is_parent:
        return (None,) * len(CHUNK_COLUMNS)
    title = analyzer.analyze(spaced(chunk.title))
    heading = analyzer.analyze(spaced(chunk.heading))
    text = analyzer.analyze(spaced(chunk.text))
    length = len(heading) + len(text)
    times = Counter(heading) + Counter(text)
    markers = [word + STRONG for word, number in times.items() if number > 1 or length < SHORT]
    return (
        vector(title, _BYTES_BESIDE),
        vector(heading, _BYTES_BESIDE),
        vector(text, _BYTES, markers),
        len(title),
        length,
    )


def document_values(analyzer: TextAnalyzer, document: Document, summary: str = "") -> tuple[str, ...]:
    """The values of DOCUMENT_COLUMNS."""
    text = analyzer.analyze(spaced(document.text[: _DOCUMENT_WORDS * 10]))
    return (
        vector(analyzer.analyze(spaced(document.title)), _BYTES_BESIDE),
        vector(analyzer.analyze(spaced(summary)), _BYTES_BESIDE),
        vector(text[:_DOCUMENT_WORDS], _BYTES),
    )


def vector(words: Sequence[str], most_bytes: int, markers: Iterable[str] = ()) -> str:
    """A text vector of ``words`` in their order, and of ``markers``, which have no position.

    Words beyond ``most_bytes`` are left out unless they were there before.
    """
    positions: dict[str, list[str]] = {}
    room = most_bytes
    for place, word in enumerate(words, 1):
        found = positions.get(word)
        if found is None and room > 0:
            positions[word] = [str(min(place, _LAST_POSITION))]
            # As if there were a marker for every word; with what stands around a lexeme and its positions.
            room -= 2 * len(word.encode()) + 16
        elif found is not None and place <= _LAST_POSITION:
            found.append(str(place))
    lexemes = [f"{quoted(word)}:{','.join(places)}" for word, places in positions.items()]
    lexemes += [quoted(marker) for marker in markers if marker.removesuffix(STRONG) in positions]
    return " ".join(lexemes)


def quoted(lexeme: str) -> str:
    """``lexeme`` in the syntax of text vectors and text queries."""
    return "'" + lexeme.replace("\\", "\\\\").replace("'", "''") + "'"
