"""Whether the process that began something is still alive, on whichever machine it runs.

Each holds an advisory lock as long as it lives, in a transaction that stays open on a connection of its own: the server frees
the lock when the connection ends. An open transaction rather than the session, so that a connection pooler keeps the
connection for it; it has no snapshot, so it does not keep the server from cleaning up.
"""

from __future__ import annotations

import secrets
import threading
from collections.abc import Iterable
from contextlib import suppress

import psycopg

from ascertain.stores.postgres.connections import Connection, Connections

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
            if self._line is None or not _answers(self._line):
                self._line = None
                self._line = self._opened()
            return self._token

    def dead(self, db: Connection, tokens: Iterable[int]) -> list[int]:
        """Which of ``tokens`` stand for participants that are gone; asks through ``db``, within its transaction."""
        others = sorted(set(tokens) - {self._token})
        # Shared, so that two who look at the same time do not take each other for the one they look for.
        found = db.execute(
            "SELECT token FROM unnest(%s::bigint[]) AS token WHERE pg_try_advisory_xact_lock_shared(token)",
            (others,),
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

    def _opened(self) -> Connection:
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


def _answers(line: Connection) -> bool:
    try:
        line.execute("SELECT")
    except psycopg.Error:
        line.close()
        return False
    return True
