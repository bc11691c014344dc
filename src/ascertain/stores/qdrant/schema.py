"""Fields of points and their indexes, by version of the format.

Every condition of a filter has an index; ``within`` holds the folders a source is in, so that a folder is one value.
"""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum

from ascertain.core.asking.passages import OWN, Filter
from ascertain.stores.records.documents import CHILD_SEPARATORS, list_prefixes
from ascertain.stores.records.encoding import escape_text


@dataclass(frozen=True, slots=True)
class AnyOf:
    """One of the values; an array matches when one of its elements does."""

    key: str
    values: Sequence[str] | Sequence[int]


@dataclass(frozen=True, slots=True)
class StartsWith:
    """A text that begins with ``prefix``."""

    key: str
    prefix: str


@dataclass(frozen=True, slots=True)
class Phrase:
    """The tokens next to each other in this order."""

    key: str
    tokens: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class AnyWord:
    """One of the tokens."""

    key: str
    tokens: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Period:
    """A moment from ``start`` on and before ``end``, as RFC 3339."""

    key: str
    start: str | None
    end: str | None


@dataclass(frozen=True, slots=True)
class Numbers:
    """A number from ``first`` to ``last``, both included; up to 2^53 exact."""

    key: str
    first: int | None = None
    last: int | None = None


@dataclass(frozen=True, slots=True)
class Lacks:
    """A point without this field."""

    key: str


@dataclass(frozen=True, slots=True)
class PointIds:
    """One of the points."""

    ids: Sequence[str]


@dataclass(frozen=True, slots=True)
class HasVector:
    """A point with a vector of this name."""

    name: str


@dataclass(frozen=True, slots=True)
class Where:
    """All of ``must``, one of ``should`` where there are any, and none of ``must_not``."""

    must: tuple[Condition, ...] = ()
    should: tuple[Condition, ...] = ()
    must_not: tuple[Condition, ...] = ()

    def also(self, *conditions: Condition) -> Where:
        """These conditions and further ones."""
        return Where((*self.must, *conditions), self.should, self.must_not)

    def without(self, *conditions: Condition) -> Where:
        """These conditions, and none of the others."""
        return Where(self.must, self.should, (*self.must_not, *conditions))


Condition = AnyOf | StartsWith | Phrase | AnyWord | Period | Numbers | Lacks | PointIds | HasVector | Where


# Points are named by UUIDs made from texts (RFC 9562, version 5), the same ones in every process: a document's point is
# found without a search, and written twice it is one.
_SPACE = uuid.uuid5(uuid.NAMESPACE_URL, "https://github.com/ascertain/qdrant")

WORDS = "words"
"""The sparse vector."""


def _make_uuid(kind: str, *parts: str) -> str:
    # Python hashes the name as UTF-8, which has no lone surrogates.
    text = "\0".join((kind, *parts)).encode("utf-8", "surrogatepass").decode("latin-1")
    return str(uuid.uuid5(_SPACE, text))


FACTS_POINT = _make_uuid("facts")
"""The point that describes the knowledge base itself."""


def document_point(document_id: str) -> str:
    """The point of a document."""
    return _make_uuid("document", document_id)


def chunk_name(chunk_id: str) -> str:
    """A chunk's name in every version of its document, as it is indexed."""
    return _make_uuid("chunk", chunk_id)


def versioned_point(version: str, name: str) -> str:
    """The point of a part of one version of a document."""
    return _make_uuid("version", version, name)


def new_version() -> str:
    """A name for one writing of a document."""
    return str(uuid.uuid4())


def dense_name(generation: int) -> str:
    """The dense vector of one embedding model."""
    return f"dense_{generation}"


FORMAT = 1
"""Raised when what is stored changes; a collection of another number is refused."""


class What(StrEnum):
    """What a point stands for, in its field ``what``."""

    CHUNK = "chunk"
    PARENT = "parent"
    DOCUMENT = "document"
    TEXT = "text"
    """A piece of a document's text."""
    FACTS = "facts"


IS_CHUNK = AnyOf("what", [What.CHUNK.value])
"""A searchable chunk."""
IS_CHUNK_OR_PARENT = AnyOf("what", [What.CHUNK.value, What.PARENT.value])
IS_DOCUMENT = AnyOf("what", [What.DOCUMENT.value])


class IndexKind(StrEnum):
    """How a field is indexed."""

    KEYWORD = "keyword"
    PREFIXES = "prefixes"
    """Keywords that are also looked up by how they begin."""
    TENANT = "tenant"
    """Keywords that set apart what is stored together."""
    UUID = "uuid"
    INTEGER = "integer"
    MOMENT = "moment"
    WORDS = "words"
    """Tokens set apart by spaces, with their order."""


