"""What travels between the driver and its workers.

Sources go out in lots. A worker turns a lot into parcels, each of about as many chunks as are written at once; a parcel is
embedded, then written, and what came of it goes back to the driver as an outcome.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Self, cast

from ascertain.core.documents import Document
from ascertain.core.errors import AscertainError
from ascertain.graph.upkeep import GraphTally
from ascertain.ingest.preparing import Finished, Ready, Unchanged, Unreadable
from ascertain.models.ports import Vectors

Place = tuple[int, int]
"""Where a document stands in the order of discovery: its source's number, and its number in the source."""


@dataclass(frozen=True, slots=True)
class Source:
    """A file, or a document made by the caller. ``done`` are the ids of those documents in it that are dealt with."""

    number: int
    content: Path | Document
    done: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Lot:
    """Sources that one worker reads in one go; ``is_careful`` puts every document into a parcel of its own."""

    sources: tuple[Source, ...]
    is_careful: bool = False


@dataclass(frozen=True, slots=True)
class Placed:
    """A document in chunks; ``is_known`` when the store has an earlier version."""

    ready: Ready
    place: Place
    is_known: bool


@dataclass(frozen=True, slots=True)
class Signed:
    """What is needed to look for near-duplicates of a document: those at least ``wanted`` similar."""

    document_id: str
    tenant: str
    place: Place
    signature: bytes
    wanted: float


@dataclass(frozen=True, slots=True)
class SourceEnd:
    """The end of a source: ``documents`` maps the id of all that it gave, good or bad, to where each is from."""

    number: int
    finished: Finished
    documents: Mapping[str, str]


@dataclass(slots=True)
class Parcel:
    """Some of what was read; ``vectors`` are those of ``documents``, once they are embedded.

    ``compared`` are documents that were in the store already and have their links looked at again.
    """

    documents: list[Placed] = field(default_factory=list[Placed])
    vectors: list[Vectors] = field(default_factory=list[Vectors])
    unreadable: list[tuple[int, Unreadable]] = field(default_factory=list[tuple[int, Unreadable]])
    unchanged: list[tuple[int, Unchanged]] = field(default_factory=list[tuple[int, Unchanged]])
    compared: list[Signed] = field(default_factory=list[Signed])
    ends: list[SourceEnd] = field(default_factory=list[SourceEnd])
    embedding_seconds: float = 0.0
    trouble: Trouble | None = None

    @property
    def chunks(self) -> int:
        """Searchable chunks of all documents."""
        return sum(len(placed.ready.chunks) for placed in self.documents)

    @property
    def is_long(self) -> bool:
        """Whether so much else is in it that it should be on its way, however few chunks it has."""
        return len(self.unreadable) + len(self.unchanged) + len(self.ends) >= _LONG


_LONG = 500
"""What the driver is told at once of documents that need no work: progress is seen, and messages stay few."""


@dataclass(frozen=True, slots=True)
class Trouble:
    """An error that ends the run, on its way to the driver; raised in a worker it would cost Ray the task and try it again."""

    kind: type[AscertainError]
    message: str

    @classmethod
    def of(cls, error: AscertainError) -> Self:
        """The error without its traceback, which belongs to another machine."""
        return cls(type(error), str(error))

    def error(self) -> AscertainError:
        """The error again; of a kind with a message of its own making, its nearest parent that has none."""
        kind = next(parent for parent in self.kind.__mro__ if "__init__" not in vars(parent))
        return cast("type[AscertainError]", kind)(self.message)


@dataclass(frozen=True, slots=True)
class Written:
    """A document that is in the store now."""

    number: int
    document_id: str
    source: str
    size: int
    chunks: int
    is_known: bool


@dataclass(frozen=True, slots=True)
class Failed:
    """A document that is recorded as failed."""

    number: int
    document_id: str
    source: str
    reason: str
    size: int


@dataclass(frozen=True, slots=True)
class Alike:
    """A document that was compared, and those ``similar`` to it in the store, best first; mostly there are none.

    ``is_written`` by this run; else only its links are looked at. ``was_duplicate`` of the version before this run; None when
    there was none.
    """

    document_id: str
    tenant: str
    place: Place
    similar: tuple[tuple[str, float], ...]
    is_written: bool
    was_duplicate: bool | None = None


@dataclass(slots=True)
class Outcome:
    """What came of one parcel."""

    written: list[Written] = field(default_factory=list[Written])
    failed: list[Failed] = field(default_factory=list[Failed])
    unchanged: list[tuple[int, Unchanged]] = field(default_factory=list[tuple[int, Unchanged]])
    ends: list[SourceEnd] = field(default_factory=list[SourceEnd])
    alike: list[Alike] = field(default_factory=list[Alike])
    graph: GraphTally = field(default_factory=GraphTally)
    embedding_seconds: float = 0.0
    writing_seconds: float = 0.0
    trouble: Trouble | None = None
