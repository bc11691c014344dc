"""The type of a document, from signs: the words of each type, its headings and title, how the text looks, how it was read.

A sign is a number of 0 to about 3; a fitted model (``models/weights/document_types.json``) says what each one shows about each type.
"""

import re
from collections import Counter
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from functools import cache, cached_property
from importlib import resources
from itertools import pairwise
from pathlib import PurePosixPath
from typing import cast

from pydantic import BaseModel, ConfigDict

from ascertain.core.documents.blocks import BlockKind
from ascertain.core.documents.documents import Document, DocumentKind
from ascertain.core.documents.profiling import DocumentType
from ascertain.core.settings.profiles import parse_toml
from ascertain.documents.ingest.profiling.structure import LAYOUT, STRUCTURE, count_terms, read_text, words_of
from ascertain.models.logistic_model import load_multinomial_model

MODEL = "document_types"
MOST_PHRASES, MOST_WORDS, MOST_HEADINGS_SEEN = 3, 6, 3
"""Of one type so many different ones count: enough to be sure of it, so that a long text does not have more of all."""
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
    layout: Mapping[str, float]
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
        {name: measure(text) for name, measure in LAYOUT.items()},
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


class TypeRules(_Table):
    """The words that tell one type."""

    phrases: tuple[str, ...] = ()
    words: frozenset[str] = frozenset()
    headings: frozenset[str] = frozenset()
    titles: tuple[str, ...] = ()


class SubjectRules(_Table):
    """From when on a subject is named, and which ones are technical."""

    rate: float
    distinct: int
    most: int
    technical: frozenset[str]


class Rules(_Table):
    """Everything in ``rules.toml``; ``domains`` holds the words of each subject."""

    endings: dict[str, frozenset[str]]
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


def list_signs(found: Traits, document: Document) -> dict[str, float]:
    """Every sign by its name, in the order of the model."""
    rules = builtin_rules()
    phrases = _count_phrases(found, rules)
    ending = PurePosixPath(document.source.replace("\\", "/").split("#", 1)[0]).suffix.lstrip(".").lower()
    signs: dict[str, float] = {}
    for name, each in rules.types.items():
        if each.words:
            signs[f"phrases {name}"] = min(MOST_PHRASES, phrases[name])
            signs[f"words {name}"] = min(MOST_WORDS, len(found.counts.keys() & each.words)) / 4
            signs[f"headings {name}"] = min(MOST_HEADINGS_SEEN, len(found.headings & each.headings))
        signs[f"title {name}"] = float(any(f" {title} " in found.title for title in each.titles))
    signs |= {f"structure {name}": value for name, value in found.structure.items()}
    signs |= {f"layout {name}": value for name, value in found.layout.items()}
    signs |= {f"kind {kind}": float(document.kind is kind) for kind in DocumentKind}
    signs |= {f"ending {name}": float(ending in endings) for name, endings in rules.endings.items()}
    return signs


def choose_type(signs: Mapping[str, float]) -> tuple[DocumentType, float]:
    """The likeliest type with its probability, 0..1; a text without words is OTHER."""
    if not signs["layout length"]:
        return DocumentType.OTHER, 1.0
    chances = load_multinomial_model(MODEL, tuple(signs)).share_chances(signs)
    best = max(chances, key=lambda name: chances[name])
    return DocumentType(best), round(chances[best], 3)


def _count_phrases(found: Traits, rules: Rules) -> Counter[DocumentType]:
    """How many of each type's phrases occur."""
    index = rules.phrases
    single = {(word, "") for word in found.counts}
    candidates = (entry for pair in (found.pairs | single) & index.keys() for entry in index[pair])
    return Counter(name for name, phrase in candidates if phrase in found.spaced)
