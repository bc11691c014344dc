"""Opening the graph of a knowledge base on a Bolt server."""

from __future__ import annotations

from pathlib import Path

from ascertain.core.settings import GraphSettings, StoreSettings
from ascertain.stores.companion_records import check_exists, make_record
from ascertain.stores.embedded.opening import stored_identity
from ascertain.stores.neo4j.connection import Bolt
from ascertain.stores.neo4j.schema import prepare
from ascertain.stores.neo4j.store import Neo4jGraph
from ascertain.stores.registry import embedding_of


def open_neo4j_graph(graph: GraphSettings, store: StoreSettings, home: Path) -> Neo4jGraph:
    """The graph of the knowledge base, on the server at ``graph.url``; constraints and indexes are made where there are none yet.

    Raises StoreError when the server cannot be used or there is no knowledge base, ConfigurationError for an address that is none.
    """
    bolt = Bolt(graph, store)
    try:
        prepare(bolt)
        return Neo4jGraph(bolt, base_of(store, home))
    except BaseException:
        bolt.close()
        raise


def base_of(store: StoreSettings, home: Path) -> str:
    """What tells this knowledge base from others in the same database.

    A record in a home has an identity that goes where the folder goes; knowledge bases on servers go by the name that every machine knows.
    """
    if store.is_shared:
        check_exists(home, lambda: embedding_of(store, home) is not None)
        return f"{store.kind} {store.name}"
    make_record(home, lambda: embedding_of(store, home) is not None)
    return stored_identity(home)
