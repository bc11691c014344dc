"""How much a knowledge base holds, and how it is."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from ascertain.core.profiling import CorpusProfile


@dataclass(frozen=True, slots=True)
class StoreStats:
    """Counts over one tenant's part of the store."""

    documents: int
    chunks: int
    by_kind: Mapping[str, int]
    by_profile: Mapping[str, int]
    by_state: Mapping[str, int]
    embedding_model: str | None
    dimension: int | None
    bytes_on_disk: int
    earliest: str | None
    """ISO 8601 of the oldest ``published_at``."""
    latest: str | None
    corpus: CorpusProfile = CorpusProfile()


@dataclass(frozen=True, slots=True)
class HealthReport:
    """What ``ascertain doctor`` prints for a store: one line per check, problems first."""

    problems: tuple[str, ...] = ()
    facts: Mapping[str, str] = field(default_factory=dict[str, str])


@dataclass(frozen=True, slots=True)
class GraphCounts:
    """How much one tenant's graph holds; ``names`` counts different keys."""

    documents: int
    chunks: int
    names: int
    mentions: int
    relations: int
    aliases: int


@dataclass(frozen=True, slots=True)
class SchemaChange:
    """The version of the schema before and after; 0 before is a store that was empty. ``applied`` names each step."""

    before: int
    after: int
    applied: tuple[str, ...] = ()
