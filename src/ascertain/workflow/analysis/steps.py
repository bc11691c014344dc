"""What the analysis needs from the packages below it, and its request."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Protocol

from ascertain.core.asking.passages import Filter
from ascertain.core.asking.runs import Clock, Run
from ascertain.core.documents.documents import Document, DocumentRecord
from ascertain.core.reports.analysis import (
    AnalysisQuestion,
    Coverage,
    DocumentMap,
    Findings,
    NarrativeSentence,
    Pattern,
)
from ascertain.core.settings.profiles import Profile
from ascertain.reports.analysis.mapping import DocumentMapper
from ascertain.reports.analysis.subject import Subject


class DocumentReading(Protocol):
    """Where documents are read from."""

    def documents(self, filter: Filter = ...) -> list[DocumentRecord]:
        """What is known of the documents that ``filter`` selects."""
        ...

    def document(self, document_id: str) -> Document | None:
        """A document with its text."""
        ...


class MapCache(Protocol):
    """Keeps the maps of documents; those of a deleted document are removed. Never raises: what cannot be stored is read again."""

    def fetch(self, hashes: Mapping[str, str], version: str, tenant: str) -> dict[str, DocumentMap]:
        """The stored maps of these documents (content hash by id), made by this version of the mapper."""
        ...

    def keep(self, maps: Sequence[DocumentMap], version: str, tenant: str) -> None:
        """Store these, replacing earlier ones of the same documents."""
        ...


class ModelMapper(Protocol):
    """Reads what rules read poorly, a few documents in one call."""

    @property
    def version(self) -> str:
        """Equal where the same model is asked by the same prompt."""
        ...

    def read_documents(
        self, maps: Sequence[DocumentMap], subject: str, run: Run, so_far: str = ""
    ) -> dict[str, DocumentMap]:
        """The maps of the rules with what the model read instead, by id; without those that it did not read validly.

        ``so_far`` says in short what was read before, for the pattern that refines.
        """
        ...

    def estimate_calls(self, maps: Sequence[DocumentMap]) -> int:
        """How many calls it takes to read these."""
        ...


@dataclass(frozen=True, slots=True)
class Scope:
    """What is analysed. ``records`` are those of the period, the newest first, near-duplicates excluded and counted in
    ``duplicates``; ``undated`` were excluded because they have no date. ``days`` is the period, excluding the last day.
    """

    asked: AnalysisQuestion
    subject: Subject
    filter: Filter
    pattern: Pattern
    records: tuple[DocumentRecord, ...]
    duplicates: int
    undated: int
    days: tuple[date, date] | None
    is_default: bool = False


class Narrator(Protocol):
    """Writes in sentences what was found."""

    def narrate(
        self, question: str, scope: Scope, coverage: Coverage, findings: Findings, run: Run, *, language: str
    ) -> tuple[NarrativeSentence, ...]:
        """Sentences supported by the figures and quotations they rest on; empty where nothing can be written."""
        ...


@dataclass(frozen=True, slots=True)
class AnalysisRequest:
    """A question about a whole period. ``days_back`` (1 to 365) is over what its words say; without a ``pattern`` one is chosen by
    size and budget. ``asked`` is what the question asks, where that was read before.
    """

    question: str
    language: str
    filter: Filter = field(default_factory=Filter)
    days_back: int | None = None
    pattern: Pattern | None = None
    asked: AnalysisQuestion | None = None


@dataclass(frozen=True, slots=True)
class AnalysisContext:
    """What one analysis runs on; never part of the state. ``expand`` writes slang out in full. Without a ``narrator`` figures and
    quotations are all that is shown.
    """

    store: DocumentReading
    mapper: DocumentMapper
    cache: MapCache
    profiles: Sequence[Profile]
    clock: Clock
    run: Run
    expand: Callable[[str], str]
    model: ModelMapper | None = None
    narrator: Narrator | None = None
