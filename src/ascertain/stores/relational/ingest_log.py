"""The log of ingest runs in a table. ``owner`` is the token of the process that owns a running one."""

from datetime import datetime
from typing import NamedTuple

from ascertain.core.documents.ingest import IngestRun, RunState
from ascertain.stores.ports.chunks import KEPT_RUNS, PROCESS_ENDED
from ascertain.stores.records.encoding import digest_names
from ascertain.stores.records.rows import Text, guard_reading, list_columns, python_text, to_microseconds
from ascertain.stores.relational.database import ALL, Database, Owner, Session, bind_marks


class _RunRow(NamedTuple):
    owner: Owner
    state: str
    id: Text
    engine: Text
    what: Text
    started_at: str
    updated_at: str
    bytes_done: int
    bytes_total: int
    chunks: int
    failures: int
    reason: Text


class IngestLogTable:
    """An ``IngestLog``; made by ``open_..._ingest_log`` of the stores that have a database."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def record(self, run: IngestRun, tenant: str = "default") -> None:
        def work(db: Session) -> None:
            _write_run(db, run, tenant, owner)
            db.change_rows(
                """DELETE FROM ingest_runs WHERE number IN (SELECT number FROM ingest_runs WHERE tenant = ?
                       ORDER BY started DESC, number DESC LIMIT ? OFFSET ?)""",
                *(tenant, ALL, KEPT_RUNS),
            )

        owner = self._database.no_owner
        if run.state is RunState.RUNNING:
            owner = self._database.announce("nothing can be added")
        self._database.run_change(work)

    def runs(self, tenant: str = "default", limit: int = 10) -> list[IngestRun]:
        """The latest runs; a running one whose process has died is shown as interrupted."""
        with self._database.reading() as db:
            found = db.fetch_rows(
                f"""SELECT {list_columns(_RunRow._fields)} FROM ingest_runs WHERE tenant = ?
                    ORDER BY started DESC, number DESC LIMIT ?""",
                *(tenant, max(0, limit)),
            )
            runs = list(map(_RunRow._make, found))
            gone = self._database.find_gone(db, {run.owner for run in runs if run.state == RunState.RUNNING.value})
        return [_ingest_run(run, is_gone=run.owner in gone) for run in runs]

    def close(self) -> None:
        self._database.close()


def _write_run(db: Session, run: IngestRun, tenant: str, owner: Owner) -> None:
    values: dict[str, object] = {
        "tenant": tenant,
        "id": run.id,
        "engine": run.engine,
        "what": run.what,
        "started_at": run.started_at.isoformat(),
        "started": to_microseconds(run.started_at),
        "updated_at": run.updated_at.isoformat(),
        "state": run.state.value,
        "owner": owner,
        "bytes_done": run.bytes_done,
        "bytes_total": run.bytes_total,
        "chunks": run.chunks,
        "failures": run.failures,
        "reason": run.reason,
    }
    key = "tenant, id"
    changed = ", ".join(f"{column} = excluded.{column}" for column in list(values)[2:])
    if db.dialect.has_key_columns:
        key = "run_key"
        values[key] = digest_names(tenant, run.id)
    db.change_rows(
        f"""INSERT INTO ingest_runs ({", ".join(values)}) VALUES ({bind_marks(values)})
            ON CONFLICT ({key}) DO UPDATE SET {changed}""",
        *values.values(),
    )


@guard_reading
def _ingest_run(row: _RunRow, *, is_gone: bool) -> IngestRun:
    state, reason = RunState(row.state), python_text(row.reason)
    if state is RunState.RUNNING and is_gone:
        state, reason = RunState.INTERRUPTED, PROCESS_ENDED
    return IngestRun(
        *(python_text(row.id), python_text(row.engine), python_text(row.what)),
        *(datetime.fromisoformat(row.started_at), datetime.fromisoformat(row.updated_at)),
        state,
        *(row.bytes_done, row.bytes_total, row.chunks, row.failures),
        reason=reason,
    )
