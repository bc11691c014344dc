"""A schema as the ``Database`` of what all processes share: uploaded files, and a move to another model."""

import hashlib
import logging
import secrets
import tempfile
import threading
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import contextmanager, suppress
from datetime import datetime
from pathlib import Path
from typing import TypeVar, cast

import psycopg
from psycopg import errors

from ascertain.core.errors import StoreBusy, StoreError
from ascertain.stores.ports.service import StoredFile
from ascertain.stores.postgres import faults, vectors
from ascertain.stores.postgres.connections import Connection, Connections
from ascertain.stores.records.encoding import as_file_name, digest_names
from ascertain.stores.records.vectors import Generation
from ascertain.stores.relational.database import Database, Owner, Session
from ascertain.stores.relational.file_tables import Content, FileTable, find_file, forget_file, keep_file, unknown_file
from ascertain.stores.relational.reembedding import TableReembedding, check_complete, switch_generation, take_up_move

# Without them a machine that vanished would count as alive for the two hours that TCP allows.
_KEEPALIVE_SECONDS, _KEEPALIVE_TRIES = 20, 3


class Presence:
    """One participant's heartbeat, visible from any machine; safe to use from several threads.

    Each holds an advisory lock as long as it lives, in a transaction that stays open on a connection of its own: the
    server frees the lock when the connection ends. An open transaction rather than the session, so that a connection
    pooler keeps the connection for it; it has no snapshot, so it does not keep the server from cleaning up.
    """

    def __init__(self, connections: Connections) -> None:
        self._connections = connections
        self._mutex = threading.Lock()
        # Of 62 bits, so that two never draw the same and other locks of the database are not met.
        self._token = secrets.randbits(62)
        self._line: Connection | None = None

    def announce(self) -> int:
        """The token of this participant, alive until ``leave`` or the end of the process; raises psycopg.Error.

        A connection that was lost meanwhile is replaced.
        """
        with self._mutex:
            if self._line is None or not _is_alive(self._line):
                self._line = None
                self._line = self._open_line()
            return self._token

    def dead(self, db: Connection, tokens: Iterable[int]) -> list[int]:
        """Which of ``tokens`` belong to dead participants; asks through ``db``, within its transaction."""
        others = sorted(set(tokens) - {self._token})
        # Shared, so that two checking at the same time do not see each other's lock as that of the participant.
        found = db.execute(
            "SELECT token FROM unnest(%s::bigint[]) AS token WHERE pg_try_advisory_xact_lock_shared(token)", (others,)
        )
        return [token for (token,) in found]

    def leave(self) -> None:
        """End the presence."""
        with self._mutex:
            if self._line is not None:
                # Waits for the server, so that from here on everyone sees it.
                with suppress(psycopg.Error):
                    self._line.rollback()
                self._line.close()
                self._line = None

    def _open_line(self) -> Connection:
        line = self._connections.separate()
        try:
            line.execute("BEGIN ISOLATION LEVEL READ COMMITTED")
            for setting, value in (
                ("idle_in_transaction_session_timeout", 0),
                ("statement_timeout", 0),
                ("tcp_keepalives_idle", _KEEPALIVE_SECONDS),
                ("tcp_keepalives_interval", _KEEPALIVE_SECONDS),
                ("tcp_keepalives_count", _KEEPALIVE_TRIES),
            ):
                line.execute("SELECT set_config(%s, %s, true)", (setting, str(value)))
            line.execute("SELECT pg_advisory_xact_lock(%s)", (self._token,))
        except BaseException:
            line.close()
            raise
        return line


def _is_alive(line: Connection) -> bool:
    try:
        line.execute("SELECT")
    except psycopg.Error:
        line.close()
        return False
    return True


_Result = TypeVar("_Result")


class SchemaDatabase(Database):
    """One schema as a ``Database``."""

    no_owner = 0

    def __init__(self, connections: Connections) -> None:
        self.connections = connections
        self._presence = Presence(connections)

    @property
    def place(self) -> str:
        return self.connections.place

    @contextmanager
    def reading(self) -> Generator[Session]:
        with faults.translate_errors(self.place), self.connections.read() as db:
            yield db

    def run_change(self, work: Callable[[Session], _Result], *, flushed: bool = True) -> _Result:
        with faults.translate_errors(self.place):
            return self.connections.change(work, flushed=flushed)

    def announce(self, purpose: str = "a service cannot work on anything") -> Owner:
        with faults.translate_errors(self.place):
            return self._presence.announce()

    def find_gone(self, db: Session, owners: Iterable[Owner]) -> set[Owner]:
        tokens = {int(owner) for owner in owners}
        return set(self._presence.dead(cast(Connection, db), tokens)) if tokens else set()

    def close(self) -> None:
        self._presence.leave()
        self.connections.close()


