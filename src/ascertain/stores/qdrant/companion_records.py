"""Conversations, the ingest log, the graph and what a service keeps of a knowledge base in Qdrant."""

from __future__ import annotations

from pathlib import Path

from ascertain.core.settings import StoreSettings
from ascertain.stores.companion_records import (
    conversations_beside,
    graph_beside,
    ingest_log_beside,
    service_beside,
)
from ascertain.stores.conversations import ConversationStore
from ascertain.stores.graph_ports import GraphStore
from ascertain.stores.progress import IngestLog
from ascertain.stores.qdrant.opening import stored_model
from ascertain.stores.service.stores import ServiceStores


def open_qdrant_conversations(settings: StoreSettings, home: Path, kept_turns: int) -> ConversationStore:
    """The conversations; StoreError when there is no knowledge base."""
    return conversations_beside(settings, home, kept_turns, lambda: stored_model(settings, home) is not None)


def open_qdrant_ingest_log(settings: StoreSettings, home: Path) -> IngestLog:
    """The log of what is added; StoreError when there is no knowledge base."""
    return ingest_log_beside(settings, home, lambda: stored_model(settings, home) is not None)


def open_qdrant_graph(settings: StoreSettings, home: Path) -> GraphStore:
    """The knowledge graph; StoreError when there is no knowledge base."""
    return graph_beside(settings, home, lambda: stored_model(settings, home) is not None)


def open_qdrant_service(settings: StoreSettings, home: Path) -> ServiceStores:
    """What a service keeps; begun where there is nothing yet."""
    return service_beside(settings, home)
