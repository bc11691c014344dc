"""Compounds of German and Dutch, taken apart by the words that texts use; no dictionary is needed.

*Angelschein* is *Angeln* and *Schein* where a text has both: a word is cut where what stands behind the cut is a word of the text, and
what stands before it is one too, but for the letters that join them (Koehn & Knight 2003, "Empirical methods for compound splitting",
with what is found in place of counts in a corpus). The other way round *Behälter* is the *Vorratsbehälter* where a text has one only.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache

from ascertain.language.tokens import WORD, is_stop_word, stem_word
from ascertain.language.word_lists import load_word_set, load_words

COMPOUNDING = ("de", "nl")
"""Languages that write compounds as one word and have lists of their own."""
_SHORTEST_PART = 4
"""Letters of each part: shorter ones are endings and syllables more often than words."""
_SHORTEST_HEAD = 5
"""Letters of a word that is looked for at the end of others."""


@lru_cache(maxsize=1_000)
def list_splits(word: str, language: str) -> tuple[tuple[str, str], ...]:
    """Stems of what ``word`` may be made of, before and behind each cut, the most even first; none in other languages."""
    if language not in COMPOUNDING or not word.isalpha():
        return ()
    plain = word.casefold()
    links = ("", *load_words("words", "links", language))
    found: dict[tuple[str, str], int] = {}
    for cut in range(_SHORTEST_PART, len(plain) - _SHORTEST_PART + 1):
        for link in links:
            before = plain[:cut].removesuffix(link)
            if plain[:cut].endswith(link) and len(before) >= _SHORTEST_PART:
                pair = stem_word(before, language), stem_word(plain[cut:], language)
                found.setdefault(pair, min(len(before), len(plain) - cut))
    return tuple(sorted(found, key=lambda pair: -found[pair]))


def list_parts(word: str, language: str) -> frozenset[str]:
    """Stems of all words that ``word`` may be made of."""
    return frozenset(part for pair in list_splits(word, language) for part in pair)


def choose_parts(word: str, counts: Mapping[str, int], language: str) -> tuple[str, ...]:
    """The stems that ``word`` is made of, of those that something has by ``counts``; empty where it is unclear."""
    pairs = list_splits(word, language)
    return next((pair for pair in pairs if all(counts.get(part) for part in pair)), ())


def read_compounds(question: str, texts: Iterable[str], language: str) -> str:
    """``question`` with each word that no text holds as the words of one text that it is made of, or as the one compound of the texts
    that ends in it. In a language without compounds it is left as it is.
    """
    if language not in COMPOUNDING:
        return question
    written = [_list_written(text, language) for text in texts]
    for word in dict.fromkeys(WORD.findall(question)):
        stem = stem_word(word.casefold(), language)
        if not word.isalpha() or is_stop_word(word, language) or any(stem in each for each in written):
            continue
        read = _find_parts(word, language, written) or _find_compound(stem, language, written)
        if read:
            question = re.sub(rf"(?<!\w){re.escape(word)}(?!\w)", read, question)
    return question


def _find_parts(word: str, language: str, written: Iterable[dict[str, str]]) -> str:
    """The words of one text that ``word`` is made of."""
    pairs = list_splits(word, language)
    for stems in written:
        for before, behind in pairs:
            if before in stems and behind in stems:
                return f"{stems[before]} {stems[behind]}"
    return ""


def _find_compound(stem: str, language: str, written: Iterable[dict[str, str]]) -> str:
    """The one compound of the texts that ends in a word, given by its stem; none where there are several."""
    if len(stem) < _SHORTEST_HEAD:
        return ""
    found = {other: stems[other] for stems in written for other in _list_compounds(stem, language, stems)}
    return found.popitem()[1] if len(found) == 1 else ""


def _list_compounds(stem: str, language: str, stems: Iterable[str]) -> Iterator[str]:
    """Stems that end in ``stem`` behind more than a prefix: a *Bestellung* is no *Stellung*."""
    prefixes = load_word_set("words", "prefixes", language)
    for other in stems:
        before = other.removesuffix(stem)
        if other.endswith(stem) and len(before) >= _SHORTEST_PART and before not in prefixes:
            yield other


@lru_cache(maxsize=1_000)
def _list_written(text: str, language: str) -> dict[str, str]:
    """The words of a text by their stems, as they are first written there."""
    written: dict[str, str] = {}
    for word in WORD.findall(text):
        if word.isalpha():
            written.setdefault(stem_word(word.casefold(), language), word)
    return written
