"""How much a knowledge base holds, and its health; counts and sizes in words."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from ascertain.core.documents.profiling import CorpusProfile
from ascertain.core.serialisation import Serialisable


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
class SchemaChange(Serialisable, examples={"before": 0, "after": 1}):
    """The version of the schema before and after; 0 before is a store that was empty."""

    before: int
    after: int


def format_count(number: int, noun: str, plural: str | None = None) -> str:
    """``1 document``, ``2,000 documents``."""
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"


def count_times(number: int) -> str:
    """``once``, ``12 times``."""
    return "once" if number == 1 else f"{number:,} times"


def tell_named(mentions: int, documents: int) -> str:
    """How often and where something is named; a name found only in titles is called a title."""
    where = format_count(documents, "document")
    return f"named {count_times(mentions)} in {where}" if mentions else f"the title of {where}"


def format_size(number: int) -> str:
    """``3.4 MB``, in powers of 1000."""
    amount = float(number)
    for unit in ("B", "kB", "MB", "GB"):
        if amount < 1000:
            return f"{amount:.0f} {unit}" if unit == "B" else f"{amount:.1f} {unit}"
        amount /= 1000
    return f"{amount:.1f} TB"
