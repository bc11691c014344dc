"""Opening a knowledge base on a server: its schema, and the embedding model it was built with."""

from __future__ import annotations

import hashlib
import tempfile
from collections.abc import Generator, Iterable, Iterator
from contextlib import contextmanager, suppress
from datetime import datetime
from functools import partial
from pathlib import Path

from ascertain.core.errors import StoreError
from ascertain.core.settings import StoreSettings
from ascertain.core.status import SchemaChange
from ascertain.stores.encoding import as_file_name, digest_names
from ascertain.stores.postgres import faults, migrations, vectors
from ascertain.stores.postgres.connections import Connection, Connections
from ascertain.stores.postgres.migrations import require_extension
from ascertain.stores.postgres.schema_database import SchemaDatabase
from ascertain.stores.postgres.store import PostgresStore
from ascertain.stores.postgres.words.filling import fill_words, lacks_words
from ascertain.stores.preparation import Generation
from ascertain.stores.relational.conversations import ConversationTable
from ascertain.stores.relational.database import Database, Session
from ascertain.stores.relational.graph.store import GraphTables
from ascertain.stores.relational.ingest_log import IngestLogTable
from ascertain.stores.relational.reembedding import find_active, keep_generation, retire_generation
from ascertain.stores.relational.service.files import (
    Content,
    FileTable,
    find_file,
    forget_file,
    keep_file,
    unknown_file,
)
from ascertain.stores.relational.service.stores import TableStores
from ascertain.stores.service_ports import StoredFile

# Uploaded files on a PostgreSQL server, in pieces, so that every machine that uses the knowledge base can read them.
#
# The pieces of a new file are written one transaction each and belong to nobody until all are there; a last one makes them the file's.

_PIECE_BYTES = 1 << 20
"""Of one row: what a server takes and gives in a few milliseconds, and holds in memory for each of them."""


class FilePieces(FileTable):
    """A ``FileStore``."""

    def __init__(self, database: Database) -> None:
        super().__init__(database)
        self._is_swept = False

    def put(
        self, file_id: str, name: str, pieces: Iterable[bytes], moment: datetime, tenant: str = "default"
    ) -> StoredFile:
        """Write a file, replacing one of this id."""
        key = digest_names(tenant, file_id)
        content = self._begin_content(key)
        try:
            size, sha256 = 0, hashlib.sha256()
            for place, piece in enumerate(_of_size(pieces, _PIECE_BYTES)):
                self._add_piece(content, place, piece)
                sha256.update(piece)
                size += len(piece)
            file = StoredFile(file_id, name, size, sha256.hexdigest(), moment, tenant)
            self._database.run_change(lambda db: _switch_content(db, key, file, content))
        except BaseException:
            # What cannot be removed now is swept away later.
            with suppress(StoreError):
                self._database.run_change(
                    lambda db: db.change_rows("DELETE FROM file_contents WHERE number = ?", content)
                )
            raise
        return file

    @contextmanager
    def open(self, file_id: str, tenant: str = "default") -> Generator[Path]:
        """A copy in a folder of its own."""
        with tempfile.TemporaryDirectory(prefix="ascertain-", ignore_cleanup_errors=True) as folder:
            yield self._copy_file(Path(folder), file_id, tenant)

    def delete(self, file_id: str, tenant: str = "default") -> bool:
        """Remove a file."""

        def work(db: Session) -> bool:
            content = forget_file(db, file_id, tenant)
            db.change_rows("DELETE FROM file_contents WHERE number = ?", content)
            return content is not None

        return self._database.run_change(work)

    def _begin_content(self, key: bytes) -> int:
        """A new content that is this process's."""
        owner = self._database.announce()
        if not self._is_swept:
            self._database.run_change(self._sweep_leftovers)
            self._is_swept = True
        beginning = "INSERT INTO file_contents (file_key, owner) VALUES (?, ?) RETURNING number"
        return int(self._database.run_change(lambda db: db.fetch_rows(beginning, key, owner))[0][0])

    def _add_piece(self, content: int, place: int, piece: bytes) -> None:
        adding = "INSERT INTO file_pieces (content, place, data) VALUES (?, ?, ?)"
        self._database.run_change(lambda db: db.change_rows(adding, content, place, piece))

    def _copy_file(self, folder: Path, file_id: str, tenant: str) -> Path:
        with self._database.reading() as db:
            found = find_file(db, file_id, tenant)
            if found is None:
                raise unknown_file(file_id)
            file, content = found
            copy = folder / as_file_name(file.name)
            try:
                with copy.open("xb") as opened:
                    opened.writelines(_iterate_pieces(db, content))
            except OSError as error:
                raise StoreError(
                    f"cannot copy {file.name} to {folder} ({error.strerror}): free some space there, or name another "
                    "folder with TMPDIR"
                ) from error
        return copy

    def _sweep_leftovers(self, db: Session) -> None:
        """Remove what was being written by processes that are gone."""
        owners = [
            owner for (owner,) in db.fetch_rows("SELECT DISTINCT owner FROM file_contents WHERE owner IS NOT NULL")
        ]
        for owner in self._database.find_gone(db, owners):
            db.change_rows("DELETE FROM file_contents WHERE owner = ?", owner)


