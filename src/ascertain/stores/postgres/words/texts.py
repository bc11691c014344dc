"""Words of documents and chunks as PostgreSQL takes them in: text vectors with positions.

They come from the analysis of all stores, in PostgreSQL's input syntax with every lexeme quoted: nothing is folded
again.
"""

from collections.abc import Mapping, Sequence
from functools import lru_cache

from tantivy import TextAnalyzer

from ascertain.core.documents.documents import Chunk, Document
from ascertain.stores.records.text_analysis import LONGEST_WORD, space_text

CHUNK_COLUMNS = ("title_words", "heading_words", "text_words", "title_length", "length")
"""Columns of ``chunks`` that ``chunk_values`` fills."""
DOCUMENT_COLUMNS = ("title_words", "summary_words", "text_words")
"""Columns of ``documents`` that ``document_values`` fills."""

STRONG = "⁺"
"""Ends the marker of a word that a chunk has more than once, or that is in a short chunk: the only ones where its share
of the score can be high. No word contains this character: it is not a letter, and what analysis makes of letters is.
"""
SHORT = 48
"""A chunk of fewer words is short: half as long as the chunks of prose that ingest makes."""

_LAST_POSITION = 16_383
"""Greatest position that a text vector holds; words further on count as being there."""
_BYTES, _BYTES_BESIDE = 800_000, 40_000
"""Room for the different words of a text, and of a title, heading or summary: PostgreSQL takes 1 MB together, positions
included. A text has some 25,000 different words before words are left out.
"""
_MOST_BYTES_OF_WORD = 2 * 4 * LONGEST_WORD + 16
"""Folding makes up to four letters of one."""
_DOCUMENT_WORDS, _LONG_WORD = 500, 12
"""First words of a document's text by which the document as a whole is found (the rest is found by its chunks), and how
many characters are read for each.
"""


def chunk_values(analyzer: TextAnalyzer, chunk: Chunk) -> tuple[str | int | None, ...]:
    """The values of CHUNK_COLUMNS; parents are not searched and have none."""
    if chunk.is_parent:
        return (None,) * len(CHUNK_COLUMNS)
    title, title_length = _analyze_short_text(analyzer, chunk.title, chunk.language)
    heading, heading_length = _analyze_short_text(analyzer, chunk.heading, chunk.language)
    words = analyzer.analyze(space_text(chunk.text, chunk.language))
    length = heading_length + len(words)
    text = find_positions(words, _BYTES)
    if length < SHORT:
        strong = set(heading) | set(text)
    else:
        strong = {word for word, places in text.items() if "," in places or word in heading}
        strong |= {word for word, places in heading.items() if "," in places}
    markers = [quote_lexeme(word + STRONG) for word in strong]
    return (
        build_text_vector(title),
        build_text_vector(heading),
        " ".join([build_text_vector(text), *markers]),
        title_length,
        length,
    )


def document_values(analyzer: TextAnalyzer, document: Document, summary: str = "") -> tuple[str, ...]:
    """The values of DOCUMENT_COLUMNS."""
    language = document.language
    start = space_text(document.text[: _DOCUMENT_WORDS * _LONG_WORD], language)
    beginning = analyzer.analyze(start)[:_DOCUMENT_WORDS]
    return (
        build_text_vector(_analyze_short_text(analyzer, document.title, language)[0]),
        build_text_vector(_analyze_short_text(analyzer, summary, language)[0]),
        build_text_vector(find_positions(beginning, _BYTES)),
    )


def find_positions(words: Sequence[str], most_bytes: int) -> dict[str, str]:
    """Where each word is, from 1 and joined by commas; new words beyond ``most_bytes`` are left out."""
    if len(words) > min(_LAST_POSITION, most_bytes // _MOST_BYTES_OF_WORD):
        return _positions_of_many(words, most_bytes)
    positions: dict[str, str] = {}
    for place, word in enumerate(words, 1):
        positions[word] = f"{positions[word]},{place}" if word in positions else str(place)
    return positions


def build_text_vector(words: Mapping[str, str]) -> str:
    """Words with their positions as PostgreSQL reads a text vector."""
    return " ".join([f"{quote_lexeme(word)}:{places}" for word, places in words.items()])


def quote_lexeme(lexeme: str) -> str:
    """``lexeme`` in the syntax of text vectors and text queries."""
    if "'" in lexeme or "\\" in lexeme:
        lexeme = lexeme.replace("\\", "\\\\").replace("'", "''")
    return f"'{lexeme}'"


def _positions_of_many(words: Sequence[str], most_bytes: int) -> dict[str, str]:
    found: dict[str, list[str]] = {}
    room = most_bytes
    for place, word in enumerate(words, 1):
        places = found.get(word)
        if places is None and room > 0:
            found[word] = [str(min(place, _LAST_POSITION))]
            room -= _bytes_of(word)
        elif places is not None and place <= _LAST_POSITION:
            places.append(str(place))
    return {word: ",".join(places) for word, places in found.items()}


def _bytes_of(word: str) -> int:
    # As if there were a marker for every word; with what stands around a lexeme and its positions.
    return 2 * len(word.encode()) + 16


# The chunks of a document repeat its title, and those of a section its heading.
@lru_cache(maxsize=1024)
def _analyze_short_text(analyzer: TextAnalyzer, text: str, language: str | None) -> tuple[Mapping[str, str], int]:
    words = analyzer.analyze(space_text(text, language))
    return find_positions(words, _BYTES_BESIDE), len(words)
