"""Words as the lexical index sees them, the same for documents and for queries.

Runs of letters and digits, lower case, accents folded, English stems (Snowball). Text of another language that Snowball has a
stemmer for is put into the stems of its own language before (``language.tokens.stem_text``), and so are the words of a question in
it; the English analysis then does to both what it does. Chinese, Japanese, Thai, Lao, Khmer and Burmese are written without spaces
and Korean glues particles to its words: runs of these scripts become overlapping pairs of characters.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import log
from typing import Final

from tantivy import Filter, TextAnalyzer, TextAnalyzerBuilder, Tokenizer

from ascertain.core.documents.documents import Chunk
from ascertain.language.scripts import UNSPACED_RUN, pair_characters
from ascertain.language.tokens import stem_text

# Longer "words" are hashes, base64 and the like. Tantivy's own default is 40; German compounds exceed that.
LONGEST_WORD = 60
# More words than this in one query cost time and add nothing; the heaviest are used.
MAX_TERMS = 256

_SURROGATE = re.compile("[\ud800-\udfff]")
_POSSESSIVE = re.compile(r"['’]s\b", re.IGNORECASE)


def build_analyzer() -> TextAnalyzer:
    """The chain applied after ``space_text``."""
    return (
        TextAnalyzerBuilder(Tokenizer.simple())
        .filter(Filter.remove_long(LONGEST_WORD))
        .filter(Filter.lowercase())
        .filter(Filter.ascii_fold())
        .filter(Filter.stemmer("english"))
        .build()
    )


def space_text(text: str, language: str | None = None) -> str:
    """``text`` as it is passed to the analyzer: the stems of its ``language``, unspaced scripts as pairs, lone surrogates replaced."""
    stems = stem_text(text, language)
    if stems.isascii():
        return stems
    return UNSPACED_RUN.sub(_pair_characters, replace_surrogates(stems))


def replace_surrogates(text: str) -> str:
    """``text`` with lone surrogates, which UTF-8 cannot carry, replaced by U+FFFD."""
    return text if text.isascii() else _SURROGATE.sub("\ufffd", text)


def _pair_characters(match: re.Match[str]) -> str:
    return f" {' '.join(pair_characters(match.group()))} "


@dataclass(frozen=True, slots=True)
class QueryTerm:
    """Tokens that must stand next to each other in this order; mostly just one."""

    tokens: tuple[str, ...]


def query_terms(analyzer: TextAnalyzer, term: str) -> list[QueryTerm]:
    """What one term of a query asks for.

    A quoted phrase is one unit. Of other terms every word is a unit; a word that analyses to several tokens
    ("GPT-4", "e-mail") is a phrase, because its parts alone ("4", "e") would match anything. A possessive "'s" says
    nothing. A run of an unspaced script gives one unit per pair, because word boundaries are unknown.
    """
    stripped = term.strip()
    if len(stripped) > 2 and stripped[0] == stripped[-1] == '"':
        tokens = tuple(analyzer.analyze(space_text(stripped[1:-1])))
        return [QueryTerm(tokens)] if tokens else []
    units: list[QueryTerm] = []
    for word in _POSSESSIVE.sub("", replace_surrogates(stripped)).split():
        for run in UNSPACED_RUN.findall(word):
            units.extend(QueryTerm((token,)) for token in analyzer.analyze(space_text(run)))
        for part in UNSPACED_RUN.split(word):
            tokens = tuple(analyzer.analyze(part))
            if tokens:
                units.append(QueryTerm(tokens))
    return units


def weighted_terms(analyzer: TextAnalyzer, terms: Mapping[str, float]) -> dict[QueryTerm, float]:
    """Units with their weights; one that several terms ask for gets the highest, and weights up to 0 drop out."""
    weights: dict[QueryTerm, float] = {}
    for term, weight in terms.items():
        if weight > 0:
            for unit in query_terms(analyzer, term):
                weights[unit] = max(weight, weights.get(unit, 0))
    heaviest = sorted(weights.items(), key=lambda item: -item[1])
    return dict(heaviest[:MAX_TERMS])


# BM25:
#
#     score(q, d) = Σ_t weight_t · idf(t) · tf · (k1 + 1) / (tf + k1 · (1 - b + b · length / average))
#     idf(t) = ln(1 + (N - n + 0.5) / (n + 0.5))
#
# Robertson & Zaragoza 2009, section 3; k1 and b as in Tantivy. A phrase counts as one word that occurs where its tokens
# stand next to each other; its IDF is the sum of theirs.

K1: Final = 1.2
B: Final = 0.75


def saturate_frequency(occurrences: int, length: int, average: float) -> float:
    """The document's side for a word, 0 to k1 + 1."""
    return occurrences * (K1 + 1) / (occurrences + K1 * (1 - B + B * length / average))


def compute_idf(chunks: int, with_word: int) -> float:
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
            tokens = analyzer.analyze(space_text(chunk.indexed_text, chunk.language))
            self._tokens[chunk.id] = tokens
            self.documents[chunk.id] = chunk.document_id
            for token in tokens:
                self._having.setdefault(token, set()).add(chunk.id)
        self._average = sum(map(len, self._tokens.values())) / max(1, len(self._tokens))

    def score_chunks(self, units: Mapping[QueryTerm, float]) -> dict[str, float]:
        """BM25 of every chunk that has one of the weighted units."""
        scores: dict[str, float] = {}
        for unit, weight in units.items():
            idf = sum(compute_idf(len(self._tokens), len(self._having.get(token, ()))) for token in unit.tokens)
            for chunk_id, occurrences in self._find_unit(unit).items():
                part = saturate_frequency(occurrences, len(self._tokens[chunk_id]), self._average)
                scores[chunk_id] = scores.get(chunk_id, 0.0) + weight * idf * part
        return scores

    def count_chunks(self, unit: QueryTerm) -> int:
        """How many chunks have it."""
        return len(self._find_unit(unit))

    def _find_unit(self, unit: QueryTerm) -> dict[str, int]:
        having = set[str].intersection(*(self._having.get(token, set[str]()) for token in unit.tokens))
        counts = {chunk_id: count_phrase(self._tokens[chunk_id], unit.tokens) for chunk_id in having}
        return {chunk_id: occurrences for chunk_id, occurrences in counts.items() if occurrences}
