"""What kind of thing a name names, by the words in it and around it.

Each place where a document has a name votes; the kind with the most weight wins, and none does where nothing was said.
The general kinds are then put in the words of the profile.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Final

from ascertain.core.settings.profiles import Profile
from ascertain.graph.extraction import words as lx
from ascertain.graph.extraction.words import Found, Word
from ascertain.graph.keys import singular_form
from ascertain.language.languages import ENGLISH
from ascertain.language.tokens import fold_words, stem_word, word_informativeness
from ascertain.language.word_lists import load_words

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
_NOUNS: tuple[tuple[str, frozenset[str]], ...] = (
    (PERSON, lx.PERSON_ROLES),
    (ORGANISATION, lx.ORGANISATION_NOUNS),
    (PLACE, lx.PLACE_NOUNS),
    (EVENT, lx.EVENT_HEADS),
    (PRODUCT, lx.PRODUCT_NOUNS),
)
"""Kinds by the noun of a definition."""
_VERBS: tuple[tuple[str, frozenset[str]], ...] = (
    (PERSON, lx.PERSON_VERBS),
    (ORGANISATION, lx.ORGANISATION_VERBS),
    (PRODUCT, lx.PRODUCT_VERBS),
)
"""Kinds by what the thing does."""
_HONORIFICS = frozenset({"mr", "mrs", "ms", "dr", "prof"})
_INSIDE_A_PLACE = frozenset({"in", "near", "across", "throughout"})
_BEFORE_AN_EMPLOYER = frozenset({"from", "at", "of"})
"""In "Nuria Ferrer from Xaphista, who sang" the last name is of no person."""
_OUTCOME_ENDINGS = load_words("term_kinds", "outcome_endings")
_ENDS_NOUN = frozenset({"of", "in", "by", "that", "which", "who", "for", "from", "to", "and"})
_INNER_CAPITAL = re.compile(r"[^\W\d_]*[a-z][A-Z]")
_INITIAL = re.compile(r"\b[A-Z]\. ?[A-Z]")
_SCOTTISH = re.compile(r"(?:Mc|Mac|De|Di|Le|La|Van|O['’])[A-Z]")
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
        if one.kind:
            tally[one.kind] += _LIKELY
        if one.origin == "capitals":
            for kind, weight in _by_surroundings(one):
                if kind != PERSON or weight == _SURE or not _is_all_ordinary(one.written):
                    tally[kind] += weight
    return {key: max(sorted(tally), key=lambda kind: tally[kind]) for key, tally in votes.items() if tally}


def in_profile(kind: str, written: str, profile: Profile | None) -> str:
    """``kind`` as the profile calls it; "" when it knows no such thing. A term is of the kind of its last word."""
    if profile is None or not kind:
        return ""
    types = _folded_types(profile.entity_types)
    if kind in {TERM, PRODUCT}:
        head = fold_words(written.rsplit(maxsplit=1)[-1]) if written.split() else ""
        for name, heads in _TERM_KINDS:
            if name in types and (head in heads or head.removesuffix("s") in heads or _is_by_ending(name, written)):
                return types[name]
    return next((types[name] for name in _PROFILE_NAMES[kind] if name in types), "")


def _is_by_ending(kind: str, written: str) -> bool:
    """Whether a term of several words shows by its endings to be a practice or an outcome: "sharing components", "pair
    programming"; "code readability".
    """
    words = fold_words(written).split()
    if len(words) < 2:
        return False
    if kind == "outcome":
        return words[-1].endswith(_OUTCOME_ENDINGS)
    has_object = words[0].endswith("ing") and words[-1].endswith("s") and singular_form(words[-1]) != words[-1]
    return kind == "practice" and (has_object or (words[-1].endswith("ing") and words[-1] not in lx.NO_PRACTICES))


def _is_all_ordinary(written: str) -> bool:
    """Whether a name is made of words of any dictionary: "Wonderful", "Portfolio Manager"."""
    words = [fold_words(word) for word in written.split()]
    return all(
        word not in lx.GIVEN_NAMES and word_informativeness(stem_word(word, ENGLISH), ENGLISH) < 1 for word in words
    )


def is_person(kind: str) -> bool:
    """Whether ``kind`` is what a profile calls people."""
    return fold_words(kind) in _PROFILE_NAMES[PERSON]


@lru_cache(maxsize=64)
def _folded_types(entity_types: tuple[str, ...]) -> Mapping[str, str]:
    return {fold_words(name): name for name in entity_types}


def _by_name(one: Found) -> Iterator[tuple[str, float]]:
    """What the words of the name say, whatever stands around it."""
    if one.origin == "term":
        yield TERM, _SURE
    elif one.origin == "code":
        yield (COMMAND if one.written.startswith("-") or " " in one.written else CODE), _SURE
    else:
        if one.origin == "quoted":
            yield PRODUCT, _LIKELY
        words = [word.small.replace("’", "'").removesuffix("'s") for word in one.sentence.words[one.first : one.end]]
        yield from _by_heads(words)
        yield from _by_first_word(words, one.written)
        if one.key in lx.PLACES:
            yield PLACE, _SURE
        if one.origin == "capitals" and _looks_made_up(one.written, len(words)):
            yield PRODUCT, _LIKELY


def _by_heads(words: Sequence[str]) -> Iterator[tuple[str, float]]:
    """By the last word and the one before "of": "Bank of England"."""
    if len(words) < 2:
        return
    if words[-1].replace(".", "") in lx.LEGAL_FORMS:
        yield ORGANISATION, _SURE
    heads = {words[-1], *(words[: words.index("of")][-1:] if "of" in words else ())}
    if heads & lx.ORGANISATION_HEADS:
        yield ORGANISATION, _SURE
    if heads & lx.PLACE_HEADS or words[0] in lx.PLACE_OPENERS:
        yield PLACE, _SURE
    if heads & lx.EVENT_HEADS:
        yield EVENT, _SURE
    if words[-1] in lx.PRODUCT_HEADS:
        yield PRODUCT, _SURE - 1


def _by_first_word(words: Sequence[str], written: str) -> Iterator[tuple[str, float]]:
    if len(words) > 4 or written.isupper():
        return
    if words[0] in lx.GIVEN_NAMES:
        yield PERSON, _SURE - 1 if len(words) > 1 else _MAYBE
    if len(words) > 1 and words[0] in lx.PERSON_TITLES:
        yield PERSON, _LIKELY
    is_company = any(word.replace(".", "") in lx.LEGAL_FORMS for word in words)
    if len(words) > 1 and not is_company and _INITIAL.search(written) is not None:
        yield PERSON, _LIKELY


def _looks_made_up(written: str, size: int) -> bool:
    """Whether a name has a number or capitals inside, as products have: GPT-4, iPhone, WebAssembly."""
    if size <= 3 and not written[0].isdigit() and any(map(str.isdigit, written)):
        return True
    return size == 1 and _INNER_CAPITAL.match(written) is not None and _SCOTTISH.match(written) is None


def _by_surroundings(one: Found) -> Iterator[tuple[str, float]]:
    words, text = one.sentence.words, one.reading.chunk.text
    if one.first:
        gap = text[words[one.first - 1].end : words[one.first].start]
        yield from _by_word_before(words[one.first - 1].small, gap, one.end - one.first)
    if one.end < len(words):
        gap = text[words[one.end - 1].end : words[one.end].start]
        yield from _by_words_after(one, words, gap)


def _by_word_before(word: str, gap: str, size: int) -> Iterator[tuple[str, float]]:
    if word in _HONORIFICS and gap in {" ", ". "}:
        yield PERSON, _SURE
    elif gap == " " and size <= 4 and (word in lx.PERSON_ROLES or word in lx.PERSON_TITLES):
        yield PERSON, _LIKELY
    elif gap == " " and size <= 3 and word in lx.PLACE_PREPOSITIONS:
        yield PLACE, _MAYBE if word in _INSIDE_A_PLACE else _MAYBE / 2


def _by_words_after(one: Found, words: Sequence[Word], gap: str) -> Iterator[tuple[str, float]]:
    after = [word.small for word in words[one.end : one.end + 2]]
    size = one.end - one.first
    if gap == " ":
        for kind, verbs in _VERBS:
            if after[0] in verbs and not (kind == PERSON and (size > 4 or one.written.isupper())):
                yield kind, _MAYBE
        if after[0] in {"is", "was", "are", "were"}:
            if after[1:] in (["born"], ["released"]):
                yield (PERSON if after[1] == "born" else PRODUCT), _SURE
            else:
                yield from _by_definition(words[one.end + 1 :])
    elif gap.startswith(" (") and after[0] in {"born", "b", "ne", "nee"}:
        yield PERSON, _SURE
    elif gap == ", " and after[0] in {"who", "whose"}:
        before = words[one.first - 1].small if one.first else ""
        if before not in _BEFORE_AN_EMPLOYER:
            yield PERSON, _LIKELY
    elif gap == ", ":
        yield from _by_definition(words[one.end :], apposition=True)


def _by_definition(words: Sequence[Word], apposition: bool = False) -> Iterator[tuple[str, float]]:
    """By the noun that says what it is: "is an American singer"; an apposition needs an article or a role."""
    if apposition and words[0].small not in {"a", "an", "the"} and words[0].small not in lx.PERSON_ROLES:
        return
    for place, word in enumerate(words[:8]):
        for kind, nouns in _NOUNS:
            if word.small in nouns:
                yield kind, _SURE
                return
        if place and word.small in _ENDS_NOUN:
            return
