"""The words of a text that carry its meaning, reduced to stems, and how much each of them tells.

Stems are Porter's second English algorithm (snowballstem.org). How much a word tells comes from its rank in everyday
English: ``log(1 + rank) / log(1 + ranks known)``, the logarithmic form of Zipf's law, 1 for a word outside the list.
``data/common_stems.txt`` holds stems by falling frequency: those of the first 10,000 whole words in the vocabulary of
bert-base-uncased (Devlin et al., Apache-2.0), which is in that order.
"""

from __future__ import annotations

import math
import re
import unicodedata
from functools import cache, lru_cache
from importlib.resources import files
from threading import Lock
from typing import Any, cast

import snowballstemmer  # pyright: ignore[reportMissingTypeStubs]

WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")


def _listed(name: str) -> list[str]:
    return files("ascertain.answering").joinpath(f"data/{name}.txt").read_text("utf-8").split()


_STEMMING = Lock()
"""The stemmer keeps its word in itself, so it serves one thread at a time."""

STOP_WORDS = frozenset(_listed("stop_words"))


def folded(text: str) -> str:
    """Lower case, compatibility forms unified, accents dropped: how words are compared."""
    decomposed = unicodedata.normalize("NFKD", text.casefold())
    return "".join(c for c in decomposed if not unicodedata.combining(c))


def content_terms(text: str) -> tuple[str, ...]:
    """Stems of the words of ``text`` that are not stop words, in order, repeats included."""
    words = (word.replace("’", "'") for word in WORD.findall(folded(text)))
    return tuple(stem(word) for word in words if word not in STOP_WORDS)


@lru_cache(maxsize=100_000)
def stem(word: str) -> str:
    """The stem of one folded word; a possessive ``'s`` is dropped first."""
    with _STEMMING:
        return cast(str, _stemmer().stemWord(word.removesuffix("'s")))


@cache
def _stemmer() -> Any:
    return cast(Any, snowballstemmer).stemmer("english")


def informativeness(term: str) -> float:
    """How much a stem tells, 0..1: near 0 for the commonest words, 1 for rare ones, numbers and unknown names."""
    ranks = _ranks()
    if term not in ranks:
        return 1.0
    return math.log1p(ranks[term]) / math.log1p(len(ranks))


@cache
def _ranks() -> dict[str, int]:
    return {stem: rank for rank, stem in enumerate(_listed("common_stems"))}
