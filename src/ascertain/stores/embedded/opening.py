"""Opening a home: checks, migrations, and the embedding model it was built with."""

from collections.abc import Callable, Generator
from contextlib import closing, contextmanager
from pathlib import Path

from ascertain.core.errors import StoreError
from ascertain.core.service.status import SchemaChange
from ascertain.core.settings import StoreSettings
from ascertain.stores.embedded import faults
from ascertain.stores.embedded.connections import Connections
from ascertain.stores.embedded.dialect import RecordConnection
from ascertain.stores.embedded.home import Layout, WriterLock, prepare_home, require_written
from ascertain.stores.embedded.migrations import (
    MIGRATIONS,
    apply_missing_steps,
    check_version,
    describe_change,
    outdated_error,
)
from ascertain.stores.embedded.record import OpenRecord, RowNames, has_vectors
from ascertain.stores.embedded.store import EmbeddedStore
from ascertain.stores.embedded.vectors.leg import DenseLeg, DenseSearch
from ascertain.stores.records.vectors import Generation
from ascertain.stores.relational.reembedding import add_generation, find_active, keep_generation, retire_generation


def open_embedded_store(
    settings: StoreSettings, home: Path, embedder_name: str, dimension: int, *, create: bool = True
) -> EmbeddedStore:
    """The store in ``home``.

    Raises StoreError when there is none and ``create`` is False, when it is damaged or written by a newer version, and
    EmbeddingMismatch when it was built with another model. A home that cannot be written to opens for searching.
    """
    return open_record(settings, home, Generation(0, embedder_name, dimension), create, DenseLeg)


def open_record(
    settings: StoreSettings, home: Path, wanted: Generation, create: bool, search: Callable[[OpenRecord], DenseSearch]
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
            generation = find_active(db) if check_version(db, home) else None
    return None if generation is None else (generation.model, generation.dimension)


def stored_identity(home: Path) -> str:
    """The identity of the record in ``home``; StoreError when there is none."""
    with _lend_record(home) as (_, connections):
        return _fetch_identity(connections)


def pending_embedded(settings: StoreSettings, home: Path) -> SchemaChange:
    """The steps that the home in ``home`` lacks; StoreError when there is none."""
    with _lend_record(home) as (_, connections), connections.read() as db:
        return describe_change(check_version(db, home))


def upgrade_embedded(settings: StoreSettings, home: Path) -> SchemaChange:
    """Apply the steps that the home in ``home`` lacks; StoreError when there is none."""
    with _lend_record(home) as (layout, connections):
        with connections.read() as db:
            before = check_version(db, home)
        if before < len(MIGRATIONS):
            if connections.read_only:
                raise outdated_error(home)
            with WriterLock(layout.lock, settings.lock_seconds).hold(), connections.write() as db:
                apply_missing_steps(db)
    return describe_change(before)


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
        is_current = check_version(db, layout.home) == len(MIGRATIONS)
        stored = _keep_generation(db, layout, wanted) if is_current else None
    if stored is not None:
        return stored
    if connections.read_only and not is_current:
        raise outdated_error(layout.home)
    if connections.read_only:
        raise StoreError(f"{layout.home} is read-only and was never set up completely: make it writable once")
    with lock.hold(), connections.write() as db:
        apply_missing_steps(db)
        if (stored := _keep_generation(db, layout, wanted)) is not None:
            return stored
        retire_generation(db, "active")
        return add_generation(db, wanted.model, wanted.dimension, "active")


def _keep_generation(db: RecordConnection, layout: Layout, wanted: Generation) -> Generation | None:
    return keep_generation(db, wanted, str(layout.home), lambda _: has_vectors(db))
