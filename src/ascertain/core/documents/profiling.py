"""What kind of text a document is, and what a whole corpus is made of."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TypeVar

from ascertain.core.serialisation import Serialisable

_Name = TypeVar("_Name", bound=str)


class TypeGroup(StrEnum):
    """The world that a document type belongs to."""

    ACADEMIC = "academic"
    EDUCATIONAL = "educational"
    TECHNICAL = "technical"
    BUSINESS = "business"
    LEGAL = "legal"
    GENERAL = "general"


class DocumentType(StrEnum):
    """The type of text a document is; 29 types in six groups."""

    RESEARCH_PAPER = "research_paper"
    SURVEY = "survey"
    THESIS = "thesis"
    TEXTBOOK = "textbook"
    LECTURE_NOTES = "lecture_notes"
    TUTORIAL = "tutorial"
    API_REFERENCE = "api_reference"
    MANUAL = "manual"
    SPECIFICATION = "specification"
    RELEASE_NOTES = "release_notes"
    TROUBLESHOOTING = "troubleshooting"
    SOURCE_CODE = "source_code"
    REPORT = "report"
    PRESS_RELEASE = "press_release"
    EARNINGS = "earnings"
    MINUTES = "minutes"
    PROPOSAL = "proposal"
    CONTRACT = "contract"
    STATUTE = "statute"
    POLICY = "policy"
    COURT_OPINION = "court_opinion"
    PATENT = "patent"
    NEWS_ARTICLE = "news_article"
    BLOG_POST = "blog_post"
    ENCYCLOPEDIA = "encyclopedia"
    TRANSCRIPT = "transcript"
    FAQ = "faq"
    LETTER = "letter"
    OTHER = "other"
    """The text does not show it."""

    @property
    def group(self) -> TypeGroup:
        """The world it belongs to."""
        return _GROUPS[self]


_GROUPS: Mapping[DocumentType, TypeGroup] = {
    **dict.fromkeys((DocumentType.RESEARCH_PAPER, DocumentType.SURVEY, DocumentType.THESIS), TypeGroup.ACADEMIC),
    **dict.fromkeys((DocumentType.TEXTBOOK, DocumentType.LECTURE_NOTES, DocumentType.TUTORIAL), TypeGroup.EDUCATIONAL),
    **dict.fromkeys(
        (
            DocumentType.API_REFERENCE,
            DocumentType.MANUAL,
            DocumentType.SPECIFICATION,
            DocumentType.RELEASE_NOTES,
            DocumentType.TROUBLESHOOTING,
            DocumentType.SOURCE_CODE,
        ),
        TypeGroup.TECHNICAL,
    ),
    **dict.fromkeys(
        (
            DocumentType.REPORT,
            DocumentType.PRESS_RELEASE,
            DocumentType.EARNINGS,
            DocumentType.MINUTES,
            DocumentType.PROPOSAL,
        ),
        TypeGroup.BUSINESS,
    ),
    **dict.fromkeys(
        (
            DocumentType.CONTRACT,
            DocumentType.STATUTE,
            DocumentType.POLICY,
            DocumentType.COURT_OPINION,
            DocumentType.PATENT,
        ),
        TypeGroup.LEGAL,
    ),
    **dict.fromkeys(
        (
            DocumentType.NEWS_ARTICLE,
            DocumentType.BLOG_POST,
            DocumentType.ENCYCLOPEDIA,
            DocumentType.TRANSCRIPT,
            DocumentType.FAQ,
            DocumentType.LETTER,
            DocumentType.OTHER,
        ),
        TypeGroup.GENERAL,
    ),
}


@dataclass(frozen=True, slots=True)
class DocumentProfile(
    Serialisable,
    examples={
        "type": "news_article",
        "type_confidence": 0.7,
        "technical_density": 0.2,
        "domains": ["cryptocurrency", "finance"],
    },
):
    """What rules made of the text; see [document-profiles.md](document-profiles.md)."""

    technical_density: float
    """0 to 1."""
    type: DocumentType
    """One of 29 types."""
    type_confidence: float
    """0 to 1."""
    domains: tuple[str, ...] = ()
    """Up to three subjects."""


@dataclass(frozen=True, slots=True)
class CorpusProfile(
    Serialisable,
    names={"documents": "profiled"},
    examples={
        "documents": 42,
        "technical_density": 0.3,
        "types": {"news_article": 0.6, "manual": 0.4},
        "domains": {"software": 0.5},
    },
):
    """The document profiles summed up."""

    documents: int = 0
    """How many documents have a profile."""
    technical_density: float | None = None
    """The mean; null without any."""
    types: Mapping[DocumentType, float] = field(default_factory=dict[DocumentType, float])
    """Shares of the documents by type, together 1, the largest first."""
    domains: Mapping[str, float] = field(default_factory=dict[str, float])
    """Shares by subject; a document has several or none."""

    @classmethod
    def of(cls, profiles: Iterable[DocumentProfile]) -> CorpusProfile:
        """Derived from each document's profile."""
        each = list(profiles)
        return cls.from_counts(
            len(each),
            sum(profile.technical_density for profile in each),
            Counter(profile.type for profile in each),
            Counter(domain for profile in each for domain in set(profile.domains)),
        )

    @classmethod
    def from_counts(
        cls, documents: int, total_density: float, types: Mapping[DocumentType, int], domains: Mapping[str, int]
    ) -> CorpusProfile:
        """From counts, as a store can give them."""
        if not documents:
            return cls()
        return cls(
            documents, total_density / documents, _compute_shares(types, documents), _compute_shares(domains, documents)
        )


def _compute_shares(counts: Mapping[_Name, int], documents: int) -> dict[_Name, float]:
    return {name: count / documents for name, count in sorted(counts.items(), key=lambda c: (-c[1], c[0]))}
