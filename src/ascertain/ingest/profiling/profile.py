"""Profiles of documents by rules: technical density, type, subjects. Offline, one pass over a sample."""

import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from functools import cache, cached_property
from importlib import resources
from itertools import pairwise
from typing import cast

from pydantic import BaseModel, ConfigDict, Field

from ascertain.core.blocks import BlockKind
from ascertain.core.documents import Document, DocumentKind
from ascertain.core.profiling import DocumentProfile, DocumentType
from ascertain.core.settings.profiles import parse_toml
from ascertain.ingest.profiling.structure import STRUCTURE, count_terms, read_text, words_of

SAMPLE_CHARACTERS = 6_000
"""Of a document, from its beginning, middle and end; the accuracies in docs/document-profiles.md are with it."""


def profile_document(document: Document, sample_characters: int = SAMPLE_CHARACTERS) -> DocumentProfile:
    """The profile of ``document`` from its text (of a long one, a sample), title, headings and kind."""
    sample = "\n".join(stratified_sample(document.text, sample_characters))
    found = find_traits(document, sample)
    kind, confidence = choose_type(scores_of_types(found, document.kind))
    return DocumentProfile(technical_density(found), kind, confidence, find_subjects(found))


MOST_HEADINGS = 60
"""Of a long outline so many are looked at, at equal distances."""
LONGEST_HEADING = 60
"""A line up to so many characters that does not end like a sentence may be a heading."""

_NUMBERING = re.compile(r"^(?:[#*\s]+)?(?:\d+(?:\.\d+)*[.)]?\s+|[ivx]{1,4}[.)]\s+|[a-h][.)]\s+)?")
_DIGITS = re.compile(r"\d+")
_DIVIDERS = re.compile(r"[._-]+")
"""What stands between the words of a file's name."""


@dataclass(frozen=True, slots=True)
class Traits:
    """``spaced`` joins the words, in lower case; ``pairs`` are those that follow each other. ``headings`` are normalised.

    ``terms`` counts the technical tokens: acronyms, identifiers, codes, measured numbers, symbols of formulas.
    """

    words: int
    counts: Mapping[str, int]
    pairs: Set[tuple[str, str]]
    spaced: str
    title: str
    headings: Set[str]
    structure: Mapping[str, float]
    terms: int


def find_traits(document: Document, sample: str) -> Traits:
    """The traits of ``document``, of whose text ``sample`` was taken."""
    text = read_text(sample)
    structure = {name: measure(text) for name, measure in STRUCTURE.items()}
    turns = len(document.blocks_of(BlockKind.TURN))
    structure["turns"] = max(structure["turns"], min(1.0, turns / 4))
    name = document.source.replace("\\", "/").rsplit("/", 1)[-1].split("#", 1)[0]
    return Traits(
        len(text.words),
        text.counts,
        set(pairwise(text.words)),
        text.spaced,
        f" {' '.join(words_of(_DIVIDERS.sub(' ', f'{document.title} {name}')))} ",
        _find_headings(document, text.lines),
        structure,
        count_terms(text),
    )


def normalised_heading(heading: str) -> str:
    """Lower case, without its own numbering; other numbers become ``#``."""
    return _DIGITS.sub("#", _NUMBERING.sub("", heading.strip().lower()).strip(" *#:."))


