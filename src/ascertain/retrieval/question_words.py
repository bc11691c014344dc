"""The words of a question that passages must hold: names, numbers, years and the rest."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from ascertain.core.passages import Passage
from ascertain.language.tokens import STOP_WORDS, WORD, content_terms, folded
from ascertain.language.word_lists import load_words

_YEAR = re.compile(r"(?:1[5-9]|20)\d\d")
_ASKING = frozenset((*load_words("asking", "asking"), *load_words("asking", "passages")))
"""Words of asking rather than of the subject; a passage need not hold them."""


@dataclass(frozen=True, slots=True)
class QuestionWords:
    """Words as written, each with its stems. ``names`` hold a capital inside the question or a digit; ``years`` are apart."""

    names: dict[str, tuple[str, ...]]
    years: dict[str, tuple[str, ...]]
    others: dict[str, tuple[str, ...]]

    @property
    def all(self) -> dict[str, tuple[str, ...]]:
        """Every word that tells something."""
        return self.names | self.years | self.others

    def coverage(self, stems: Iterable[str]) -> float:
        """Share of the words that ``stems`` hold, names and years counting double; 1 when the question has none."""
        held = set(stems)
        total = found = 0.0
        for words, weight in ((self.names, 2.0), (self.years, 2.0), (self.others, 1.0)):
            total += weight * len(words)
            found += weight * sum(held.issuperset(stems_of) for stems_of in words.values())
        return found / total if total else 1.0


def question_words(question: str) -> QuestionWords:
    """Sort the words of ``question``; stop words and words of asking are left out."""
    names: dict[str, tuple[str, ...]] = {}
    years: dict[str, tuple[str, ...]] = {}
    others: dict[str, tuple[str, ...]] = {}
    for match in WORD.finditer(question):
        word = match.group()
        stems = content_terms(word)
        if not stems or folded(word) in STOP_WORDS or folded(word) in _ASKING:
            continue
        if _YEAR.fullmatch(word):
            years.setdefault(word, stems)
        elif _is_name(question, match):
            names.setdefault(word, stems)
        else:
            others.setdefault(word, stems)
    return QuestionWords(names, years, others)


def stems_of(passage: Passage) -> frozenset[str]:
    """The stems of a passage's text and heading."""
    return frozenset(content_terms(passage.chunk.indexed_text))


def absent(words: dict[str, tuple[str, ...]], held: Sequence[frozenset[str]]) -> tuple[str, ...]:
    """The words that none of the passages, given by their stems, holds."""
    together = frozenset[str]().union(*held)
    return tuple(word for word, stems in words.items() if not together.issuperset(stems))


def _is_name(question: str, match: re.Match[str]) -> bool:
    word = match.group()
    if any(character.isdigit() for character in word):
        return True
    opens = not re.search(r"\w", question[: match.start()])
    shouted = question.upper() == question
    return any(character.isupper() for character in word) and not shouted and (not opens or word.isupper())
