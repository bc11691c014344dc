"""Signs of a question: whether it asks for a yes or a no, for the most of something, for what held before, for several things."""

from __future__ import annotations

import re
from collections.abc import Iterator
from enum import StrEnum

from ascertain.language.languages import ENGLISH, KNOWN
from ascertain.language.tokens import WORD, fold_words
from ascertain.language.word_lists import load_alternatives, load_patterns, load_word_set


class Sign(StrEnum):
    """What the form of a question says of its answer."""

    YES_OR_NO = "yes_or_no"
    """It opens with a verb."""
    EXTREME = "extreme"
    """It asks for the first, the largest, the only one."""
    PAST = "past"
    """It is about what held before, too."""
    VERSION = "version"
    """It asks which version it is."""
    WORK = "work"
    """It asks for a work, its writer or its year."""
    PARTS = "parts"
    """One sentence is seldom the whole answer: lists, steps, comparisons, accounts, two questions in one."""


_YES_NO = re.compile(rf"\W*(?:{load_alternatives('question_signs', 'yes_or_no')})(?:n't)?\b")
_EXTREME = re.compile(rf"\b(?:{load_alternatives('question_signs', 'extremes')}|[a-z]{{3,}}(?:est|most))\b")
_NO_EXTREME = load_word_set("question_signs", "no_extremes")
"""Words that merely end so; ``latest`` asks for the news, not for a comparison."""
_PAST = re.compile("|".join(load_patterns("versions", "asks_past")), re.I)
_VERSION = re.compile(
    rf"\b(?:which|what)\s+(?:\w+\s+){{0,2}}?(?:{load_alternatives('versions', 'asked_for')})\b(?!\s+of\s+the)", re.I
)
_PARTS = re.compile("|".join(f"(?:{pattern})" for pattern in load_patterns("question_signs", "parts")))


def read_signs(question: str, language: str) -> frozenset[Sign]:
    """The signs of ``question``, which is in ``language``."""
    return frozenset(_find_signs(question, language))


def _find_signs(question: str, language: str) -> Iterator[Sign]:
    folded = fold_words(question)
    if asks_yes_or_no(question, language):
        yield Sign.YES_OR_NO
    if _asks_for_extreme(question, language):
        yield Sign.EXTREME
    if _PAST.search(question):
        yield Sign.PAST
    if _VERSION.search(question):
        yield Sign.VERSION
    if not load_word_set("paper_sections", "works").isdisjoint(word.casefold() for word in WORD.findall(question)):
        yield Sign.WORK
    if _PARTS.search(folded):
        yield Sign.PARTS


def asks_yes_or_no(question: str, language: str) -> bool:
    """Whether ``question`` opens with a verb."""
    if language != ENGLISH:
        first = next(iter(WORD.findall(question.casefold())), "")
        return language in KNOWN and first in load_word_set("questions", "yes_or_no", language)
    return _YES_NO.match(fold_words(question)) is not None


def _asks_for_extreme(question: str, language: str) -> bool:
    if language != ENGLISH:
        words = WORD.findall(question.casefold())
        return language in KNOWN and not load_word_set("questions", "extremes", language).isdisjoint(words)
    return any(match.group() not in _NO_EXTREME for match in _EXTREME.finditer(fold_words(question)))
