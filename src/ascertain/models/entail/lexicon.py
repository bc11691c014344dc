"""What English words mean beside each other: synonyms, broader words, opposites.

The data are the single words of Princeton WordNet 3.1 (Miller, "WordNet: A Lexical Database for English", CACM 1995), its
licence beside them. A line holds a word, its synonyms, its broader words and its opposites. Similar adjectives count as
synonyms.
"""

from __future__ import annotations

import lzma
from dataclasses import dataclass
from enum import StrEnum
from functools import cache, lru_cache
from importlib.resources import files

from ascertain.models.terms import STOP_WORDS

_ENDINGS = (
    ("ies", "y"),
    ("es", "e"),
    ("es", ""),
    ("s", ""),
    ("ied", "y"),
    ("ed", "e"),
    ("ed", ""),
    ("ing", "e"),
    ("ing", ""),
    ("er", "e"),
    ("er", ""),
    ("ly", ""),
)
"""Regular inflections of English and what they replace."""
_IRREGULAR: dict[str, str] = {
    form: base
    for form, _, base in (
        pair.partition(":")
        for pair in (
            "ate:eat became:become began:begin begun:begin bent:bend better:good best:good bought:buy bound:bind broke:break"
            " broken:break brought:bring built:build burnt:burn came:come caught:catch children:child chose:choose chosen:choose"
            " cost:cost crept:creep cut:cut dealt:deal did:do done:do drank:drink drawn:draw drew:draw driven:drive drove:drive"
            " drunk:drink eaten:eat fallen:fall fed:feed feet:foot fell:fall felt:feel fewer:few flew:fly flown:fly forbidden:forbid"
            " forgot:forget fought:fight found:find froze:freeze frozen:freeze gave:give given:give gone:go got:get grew:grow"
            " grown:grow had:have heard:hear held:hold hid:hide hidden:hide kept:keep knew:know known:know laid:lay led:lead"
            " left:leave lent:lend less:little lit:light lost:lose made:make meant:mean men:man met:meet paid:pay people:person"
            " ran:run ridden:ride risen:rise rode:ride rose:rise said:say sang:sing sank:sink sat:sit saw:see seen:see sent:send"
            " shaken:shake shook:shake shot:shoot shown:show shrank:shrink shut:shut sold:sell sought:seek spent:spend spoke:speak"
            " spoken:speak stole:steal stolen:steal stood:stand struck:strike sunk:sink swam:swim taken:take taught:teach"
            " thought:think threw:throw thrown:throw told:tell took:take understood:understand went:go withdrawn:withdraw"
            " withdrew:withdraw woke:wake women:woman won:win wore:wear worn:wear worse:bad worst:bad written:write wrote:write"
        ).split()
    )
}


class Relation(StrEnum):
    """How a word of a claim stands to a word of the evidence."""

    SAME = "same"
    SYNONYM = "synonym"
    OPPOSITE = "opposite"
    BROADER = "broader"
    """The claim says it more generally: vehicle for car."""
    NARROWER = "narrower"
    NEAR = "near"
    """They share a synonym."""
    SIBLING = "sibling"
    """Two kinds of the same thing: apple and pear."""
    GRAMMAR = "grammar"
    """The word of the evidence carries no meaning of its own."""
    NONE = "none"


@dataclass(frozen=True, slots=True)
class Entry:
    """All that is known of a word, its base forms included; every set holds folded words, ``bases`` the word itself."""

    bases: frozenset[str]
    synonyms: frozenset[str]
    broader: frozenset[str]
    opposites: frozenset[str]

    @property
    def is_known(self) -> bool:
        """Whether the lexicon has the word in any form."""
        return bool(self.synonyms or self.broader or self.opposites)


@lru_cache(maxsize=50_000)
def entry(word: str) -> Entry:
    """The entry of a folded word; empty but for ``bases`` when it is not known."""
    forms = [form for form in _forms(word) if form in _lines()]
    columns = [_lines()[form].split("\t") for form in forms]
    synonyms, broader, opposites = (frozenset(w for c in columns for w in c[i].split()) for i in range(3))
    return Entry(frozenset([word, *forms]), synonyms, broader, opposites)


@lru_cache(maxsize=50_000)
def indirect_opposites(word: str) -> frozenset[str]:
    """Opposites of its synonyms, and synonyms of its opposites, without its own synonyms."""
    own = entry(word)
    found = {o for s in own.synonyms for o in _direct(s, 2)} | {
        s for o in own.opposites for s in _direct(o, 0)
    }
    return frozenset(found - own.synonyms - own.bases)


@lru_cache(maxsize=100_000)
def relation(claimed: str, evident: str) -> Relation:
    """How ``claimed`` stands to ``evident``, both folded; the first that holds, in the order of the enumeration."""
    ours, theirs = entry(claimed), entry(evident)
    if ours.bases & theirs.bases:
        return Relation.SAME
    if evident in STOP_WORDS:
        return Relation.GRAMMAR
    if ours.bases & theirs.synonyms or theirs.bases & ours.synonyms:
        return Relation.SYNONYM
    if theirs.bases & (ours.opposites | indirect_opposites(claimed)) or ours.bases & theirs.opposites:
        return Relation.OPPOSITE
    if ours.bases & theirs.broader:
        return Relation.BROADER
    if theirs.bases & ours.broader:
        return Relation.NARROWER
    if ours.synonyms & theirs.synonyms:
        return Relation.NEAR
    return Relation.SIBLING if ours.broader & theirs.broader else Relation.NONE


def _forms(word: str) -> list[str]:
    forms = [word, _IRREGULAR[word]] if word in _IRREGULAR else [word]
    for ending, instead in _ENDINGS:
        if word.endswith(ending) and len(word) > len(ending) + 1:
            base = word.removesuffix(ending) + instead
            forms.append(base)
            if not instead and base[-1:] == base[-2:-1]:
                forms.append(base[:-1])
    return forms


def _direct(word: str, column: int) -> list[str]:
    line = _lines().get(word)
    return line.split("\t")[column].split() if line else []


@cache
def _lines() -> dict[str, str]:
    raw = files("ascertain.models.entail").joinpath("data/lexicon.tsv.xz").read_bytes()
    rows = (row.partition("\t") for row in lzma.decompress(raw).decode("utf-8").splitlines())
    return {word: rest for word, _, rest in rows}
