"""Opening a knowledge base on a server: its schema, and the embedding model it was built with."""

from collections.abc import Generator
from contextlib import closing, contextmanager
from functools import partial
from pathlib import Path

from ascertain.core.errors import StoreError
from ascertain.core.service.status import SchemaChange
from ascertain.core.settings import StoreSettings
from ascertain.stores.postgres import faults, schema, vectors
from ascertain.stores.postgres.connections import Connection, Connections
from ascertain.stores.postgres.store import PostgresStore
from ascertain.stores.postgres.tables import FilePieces, SchemaDatabase
from ascertain.stores.records.vectors import Generation
from ascertain.stores.relational.conversations import ConversationTable
from ascertain.stores.relational.graph_store import GraphTables
from ascertain.stores.relational.ingest_log import IngestLogTable
from ascertain.stores.relational.reembedding import find_active, keep_generation, retire_generation
from ascertain.stores.relational.service_tables import TableStores


def open_connections(settings: StoreSettings) -> Connections:
    """Connections to a knowledge base whose schema this program can use; StoreError where there is none."""
    connections = Connections(settings)
    try:
        with faults.translate_errors(connections.place):
            _require_schema(connections)
            schema.require_extension(connections, create=False)
    except BaseException:
        connections.close()
        raise
    return connections


def open_postgres(
    settings: StoreSettings, home: Path, embedder_name: str, dimension: int, *, create: bool = True
) -> PostgresStore:
    """The store in the schema ``settings.name`` of the database at ``settings.url``.

    Raises StoreError when the server cannot be used, when there is no knowledge base and ``create`` is False, or when
    its schema is of another version, and EmbeddingMismatch when it was built with another model. ``home`` is not used.
    """
    if create:
        ensure_schema(settings)
    connections = open_connections(settings)
    try:
        with faults.translate_errors(connections.place):
            generation = _ensure_generation(connections, Generation(0, embedder_name, dimension))
        return PostgresStore(connections, generation)
    except BaseException:
        connections.close()
        raise


def stored_model(settings: StoreSettings, home: Path) -> tuple[str, int] | None:
    """Name and dimension of the embedding model a knowledge base was built with; None when there is none yet."""
    with _lend_connections(settings) as connections, connections.read() as db:
        generation = find_active(db) if schema.check_schema(db, connections) else None
    return None if generation is None else (generation.model, generation.dimension)


def read_schema(settings: StoreSettings, home: Path) -> SchemaChange:
    """The version of the schema; 0 where there is no knowledge base yet."""
    with _lend_connections(settings) as connections, connections.read() as db:
        return SchemaChange(schema.SCHEMA if schema.check_schema(db, connections) else 0, schema.SCHEMA)


def create_schema(settings: StoreSettings, home: Path) -> SchemaChange:
    """Create the schema where there is none."""
    with _lend_connections(settings) as connections:
        return schema.create_tables(connections)


def _require_schema(connections: Connections) -> None:
    with connections.read() as db:
        is_there = schema.check_schema(db, connections)
    if not is_there:
        raise StoreError(
            f"there is no knowledge base in {connections.place}: run `ascertain db create` to set one up, "
            "or add documents"
        )


def ensure_schema(settings: StoreSettings) -> None:
    """As ``create_schema``, without the rights that it needs where there is one."""
    with _lend_connections(settings) as connections:
        with connections.read() as db:
            is_there = schema.check_schema(db, connections)
        if not is_there:
            schema.create_tables(connections)


@contextmanager
def _lend_connections(settings: StoreSettings) -> Generator[Connections]:
    with closing(Connections(settings)) as connections, faults.translate_errors(connections.place):
        yield connections


def _ensure_generation(connections: Connections, wanted: Generation) -> Generation:
    with connections.read() as db:
        stored = find_active(db)
    if stored is not None and stored.is_of(wanted.model, wanted.dimension):
        return stored
    return connections.change(lambda db: _choose_generation(db, connections, wanted))


def _choose_generation(db: Connection, connections: Connections, wanted: Generation) -> Generation:
    """The active generation; of model ``wanted`` from now on, if nothing is embedded yet."""
    vectors.lock_generations(db)
    stored = keep_generation(db, wanted, connections.place, partial(vectors.has_vectors, db))
    if stored is not None:
        return stored
    retire_generation(db, "active")
    vectors.drop_retired_tables(db)
    return vectors.start_generation(db, wanted.model, wanted.dimension, "active")


def open_postgres_conversations(settings: StoreSettings, home: Path, kept_turns: int) -> ConversationTable:
    """The conversations at ``settings.url``; StoreError when there is no knowledge base or it cannot be used."""
    return ConversationTable(SchemaDatabase(open_connections(settings)), kept_turns)


def open_postgres_ingest_log(settings: StoreSettings, home: Path) -> IngestLogTable:
    """The ingest log at ``settings.url``; StoreError when there is no knowledge base or it cannot be used."""
    return IngestLogTable(SchemaDatabase(open_connections(settings)))


def open_postgres_graph(settings: StoreSettings, home: Path) -> GraphTables:
    """The graph at ``settings.url``; StoreError when there is no knowledge base or it cannot be used."""
    return GraphTables(SchemaDatabase(open_connections(settings)))


def open_postgres_service(settings: StoreSettings, home: Path) -> TableStores:
    """The records of a service at ``settings.url``; the schema is created if missing.

    Raises StoreError when it cannot be used.
    """
    ensure_schema(settings)
    database = SchemaDatabase(open_connections(settings))
    return TableStores(database, FilePieces(database))