def _iterate_pieces(db: Session, content: Content) -> Iterator[bytes]:
    place = 0
    while found := db.fetch_rows("SELECT data FROM file_pieces WHERE content = ? AND place = ?", content, place):
        yield found[0][0]
        place += 1


def _switch_content(db: Session, key: bytes, file: StoredFile, content: int) -> None:
    """Make a content the file's, and remove what it had."""
    if not db.change_rows("UPDATE file_contents SET owner = NULL WHERE number = ?", content):
        raise StoreError(f"the connection was lost while {file.name} was uploaded: upload it again")
    keep_file(db, file, content)
    db.change_rows("DELETE FROM file_contents WHERE file_key = ? AND owner IS NULL AND number <> ?", key, content)


def _of_size(pieces: Iterable[bytes], size: int) -> Iterator[bytes]:
    """The same bytes in pieces of one size, the last one shorter."""
    held = bytearray()
    for piece in pieces:
        held += piece
        while len(held) >= size:
            yield bytes(held[:size])
            del held[:size]
    if held:
        yield bytes(held)


def open_connections(settings: StoreSettings) -> Connections:
    """Connections to a knowledge base whose schema this program can use; StoreError where there is none."""
    connections = Connections(settings)
    try:
        with faults.translate_errors(connections.place):
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
    connections = Connections(settings)
    try:
        with faults.translate_errors(connections.place), connections.read() as db:
            generation = find_active(db) if migrations.check_version(db, connections) else None
    finally:
        connections.close()
    return None if generation is None else (generation.model, generation.dimension)


def pending_postgres(settings: StoreSettings, home: Path) -> SchemaChange:
    """The steps that the schema lacks; all of them where there is no knowledge base yet."""
    connections = Connections(settings)
    try:
        with faults.translate_errors(connections.place), connections.read() as db:
            before = migrations.schema_version(db, connections.schema)
    finally:
        connections.close()
    known = migrations.list_steps()
    return SchemaChange(before, max(before, len(known)), tuple(step.name for step in known[before:]))


def upgrade_postgres(settings: StoreSettings, home: Path) -> SchemaChange:
    """Apply the steps that the schema lacks, and finish what they leave to do; an empty one is set up."""
    connections = Connections(settings)
    try:
        change = migrations.apply_missing_steps(connections)
        with faults.translate_errors(connections.place):
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
        with faults.translate_errors(connections.place):
            with connections.read() as db:
                version = migrations.schema_version(db, connections.schema)
            if version == 0:
                migrations.apply_missing_steps(connections)
    finally:
        connections.close()


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
    """What a service keeps at ``settings.url``; the schema is set up where there is none yet.

    Raises StoreError when it cannot be used.
    """
    set_up(settings)
    database = SchemaDatabase(open_connections(settings))
    return TableStores(database, FilePieces(database))
