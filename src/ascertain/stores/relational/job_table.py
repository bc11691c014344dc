"""The jobs of a service in a table, in the SQL that SQLite and PostgreSQL have in common; ``service_tables`` says how rows are found."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from datetime import datetime
from typing import NamedTuple

from ascertain.core.service.service import Job, JobState
from ascertain.stores.ports.service import KEPT_JOBS
from ascertain.stores.records.encoding import digest_names
from ascertain.stores.records.rows import Row, guard_reading, list_columns, moment_of, to_microseconds
from ascertain.stores.relational.database import ALL, Database, Owner, Session, bind_marks


class _JobRow(NamedTuple):
    id: str
    kind: str
    what: str
    created: int
    updated: int
    tenant: str
    state: str
    work: str
    report: str
    done: int
    total: int
    reason: str
    attempts: int


_JOB_COLUMNS = list_columns(_JobRow._fields)
_OPEN = "state IN ('queued', 'running')"
_MINE = "id_key = ? AND owner = ? AND state = 'running'"


class JobTable:
    """A ``JobStore``. ``owner`` is the token of the instance that works on a running job."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def add(self, job: Job) -> None:
        tenant = digest_names(job.tenant)
        values = (
            *(digest_names(job.tenant, job.id), digest_names(job.id), tenant, job.id, job.kind, job.what),
            *(to_microseconds(job.created_at), to_microseconds(job.updated_at), job.tenant, job.state.value),
            *(json.dumps(dict(job.work)), json.dumps(dict(job.report))),
            *(job.done, job.total, job.reason, job.attempts),
        )

        def work(db: Session) -> None:
            db.change_rows(
                f"""INSERT INTO jobs (job_key, id_key, tenant_key, {_JOB_COLUMNS}) VALUES ({bind_marks(values)})
                    ON CONFLICT DO NOTHING""",
                *values,
            )
            db.change_rows(
                f"""DELETE FROM jobs WHERE number IN (
                        SELECT number FROM jobs WHERE tenant_key = ? AND NOT {_OPEN}
                        ORDER BY created DESC, number DESC LIMIT ? OFFSET ?)""",
                *(tenant, ALL, KEPT_JOBS),
            )

        self._database.run_change(work)

    def claim(self, moment: datetime, passed_over: Collection[str] = ()) -> Job | None:
        # Checked first: waiting workers ask every second, and must not block a writer with it.
        with self._database.reading() as db:
            if not db.fetch_rows(f"SELECT 1 FROM jobs WHERE {_OPEN} LIMIT 1"):
                return None
            if not self._find_claimable(db, None, passed_over, locked=False):
                return None
        me = self._database.announce()
        return self._database.run_change(lambda db: self._claim_next(db, me, moment, passed_over))

    def begin(self, job_id: str, moment: datetime) -> None:
        """Count an attempt of a job of this instance."""
        me = self._database.announce()
        beginning = f"UPDATE jobs SET attempts = attempts + 1, updated = ? WHERE {_MINE}"
        self._database.change_rows(beginning, to_microseconds(moment), digest_names(job_id), me)

    def progress(self, job_id: str, done: int, total: int, moment: datetime) -> bool:
        """Store the progress of a job of this instance; its attempts are reset when it gets further than before."""
        # Announced again: a heartbeat lost with a connection is restored before another takes the job.
        me = self._database.announce()
        values = (done, done, done, total, to_microseconds(moment), digest_names(job_id), me)
        noting = f"""UPDATE jobs SET attempts = CASE WHEN done < ? THEN 1 ELSE attempts END,
                         done = CASE WHEN done < ? THEN ? ELSE done END, total = ?, updated = ? WHERE {_MINE}"""
        return bool(self._database.change_rows(noting, *values))

    def finish(
        self, job_id: str, state: JobState, moment: datetime, *, reason: str = "", report: Mapping[str, object] = {}
    ) -> None:
        """End a job that this instance works on."""
        if not state.is_ended:
            raise ValueError(f"a job cannot end as {state.value}")
        me = self._database.announce()
        values = (state.value, to_microseconds(moment), reason, json.dumps(dict(report)), digest_names(job_id), me)
        ending = f"UPDATE jobs SET state = ?, updated = ?, reason = ?, report = ?, owner = NULL WHERE {_MINE}"
        self._database.change_rows(ending, *values)

    def release(self, job_id: str, moment: datetime) -> None:
        """Queue a job again that this instance works on."""
        me = self._database.announce()
        values = (to_microseconds(moment), digest_names(job_id), me)
        releasing = f"""UPDATE jobs SET state = 'queued', attempts = CASE WHEN attempts > 0 THEN attempts - 1 ELSE 0 END,
                            updated = ?, owner = NULL WHERE {_MINE}"""
        self._database.change_rows(releasing, *values)

    def cancel(self, job_id: str, moment: datetime, tenant: str = "default") -> bool:
        values = (JobState.CANCELLED.value, to_microseconds(moment), digest_names(tenant, job_id))
        cancelling = f"""UPDATE jobs SET state = ?, updated = ?, owner = NULL
                         WHERE job_key = ? AND ({_OPEN} OR state = 'failed')"""
        return bool(self._database.change_rows(cancelling, *values))

    def retry(self, job_id: str, moment: datetime, tenant: str = "default") -> bool:
        queueing = """UPDATE jobs SET state = 'queued', updated = ?, done = 0, attempts = 0, reason = '', report = '{}'
                      WHERE job_key = ? AND state = 'failed'"""
        return bool(self._database.change_rows(queueing, to_microseconds(moment), digest_names(tenant, job_id)))

    def delete(self, job_id: str, tenant: str = "default") -> bool:
        forgetting = f"DELETE FROM jobs WHERE job_key = ? AND NOT {_OPEN}"
        return bool(self._database.change_rows(forgetting, digest_names(tenant, job_id)))

    def get(self, job_id: str, tenant: str = "default") -> Job | None:
        found = self._database.fetch_rows(
            f"SELECT {_JOB_COLUMNS} FROM jobs WHERE job_key = ?", digest_names(tenant, job_id)
        )
        return _read_job(found[0]) if found else None

    def jobs(self, tenant: str = "default", limit: int = 100) -> list[Job]:
        listing = f"SELECT {_JOB_COLUMNS} FROM jobs WHERE tenant_key = ? ORDER BY created DESC, number DESC LIMIT ?"
        return [_read_job(row) for row in self._database.fetch_rows(listing, digest_names(tenant), max(0, limit))]

    def _claim_next(self, db: Session, me: Owner, moment: datetime, passed_over: Collection[str]) -> Job | None:
        number = self._find_claimable(db, me, passed_over, locked=True)
        if number is None:
            return None
        taking = (
            f"""UPDATE jobs SET state = 'running', owner = ?, updated = ? WHERE number = ? RETURNING {_JOB_COLUMNS}"""
        )
        return _read_job(db.fetch_rows(taking, me, to_microseconds(moment), number)[0])

    def _find_claimable(
        self, db: Session, me: Owner | None, passed_over: Collection[str], *, locked: bool
    ) -> int | None:
        """The number of the oldest job that waits or whose worker has died."""
        working = db.fetch_rows("SELECT DISTINCT owner FROM jobs WHERE state = 'running' AND owner IS NOT NULL")
        busy = [digest_names(tenant) for tenant in passed_over]
        gone = list(self._database.find_gone(db, [owner for (owner,) in working]))
        # progress() and finish() name a job without its tenant, so an instance never works on two of one id.
        found = db.fetch_rows(
            f"""SELECT number FROM jobs
                WHERE {_OPEN} AND (state = 'queued' OR owner IS NULL OR owner IN ({bind_marks(gone)}))
                {f"AND tenant_key NOT IN ({bind_marks(busy)})" if busy else ""} AND NOT EXISTS (
                    SELECT 1 FROM jobs other
                    WHERE other.id_key = jobs.id_key AND other.owner = ? AND other.state = 'running')
                ORDER BY created, number LIMIT 1{db.dialect.lock_rows(skip=True) if locked else ""}""",
            *(*gone, *busy, me),
        )
        return int(found[0][0]) if found else None


@guard_reading
def _read_job(values: Row) -> Job:
    row = _JobRow._make(values)
    return Job(
        id=row.id,
        kind=row.kind,
        what=row.what,
        created_at=moment_of(row.created),
        updated_at=moment_of(row.updated),
        tenant=row.tenant,
        state=JobState(row.state),
        work=json.loads(row.work),
        report=json.loads(row.report),
        done=row.done,
        total=row.total,
        reason=row.reason,
        attempts=row.attempts,
    )
