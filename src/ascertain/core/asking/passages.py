"""Passages: chunks with how they were found."""

import re
from dataclasses import dataclass, field, replace
from datetime import datetime
from enum import StrEnum

from ascertain.core.documents.documents import Chunk, DocumentKind
from ascertain.core.errors import UsageError
from ascertain.core.serialisation import Serialisable

OWN = ""
"""In ``Filter.within``: documents of the knowledge base itself, fetched for no conversation."""


@dataclass(frozen=True, slots=True)
class Filter:
    """All conditions must hold; an empty tuple or None means no condition, except in ``within``.

    Within one field any value matches. ``published_from`` is inclusive, ``published_before`` exclusive; a chunk without
    a date never matches a date condition. ``sources`` match a source exactly or as a folder or glob prefix ending in
    ``*``. ``conversation_id`` restricts to what was fetched for that conversation. ``within`` says whose material may
    be seen, by id of the conversation it was fetched for, with ``""`` for what belongs to none; None is everything, and
    an empty tuple nothing.
    """

    document_ids: tuple[str, ...] = ()
    chunk_ids: tuple[str, ...] = ()
    kinds: tuple[DocumentKind, ...] = ()
    sources: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    profiles: tuple[str, ...] = ()
    languages: tuple[str, ...] = ()
    """ISO 639-1 codes; a document whose language is not known never matches."""
    topics: tuple[str, ...] = ()
    """Of a chunk; a document is selected when one of its chunks is."""
    published_from: datetime | None = None
    published_before: datetime | None = None
    conversation_id: str | None = None
    within: tuple[str, ...] | None = None
    tenant: str = "default"

    @property
    def names_chunks(self) -> bool:
        """Whether some chunks of a document may match and others not."""
        return bool(self.chunk_ids or self.topics)

    @property
    def has_dates(self) -> bool:
        """Whether only documents of some period match."""
        return self.published_from is not None or self.published_before is not None

    @property
    def is_unrestricted(self) -> bool:
        """Whether every chunk of the tenant matches."""
        return self == Filter(tenant=self.tenant)

    @property
    def is_plain(self) -> bool:
        """Whether its only condition is whose material may be seen."""
        return replace(self, within=None).is_unrestricted


_LANGUAGE_CODE = re.compile("[a-z]{2}")


def read_language_code(text: str) -> str:
    """An ISO 639-1 code as documents hold it, from ``text`` in either case; raises UsageError for anything else."""
    code = text.strip().lower()
    if not _LANGUAGE_CODE.fullmatch(code):
        raise UsageError(f"{text!r} is not the code of a language; write two letters as in ISO 639-1: de, en, zh")
    return code


class Strategy(StrEnum):
    """Which legs a search uses."""

    SEMANTIC = "semantic"
    KEYWORD = "keyword"
    HYBRID = "hybrid"


def read_strategy(name: str | None) -> Strategy | None:
    """The strategy with this name, None for None; raises UsageError for an unknown name."""
    if name is None:
        return None
    try:
        return Strategy(name)
    except ValueError:
        raise UsageError(f"no strategy {name!r}; choose from {', '.join(Strategy)}") from None


@dataclass(frozen=True, slots=True)
class Hit:
    """A chunk id with one leg's raw score: cosine in -1..1 (dense) or BM25 from 0 up (lexical)."""

    chunk_id: str
    score: float


@dataclass(frozen=True, slots=True)
class NamedEntity(Serialisable, examples={"id": "hal finney", "name": "Hal Finney"}):
    """An entity by its id, or by one of its names."""

    id: str
    name: str


@dataclass(frozen=True, slots=True)
class WayStart(Serialisable, examples={"document_id": "7f31ce02b8a94d5e6c10", "title": "The first transaction"}):
    """A document that a way begins in."""

    document_id: str
    title: str


@dataclass(frozen=True, slots=True)
class Way(Serialisable, names={"start": "from"}):
    """The entities over which the graph led to a passage, and from which other document."""

    entities: tuple[NamedEntity, ...]
    start: WayStart | None = None
    """Null where it began at the question itself."""


@dataclass(frozen=True, slots=True)
class Passage:
    """A chunk and how it was found.

    ``score`` orders the list it came in and lies in 0..1. ``scores`` holds every raw and derived score by name
    (``dense``, ``lexical``, ``fused``, ``title``, ``content``, ``recency``). ``explanation`` is a line for people.
    """

    chunk: Chunk
    score: float
    scores: dict[str, float] = field(default_factory=dict[str, float])
    origin: str = "passages"
    explanation: str = ""
    note: str = ""
    """What a chat model extracted from it for this question; never quoted from, as its words are the model's."""
    way: Way | None = None
    """How the graph led here; None for passages found by the search alone."""


class Level(StrEnum):
    """How far a result can be trusted."""

    HIGH = "high"
    MEDIUM = "medium"
    LOW = "low"
    NONE = "none"


@dataclass(frozen=True, slots=True)
class Confidence(Serialisable, hidden=("caveat",), examples={"score": 91}):
    """How far to trust it."""

    level: Level
    score: int
    """0 to 100."""
    caveat: str | None = None
    """A sentence for people; null when the level is high."""
