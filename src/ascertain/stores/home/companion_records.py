"""Records that a pure chunk store cannot hold: in PostgreSQL at ``store.conversations_url``, else in the home."""

import importlib
from collections.abc import Callable
from pathlib import Path
from typing import cast

from ascertain.core.errors import StoreError
from ascertain.core.settings import StoreSettings
from ascertain.stores.embedded import faults
from ascertain.stores.embedded.home import Layout
from ascertain.stores.embedded.tables import (
    open_database,
    open_embedded_conversations,
    open_embedded_graph,
    open_embedded_ingest_log,
    open_embedded_service,
)
from ascertain.stores.ports.chunks import IngestLog
from ascertain.stores.ports.conversations import ConversationStore
from ascertain.stores.ports.graph import GraphStore
from ascertain.stores.ports.service import ServiceStores

HasKnowledgeBase = Callable[[], bool]


def conversations_beside(
    settings: StoreSettings, home: Path, kept_turns: int, has_knowledge_base: HasKnowledgeBase
) -> ConversationStore:
    """The conversations of a knowledge base whose chunks are elsewhere; StoreError when there is no knowledge base."""
    _prepare_companion(settings, home, has_knowledge_base)
    if settings.conversations_url:
        opener = _load_postgres("open_postgres_conversations")
        return cast(ConversationStore, opener(_in_postgres(settings), home, kept_turns))
    return open_embedded_conversations(settings, home, kept_turns)


def ingest_log_beside(settings: StoreSettings, home: Path, has_knowledge_base: HasKnowledgeBase) -> IngestLog:
    """The log of a knowledge base whose chunks are elsewhere; raises as ``conversations_beside`` does."""
    _prepare_companion(settings, home, has_knowledge_base)
    if settings.conversations_url:
        return cast(IngestLog, _load_postgres("open_postgres_ingest_log")(_in_postgres(settings), home))
    return open_embedded_ingest_log(settings, home)


def graph_beside(settings: StoreSettings, home: Path, has_knowledge_base: HasKnowledgeBase) -> GraphStore:
    """The knowledge graph of a knowledge base whose chunks are elsewhere; raises as ``conversations_beside`` does."""
    _prepare_companion(settings, home, has_knowledge_base)
    if settings.conversations_url:
        return cast(GraphStore, _load_postgres("open_postgres_graph")(_in_postgres(settings), home))
    return open_embedded_graph(settings, home)


def service_beside(settings: StoreSettings, home: Path) -> ServiceStores:
    """The records of a service beside chunks that are elsewhere; created if missing, as keys come first."""
    if settings.conversations_url:
        return cast(ServiceStores, _load_postgres("open_postgres_service")(_in_postgres(settings), home))
    return open_embedded_service(settings, home)


def check_exists(home: Path, has_knowledge_base: HasKnowledgeBase) -> None:
    """Raise StoreError when there is no knowledge base."""
    if not has_knowledge_base():
        raise StoreError(
            f"there is no knowledge base for {home} yet: run `ascertain add` first, or choose another with --home"
        )


def make_record(home: Path, has_knowledge_base: HasKnowledgeBase) -> None:
    """An empty record in the home, so that it can be opened as that of an embedded store is."""
    with faults.translate_errors(home):
        if Layout(home).record.exists():
            return
    check_exists(home, has_knowledge_base)
    open_database(home, create=True).close()


def _prepare_companion(settings: StoreSettings, home: Path, has_knowledge_base: HasKnowledgeBase) -> None:
    if settings.conversations_url:
        check_exists(home, has_knowledge_base)
        _load_postgres("ensure_schema")(_in_postgres(settings))
    else:
        make_record(home, has_knowledge_base)


def _load_postgres(function: str) -> Callable[..., object]:
    """Imported on use: psycopg need not be installed for a record in the home."""
    module = importlib.import_module("ascertain.stores.postgres.opening")
    return cast(Callable[..., object], getattr(module, function))


def _in_postgres(settings: StoreSettings) -> StoreSettings:
    return settings.model_copy(update={"kind": "postgres", "url": settings.conversations_url, "conversations_url": ""})
