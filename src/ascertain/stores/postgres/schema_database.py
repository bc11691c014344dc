"""The schema of a knowledge base on PostgreSQL as the ``Database`` of what else every process shares in it."""

from __future__ import annotations

import logging
import secrets
import threading
from collections.abc import Callable, Generator, Iterable
from contextlib import contextmanager, suppress
from typing import TypeVar, cast

import psycopg
from psycopg import errors

from ascertain.core.errors import StoreBusy
from ascertain.stores.postgres import faults, vectors
from ascertain.stores.postgres.connections import Connection, Connections
from ascertain.stores.preparation import Generation
from ascertain.stores.relational.database import Database, Owner, Session
from ascertain.stores.relational.reembedding import TableReembedding, check_complete, switch_generation, take_up_move

# Whether the process that began something is still alive, on whichever machine it runs.
#
# Each holds an advisory lock as long as it lives, in a transaction that stays open on a connection of its own: the server frees
# the lock when the connection ends. An open transaction rather than the session, so that a connection pooler keeps the
# connection for it; it has no snapshot, so it does not keep the server from cleaning up.

# Without them a machine that vanished would count as alive for the two hours that TCP allows.
_KEEPALIVE_SECONDS, _KEEPALIVE_TRIES = 20, 3


class Presence:
    """One participant's sign of life; safe to use from several threads."""

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
        """Which of ``tokens`` stand for participants that are gone; asks through ``db``, within its transaction."""
        others = sorted(set(tokens) - {self._token})
        # Shared, so that two who look at the same time do not take each other for the one they look for.
        found = db.execute(
            "SELECT token FROM unnest(%s::bigint[]) AS token WHERE pg_try_advisory_xact_lock_shared(token)", (others,)
        )
        return [token for (token,) in found]

    def leave(self) -> None:
        """End the presence."""
        with self._mutex:
            if self._line is not None:
                # Waits for the server, so that from here on everybody sees it.
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

    nobody = 0

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


_logger = logging.getLogger("ascertain.stores")
_LOCK = "hashtextextended('ascertain reembedding ' || current_schema(), 0)"


@contextmanager
def run_reembedding(connections: Connections, model: str, dimension: int) -> Generator[TableReembedding]:
    """Take up or begin a move to ``model``; switch over at the end, if every chunk has its vector.

    Raises StoreBusy while another process moves the store, and StoreError when some chunks have no vector. After any error
    the old vectors stay in use and what was put is kept.
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
            # Somebody still reads the old vectors; nothing uses them from now on.
            _logger.warning(
                "the old vectors of %s are in use: `ascertain doctor --repair` frees them", connections.place
            )


def drop_retired_vectors(connections: Connections) -> None:
    """Free the vectors of models that are no longer used."""
    connections.change(vectors.drop_retired_tables)


@contextmanager
def _only_one(connections: Connections) -> Generator[None]:
    # Of its own: it is held for hours, and there may be only one that is lent.
    with connections.separate() as db:
        row = db.execute(f"SELECT pg_try_advisory_lock({_LOCK})").fetchone()
        if row is None or not row[0]:
            raise StoreBusy(
                f"another process is moving {connections.place} to another embedding model: wait until it has ended"
            )
        yield
