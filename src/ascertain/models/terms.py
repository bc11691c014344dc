"""Words as they are compared: folded, stemmed, without the ones that carry no meaning.

Stems are Porter's second English algorithm (snowballstem.org), the same that the stores' lexical indexes use.
"""

from __future__ import annotations

import re
import unicodedata
from functools import cache, lru_cache
from threading import Lock
from typing import Any, cast

import snowballstemmer  # pyright: ignore[reportMissingTypeStubs]

WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")

_STEMMING = Lock()
"""The stemmer keeps its word in itself, so it serves one thread at a time."""

STOP_WORDS = frozenset(
    "a about above after again against all also am an and any are aren't as at be because been before being below between"
    " both but by can can't cannot could couldn't did didn't do does doesn't doing don't down during each either else ever"
    " few for from further get gets got had hadn't has hasn't have haven't having he he's her here hers herself him himself"
    " his how i i'd i'll i'm i've if in into is isn't it it's its itself just let's like may me might more most must my myself"
    " no nor not of off on once one only onto or other ought our ours ourselves out over own please s same shall she she's"
    " should shouldn't so some such t tell than that that's the their theirs them themselves then there there's these they"
    " they're this those though through thus to too under until up upon us very was wasn't we we're were weren't what what's"
    " when where which while who who's whom whose why will with within without won't would wouldn't yet you you're your"
    " yours yourself yourselves".split()
)


def folded(text: str) -> str:
    """Lower case, compatibility forms unified, accents dropped: how words are compared."""
    if text.isascii():
        return text.lower()
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
