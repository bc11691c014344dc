"""Whether an answer contains the expected one.

Normalising follows the SQuAD evaluation script (Rajpurkar et al., 2016): lower case, no punctuation, no articles,
single spaces. Two deliberate differences: punctuation becomes a space, so that ``Japan's`` still holds ``Japan``;
and the expected words must stand there as whole words, so that ``4`` is not found inside ``1994``.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable

_ARTICLES = frozenset({"a", "an", "the"})
_NOT_WORD = re.compile(r"[^\w]|_")


def normalise(text: str) -> str:
    """Lower-case words without punctuation and articles, one space apart."""
    plain = _NOT_WORD.sub(" ", unicodedata.normalize("NFKC", text).lower())
    return " ".join(word for word in plain.split() if word not in _ARTICLES)


def contains_any(text: str, expected: Iterable[str]) -> bool:
    """Whether ``text`` holds any of ``expected`` as a run of whole words; those that normalise to nothing never match."""
    held = f" {normalise(text)} "
    wanted = (normalise(answer) for answer in expected)
    return any(answer and f" {answer} " in held for answer in wanted)
