"""Words as they are compared: folded, stemmed, weighed, without the ones that carry no meaning.

Stems are Porter's second English algorithm (snowballstem.org), the same that the stores' lexical indexes use.
"""

import math
import re
import unicodedata
from functools import cache, lru_cache
from threading import Lock
from typing import Any, cast

import snowballstemmer  # pyright: ignore[reportMissingTypeStubs]

from ascertain.language.word_lists import load_word_set, load_words

STOP_WORDS = load_word_set("stop_words", "stop_words")
"""English words that say nothing of what a text is about."""

WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")

_STEMMING = Lock()
"""The stemmer keeps its word in itself, so it serves one thread at a time."""


def fold_words(text: str) -> str:
    """Lower case, compatibility forms unified, accents dropped: how words are compared."""
    if text.isascii():
        return text.lower()
    # Decomposed first: mathematical capitals have no lower case of their own.
    decomposed = unicodedata.normalize("NFKD", text).casefold()
    return "".join(c for c in decomposed if not unicodedata.combining(c))


def may_name(name: str, asked: str) -> bool:
    """Whether ``asked`` may name who is called ``name``: one has all words of the other ("Tyler Cowen")."""
    words, wanted = (
        {word.replace("’", "'").removesuffix("'s") for word in WORD.findall(fold_words(text))} for text in (name, asked)
    )
    return bool(words) and bool(wanted) and (wanted <= words or words <= wanted)


def content_terms(text: str) -> tuple[str, ...]:
    """Stems of the words of ``text`` that are not stop words, in order, repeats included."""
    words = (word.replace("’", "'") for word in WORD.findall(fold_words(text)))
    return tuple(stem_word(word) for word in words if word not in STOP_WORDS)


@lru_cache(maxsize=100_000)
def stem_word(word: str) -> str:
    """The stem of one folded word; a possessive ``'s`` is dropped first."""
    with _STEMMING:
        return cast(str, _load_stemmer().stemWord(word.removesuffix("'s")))


def word_informativeness(term: str) -> float:
    """How much a stem tells, 0..1: near 0 for the commonest words, 1 for rare ones, numbers and names.

    ``log(1 + rank) / log(1 + ranks known)`` of its rank in everyday English, the logarithmic form of Zipf's law.
    """
    ranks = _common_ranks()
    if term not in ranks:
        return 1.0
    return math.log1p(ranks[term]) / math.log1p(len(ranks))


@cache
def _common_ranks() -> dict[str, int]:
    return {term: rank for rank, term in enumerate(load_words("common_stems", "common_stems"))}


@cache
def _load_stemmer() -> Any:
    return cast(Any, snowballstemmer).stemmer("english")
