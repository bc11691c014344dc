"""What travels between the driver and its workers.

Recipes open a store and a model where these cannot travel themselves. Sources go out in batches; a worker makes batches of
documents of them, each of about as many chunks as are written at once. Such a batch is embedded, then written, and its result
goes back to the driver as an outcome.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Self, cast

from ascertain.core.documents.documents import Completeness, Document
from ascertain.core.errors import AscertainError
from ascertain.core.settings import GraphSettings, ModelSettings, StoreSettings
from ascertain.core.settings.profiles import Profile
from ascertain.core.settings.store import GRAPH_KEY_VARIABLE
from ascertain.documents.ingest.preparing import Finished, Ready, Unchanged, Unreadable
from ascertain.graph.extraction.choosing import choose_extractor, chosen_kind
from ascertain.graph.extraction.ports import Extractor
from ascertain.graph.synchronisation import GraphTally, GraphUpkeep
from ascertain.models.ports import Embedder, Vectors
from ascertain.models.registry import open_embedder
from ascertain.stores.ports.chunks import CompleteStore
from ascertain.stores.ports.graph import GraphStore
from ascertain.stores.registry import open_graph, open_store

_CONNECTIONS = 2
"""A worker writes one batch at a time; the second is for a read within a write."""


@dataclass(frozen=True, slots=True)
class StoreRecipe:
    """Opens a store on a server; the server's key comes along, since other machines do not have it in their environment."""

    settings: StoreSettings
    home: Path
    model: str
    dimension: int
    key: str = field(repr=False)

    @classmethod
    def of(cls, settings: StoreSettings, home: Path, embedder: Embedder) -> StoreRecipe:
        """The recipe for the store of these settings, with the key this process has."""
        key = os.environ.get(settings.key_variable, "")
        few = settings.model_copy(update={"connections": _CONNECTIONS})
        return cls(few, home, embedder.name, embedder.dimension, key)

    def __call__(self) -> CompleteStore:
        """The store; StoreError when it cannot be opened."""
        if self.key:
            os.environ.setdefault(self.settings.key_variable, self.key)
        return open_store(self.settings, self.home, self.model, self.dimension, create=False)


@dataclass(frozen=True, slots=True)
class GraphRecipe:
    """Opens the upkeep of the graph for this worker's writes; ``profiles`` are those that documents may have."""

    settings: GraphSettings
    store: StoreSettings
    home: Path
    profiles: Mapping[str, Profile]
    keys: Mapping[str, str] = field(repr=False)

    @classmethod
    def of(
        cls, settings: GraphSettings, store: StoreSettings, home: Path, profiles: Mapping[str, Profile]
    ) -> GraphRecipe:
        """The recipe with the keys of this process and the extractor it has chosen: workers may have other parts installed."""
        names = (store.key_variable, GRAPH_KEY_VARIABLE)
        keys = {name: value for name in names if (value := os.environ.get(name))}
        chosen = settings.model_copy(update={"extractor": chosen_kind(settings)})
        return cls(chosen, store.model_copy(update={"connections": _CONNECTIONS}), home, profiles, keys)

    def __call__(self) -> GraphUpkeep:
        """The upkeep; the graph is opened for the first that is written."""
        for name, value in self.keys.items():
            os.environ.setdefault(name, value)

        @cache
        def store() -> GraphStore:
            return open_graph(self.settings, self.store, self.home)

        @cache
        def extractor() -> Extractor:
            return choose_extractor(self.settings, self.profiles.get)

        return GraphUpkeep(store, extractor if self.settings.build else None)


@dataclass(frozen=True, slots=True)
class EmbedderRecipe:
    """Opens the embedding model of the settings, for so many threads."""

    settings: ModelSettings
    threads: int

    def __call__(self) -> Embedder:
        """The model; ModelError when it cannot be loaded."""
        threads = self.settings.threads or self.threads
        return open_embedder(self.settings.model_copy(update={"threads": threads}))


@dataclass(frozen=True, slots=True)
class GivenEmbedder:
    """An embedding model that was made by the caller and can be sent as it is."""

    embedder: Embedder

    def __call__(self) -> Embedder:
        """The model."""
        return self.embedder


Place = tuple[int, int]
"""Where a document stands in the order of discovery: its source's number, and its number in the source."""


@dataclass(frozen=True, slots=True)
class Source:
    """A file, or a document made by the caller. ``done`` are the ids of those documents in it that are done."""

    number: int
    content: Path | Document
    done: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class SourceBatch:
    """Sources that one worker reads in one go; ``is_careful`` puts every document into a batch of its own."""

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
    """The end of a source: ``documents`` maps the id of all that it gave, good or bad, to its origin."""

    number: int
    finished: Finished
    documents: Mapping[str, str]


@dataclass(slots=True)
class DocumentBatch:
    """Some of what was read, with the ``vectors`` of ``documents`` once they are embedded.

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
        """Whether it should be sent on because of its other content, however few chunks it has."""
        return len(self.unreadable) + len(self.unchanged) + len(self.ends) >= _LONG


_LONG = 500
"""Documents without work that are reported to the driver at once: progress is visible, and messages stay few."""


@dataclass(frozen=True, slots=True)
class Trouble:
    """An error that ends the run, on its way to the driver; raised in a worker it would fail the task in Ray and retry it."""

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
    completeness: Completeness | None


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
    """The result of one batch."""

    written: list[Written] = field(default_factory=list[Written])
    failed: list[Failed] = field(default_factory=list[Failed])
    unchanged: list[tuple[int, Unchanged]] = field(default_factory=list[tuple[int, Unchanged]])
    ends: list[SourceEnd] = field(default_factory=list[SourceEnd])
    alike: list[Alike] = field(default_factory=list[Alike])
    graph: GraphTally = field(default_factory=GraphTally)
    embedding_seconds: float = 0.0
    writing_seconds: float = 0.0
    trouble: Trouble | None = None
