"""How the words of a question match the words of a text: by spelling, stem, meaning, and the form of an opposite."""

from __future__ import annotations

import re
from collections.abc import Iterable, Set
from functools import lru_cache

from ascertain.language.equivalents import equivalent_words
from ascertain.language.languages import ENGLISH
from ascertain.language.numbers import spell_figures
from ascertain.language.remembering import remember_texts
from ascertain.language.tokens import STOP_WORDS, WORD, fold_words, list_words, stem_word
from ascertain.language.word_lists import load_alternatives
from ascertain.models.entail.alignment import Relation, find_bases, look_up_word, relate_words

_SYNONYM, _OPPOSITE, SAME_ROOT = 0.8, 0.7, 0.7
"""How far a synonym, an opposite ("mutable", "immutable": it is about the same thing) and a longer or shorter form count."""
_SHORTEST_ROOT, _SHORT, _LONGEST_ENDING = 3, 5, 4
"""Letters of a stem that may be the root of another, of one that is short, and of what may follow a root; one less after
a short one."""
_NEGATING = frozenset({"un", "in", "im", "ir", "il", "non", "dis", "de"})
_MONTHS = load_alternatives("months_and_days", "months").replace("|may|", r"|(?-i:May)|may(?= \d)|(?<=\d )may|")
_MONTH = re.compile(rf"\b(?:{_MONTHS})\b", re.I)


def fold_possessives(text: str) -> list[str]:
    """The folded words of ``text``, without possessive endings."""
    return [word.replace("’", "'").removesuffix("'s") for word in WORD.findall(fold_words(text))]


def find_months(text: str) -> set[str]:
    """The months that ``text`` names, in lower case."""
    return {match.group().lower() for match in _MONTH.finditer(text)}


def read_words(text: str, language: str) -> frozenset[str]:
    """The folded words of ``text`` with meaning, its months among them."""
    return _read_words(text) if language == ENGLISH else frozenset(list_words(text, language))


@remember_texts(500)
def _read_words(text: str) -> frozenset[str]:
    plain = spell_figures(text)
    own = frozenset(word for word in fold_possessives(plain) if word not in STOP_WORDS)
    return own | find_months(plain) | equivalent_words(text)


def meet_word(asked: str, words: Iterable[str], language: str) -> float:
    """How well the best of the folded ``words`` matches the folded word ``asked``, 0..1."""
    if isinstance(words, Set) and asked in words:
        return 1.0
    return max((_compare_words(asked, word, language) for word in words), default=0.0)


class SaidWords:
    """Words arranged so that those that match a word are found without comparing it with each of them."""

    def __init__(self, words: Set[str], language: str) -> None:
        self._words, self._language = words, language
        self._by_stem: dict[str, list[str]] = {}
        self._by_base: dict[str, list[str]] = {}
        for word in words:
            self._by_stem.setdefault(self._begin_stem(word), []).append(word)
            for base in find_bases(word, ENGLISH) if language == ENGLISH else ():
                self._by_base.setdefault(base, []).append(word)

    def find_meeting(self, asked: str) -> dict[str, float]:
        """Those that match ``asked`` at all, and how well."""
        near = set(self._by_stem.get(self._begin_stem(asked), ()))
        if self._language == ENGLISH:
            for base in look_up_word(asked, ENGLISH).every:
                near.update(self._by_base.get(base, ()))
            denied = {f"{prefix}{asked}" for prefix in _NEGATING}
            plain = {asked.removeprefix(prefix) for prefix in _NEGATING}
            near |= (denied | plain) & self._words
        values = {said: _compare_words(asked, said, self._language) for said in near}
        return {said: value for said, value in values.items() if value > 0}

    def _begin_stem(self, word: str) -> str:
        """What the stems of two words of one root have in common."""
        return stem_word(word, self._language)[:_SHORTEST_ROOT]


@lru_cache(maxsize=10_000)
def _compare_words(asked: str, said: str, language: str) -> float:
    a, b = stem_word(asked, language), stem_word(said, language)
    if a == b:
        return 1.0
    if language != ENGLISH:
        return 0.0
    relation = relate_words(asked, said, ENGLISH)
    if relation is Relation.SAME:
        return 1.0
    if relation is Relation.SYNONYM:
        return _SYNONYM
    denied, plain = (asked, said) if len(asked) >= len(said) else (said, asked)
    if relation is Relation.OPPOSITE or (denied.endswith(plain) and denied.removesuffix(plain) in _NEGATING):
        return _OPPOSITE
    short, long = (a, b) if len(a) <= len(b) else (b, a)
    ending = _LONGEST_ENDING - (len(short) < _SHORT)
    is_root = len(short) >= _SHORTEST_ROOT and long.startswith(short) and len(long) - len(short) <= ending
    return SAME_ROOT if is_root and not long.isdigit() else 0.0
