"""What English words mean beside each other: synonyms, opposites, things of one kind.

The words are the project's own, in ``language/data/en/words/word_relations.toml``; a word is looked up by its stem.
Opposites made by a prefix or an ending (``happy`` and ``unhappy``, ``careful`` and ``careless``) need no
list.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cache, lru_cache
from itertools import permutations

from ascertain.language.tokens import stem_word
from ascertain.language.word_lists import load_phrases

_PREFIXES = ("un", "non")
"""Those before which the rest is nearly always the opposite; not ``in`` or ``dis``: to discover is no
opposite of to cover."""
_SHORTEST = 4
"""Letters of a word that a prefix turns round: ``union`` does not deny ``ion``."""
_COMPARATIVES = ("er", "est")
_IRREGULAR = {
    form: base
    for base, *forms in (line.split() for line in load_phrases("word_relations", "irregular_forms"))
    for form in forms
}


class Relation(StrEnum):
    """How a word of a claim stands to a word of the evidence."""

    SAME = "same"
    SYNONYM = "synonym"
    OPPOSITE = "opposite"
    SIBLING = "sibling"
    """Two kinds of the same thing: apple and pear."""
    NONE = "none"


@dataclass(frozen=True, slots=True)
class Entry:
    """All that is known of a word, as stems; ``bases`` are those of the word itself and of its base form."""

    bases: frozenset[str]
    synonyms: frozenset[str]
    opposites: frozenset[str]
    siblings: frozenset[str]


@dataclass(frozen=True, slots=True)
class _Lists:
    """Of every stem in the data: its synonyms, opposites and siblings, and whether it is there at all."""

    synonyms: Mapping[str, set[str]]
    opposites: Mapping[str, set[str]]
    siblings: Mapping[str, set[str]]

    def has(self, base: str) -> bool:
        return base in self.synonyms or base in self.opposites or base in self.siblings


@lru_cache(maxsize=50_000)
def look_up_word(word: str) -> Entry:
    """The entry of a folded word; of one that is not in the data, the bases and the opposites by form."""
    lists, bases = _load_lists(), _find_bases(word)

    def found(relatives: Mapping[str, set[str]]) -> frozenset[str]:
        return frozenset(other for base in bases for other in relatives.get(base, ())) - bases

    return Entry(bases, found(lists.synonyms), found(lists.opposites) | _by_form(word), found(lists.siblings))


@lru_cache(maxsize=100_000)
def relate_words(claimed: str, evident: str) -> Relation:
    """How ``claimed`` stands to ``evident``, both folded; the first that holds, in the order of the
    enumeration.
    """
    ours, theirs = look_up_word(claimed), look_up_word(evident)
    if ours.bases & theirs.bases:
        return Relation.SAME
    if theirs.bases & ours.synonyms:
        return Relation.SYNONYM
    if theirs.bases & ours.opposites:
        return Relation.OPPOSITE
    return Relation.SIBLING if theirs.bases & ours.siblings else Relation.NONE


def _find_bases(word: str) -> frozenset[str]:
    bases = {stem_word(word), stem_word(_IRREGULAR.get(word, word))}
    if any(_load_lists().has(base) for base in bases):
        return frozenset(bases)
    for ending in _COMPARATIVES:
        if word.endswith(ending):
            short = word.removesuffix(ending)
            forms = (short, short + "e", short[:-1], short[:-1] + "y")
            bases |= {stem_word(form) for form in forms if _load_lists().has(stem_word(form))}
    return frozenset(bases)


def _by_form(word: str) -> frozenset[str]:
    """Stems of the words that a prefix or an ending tells from this one by meaning the opposite, be they
    words or not.
    """
    found: set[str] = set()
    for prefix in _PREFIXES:
        if len(word) >= _SHORTEST:
            found.add(stem_word(prefix + word))
        if word.startswith(prefix) and len(word) >= len(prefix) + _SHORTEST:
            found.add(stem_word(word.removeprefix(prefix)))
    for ending, other in (("ful", "less"), ("less", "ful")):
        if word.endswith(ending):
            found.add(stem_word(word.removesuffix(ending) + other))
    return frozenset(found)


@cache
def _load_lists() -> _Lists:
    lists = _Lists(defaultdict(set), defaultdict(set), defaultdict(set))
    for sides in load_phrases("word_relations", "opposites"):
        one, other = map(_stem_group, sides.split("|"))
        _join_group(lists.synonyms, one)
        _join_group(lists.synonyms, other)
        for base in one:
            lists.opposites[base].update(other)
        for base in other:
            lists.opposites[base].update(one)
    for group in load_phrases("word_relations", "synonyms"):
        _join_group(lists.synonyms, _stem_group(group))
    for group in load_phrases("word_relations", "kinds"):
        _join_group(lists.siblings, _stem_group(group))
    return lists


def _stem_group(group: str) -> frozenset[str]:
    return frozenset(map(stem_word, group.split()))


def _join_group(relatives: Mapping[str, set[str]], group: frozenset[str]) -> None:
    for base, other in permutations(group, 2):
        relatives[base].add(other)