_PIECE_BYTES = 1 << 20
"""Of one row: what a server takes and gives in a few milliseconds, and holds in memory for each of them."""


class FilePieces(FileTable):
    """A ``FileStore`` in pieces, so that every machine that uses the knowledge base can read its files.

    The pieces of a new file are written one transaction each and have no owner until all are stored; a last one makes
    them the file's.
    """

    def __init__(self, database: Database) -> None:
        super().__init__(database)
        self._is_swept = False

    def put(
        self,
        file_id: str,
        name: str,
        pieces: Iterable[bytes],
        moment: datetime,
        tenant: str = "default",
        *,
        user: str = "",
    ) -> StoredFile:
        key = digest_names(tenant, file_id)
        content = self._begin_content(key)
        try:
            size, sha256 = 0, hashlib.sha256()
            for place, piece in enumerate(_cut_pieces(pieces, _PIECE_BYTES)):
                self._add_piece(content, place, piece)
                sha256.update(piece)
                size += len(piece)
            file = StoredFile(file_id, name, size, sha256.hexdigest(), moment, tenant, user)
            self._database.run_change(lambda db: _switch_content(db, key, file, content))
        except BaseException:
            # What cannot be removed now is cleaned up later.
            with suppress(StoreError):
                self._database.run_change(
                    lambda db: db.change_rows("DELETE FROM file_contents WHERE number = ?", content)
                )
            raise
        return file

    @contextmanager
    def open(self, file_id: str, tenant: str = "default") -> Generator[Path]:
        with tempfile.TemporaryDirectory(prefix="ascertain-", ignore_cleanup_errors=True) as folder:
            yield self._copy_file(Path(folder), file_id, tenant)

    def delete(self, file_id: str, tenant: str = "default") -> bool:
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
        """Remove unfinished files of dead processes."""
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


def _cut_pieces(pieces: Iterable[bytes], size: int) -> Iterator[bytes]:
    """The same bytes in pieces of one size, the last one shorter."""
    held = bytearray()
    for piece in pieces:
        held += piece
        while len(held) >= size:
            yield bytes(held[:size])
            del held[:size]
    if held:
        yield bytes(held)


_logger = logging.getLogger("ascertain.stores")
_LOCK = "hashtextextended('ascertain reembedding ' || current_schema(), 0)"


@contextmanager
def run_reembedding(connections: Connections, model: str, dimension: int) -> Generator[TableReembedding]:
    """Take up or begin a move to ``model``; switch over at the end, if every chunk has its vector.

    Raises StoreBusy while another process moves the store, and StoreError when some chunks have no vector. After any
    error the old vectors stay in use and what was put is kept.
    """

    def begin(db: Connection) -> Generation:
        vectors.lock_generations(db)
        return take_up_move(db, model, dimension, vectors.start_generation)

    def switch(db: Connection) -> None:
        vectors.lock_generations(db)
        switch_generation(db, generation, connections.place)

    with _only_one(connections):
        generation = connections.change(begin)
        yield TableReembedding(SchemaDatabase(connections), generation)
        with connections.read() as db:
            check_complete(db, generation, connections.place)
            needs_graph = vectors.is_due(db, generation, connections.settings)
        if needs_graph:
            vectors.build_graph(connections, generation)
        connections.change(switch)
        try:
            drop_retired_vectors(connections)
        except errors.LockNotAvailable:
            # Another transaction still reads the old vectors; nothing uses them from now on.
            _logger.warning(
                "the old vectors of %s are in use: `ascertain doctor --repair` frees them", connections.place
            )


def drop_retired_vectors(connections: Connections) -> None:
    """Free the vectors of models that are no longer used."""
    connections.change(vectors.drop_retired_tables)


@contextmanager
def _only_one(connections: Connections) -> Generator[None]:
    # A separate one: it is held for hours, and there may be only one that is lent.
    with connections.separate() as db:
        if not db.fetch_rows(f"SELECT pg_try_advisory_lock({_LOCK})")[0][0]:
            raise StoreBusy(
                f"another process is moving {connections.place} to another embedding model: wait until it has ended"
            )
        yield
