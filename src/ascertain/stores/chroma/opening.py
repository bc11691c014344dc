"""Opening a knowledge base whose vectors are in Chroma."""

from __future__ import annotations

from pathlib import Path

from ascertain.core.settings import StoreSettings
from ascertain.stores.chroma.leg import ChromaLeg
from ascertain.stores.chroma.server import Chroma
from ascertain.stores.companion_records import (
    conversations_beside,
    graph_beside,
    ingest_log_beside,
    service_beside,
)
from ascertain.stores.conversations import ConversationStore
from ascertain.stores.embedded.opening import open_record, stored_model
from ascertain.stores.embedded.store import EmbeddedStore
from ascertain.stores.generations import Generation
from ascertain.stores.graph_ports import GraphStore
from ascertain.stores.progress import IngestLog
from ascertain.stores.service.stores import ServiceStores


def open_chroma(
    settings: StoreSettings, home: Path, embedder_name: str, dimension: int, *, create: bool = True
) -> EmbeddedStore:
    """The store with its record in ``home`` and its vectors in Chroma: at ``store.url``, or without one in ``home``.

    Raises what ``open_embedded`` raises, MissingExtra without chromadb, and StoreError when Chroma cannot be used.
    """
    chroma = Chroma(settings, home)
    try:
        if chroma.folder is None:
            with chroma.using() as client:
                client.heartbeat()
        wanted = Generation(0, embedder_name, dimension)
        return open_record(settings, home, wanted, create, lambda record: ChromaLeg(chroma, record))
    except BaseException:
        chroma.close()
        raise


def open_chroma_conversations(settings: StoreSettings, home: Path, kept_turns: int) -> ConversationStore:
    """The conversations of the knowledge base, in PostgreSQL or in the home."""
    return conversations_beside(settings, home, kept_turns, lambda: _exists(settings, home))


def open_chroma_ingest_log(settings: StoreSettings, home: Path) -> IngestLog:
    """The log of ingest runs, in PostgreSQL or in the home."""
    return ingest_log_beside(settings, home, lambda: _exists(settings, home))


def open_chroma_graph(settings: StoreSettings, home: Path) -> GraphStore:
    """The knowledge graph, in PostgreSQL or in the home."""
    return graph_beside(settings, home, lambda: _exists(settings, home))


def open_chroma_service(settings: StoreSettings, home: Path) -> ServiceStores:
    """What a service keeps, in PostgreSQL or in the home."""
    return service_beside(settings, home)


def _exists(settings: StoreSettings, home: Path) -> bool:
    return stored_model(settings, home) is not None
