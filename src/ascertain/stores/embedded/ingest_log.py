"""The log of ingest runs in the record of an embedded home.

Writes are single short transactions that wait for other transactions only, never for the writer's lock of an ingest.
"""

from __future__ import annotations

import sqlite3
from datetime import datetime
from pathlib import Path

from ascertain.core.errors import StoreError
from ascertain.core.settings import StoreSettings
from ascertain.stores.embedded import faults
from ascertain.stores.embedded.connections import Connections
from ascertain.stores.embedded.layout import Layout, prepare
from ascertain.stores.embedded.migrations import bring_up
from ascertain.stores.embedded.presence import Presence
from ascertain.stores.progress import KEPT_RUNS, PROCESS_ENDED, IngestRun, RunState
from ascertain.stores.rows import Row, microseconds, python_text, sql_text


def open_embedded_ingest_log(settings: StoreSettings, home: Path) -> EmbeddedIngestLog:
    """The ingest log of the knowledge base in ``home``; StoreError when there is none or it cannot be used."""
    with faults.translated(home):
        layout = prepare(home, create=False)
        connections = Connections(layout.record, read_only=not layout.is_writable)
        try:
            bring_up(layout, connections)
        except BaseException:
            connections.close()
            raise
    return EmbeddedIngestLog(layout, connections)


class EmbeddedIngestLog:
    """An ``IngestLog`` in one folder; made by ``open_embedded_ingest_log``."""

    def __init__(self, layout: Layout, connections: Connections) -> None:
        self._layout = layout
        self._connections = connections
        self._presence = Presence(layout.running)

    def record(self, run: IngestRun, tenant: str = "default") -> None:
        """Write a run over what was written of it."""
        with faults.translated(self._layout.home):
            if self._connections.read_only:
                raise StoreError(f"{self._layout.home} is read-only: nothing can be added to it")
            owner = self._presence.announce() if run.state is RunState.RUNNING else ""
            with self._connections.write() as db:
                _write(db, run, sql_text(tenant), owner)
                _forget(db, sql_text(tenant))

    def runs(self, tenant: str = "default", limit: int = 10) -> list[IngestRun]:
        """The latest runs; a running one whose process is gone is shown as interrupted."""
        with faults.translated(self._layout.home), self._connections.read() as db:
            found = db.execute(
                """SELECT owner, id, engine, what, started_at, updated_at, state, bytes_done, bytes_total, chunks, failures, reason
                   FROM ingest_runs WHERE tenant = ? ORDER BY started DESC, number DESC LIMIT ?""",
                (sql_text(tenant), max(0, limit)),
            )
            return [self._run(row) for row in found]

    def close(self) -> None:
        """Release files and the sign of life."""
        self._presence.leave()
        self._connections.close()

    def _run(self, row: Row) -> IngestRun:
        owner, name, engine, what, started_at, updated_at, stored_state, *counts, reason = row
        state, reason = RunState(stored_state), python_text(reason)
        if state is RunState.RUNNING and not self._presence.is_alive(owner):
            state, reason = RunState.INTERRUPTED, PROCESS_ENDED
        return IngestRun(
            python_text(name),
            python_text(engine),
            python_text(what),
            datetime.fromisoformat(started_at),
            datetime.fromisoformat(updated_at),
            state,
            *counts,
            reason=reason,
        )


def _write(db: sqlite3.Connection, run: IngestRun, tenant: str | bytes, owner: str) -> None:
    db.execute(
        """INSERT INTO ingest_runs (tenant, id, engine, what, started_at, started, updated_at, state, owner,
                                    bytes_done, bytes_total, chunks, failures, reason)
           VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
           ON CONFLICT (tenant, id) DO UPDATE SET engine = excluded.engine, what = excluded.what,
               started_at = excluded.started_at, started = excluded.started, updated_at = excluded.updated_at,
               state = excluded.state, owner = excluded.owner, bytes_done = excluded.bytes_done,
               bytes_total = excluded.bytes_total, chunks = excluded.chunks, failures = excluded.failures,
               reason = excluded.reason""",
        (
            tenant,
            sql_text(run.id),
            sql_text(run.engine),
            sql_text(run.what),
            run.started_at.isoformat(),
            microseconds(run.started_at),
            run.updated_at.isoformat(),
            run.state.value,
            owner,
            run.bytes_done,
            run.bytes_total,
            run.chunks,
            run.failures,
            sql_text(run.reason),
        ),
    )


def _forget(db: sqlite3.Connection, tenant: str | bytes) -> None:
    db.execute(
        """DELETE FROM ingest_runs WHERE number IN (
               SELECT number FROM ingest_runs WHERE tenant = ? ORDER BY started DESC, number DESC LIMIT -1 OFFSET ?)""",
        (tenant, KEPT_RUNS),
    )