def _find_headings(document: Document, lines: Sequence[str]) -> set[str]:
    sections = [block.place.section for block in document.blocks_of(BlockKind.SECTION)]
    step = max(1, len(sections) // MOST_HEADINGS)
    known = [path[-1] for path in sections[::step] if path]
    looked_like = [line for line in lines if len(line) <= LONGEST_HEADING and line[-1] not in ".,;!"]
    found = (*known, *looked_like[:MOST_HEADINGS])
    # "Chapter 4: Forces" is a chapter as well.
    return {normalised_heading(part) for heading in found for part in (heading, heading.partition(":")[0])}


PhraseIndex = dict[tuple[str, str], list[tuple[DocumentType, str]]]
"""Type and phrase, with a space on either side, by the first two words; the second is empty for a single word."""


class _Table(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Scoring(_Table):
    """What each find is worth, how much finds of one sort can add up to, and what a type needs to win."""

    threshold: float
    phrase: float
    phrases: float
    word: float
    words: float
    heading: float
    headings: float
    title: float


class TypeRules(_Table):
    """What tells one type."""

    phrases: tuple[str, ...] = ()
    words: frozenset[str] = frozenset()
    headings: frozenset[str] = frozenset()
    titles: tuple[str, ...] = ()
    structure: dict[str, float] = Field(default_factory=dict[str, float])
    kinds: dict[DocumentKind, float] = Field(default_factory=dict[DocumentKind, float])


class SubjectRules(_Table):
    """From when on a subject is named, and which ones are technical."""

    rate: float
    distinct: int
    most: int
    technical: frozenset[str]


class Rules(_Table):
    """Everything in ``rules.toml``; ``domains`` holds the words of each subject."""

    scoring: Scoring
    types: dict[DocumentType, TypeRules]
    subjects: SubjectRules
    domains: dict[str, frozenset[str]]

    @cached_property
    def phrases(self) -> PhraseIndex:
        """Where each phrase leads."""
        index: PhraseIndex = {}
        for name, each in self.types.items():
            for phrase in each.phrases:
                first, _, rest = phrase.partition(" ")
                index.setdefault((first, rest.partition(" ")[0]), []).append((name, f" {phrase} "))
        return index

    @cached_property
    def technical_words(self) -> frozenset[str]:
        """The words of the technical subjects."""
        return frozenset[str]().union(*(self.domains[name] for name in self.subjects.technical))


@cache
def builtin_rules() -> Rules:
    """The rules that ship with the package."""
    text = resources.files(__package__ or "").joinpath("rules.toml").read_text(encoding="utf-8")
    tables = parse_toml(text, "rules.toml")
    domains = cast(dict[str, str], tables.pop("domains"))
    lists = {name: frozenset(words.split()) for name, words in domains.items()}
    return Rules.model_validate({**tables, "domains": lists})


# The beginning and the end of a document say most of what it is (title page, abstract, signatures, references); the
# middle says what the bulk of it reads like. So a sample has all three.

BEGINNING = 0.4
END = 0.15
MIDDLE_PARTS = 3
"""Shares of the sample; the rest is spread over so many parts of the middle, at equal distances."""
LONGEST_WORD = 60
"""Where no white space is found within so many characters, as in Chinese, a part is cut anywhere."""

_SPACE = re.compile(r"\s")


def stratified_sample(text: str, size: int) -> tuple[str, ...]:
    """Parts of ``text`` in their order, without overlap, at most ``size`` characters together; all of it when it is short.

    Parts begin and stop between words where there is white space nearby.
    """
    if len(text) <= size:
        return (text,)
    beginning, end = int(size * BEGINNING), int(size * END)
    length = (size - beginning - end) // MIDDLE_PARTS
    # The middle is what is left between beginning and end; each part is centred in an equal stretch of it.
    stretch = (len(text) - beginning - end) / MIDDLE_PARTS
    bounds = [(0, beginning)]
    for number in range(MIDDLE_PARTS):
        start = int(beginning + stretch * number + (stretch - length) / 2)
        bounds.append((start, start + length))
    bounds.append((len(text) - end, len(text)))
    parts = (text[_word_start(text, start) : _word_end(text, stop)] for start, stop in bounds)
    return tuple(part for part in parts if part)


def _word_start(text: str, position: int) -> int:
    """The first beginning of a word from ``position`` on."""
    if position == 0 or text[position - 1].isspace():
        return position
    space = _SPACE.search(text, position, position + LONGEST_WORD)
    return space.end() if space else position


def _word_end(text: str, position: int) -> int:
    """The last end of a word up to ``position``."""
    if position >= len(text) or text[position].isspace():
        return position
    earliest = max(0, position - LONGEST_WORD)
    spaces = [match.start() for match in _SPACE.finditer(text, earliest, position)]
    return spaces[-1] if spaces else position


LONG_WORD = 12
"""Letters from which a word counts as long: terms of art mostly are."""
HALF_DENSE = 0.06
"""Weighted share of technical words at which the density is a half: the average of papers and documentation in the dev sets, where spoken
language has 0.01, encyclopedias 0.02 and news 0.04."""


def scores_of_types(found: Traits, kind: DocumentKind) -> dict[DocumentType, float]:
    """The score of each type but OTHER."""
    rules = builtin_rules()
    phrases = _count_phrases(found, rules)
    return {
        name: _score_type(found, kind, rules, each) + min(rules.scoring.phrases, rules.scoring.phrase * phrases[name])
        for name, each in rules.types.items()
    }


def choose_type(scores: Mapping[DocumentType, float]) -> tuple[DocumentType, float]:
    """The type of highest score with a confidence of 0..1; OTHER when none reaches the threshold.

    The confidence of a type is its lead: its score over that of the two best and the threshold's half together. That of OTHER
    is how far the best stays below the threshold.
    """
    threshold = builtin_rules().scoring.threshold
    (best, score), (_, second) = sorted(scores.items(), key=lambda item: -item[1])[:2]
    if score < threshold:
        return DocumentType.OTHER, round(min(1.0, 1 - max(0.0, score) / threshold), 3)
    return best, round(score / (score + max(0.0, second) + threshold / 2), 3)


def find_subjects(found: Traits) -> tuple[str, ...]:
    """The subjects of the text, the strongest first."""
    rules = builtin_rules()
    if not found.words:
        return ()
    per_thousand = 1000 / max(100, found.words)
    rates: dict[str, float] = {}
    for name, words in rules.domains.items():
        present = found.counts.keys() & words
        rate = sum(found.counts[word] for word in present) * per_thousand
        if len(present) >= rules.subjects.distinct and rate >= rules.subjects.rate:
            rates[name] = rate
    strongest = sorted(rates, key=lambda name: (-rates[name], name))
    return tuple(strongest[: rules.subjects.most])


def technical_density(found: Traits) -> float:
    """0 for plain talk, towards 1 the more of the words are technical: ``x / (x + HALF_DENSE)`` of their weighted share.

    Technical tokens count once, words of technical subjects a half, and long words a quarter, as many of those are ordinary.
    """
    if not found.words:
        return 0.0
    subject = sum(found.counts[word] for word in found.counts.keys() & builtin_rules().technical_words)
    long = sum(number for word, number in found.counts.items() if len(word) >= LONG_WORD)
    share = (found.terms + subject / 2 + long / 4) / max(found.words, found.terms)
    return round(min(1.0, share / (share + HALF_DENSE)), 3)


def _score_type(found: Traits, kind: DocumentKind, rules: Rules, each: TypeRules) -> float:
    scoring = rules.scoring
    structure = (weight * found.structure[name] for name, weight in each.structure.items())
    return math.fsum(
        (
            min(scoring.words, scoring.word * len(found.counts.keys() & each.words)),
            min(scoring.headings, scoring.heading * len(found.headings & each.headings)),
            scoring.title * any(f" {title} " in found.title for title in each.titles),
            *structure,
            each.kinds.get(kind, 0.0),
        )
    )


def _count_phrases(found: Traits, rules: Rules) -> Counter[DocumentType]:
    """How many of each type's phrases occur."""
    index = rules.phrases
    single = {(word, "") for word in found.counts}
    candidates = (entry for pair in (found.pairs | single) & index.keys() for entry in index[pair])
    return Counter(name for name, phrase in candidates if phrase in found.spaced)
