"""Opening a knowledge base on a server: its schema, and the embedding model it was built with."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from ascertain.core.errors import StoreError
from ascertain.core.settings import StoreSettings
from ascertain.stores.generations import Generation
from ascertain.stores.postgres import faults, generations, migrations
from ascertain.stores.postgres.connections import Connection, Connections
from ascertain.stores.postgres.extension import require_extension
from ascertain.stores.postgres.store import PostgresStore
from ascertain.stores.postgres.words_filling import fill_words, lacks_words
from ascertain.stores.relational.generations import find_active, keep_generation, retire_generation
from ascertain.stores.schema import SchemaChange


def connect(settings: StoreSettings) -> Connections:
    """Connections to a knowledge base whose schema this program can use; StoreError where there is none."""
    connections = Connections(settings)
    try:
        with faults.translated(connections.place):
            _check_schema(connections)
            require_extension(connections, create=False)
    except BaseException:
        connections.close()
        raise
    return connections


def open_postgres(
    settings: StoreSettings, home: Path, embedder_name: str, dimension: int, *, create: bool = True
) -> PostgresStore:
    """The store in the schema ``settings.name`` of the database at ``settings.url``.

    Raises StoreError when the server cannot be used, when there is no knowledge base and ``create`` is False, or when its
    schema is of another version, and EmbeddingMismatch when it was built with another model. ``home`` is not used.
    """
    if create:
        set_up(settings)
    connections = connect(settings)
    try:
        with faults.translated(connections.place):
            generation = _generation(connections, Generation(0, embedder_name, dimension))
        return PostgresStore(connections, generation)
    except BaseException:
        connections.close()
        raise


def stored_model(settings: StoreSettings, home: Path) -> tuple[str, int] | None:
    """Name and dimension of the embedding model a knowledge base was built with; None when there is none yet."""
    connections = Connections(settings)
    try:
        with faults.translated(connections.place), connections.read() as db:
            generation = find_active(db) if migrations.check_version(db, connections) else None
    finally:
        connections.close()
    return None if generation is None else (generation.model, generation.dimension)


def pending_postgres(settings: StoreSettings, home: Path) -> SchemaChange:
    """The steps that the schema lacks; all of them where there is no knowledge base yet."""
    connections = Connections(settings)
    try:
        with faults.translated(connections.place), connections.read() as db:
            before = migrations.schema_version(db, connections.schema)
    finally:
        connections.close()
    known = migrations.steps()
    return SchemaChange(before, max(before, len(known)), tuple(step.name for step in known[before:]))


def upgrade_postgres(settings: StoreSettings, home: Path) -> SchemaChange:
    """Apply the steps that the schema lacks, and finish what they leave to do; an empty one is set up."""
    connections = Connections(settings)
    try:
        change = migrations.upgrade(connections)
        with faults.translated(connections.place):
            fill_words(connections)
        return change
    finally:
        connections.close()


def _check_schema(connections: Connections) -> None:
    with connections.read() as db:
        version = migrations.check_version(db, connections)
        is_unfinished = version > 0 and lacks_words(db)
    if is_unfinished:
        raise StoreError(
            f"{connections.place} is being brought up to date, or that was interrupted: wait for it to end, or run "
            "`ascertain db upgrade` to go on"
        )
    if version == 0:
        raise StoreError(
            f"there is no knowledge base in {connections.place}: run `ascertain db upgrade` to set one up, "
            "or add documents"
        )


def set_up(settings: StoreSettings) -> None:
    """Apply every step where there is no knowledge base yet; what is there stays as it is."""
    connections = Connections(settings)
    try:
        with faults.translated(connections.place):
            with connections.read() as db:
                version = migrations.schema_version(db, connections.schema)
            if version == 0:
                migrations.upgrade(connections)
    finally:
        connections.close()


def _generation(connections: Connections, wanted: Generation) -> Generation:
    with connections.read() as db:
        stored = find_active(db)
    if stored is not None and stored.is_of(wanted.model, wanted.dimension):
        return stored
    return connections.change(lambda db: _choose_generation(db, connections, wanted))


def _choose_generation(db: Connection, connections: Connections, wanted: Generation) -> Generation:
    """The active generation; of model ``wanted`` from now on, if nothing is embedded yet."""
    generations.change(db)
    stored = keep_generation(db, wanted, connections.place, partial(generations.has_vectors, db))
    if stored is not None:
        return stored
    retire_generation(db, "active")
    generations.clean(db)
    return generations.start(db, wanted.model, wanted.dimension, "active")
