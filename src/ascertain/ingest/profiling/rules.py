"""The rules for types and subjects, as data in ``rules.toml``."""

from __future__ import annotations

from functools import cache, cached_property
from importlib import resources
from typing import cast

from pydantic import BaseModel, ConfigDict, Field

from ascertain.core.documents import DocumentKind
from ascertain.core.profiling import DocumentType
from ascertain.core.settings.toml_files import parse_toml

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
