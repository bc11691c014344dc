"""Results beyond the best few passages: a report of all places that name an entity, the themes of the documents,
and the stories of a period.
"""

import hashlib
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import StrEnum

from ascertain.core.asking.passages import Filter, Passage
from ascertain.core.asking.plans import DigestQuestion, EntityQuestion
from ascertain.core.documents.blocks import Span
from ascertain.core.documents.documents import Chunk, DocumentRecord


@dataclass(frozen=True, slots=True)
class Group:
    """Places that belong together: of one speaker in one episode, of one document, of one step of a path.

    ``label`` says of what, as in ``Tyler Cowen (Episode 143)``. ``passages`` are narrowed to the sentences to be
    quoted, in reading order; ``more`` further places of the group are not shown.
    """

    label: str
    passages: tuple[Passage, ...]
    more: int = 0


@dataclass(frozen=True, slots=True)
class EntityReport:
    """``places`` counts all places that were found, shown or not, ``documents`` and ``speakers`` where and by whom;
    ``hidden_groups`` are left out whole.

    With ``is_complete`` false there may be more than were counted. ``confidence`` is how surely these are places that
    name what was asked for, 0..100. ``sources`` are the passages as they are stored, ``filter`` what they were found
    under, ``how`` a line for people.
    """

    question: EntityQuestion
    groups: tuple[Group, ...]
    places: int
    documents: int
    speakers: int
    hidden_groups: int
    is_complete: bool
    confidence: int
    sources: tuple[Passage, ...]
    filter: Filter
    how: str

    @property
    def passages(self) -> tuple[Passage, ...]:
        """What is quoted, in reading order."""
        return tuple(self._all_passages())

    @property
    def shown(self) -> int:
        """How many places are quoted."""
        return len({(each.chunk.document_id, each.chunk.span) for each in self._all_passages()})

    def _all_passages(self) -> Iterator[Passage]:
        for group in self.groups:
            yield from group.passages


@dataclass(frozen=True, slots=True)
class Representative:
    """A sentence that stands for a theme: ``text`` is what its document holds under ``span``."""

    chunk: Chunk
    span: Span
    text: str
    score: float


@dataclass(frozen=True, slots=True)
class Description:
    """``names`` as visible passages write them, most telling first; ``sentences`` best first, none where nothing reads
    as one. ``topics`` are common words that many of the passages use and other English seldom does.
    """

    names: tuple[str, ...]
    sentences: tuple[Representative, ...]
    topics: tuple[str, ...] = ()

    @property
    def label(self) -> str:
        """What is spoken of and what is named, in one line."""
        if not self.topics or not self.names:
            return ", ".join(self.topics or self.names)
        return f"{', '.join(self.topics)} ({', '.join(self.names)})"

    @property
    def digest(self) -> str:
        """Equal for equal names and sentences."""
        said = [f"{one.chunk.document_id}\n{one.span.start}\n{one.text}" for one in self.sentences]
        return hashlib.sha256("\n\n".join([self.label, *said]).encode()).hexdigest()


@dataclass(frozen=True, slots=True)
class Theme:
    """``share`` is that of all passages that may be seen, 0..1; ``passages`` fall into it, and stand in so many
    ``documents``.
    """

    share: float
    passages: int
    documents: int
    description: Description


@dataclass(frozen=True, slots=True)
class FoundThemes:
    """``documents`` and ``passages`` count all that may be seen, ``..._read`` those that name anything and so fall into
    some theme.

    ``theme(n)`` describes one of ``themes``, the largest first; only on request.
    """

    documents: int
    passages: int
    documents_read: int
    passages_read: int
    themes: int
    theme: Callable[[int], Theme]


@dataclass(frozen=True, slots=True)
class Story:
    """What one or more ``articles`` report: the best ``passage`` of the newest of them, of a digest by date of the one
    that is requested.
    """

    passage: Passage
    articles: int


@dataclass(frozen=True, slots=True)
class FoundStories:
    """The stories of a period, newest first, which a digest presents.

    ``articles`` counts what the period holds on the subject, shown or not; with ``is_complete`` false there may be more.
    ``missed_days``: the number of last days that were searched first and hold nothing on it. ``nearness``, 0..1, is how near the
    best of them is to the subject, 1 without one. ``is_checked``: the subject is one whose names are all known, and these are the
    documents that name it; without that nothing is said of all there are. ``is_none_sure``: the same of the missed days. ``names`` are what the subject is called, in lower case. ``subject`` is what is asked about with its slang written out. ``filter`` is what was applied in the
    end.
    """

    question: DigestQuestion
    subject: str
    stories: tuple[Story, ...]
    articles: int
    is_complete: bool
    missed_days: int
    nearness: float
    filter: Filter
    is_checked: bool = True
    names: tuple[str, ...] = ()
    is_none_sure: bool = False


class DocumentFit(StrEnum):
    """How documents match the words of a question."""

    NAMED = "named"
    """Their title, file, author or date says it."""
    SECTION = "section"
    """One of their headings does."""
    NEAREST = "nearest"
    """None does; these are the nearest by what they say."""
    COLLECTION = "collection"
    """The question means all documents, or all of a kind."""


@dataclass(frozen=True, slots=True)
class Catalogue:
    """The metadata of the documents that a question means: ``records`` of ``total``, the newest first, those without a date last.

    ``names`` are the words for the subject that they were looked through for, none where there is no subject, and ``naming`` finds them
    in a text; with ``is_complete`` false more may name it. ``copies`` of others are not among them.
    """

    records: tuple[DocumentRecord, ...]
    total: int
    copies: int = 0
    names: tuple[str, ...] = ()
    naming: re.Pattern[str] | None = None
    is_complete: bool = True

    @property
    def dated(self) -> tuple[DocumentRecord, ...]:
        """Those with a date, the newest first."""
        return tuple(each for each in self.records if each.published_at is not None)


@dataclass(frozen=True, slots=True)
class FoundDocuments:
    """The documents that a question is about as wholes, by id, the best first.

    ``section`` are the headings of the part that is meant, none for all of the document. ``documents`` counts those that were
    chosen among or are meant. With ``is_one`` the question means one document, and the further ids fit its name as well: other
    versions of it may be among them. ``filter`` is what may be seen.
    """

    ids: tuple[str, ...]
    fit: DocumentFit
    filter: Filter
    documents: int
    section: tuple[str, ...] = ()
    is_one: bool = False
