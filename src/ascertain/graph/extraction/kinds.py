"""What kind of thing a name names, by the words in it and around it.

Each place where a document has a name votes; the kind with the most weight wins, and none does where nothing was said.
The general kinds are then put in the words of the profile.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Final

from ascertain.core.profiles import Profile
from ascertain.core.stop_words import STOP_WORDS
from ascertain.graph.extraction import lexicon as lx
from ascertain.graph.extraction.found import Found
from ascertain.models.terms import folded

PERSON: Final = "Person"
ORGANISATION: Final = "Organisation"
PLACE: Final = "Place"
EVENT: Final = "Event"
PRODUCT: Final = "Product"
TERM: Final = "Concept"
CODE: Final = "Component"
COMMAND: Final = "Command"

_PROFILE_NAMES: Mapping[str, tuple[str, ...]] = {
    PERSON: ("person", "people", "speaker"),
    ORGANISATION: ("organisation", "organization", "company"),
    PLACE: ("place", "location", "geography"),
    EVENT: ("event",),
    PRODUCT: ("product", "product/asset", "asset", "software", "technology"),
    TERM: ("concept", "term", "topic"),
    CODE: ("component", "command"),
    COMMAND: ("command", "component"),
}
"""What profiles call the general kinds, folded."""
_TERM_KINDS: tuple[tuple[str, frozenset[str]], ...] = (
    ("practice", lx.PRACTICE_HEADS),
    ("outcome", lx.OUTCOME_HEADS),
    ("dataset", lx.DATASET_HEADS),
    ("metric", lx.METRIC_HEADS),
    ("task", lx.TASK_HEADS),
    ("method", lx.METHOD_HEADS),
    ("component", lx.COMPONENT_HEADS),
)
"""Kinds of terms by their last word; the first that the profile knows."""
_SURE, _LIKELY, _MAYBE = 4.0, 2.0, 1.0
"""Weights of a word in the name, one beside it, and one that is only often beside such a name."""


def kinds_of(found: Iterable[Found]) -> dict[str, str]:
    """The general kind of each key for one document; keys of which nothing is known are left out."""
    votes: defaultdict[str, defaultdict[str, float]] = defaultdict(lambda: defaultdict(float))
    seen: set[tuple[str, str]] = set()
    for one in found:
        tally = votes[one.key]
        if (one.key, one.written) not in seen:
            seen.add((one.key, one.written))
            for kind, weight in _by_name(one):
                tally[kind] += weight
        if one.origin == "capitals":
            for kind, weight in _by_surroundings(one):
                tally[kind] += weight
    return {key: max(sorted(tally), key=lambda kind: tally[kind]) for key, tally in votes.items() if tally}


def in_profile(kind: str, written: str, profile: Profile | None) -> str:
    """``kind`` as the profile calls it; "" when it knows no such thing. A term is of the kind of its last word."""
    if profile is None or not kind:
        return ""
    types = {folded(name): name for name in profile.entity_types}
    if kind in {TERM, PRODUCT}:
        head = folded(written.split()[-1]) if written.split() else ""
        for name, heads in _TERM_KINDS:
            if name in types and (head in heads or head.removesuffix("s") in heads):
                return types[name]
    return next((types[name] for name in _PROFILE_NAMES[kind] if name in types), "")


def _by_name(one: Found) -> Iterable[tuple[str, float]]:
    if one.origin == "term":
        yield TERM, _SURE
        return
    if one.origin == "code":
        is_command = one.written.startswith("-") or " " in one.written
        yield (COMMAND if is_command else CODE), _SURE
        return
    words = [
        folded(word.written.replace("’", "'").removesuffix("'s"))
        for word in one.sentence.words[one.first : one.end]
    ]
    first, last = words[0], words[-1]
    heads = {last, *(words[: words.index("of")][-1:] if "of" in words[1:] else ())}
    if one.origin == "quoted":
        yield PRODUCT, _LIKELY
    if heads & lx.ORGANISATION_HEADS and len(words) > 1:
        yield ORGANISATION, _SURE
    if (heads & lx.PLACE_HEADS or first in {"lake", "mount", "cape", "fort", "port"}) and len(words) > 1:
        yield PLACE, _SURE
    if heads & lx.EVENT_HEADS and (len(words) > 1):
        yield EVENT, _SURE
    if last in lx.PRODUCT_HEADS and len(words) > 1:
        yield PRODUCT, _SURE - 1
    if one.key in lx.COUNTRIES | lx.CITIES_AND_STATES or one.key in lx.COUNTRY_NAMES:
        yield PLACE, _SURE
    if len(words) > 1 and first in lx.PERSON_TITLES:
        yield PERSON, _LIKELY
    if first in lx.GIVEN_NAMES and len(words) <= 4 and not one.written.isupper():
        yield PERSON, _SURE - 1 if len(words) > 1 else _MAYBE
    if 2 <= len(words) <= 4 and any(
        len(word) == 1 and place < len(words) - 1 for place, word in enumerate(words)
    ):
        yield PERSON, _LIKELY
    written = one.written
    if any(c.isdigit() for c in written) and not written[0].isdigit() and len(words) <= 3:
        yield PRODUCT, _LIKELY
    if one.origin == "capitals" and len(words) == 1 and written[:1].islower():
        yield PRODUCT, _LIKELY
    if (
        len(words) == 1
        and any(a.islower() and b.isupper() for a, b in zip(written, written[1:], strict=False))
        and not written.startswith(("Mc", "Mac", "De", "O'", "O’"))
    ):
        yield PRODUCT, _LIKELY


def _by_surroundings(one: Found) -> Iterable[tuple[str, float]]:
    words, text = one.sentence.words, one.reading.chunk.text
    before = [folded(word.written) for word in words[max(0, one.first - 2) : one.first]]
    after = [folded(word.written) for word in words[one.end : one.end + 3]]
    gap_before = text[words[one.first - 1].end : words[one.first].start] if one.first else ""
    gap_after = text[words[one.end - 1].end : words[one.end].start] if one.end < len(words) else ""
    size = one.end - one.first
    if before and gap_before == " " and size <= 4:
        if before[-1] in lx.PERSON_ROLES or before[-1] in lx.PERSON_TITLES:
            yield PERSON, _LIKELY
        if before[-1] in {"mr", "mrs", "ms", "dr"}:
            yield PERSON, _SURE
    if before and gap_before == ". " and before[-1] in {"mr", "mrs", "ms", "dr", "prof"}:
        yield PERSON, _SURE
    if before and gap_before == " " and before[-1] in lx.PLACE_PREPOSITIONS and size <= 3:
        yield PLACE, _MAYBE if before[-1] in {"in", "near", "across", "throughout"} else _MAYBE / 2
    if before[-1:] == ["the"] and len(before) > 1 and before[0] in {"in", "at"}:
        yield ORGANISATION, 0.0
    if not after:
        return
    if gap_after == " ":
        if after[0] in lx.PERSON_VERBS and size <= 4 and not one.written.isupper():
            yield PERSON, _MAYBE
        elif after[0] in lx.ORGANISATION_VERBS:
            yield ORGANISATION, _MAYBE
        elif after[0] in lx.PRODUCT_VERBS:
            yield PRODUCT, _MAYBE
        if after[0] == "was" and after[1:2] == ["born"]:
            yield PERSON, _SURE
        if after[0] in {"is", "was"}:
            yield from _by_definition(words, one.end + 1)
    elif gap_after.startswith(" (") and after[0] in {"born", "b", "ne", "nee"}:
        yield PERSON, _SURE
    elif (
        gap_after.startswith(" (")
        and after[0].isdigit()
        and size <= 4
        and len(after) > 1
        and any(w[:1].isdigit() for w in after[1:])
    ):
        yield PERSON, _MAYBE
    elif gap_after == ", " and after[0] in {"who", "whose"}:
        yield PERSON, _LIKELY
    elif gap_after == ", " and after[0] in lx.PERSON_ROLES | {"a", "an", "the"}:
        yield from _by_definition(words, one.end if after[0] in lx.PERSON_ROLES else one.end + 1)


def _by_definition(words: tuple[object, ...] | Iterable[object], start: int) -> Iterable[tuple[str, float]]:
    """By the noun that says what something is: "is an American singer"."""
    for place, word in enumerate(tuple(words)[start : start + 8]):
        small = folded(word.written)  # type: ignore[attr-defined]
        if small in lx.PERSON_ROLES:
            yield PERSON, _SURE
            return
        if small in lx.ORGANISATION_NOUNS:
            yield ORGANISATION, _SURE
            return
        if small in lx.PLACE_NOUNS:
            yield PLACE, _SURE
            return
        if small in lx.EVENT_HEADS:
            yield EVENT, _SURE
            return
        if small in lx.PRODUCT_NOUNS:
            yield PRODUCT, _SURE
            return
        if place and small in {"of", "in", "by", "that", "which", "who", "for", "from", "to"}:
            return
