"""The log of ingest runs on a PostgreSQL server, shared by every machine that adds to the knowledge base."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

from ascertain.core.settings import StoreSettings
from ascertain.stores.digests import digest
from ascertain.stores.postgres import faults
from ascertain.stores.postgres.connections import Connection, Connections
from ascertain.stores.postgres.opening import connect
from ascertain.stores.postgres.presence import Presence
from ascertain.stores.progress import KEPT_RUNS, PROCESS_ENDED, IngestRun, RunState
from ascertain.stores.rows import Row, microseconds

_NOBODY = 0


def open_postgres_ingest_log(settings: StoreSettings, home: Path) -> PostgresIngestLog:
    """The ingest log of the knowledge base at ``settings.url``; StoreError when there is none or it cannot be used."""
    return PostgresIngestLog(connect(settings))


class PostgresIngestLog:
    """An ``IngestLog`` in one schema of a database; made by ``open_postgres_ingest_log``."""

    def __init__(self, connections: Connections) -> None:
        self._connections = connections
        self._presence = Presence(connections)

    def record(self, run: IngestRun, tenant: str = "default") -> None:
        """Write a run over what was written of it."""

        def work(db: Connection) -> None:
            _write(db, run, tenant, owner)
            _forget(db, tenant)

        with faults.translated(self._connections.place):
            owner = self._presence.announce() if run.state is RunState.RUNNING else _NOBODY
            self._connections.change(work)

    def runs(self, tenant: str = "default", limit: int = 10) -> list[IngestRun]:
        """The latest runs; a running one whose process is gone is shown as interrupted."""
        with faults.translated(self._connections.place), self._connections.read() as db:
            found = db.execute(
                """SELECT owner, id, engine, what, started_at, updated_at, state, bytes_done, bytes_total, chunks, failures, reason
                   FROM ingest_runs WHERE tenant = %s ORDER BY started DESC, number DESC LIMIT %s""",
                (tenant, max(0, limit)),
            ).fetchall()
            running = {row[0] for row in found if row[6] == RunState.RUNNING.value}
            gone = set(self._presence.dead(db, running)) if running else set[int]()
        return [_run(row[1:], is_gone=row[0] in gone) for row in found]

    def close(self) -> None:
        """Close the connections, the sign of life among them."""
        self._presence.leave()
        self._connections.close()


def _write(db: Connection, run: IngestRun, tenant: str, owner: int) -> None:
    db.execute(
        """INSERT INTO ingest_runs (run_key, tenant, id, engine, what, started_at, started, updated_at, state, owner,
                                    bytes_done, bytes_total, chunks, failures, reason)
           VALUES (%s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s)
           ON CONFLICT (run_key) DO UPDATE SET engine = excluded.engine, what = excluded.what,
               started_at = excluded.started_at, started = excluded.started, updated_at = excluded.updated_at,
               state = excluded.state, owner = excluded.owner, bytes_done = excluded.bytes_done,
               bytes_total = excluded.bytes_total, chunks = excluded.chunks, failures = excluded.failures,
               reason = excluded.reason""",
        (
            digest(tenant, run.id),
            tenant,
            run.id,
            run.engine,
            run.what,
            run.started_at.isoformat(),
            microseconds(run.started_at),
            run.updated_at.isoformat(),
            run.state.value,
            owner,
            run.bytes_done,
            run.bytes_total,
            run.chunks,
            run.failures,
            run.reason,
        ),
    )


def _forget(db: Connection, tenant: str) -> None:
    db.execute(
        """DELETE FROM ingest_runs WHERE number IN (
               SELECT number FROM ingest_runs WHERE tenant = %s ORDER BY started DESC, number DESC OFFSET %s)""",
        (tenant, KEPT_RUNS),
    )


def _run(row: Row, *, is_gone: bool) -> IngestRun:
    name, engine, what, started_at, updated_at, stored_state, *counts, reason = row
    state = RunState(stored_state)
    if state is RunState.RUNNING and is_gone:
        state, reason = RunState.INTERRUPTED, PROCESS_ENDED
    started, updated = datetime.fromisoformat(started_at), datetime.fromisoformat(updated_at)
    return IngestRun(name, engine, what, started, updated, state, *counts, reason=reason)
