"""Opens the stores that ``store.kind`` names, found by the entry points ``ascertain.stores``.

An entry point stands for a ``StoreKind``; docs/extending.md has an example.
"""

import importlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar, cast

from ascertain.core.errors import StoreError
from ascertain.core.service.status import SchemaChange
from ascertain.core.settings import GraphSettings, StoreSettings
from ascertain.core.system.plugins import STORES, require_plugin
from ascertain.core.system.private_files import make_private_folder
from ascertain.stores.ports.chunks import ChunkStore, CompleteStore, IngestLog
from ascertain.stores.ports.conversations import KEPT_TURNS, ConversationStore
from ascertain.stores.ports.graph import GraphStore
from ascertain.stores.ports.service import ServiceStores
from ascertain.stores.records.vectors import Generation, mismatch_error

_F = TypeVar("_F", bound=Callable[..., object])
OpenStore = Callable[..., ChunkStore]
"""As ``open_store``."""
ReadModel = Callable[[StoreSettings, Path], tuple[str, int] | None]
OpenConversations = Callable[[StoreSettings, Path, int], ConversationStore]
OpenIngestLog = Callable[[StoreSettings, Path], IngestLog]
OpenService = Callable[[StoreSettings, Path], ServiceStores]
OpenGraph = Callable[[StoreSettings, Path], GraphStore]
ChangeSchema = Callable[[StoreSettings, Path], SchemaChange]


@dataclass(frozen=True, slots=True)
class StoreKind:
    """A kind of store: functions, or ``module:function`` for what is imported when it is first used.

    Each is called as the function of the same name in this module. What a kind leaves out is stored in the home (or
    where ``store.conversations_url`` says) as in an embedded store; without ``read_schema`` it has no schema of its own,
    without ``create_schema`` it is made with the first document.
    """

    open_store: OpenStore | str
    read_model: ReadModel | str
    """As ``embedding_of``."""
    open_conversations: OpenConversations | str | None = None
    open_ingest_log: OpenIngestLog | str | None = None
    open_service: OpenService | str | None = None
    open_graph: OpenGraph | str | None = None
    create_schema: ChangeSchema | str | None = None
    read_schema: ChangeSchema | str | None = None
    checks_model: bool = False
    """Whether ``open_store`` refuses another model than ``read_model``'s and, without ``create``, an empty place.

    Otherwise ``open_kind`` does, and opening must not note the model: it belongs to the first document that is written.
    """


_BESIDE = "ascertain.stores.home.companion_records"
_NEO4J_GRAPH = "ascertain.stores.neo4j.store:open_neo4j_graph"


def open_store(
    settings: StoreSettings, home: Path, embedder_name: str, dimension: int, *, create: bool = True
) -> CompleteStore:
    """The store that ``settings.kind`` names, for vectors of one embedding model.

    Raises ConfigurationError for an unknown kind, StoreError when it cannot be opened (or, without ``create``, does not
    exist) and EmbeddingMismatch when it was built with another model.
    """
    return open_kind(_load_kind(settings), settings, home, (embedder_name, dimension), create=create)


def open_kind(
    kind: StoreKind, settings: StoreSettings, home: Path, model: tuple[str, int], *, create: bool = True
) -> CompleteStore:
    """As ``open_store``, a store of this kind."""
    from ascertain.stores.defaults import complete_store  # noqa: PLC0415  it analyses words: tantivy

    opener = _load_function(kind.open_store)
    if kind.checks_model:
        return complete_store(opener(settings, home, *model, create=create), model, home)
    stored = _load_function(kind.read_model)(settings, home)
    if stored is None and not create:
        raise StoreError(f"there is no knowledge base in {home}: run `ascertain add` first")
    make_private_folder(home)
    opened = complete_store(opener(settings, home, *model, create=create), model, home)
    if stored not in (None, model) and opened.tenants():
        opened.close()
        raise mismatch_error(home, Generation(0, *stored), *model)
    return opened


