"""Words as the lexical index sees them, the same for documents and for queries.

Runs of letters and digits, lower case, accents folded, English stems (Snowball). Text of other languages with
spaces keeps its words, mostly unstemmed. Chinese, Japanese, Thai, Lao, Khmer and Burmese are written without spaces
and Korean glues particles to its words: runs of these scripts become overlapping pairs of characters.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from tantivy import Filter, TextAnalyzer, TextAnalyzerBuilder, Tokenizer

# Longer "words" are hashes, base64 and the like. Tantivy's own default is 40; German compounds exceed that.
LONGEST_WORD = 60
# More words than this in one query cost time and say nothing; the heaviest are kept.
MAX_TERMS = 256

_UNSPACED = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af"
    "\uf900-\ufaff\uff66-\uff9f\U00020000-\U0003134f"
)
_UNSPACED_RUN = re.compile(f"[{_UNSPACED}]+")
_SURROGATE = re.compile("[\ud800-\udfff]")
_POSSESSIVE = re.compile(r"['’]s\b", re.IGNORECASE)


def build_analyzer() -> TextAnalyzer:
    """The chain applied after ``spaced``."""
    return (
        TextAnalyzerBuilder(Tokenizer.simple())
        .filter(Filter.remove_long(LONGEST_WORD))
        .filter(Filter.lowercase())
        .filter(Filter.ascii_fold())
        .filter(Filter.stemmer("english"))
        .build()
    )


def spaced(text: str) -> str:
    """``text`` as it is handed to the analyzer: unspaced scripts as pairs, lone surrogates replaced."""
    if text.isascii():
        return text
    return _UNSPACED_RUN.sub(_pairs, replace_surrogates(text))


def replace_surrogates(text: str) -> str:
    """``text`` with lone surrogates, which UTF-8 cannot carry, replaced by U+FFFD."""
    return text if text.isascii() else _SURROGATE.sub("\ufffd", text)


def _pairs(match: re.Match[str]) -> str:
    run = match.group()
    if len(run) == 1:
        return f" {run} "
    return f" {' '.join(run[start : start + 2] for start in range(len(run) - 1))} "


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
        tokens = tuple(analyzer.analyze(spaced(stripped[1:-1])))
        return [QueryTerm(tokens)] if tokens else []
    units: list[QueryTerm] = []
    for word in _POSSESSIVE.sub("", replace_surrogates(stripped)).split():
        for run in _UNSPACED_RUN.findall(word):
            units.extend(QueryTerm((token,)) for token in analyzer.analyze(spaced(run)))
        for part in _UNSPACED_RUN.split(word):
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
