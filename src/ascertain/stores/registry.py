"""Which stores there are. A new one is one module and one line in ``STORES``."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import cast

from ascertain.core.errors import ConfigurationError
from ascertain.core.settings_graph import GraphSettings
from ascertain.core.settings_store import StoreSettings
from ascertain.stores.conversations import ConversationStore
from ascertain.stores.graph_ports import GraphStore
from ascertain.stores.ports import ChunkStore
from ascertain.stores.progress import IngestLog
from ascertain.stores.schema import SchemaChange
from ascertain.stores.service.stores import ServiceStores


@dataclass(frozen=True, slots=True)
class StoreKind:
    """Where a kind of store is implemented, as ``module:function``; the module is imported when it is first used.

    Each has the signature of the function of this module that calls it.
    """

    opener: str
    model_reader: str
    conversations: str
    ingest_log: str
    service: str
    graph: str
    upgrader: str
    schema_reader: str


STORES: dict[str, StoreKind] = {
    "embedded": StoreKind(
        opener="ascertain.stores.embedded.opening:open_embedded",
        model_reader="ascertain.stores.embedded.opening:stored_model",
        conversations="ascertain.stores.embedded.tables:open_embedded_conversations",
        ingest_log="ascertain.stores.embedded.tables:open_embedded_ingest_log",
        service="ascertain.stores.embedded.tables:open_embedded_service",
        graph="ascertain.stores.embedded.tables:open_embedded_graph",
        upgrader="ascertain.stores.embedded.opening:upgrade_embedded",
        schema_reader="ascertain.stores.embedded.opening:pending_embedded",
    ),
    "postgres": StoreKind(
        opener="ascertain.stores.postgres.opening:open_postgres",
        model_reader="ascertain.stores.postgres.opening:stored_model",
        conversations="ascertain.stores.postgres.tables:open_postgres_conversations",
        ingest_log="ascertain.stores.postgres.tables:open_postgres_ingest_log",
        service="ascertain.stores.postgres.tables:open_postgres_service",
        graph="ascertain.stores.postgres.tables:open_postgres_graph",
        upgrader="ascertain.stores.postgres.opening:upgrade_postgres",
        schema_reader="ascertain.stores.postgres.opening:pending_postgres",
    ),
    "chroma": StoreKind(
        opener="ascertain.stores.chroma.opening:open_chroma",
        model_reader="ascertain.stores.embedded.opening:stored_model",
        conversations="ascertain.stores.chroma.opening:open_chroma_conversations",
        ingest_log="ascertain.stores.chroma.opening:open_chroma_ingest_log",
        service="ascertain.stores.chroma.opening:open_chroma_service",
        graph="ascertain.stores.chroma.opening:open_chroma_graph",
        upgrader="ascertain.stores.embedded.opening:upgrade_embedded",
        schema_reader="ascertain.stores.embedded.opening:pending_embedded",
    ),
    "qdrant": StoreKind(
        opener="ascertain.stores.qdrant.opening:open_qdrant",
        model_reader="ascertain.stores.qdrant.opening:stored_model",
        conversations="ascertain.stores.qdrant.companion_records:open_qdrant_conversations",
        ingest_log="ascertain.stores.qdrant.companion_records:open_qdrant_ingest_log",
        service="ascertain.stores.qdrant.companion_records:open_qdrant_service",
        graph="ascertain.stores.qdrant.companion_records:open_qdrant_graph",
        upgrader="ascertain.stores.qdrant.opening:upgrade_qdrant",
        schema_reader="ascertain.stores.qdrant.opening:pending_qdrant",
    ),
}


_NEO4J_GRAPH = "ascertain.stores.neo4j.opening:open_neo4j_graph"


def open_store(
    settings: StoreSettings, home: Path, embedder_name: str, dimension: int, *, create: bool = True
) -> ChunkStore:
    """The store that ``settings.kind`` names, for vectors of one embedding model.

    Raises ConfigurationError for an unknown kind, StoreError when it cannot be opened (or, without ``create``, does not
    exist) and EmbeddingMismatch when it was built with another model.
    """
    opener = cast(Callable[..., ChunkStore], _function(_kind(settings).opener))
    return opener(settings, home, embedder_name, dimension, create=create)


def embedding_of(settings: StoreSettings, home: Path) -> tuple[str, int] | None:
    """Name and dimension of the embedding model that a knowledge base was built with; None when there is none yet."""
    reader = cast(
        Callable[[StoreSettings, Path], tuple[str, int] | None], _function(_kind(settings).model_reader)
    )
    return reader(settings, home)


def open_conversations(settings: StoreSettings, home: Path, *, kept_turns: int = 50) -> ConversationStore:
    """The conversations of the knowledge base, with the whole answers of the last ``kept_turns`` of each.

    Raises ConfigurationError for an unknown kind and StoreError when there is no knowledge base or it cannot be used.
    """
    opener = cast(
        Callable[[StoreSettings, Path, int], ConversationStore], _function(_kind(settings).conversations)
    )
    return opener(settings, home, kept_turns)


def open_ingest_log(settings: StoreSettings, home: Path) -> IngestLog:
    """The log of what is added to the knowledge base; raises as ``open_conversations`` does."""
    opener = cast(Callable[[StoreSettings, Path], IngestLog], _function(_kind(settings).ingest_log))
    return opener(settings, home)


def open_service(settings: StoreSettings, home: Path) -> ServiceStores:
    """What a service keeps beside documents and conversations; raises as ``open_conversations`` does."""
    opener = cast(Callable[[StoreSettings, Path], ServiceStores], _function(_kind(settings).service))
    return opener(settings, home)


def open_graph(graph: GraphSettings, store: StoreSettings, home: Path) -> GraphStore:
    """The knowledge graph of the knowledge base, with its documents or on the server that ``graph.store`` names; raises as ``open_conversations`` does."""
    if graph.store == "neo4j":
        opener = cast(Callable[[GraphSettings, StoreSettings, Path], GraphStore], _function(_NEO4J_GRAPH))
        return opener(graph, store, home)
    beside = cast(Callable[[StoreSettings, Path], GraphStore], _function(_kind(store).graph))
    return beside(store, home)


def upgrade_schema(settings: StoreSettings, home: Path) -> SchemaChange:
    """Bring the store's schema up to this version of the program; safe to run again and from several machines at once.

    An empty server is set up. Raises ConfigurationError for an unknown kind and StoreError when it cannot be done.
    """
    upgrader = cast(Callable[[StoreSettings, Path], SchemaChange], _function(_kind(settings).upgrader))
    return upgrader(settings, home)


def pending_schema(settings: StoreSettings, home: Path) -> SchemaChange:
    """What ``upgrade_schema`` would do; changes nothing, and an empty server stays empty. Raises as it does."""
    reader = cast(Callable[[StoreSettings, Path], SchemaChange], _function(_kind(settings).schema_reader))
    return reader(settings, home)


def _kind(settings: StoreSettings) -> StoreKind:
    kind = STORES.get(settings.kind)
    if kind is None:
        raise ConfigurationError(f"store.kind is {settings.kind!r}; it can be: {', '.join(sorted(STORES))}")
    return kind


def _function(path: str) -> object:
    module, _, name = path.partition(":")
    return getattr(importlib.import_module(module), name)