INDEXES: dict[str, IndexKind] = {
    "what": IndexKind.KEYWORD,
    "tenant": IndexKind.TENANT,
    "owner": IndexKind.UUID,
    "version": IndexKind.UUID,
    "name": IndexKind.UUID,
    "index": IndexKind.INTEGER,
    "kind": IndexKind.KEYWORD,
    "source": IndexKind.PREFIXES,
    "within": IndexKind.KEYWORD,
    "tags": IndexKind.KEYWORD,
    "topics": IndexKind.KEYWORD,
    "profile": IndexKind.KEYWORD,
    "language": IndexKind.KEYWORD,
    "published": IndexKind.MOMENT,
    "conversation": IndexKind.KEYWORD,
    "words": IndexKind.WORDS,
    "title_words": IndexKind.WORDS,
    "written": IndexKind.INTEGER,
    "chunks": IndexKind.INTEGER,
    "state": IndexKind.KEYWORD,
    "original": IndexKind.UUID,
    "bands": IndexKind.INTEGER,
    "type": IndexKind.KEYWORD,
    "density": IndexKind.KEYWORD,
    "domains": IndexKind.KEYWORD,
    "version_bytes": IndexKind.INTEGER,
}
"""``owner`` is the point of a document, on it and on all its parts; ``original`` that of what it repeats; ``name`` a
chunk's.

``version_bytes`` holds the bytes of the number of a document's version (``stores.encoding``), each with its place, so
that counts of them add up to the sum of the numbers.
"""


def chunks_where(filter: Filter) -> Where:
    """Which searchable chunks ``filter`` selects."""
    conditions = _build_conditions(filter)
    return Where((IS_CHUNK, *conditions, *_name_chunks(filter)))


def documents_where(filter: Filter) -> Where:
    """Which documents ``filter`` selects, the chunks that it names left out."""
    return Where((IS_DOCUMENT, *_build_conditions(filter)))


def owners_where(filter: Filter) -> Where:
    """The chunks, parents included, that ``filter`` names and selects by the rest."""
    return Where((IS_CHUNK_OR_PARENT, *_name_chunks(filter), *_build_conditions(filter)))


def _name_chunks(filter: Filter) -> list[Condition]:
    """What ``filter`` asks of chunks alone: their ids and topics."""
    conditions: list[Condition] = []
    if filter.chunk_ids:
        conditions.append(AnyOf("name", [chunk_name(chunk_id) for chunk_id in filter.chunk_ids]))
    if filter.topics:
        conditions.append(AnyOf("topics", list(map(escape_text, filter.topics))))
    return conditions


def moment_text(value: datetime) -> str:
    """A moment as Qdrant compares it, to the microsecond; a naive one is taken as UTC."""
    aware = value if value.tzinfo else value.replace(tzinfo=UTC)
    try:
        utc = aware.astimezone(UTC)
    except OverflowError:
        # The first and the last day of the calendar may not exist in UTC.
        utc = aware.replace(tzinfo=UTC)
    return utc.isoformat(timespec="microseconds")


def _build_conditions(filter: Filter) -> list[Condition]:
    conditions: list[Condition] = [AnyOf("tenant", [escape_text(filter.tenant)])]
    for key, values in (
        ("owner", [document_point(document_id) for document_id in filter.document_ids]),
        ("kind", [kind.value for kind in filter.kinds]),
        ("tags", [escape_text(tag) for tag in filter.tags]),
        ("profile", [escape_text(profile) for profile in filter.profiles]),
        ("language", [escape_text(language) for language in filter.languages]),
        ("conversation", [] if filter.conversation_id is None else [escape_text(filter.conversation_id)]),
    ):
        if values:
            conditions.append(AnyOf(key, values))
    if filter.sources:
        conditions.append(_source_condition(filter.sources))
    if filter.within is not None:
        conditions.append(_conversation_condition(filter.within))
    if filter.has_dates:
        start, end = filter.published_from, filter.published_before
        conditions.append(Period("published", start and moment_text(start), end and moment_text(end)))
    return conditions


def _conversation_condition(conversations: tuple[str, ...]) -> Condition:
    named = AnyOf("conversation", list(map(escape_text, conversations)))
    return Where(should=(Lacks("conversation"), named)) if OWN in conversations else named


def _source_condition(sources: tuple[str, ...]) -> Where:
    """Exact sources, folders that are values of ``within``, and beginnings that are neither."""
    folders: list[str] = []
    beginnings: list[Condition] = []
    for source in sources:
        for prefix in map(escape_text, list_prefixes(source)):
            if prefix.endswith(CHILD_SEPARATORS):
                folders.append(prefix)
            else:
                beginnings.append(StartsWith("source", prefix))
    choices: list[Condition] = [AnyOf("source", list(map(escape_text, sources))), *beginnings]
    if folders:
        choices.append(AnyOf("within", folders))
    return Where(should=tuple(choices))