def embedding_of(settings: StoreSettings, home: Path) -> tuple[str, int] | None:
    """Name and dimension of the embedding model that a knowledge base was built with; None when there is none yet."""
    return _load_function(_load_kind(settings).read_model)(settings, home)


def open_conversations(settings: StoreSettings, home: Path, *, kept_turns: int = KEPT_TURNS) -> ConversationStore:
    """The conversations of the knowledge base, with the whole answers of the last ``kept_turns`` of each.

    Raises ConfigurationError for an unknown kind and StoreError when there is no knowledge base or it cannot be used.
    """
    if own := _load_kind(settings).open_conversations:
        return _load_function(own)(settings, home, kept_turns)
    beside = cast(Callable[..., ConversationStore], _load_function(f"{_BESIDE}:conversations_beside"))
    return beside(settings, home, kept_turns, lambda: embedding_of(settings, home) is not None)


def open_ingest_log(settings: StoreSettings, home: Path) -> IngestLog:
    """The ingest log of the knowledge base; raises as ``open_conversations`` does."""
    if own := _load_kind(settings).open_ingest_log:
        return _load_function(own)(settings, home)
    beside = cast(Callable[..., IngestLog], _load_function(f"{_BESIDE}:ingest_log_beside"))
    return beside(settings, home, lambda: embedding_of(settings, home) is not None)


def open_service(settings: StoreSettings, home: Path) -> ServiceStores:
    """The records of a service beside documents and conversations; raises as ``open_conversations`` does."""
    own = _load_kind(settings).open_service
    return _load_function(own or cast(OpenService, _load_function(f"{_BESIDE}:service_beside")))(settings, home)


def open_graph(graph: GraphSettings, store: StoreSettings, home: Path) -> GraphStore:
    """The knowledge graph, with the documents or where ``graph.store`` says; raises as ``open_conversations`` does."""
    if graph.store == "neo4j":
        opener = cast(Callable[[GraphSettings, StoreSettings, Path], GraphStore], _load_function(_NEO4J_GRAPH))
        return opener(graph, store, home)
    if own := _load_kind(store).open_graph:
        return _load_function(own)(store, home)
    beside = cast(Callable[..., GraphStore], _load_function(f"{_BESIDE}:graph_beside"))
    return beside(store, home, lambda: embedding_of(store, home) is not None)


def create_schema(settings: StoreSettings, home: Path) -> SchemaChange:
    """Set up an empty server; safe to run again and from several machines at once.

    A store whose schema is made with its first document is only looked at. Raises ConfigurationError for an unknown kind,
    SchemaMismatch for a store of another version, and StoreError when it cannot be done.
    """
    own = _load_kind(settings).create_schema
    return _load_function(own)(settings, home) if own else read_schema(settings, home)


def read_schema(settings: StoreSettings, home: Path) -> SchemaChange:
    """What ``create_schema`` would do; changes nothing, and an empty server stays empty. Raises as it does."""
    own = _load_kind(settings).read_schema
    if own is None and not (home / "record.sqlite3").exists():
        return SchemaChange(1, 1)
    # Conversations of a kind without a schema are in the record of the home.
    of_record = cast(ChangeSchema, _load_function("ascertain.stores.embedded.opening:read_schema"))
    return (_load_function(own) if own else of_record)(settings, home)


def _load_kind(settings: StoreSettings) -> StoreKind:
    setting = "store.kind"
    plugin = require_plugin(STORES, settings.kind, setting)
    kind = plugin.load(setting)
    if not isinstance(kind, StoreKind):
        raise plugin.make_error(setting, f"it is a {type(kind).__name__}, not an ascertain.stores.registry.StoreKind")
    return kind


def _load_function(part: _F | str) -> _F:
    if not isinstance(part, str):
        return part
    module, _, name = part.partition(":")
    return cast(_F, getattr(importlib.import_module(module), name))
