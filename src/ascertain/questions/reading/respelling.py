"""Words of a question that nobody writes so, as the passages write them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from ascertain.language.compounds import read_compounds
from ascertain.language.languages import ENGLISH
from ascertain.language.remembering import remember_texts
from ascertain.language.tokens import WORD, fold_words, stem_word, word_informativeness

_SHORTEST_MISSPELT, _LONG = 4, 8
"""Letters of a word that may be misspelt, and from which two of them may be wrong."""
_UNKNOWN = 1.0
"""Informativeness of a word that is not among the common ones."""


def respell_question(question: str, texts: Iterable[str], language: str) -> str:
    """``question`` with each word that ``texts`` do not hold, and English seldom, as the one word of theirs that is nearest
    to it. In another language than English, whose common words are not known here, only compounds are read anew.
    """
    if language != ENGLISH:
        return read_compounds(question, texts, language)
    doubtful = [
        word
        for word in dict.fromkeys(WORD.findall(question))
        if len(word) >= _SHORTEST_MISSPELT
        and word.isalpha()
        and word.isascii()
        and word_informativeness(stem_word(fold_words(word), language), language) >= _UNKNOWN
    ]
    if not doubtful:
        return question
    written: dict[str, str] = {}
    stems: set[str] = set()
    for text in texts:
        found = _list_written(text)
        stems |= found.stems
        for folded, word in found.words.items():
            written.setdefault(folded, word)
    for word in doubtful:
        folded = fold_words(word)
        if folded in written or stem_word(folded, language) in stems:
            continue
        near = {stem_word(other, language): other for other in written if _is_misspelt(folded, other)}
        if len(near) == 1:
            question = re.sub(rf"(?<!\w){re.escape(word)}(?!\w)", written[near.popitem()[1]], question)
    return question


class _Written(NamedTuple):
    words: Mapping[str, str]
    """Each word of letters as it is first written, by its folded form."""
    stems: frozenset[str]


@remember_texts(500)
def _list_written(text: str) -> _Written:
    """The words of an English text."""
    words: dict[str, str] = {}
    for word in WORD.findall(text):
        if word.isalpha():
            words.setdefault(fold_words(word), word)
    return _Written(words, frozenset(stem_word(word, ENGLISH) for word in words))


def _is_misspelt(word: str, other: str) -> bool:
    if word[0] != other[0] or abs(len(word) - len(other)) > 2:
        return False
    if len(word) == _SHORTEST_MISSPELT and len(other) <= len(word):
        return False
    if min(len(word), len(other)) >= _LONG:
        return _count_edits(word, other) <= 2
    # another letter in its place makes another word of a short one ("leaks", "leads")
    return _count_edits(word, other) == 1 and (len(word) != len(other) or sorted(word) == sorted(other))


def _count_edits(one: str, other: str) -> int:
    """Letters put in, left out, changed or swapped with their neighbour (Damerau, CACM 1964; optimal string alignment)."""
    before: list[int] = []
    row = list(range(len(other) + 1))
    for i, letter in enumerate(one, 1):
        earlier, before, row = before, row, [i]
        for j, sign in enumerate(other, 1):
            cost = min(before[j] + 1, row[j - 1] + 1, before[j - 1] + (letter != sign))
            if i > 1 and j > 1 and letter == other[j - 2] and one[i - 2] == sign:
                cost = min(cost, earlier[j - 2] + 1)
            row.append(cost)
    return row[-1]
