"""Resolution: which names mean the same thing, and why.

A pure function of the set of names, alias claims and pins, so that documents may come and go in any order. Names are
merged by users' decisions (pins), by what documents claim ("European Central Bank (ECB)"), and by their normal
form ("Apple Inc." is "Apple"); a first name is that of the only person who has it. A short form that documents claim for different things is a homonym: it is one thing
within each document that claims it, and a thing of its own everywhere else. A claim made by something fetched for one
conversation counts within that document only.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from enum import StrEnum

from ascertain.core.graph.nouns import AliasClaim, Pin
from ascertain.graph.keys import is_counted_form, shortens_by_count
from ascertain.language.word_lists import load_word_set

LEGAL_FORMS = load_word_set("legal_forms", "common") | load_word_set("legal_forms", "only_in_merging")
"""How registers of companies mark what kind of company a name is of; after at least one other word."""
_ARTICLES = frozenset({"the"})
_PARTS_OF_NAMES = frozenset({"last name", "first name"})
"""Reasons of claims that hold in their document only: another document may introduce another Kahan."""
_LocalClaim = tuple[str, str, str, str]
"""Alias, key, reason, document."""


class Ground(StrEnum):
    """The reason of a merge, strongest first."""

    PIN = "pin"
    CLAIM = "claim"
    FORM = "form"


@dataclass(frozen=True, slots=True, order=True)
class Merge:
    """Two merged names. ``document_id`` is set where that holds within one document only."""

    left: str
    right: str
    ground: Ground
    reason: str
    document_id: str = ""


@dataclass(frozen=True, slots=True)
class Resolution:
    """Which names mean the same thing.

    ``leader`` maps each key to the key that stands for its thing; ``within`` does so for a key in one document, by
    (document id, key), where it means something else there than elsewhere. ``merges`` say why, in their order;
    ``refused`` are those that a pin forbids.
    """

    leader: Mapping[str, str]
    within: Mapping[tuple[str, str], str]
    merges: tuple[Merge, ...]
    refused: tuple[Merge, ...] = ()


def resolve_names(
    keys: Iterable[str],
    claims: Sequence[AliasClaim],
    documents: Mapping[str, str],
    pins: Sequence[Pin] = (),
    *,
    private: frozenset[str] = frozenset(),
    people: Set[str] = frozenset(),
) -> Resolution:
    """Merge ``keys``.

    ``documents`` maps the chunk of a claim to its document; ``private`` are the documents whose claims hold only within
    them; ``people`` are keys of people that other documents name. A key that only a claim or pin mentions is taken up as well. The leader is a name that others are short for;
    then one in normal form; then the longest; then the first.
    """
    claimed = sorted({(claim.alias, claim.key, claim.reason, documents[claim.chunk_id]) for claim in claims})
    known = set(keys) | {key for alias, key, _, _ in claimed for key in (alias, key)}
    known |= {key for pin in pins for key in (pin.left, pin.right)}
    groups = _Groups(known, [(pin.left, pin.right) for pin in pins if not pin.same])
    for pin in sorted(pins, key=lambda pin: (pin.left, pin.right)):
        if pin.same:
            groups.merge(Merge(pin.left, pin.right, Ground.PIN, pin.reason))
    forms: dict[str, list[str]] = {}
    for key in sorted(known):
        forms.setdefault(normal_form(key), []).append(key)
    for form, variants in sorted(forms.items()):
        main = form if form in known else min(variants, key=lambda key: (len(key), key))
        for variant in variants:
            if variant != main:
                groups.merge(Merge(variant, main, Ground.FORM, "another form of the same words"))
    for short, key in _counted_forms(known):
        groups.merge(Merge(short, key, Ground.FORM, "a figure for the letters left out"))
    local = _merge_claims(groups, claimed, private)
    for first, full in _first_names(groups, known, people):
        groups.merge(Merge(first, full, Ground.FORM, "the only person of this first name"))
    within = _merge_within_document(groups, local)
    leader = groups.leaders({key for _, key, _, _ in claimed})
    places = {place: leader.get(key, key) for place, (key, _) in within.items()}
    here = [Merge(alias, key, Ground.CLAIM, reason, document) for (document, alias), (key, reason) in within.items()]
    merges = sorted([*groups.made, *here])
    return Resolution(leader, places, tuple(merges), tuple(sorted(groups.refused)))


def normal_form(key: str) -> str:
    """``key`` without a leading article and what registers add, initials joined: "j r r tolkien" → "jrr tolkien"."""
    words = key.split()
    while len(words) > 1 and words[0] in _ARTICLES:
        words = words[1:]
    while len(words) > 1 and words[-1] in LEGAL_FORMS:
        words = words[:-1]
    joined: list[str] = []
    was_initial = False
    for word in words:
        is_initial = len(word) == 1 and word.isalpha()
        if is_initial and was_initial:
            joined[-1] += word
        else:
            joined.append(word)
        was_initial = is_initial
    return " ".join(joined)


def _counted_forms(known: Set[str]) -> Iterator[tuple[str, str]]:
    """Names such as "k8s", each with the one known name that it shortens."""
    shorts = sorted(key for key in known if is_counted_form(key))
    if not shorts:
        return
    by_ends: dict[tuple[str, str], list[str]] = {}
    for key in sorted(known):
        by_ends.setdefault((key[:1], key[-1:]), []).append(key)
    for short in shorts:
        long = [key for key in by_ends[short[0], short[-1]] if shortens_by_count(short, key)]
        if len(long) == 1:
            yield short, long[0]


def _first_names(groups: _Groups, known: Set[str], people: Set[str]) -> Iterator[tuple[str, str]]:
    """People called by a first name alone, each with the one full name that begins with it; whatever else begins so speaks
    against it.
    """
    alone = {key for key in people if " " not in key}
    full: dict[str, set[str]] = {}
    for key in sorted(known):
        first, _, rest = key.partition(" ")
        if rest and first in alone:
            full.setdefault(first, set()).add(key)
    for first, names in full.items():
        if names <= people and len({groups.of(name) for name in names}) == 1:
            yield first, min(names, key=lambda name: (len(name), name))


def _merge_claims(groups: _Groups, claimed: Sequence[_LocalClaim], private: frozenset[str]) -> list[_LocalClaim]:
    """Merge what claims agree on; what is left holds within its document only."""
    by_alias: dict[str, list[_LocalClaim]] = {}
    for claim in claimed:
        by_alias.setdefault(claim[0], []).append(claim)
    local: list[_LocalClaim] = []
    agreed: list[_LocalClaim] = []
    for alias, claims in by_alias.items():
        is_public = {claim: claim[3] not in private and claim[2] not in _PARTS_OF_NAMES for claim in claims}
        public = [claim for claim in claims if is_public[claim]]
        local += [claim for claim in claims if not is_public[claim]]
        full = {groups.of(key) for _, key, _, _ in public} - {groups.of(alias)}
        (agreed if len(full) == 1 else local).extend(public if full else [])
    for alias, key, reason in sorted({claim[:3] for claim in agreed}):
        groups.merge(Merge(alias, key, Ground.CLAIM, reason))
    return local


def _merge_within_document(groups: _Groups, local: Sequence[_LocalClaim]) -> dict[tuple[str, str], tuple[str, str]]:
    """What an alias is short for in one document, by (document, alias); nothing where the document itself gives two."""
    found: dict[tuple[str, str], dict[str, tuple[str, str]]] = {}
    for alias, key, reason, document in local:
        if groups.of(key) != groups.of(alias) and not groups.forbids(alias, key):
            found.setdefault((document, alias), {}).setdefault(groups.of(key), (key, reason))
    return {place: next(iter(meant.values())) for place, meant in sorted(found.items()) if len(meant) == 1}


class _Groups:
    """Union-find over names, with pairs that must stay apart."""

    def __init__(self, keys: Iterable[str], apart: Iterable[tuple[str, str]]) -> None:
        self._parent = {key: key for key in keys}
        self._apart = sorted({(min(pair), max(pair)) for pair in apart})
        self.made: list[Merge] = []
        self.refused: list[Merge] = []

    def of(self, key: str) -> str:
        """The representative of a key's group: the same for all its members, and nothing else about it."""
        root = key
        while self._parent[root] != root:
            root = self._parent[root]
        while self._parent[key] != root:
            self._parent[key], key = root, self._parent[key]
        return root

    def forbids(self, left: str, right: str) -> bool:
        """Whether bringing two together would join a pair that must stay apart."""
        pair = {self.of(left), self.of(right)}
        return any({self.of(one), self.of(other)} == pair for one, other in self._apart)

    def merge(self, merge: Merge) -> None:
        """Bring two names and all that goes with them together, unless a pin forbids it."""
        left, right = self.of(merge.left), self.of(merge.right)
        if left != right and self.forbids(left, right):
            self.refused.append(merge)
            return
        self._parent[max(left, right)] = min(left, right)
        self.made.append(merge)

    def leaders(self, full: set[str]) -> dict[str, str]:
        """The key that stands for each; one that others are short for before any other."""
        members: dict[str, list[str]] = {}
        for key in self._parent:
            members.setdefault(self.of(key), []).append(key)
        return {
            key: leader
            for group in members.values()
            for leader in [min(group, key=lambda key: (key not in full, normal_form(key) != key, -len(key), key))]
            for key in group
        }
