"""Opening a home: its schema, and the embedding model it was built with."""

from collections.abc import Callable, Generator
from contextlib import closing, contextmanager
from pathlib import Path

from ascertain.core.service.status import SchemaChange
from ascertain.core.settings import StoreSettings
from ascertain.stores.embedded import faults
from ascertain.stores.embedded.connections import Connections
from ascertain.stores.embedded.dialect import RecordConnection
from ascertain.stores.embedded.home import Layout, WriterLock, prepare_home, require_written
from ascertain.stores.embedded.record import OpenRecord, RowNames, has_vectors
from ascertain.stores.embedded.schema import SCHEMA, check_schema, create_tables, unfinished_error
from ascertain.stores.embedded.store import EmbeddedStore
from ascertain.stores.embedded.vectors.leg import DenseLeg, DenseSearch
from ascertain.stores.records.vectors import Generation
from ascertain.stores.relational.reembedding import add_generation, find_active, keep_generation, retire_generation


def open_embedded_store(
    settings: StoreSettings, home: Path, embedder_name: str, dimension: int, *, create: bool = True
) -> EmbeddedStore:
    """The store in ``home``.

    Raises StoreError when there is none and ``create`` is False, when it is damaged or written by another version, and
    EmbeddingMismatch when it was built with another model. A home that cannot be written to opens for searching.
    """
    return open_record(settings, home, Generation(0, embedder_name, dimension), create, search=DenseLeg)


def open_record(
    settings: StoreSettings,
    home: Path,
    wanted: Generation,
    create: bool,
    *,
    search: Callable[[OpenRecord], DenseSearch],
) -> EmbeddedStore:
    """The store in ``home`` for vectors of the model ``wanted``, searched by meaning with what ``search`` opens."""
    with faults.translate_errors(home):
        layout = prepare_home(home, create)
        connections = Connections(layout.record, read_only=not layout.is_writable)
        lock = WriterLock(layout.lock, settings.lock_seconds)
        try:
            generation = _ensure_generation(layout, connections, lock, wanted)
            record = OpenRecord(
                layout, connections, lock, generation, settings, _fetch_identity(connections), RowNames()
            )
            return EmbeddedStore(record, search(record))
        except BaseException:
            connections.close()
            raise


def stored_model(settings: StoreSettings, home: Path) -> tuple[str, int] | None:
    """Name and dimension of the embedding model a home was built with; None when there is no home yet."""
    layout = Layout(home)
    require_written(layout)
    if not layout.record.is_file():
        return None
    with faults.translate_errors(home):
        opened = Connections(layout.record, read_only=not layout.is_writable)
        with closing(opened) as connections, connections.read() as db:
            generation = find_active(db) if check_schema(db, home) else None
    return None if generation is None else (generation.model, generation.dimension)


def stored_identity(home: Path) -> str:
    """The identity of the record in ``home``; StoreError when there is none."""
    with _lend_record(home) as (_, connections):
        return _fetch_identity(connections)


def read_schema(settings: StoreSettings, home: Path) -> SchemaChange:
    """The schema of the home in ``home``, which has its tables from the first document on; StoreError when there is none."""
    with _lend_record(home) as (_, connections), connections.read() as db:
        return SchemaChange(SCHEMA if check_schema(db, home) else 0, SCHEMA)


@contextmanager
def _lend_record(home: Path) -> Generator[tuple[Layout, Connections]]:
    with faults.translate_errors(home):
        layout = prepare_home(home, create=False)
        with closing(Connections(layout.record, read_only=not layout.is_writable)) as connections:
            yield layout, connections


def _fetch_identity(connections: Connections) -> str:
    with connections.read() as db:
        return str(db.execute("SELECT value FROM home WHERE key = 'identity'").fetchone()[0])


def _ensure_generation(layout: Layout, connections: Connections, lock: WriterLock, wanted: Generation) -> Generation:
    with connections.read() as db:
        stored = _keep_generation(db, layout, wanted) if check_schema(db, layout.home) else None
    if stored is not None:
        return stored
    if connections.read_only:
        raise unfinished_error(layout.home)
    with lock.hold(), connections.write() as db:
        create_tables(db)
        if (stored := _keep_generation(db, layout, wanted)) is not None:
            return stored
        retire_generation(db, "active")
        return add_generation(db, wanted.model, wanted.dimension, "active")


def _keep_generation(db: RecordConnection, layout: Layout, wanted: Generation) -> Generation | None:
    return keep_generation(db, wanted, str(layout.home), lambda _: has_vectors(db))
