"""The ports of ``stores.service_ports`` in the SQL that SQLite and PostgreSQL have in common: jobs, answers, events,
feedback, keys and rates in tables, and all of them together.

Rows are found by digests of tenant and id, which may be longer than an index takes. Times are microseconds since 1970.
"""

from __future__ import annotations

import json
import math
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime

from ascertain.core.errors import UsageError
from ascertain.core.service import ApiKey, GivenAnswer, Job, JobState, Thumb
from ascertain.stores.encoding import digest_names, pack_answer, unpack_answer
from ascertain.stores.relational.database import ALL, Database, Owner, Session, bind_marks
from ascertain.stores.relational.file_tables import EventTable, FetchTable
from ascertain.stores.rows import Row, guard_reading, moment_of, optional_moment, to_microseconds
from ascertain.stores.service_ports import KEPT_JOBS, KEPT_UNJUDGED, CachedAnswer, FileStore

_JOB_COLUMNS = "id, kind, what, created, updated, tenant, state, work, report, done, total, reason, attempts"
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
        # Looked at first: whoever waits for work asks every second, and must not stand in a writer's way with it.
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
        """Note how far a job of this instance is; its attempts count anew when it gets further than ever before."""
        # Announced again: a sign of life that was lost with a connection comes back before another takes the job.
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
        """The number of the oldest job that waits or whose worker is gone."""
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
def _read_job(row: Row) -> Job:
    name, kind, what, created, updated, tenant, state, work, report, done, total, reason, attempts = row
    return Job(
        id=name,
        kind=kind,
        what=what,
        created_at=moment_of(created),
        updated_at=moment_of(updated),
        tenant=tenant,
        state=JobState(state),
        work=json.loads(work),
        report=json.loads(report),
        done=done,
        total=total,
        reason=reason,
        attempts=attempts,
    )


class AnswerTable:
    """An ``AnswerCache``."""

    def __init__(self, database: Database) -> None:
        self._database = database

    @guard_reading
    def get(self, scope: str, question: str, tenant: str = "default") -> CachedAnswer | None:
        finding = "SELECT corpus, answer, stored FROM cached_answers WHERE answer_key = ?"
        found = self._database.fetch_rows(finding, digest_names(tenant, scope, question))
        if not found:
            return None
        corpus, answer, stored = found[0]
        return CachedAnswer(scope, question, corpus, unpack_answer(answer) or {}, moment_of(stored), tenant)

    def put(self, answer: CachedAnswer, most: int) -> None:
        tenant = digest_names(answer.tenant)
        values = (
            digest_names(answer.tenant, answer.scope, answer.question),
            tenant,
            answer.corpus,
            pack_answer(answer.answer),
            to_microseconds(answer.stored_at),
        )

        def work(db: Session) -> None:
            db.change_rows(
                """INSERT INTO cached_answers (answer_key, tenant_key, corpus, answer, stored) VALUES (?, ?, ?, ?, ?)
                   ON CONFLICT (answer_key) DO UPDATE SET corpus = excluded.corpus, answer = excluded.answer,
                       stored = excluded.stored""",
                *values,
            )
            db.change_rows(
                """DELETE FROM cached_answers WHERE number IN (
                       SELECT number FROM cached_answers WHERE tenant_key = ?
                       ORDER BY stored DESC, number DESC LIMIT ? OFFSET ?)""",
                *(tenant, ALL, max(0, most)),
            )

        self._database.run_change(work)

    def clear(self, tenant: str = "default") -> int:
        forgetting = "DELETE FROM cached_answers WHERE tenant_key = ?"
        return self._database.change_rows(forgetting, digest_names(tenant))

    def delete_conversation(self, conversation_id: str, tenant: str = "default") -> int:
        """Reads all answers of the tenant, as only the answers say where they were given; there are few enough."""
        finding = "SELECT number, answer FROM cached_answers WHERE tenant_key = ?"
        given = [
            (number,)
            for number, answer in self._database.fetch_rows(finding, digest_names(tenant))
            if (unpack_answer(answer) or {}).get("conversation_id") == conversation_id
        ]

        def work(db: Session) -> int:
            return sum(db.change_rows("DELETE FROM cached_answers WHERE number = ?", *number) for number in given)

        return self._database.run_change(work) if given else 0


_ANSWER_COLUMNS = (
    "id, answered, question, answer_type, strategy, confidence, question_kind, features, conversation, tenant, thumb, "
    "comment, judged"
)


_CLOCKS_DIFFER = 24 * 3600 * 1_000_000
"""Microseconds by which the machine that notes feedback may be behind the one that gave the answer."""


class FeedbackTable:
    """A ``FeedbackStore``."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def note(self, answer: GivenAnswer) -> None:
        tenant = digest_names(answer.tenant)
        judged = None if answer.judged_at is None else to_microseconds(answer.judged_at)
        values = (
            *(digest_names(answer.tenant, answer.answer_id), tenant),
            *(answer.answer_id, to_microseconds(answer.answered_at)),
            *(answer.question, answer.answer_type, answer.strategy, answer.confidence, answer.question_kind),
            *(json.dumps(dict(answer.features)), answer.conversation_id, answer.tenant),
            *(answer.thumb, answer.comment, judged),
        )

        def work(db: Session) -> None:
            db.change_rows(
                f"""INSERT INTO given_answers (answer_key, tenant_key, {_ANSWER_COLUMNS})
                    VALUES ({bind_marks(values)}) ON CONFLICT DO NOTHING""",
                *values,
            )
            db.change_rows(
                """DELETE FROM given_answers WHERE number IN (
                       SELECT number FROM given_answers WHERE tenant_key = ? AND thumb IS NULL
                       ORDER BY number DESC LIMIT ? OFFSET ?)""",
                *(tenant, ALL, KEPT_UNJUDGED),
            )

        self._database.run_change(work)

    def judge(
        self, answer_id: str, thumb: Thumb, comment: str, moment: datetime, tenant: str = "default"
    ) -> GivenAnswer | None:
        judging = f"""UPDATE given_answers SET thumb = ?, comment = ?, judged = ? WHERE answer_key = ?
                      RETURNING {_ANSWER_COLUMNS}"""
        values = (thumb, comment, to_microseconds(moment), digest_names(tenant, answer_id))
        found = self._database.run_change(lambda db: db.fetch_rows(judging, *values))
        return _read_answer(found[0]) if found else None

    def get(self, answer_id: str, tenant: str = "default") -> GivenAnswer | None:
        found = self._database.fetch_rows(
            f"SELECT {_ANSWER_COLUMNS} FROM given_answers WHERE answer_key = ?", digest_names(tenant, answer_id)
        )
        return _read_answer(found[0]) if found else None

    def answers(self, tenant: str = "default", since: datetime | None = None) -> list[GivenAnswer]:
        mine = digest_names(tenant)
        if since is None:
            listing = f"SELECT {_ANSWER_COLUMNS} FROM given_answers WHERE tenant_key = ? ORDER BY number"
            return [_read_answer(row) for row in self._database.fetch_rows(listing, mine)]
        # Each half has an index: of answers nobody judged few are kept, and those judged were given before that.
        listing = f"""SELECT {_ANSWER_COLUMNS} FROM (
                          SELECT number, {_ANSWER_COLUMNS} FROM given_answers
                          WHERE tenant_key = ? AND thumb IS NULL AND answered >= ?
                          UNION ALL
                          SELECT number, {_ANSWER_COLUMNS} FROM given_answers
                          WHERE tenant_key = ? AND thumb IS NOT NULL AND judged >= ? AND answered >= ?) kept
                      ORDER BY number"""
        earliest = to_microseconds(since)
        values = (mine, earliest, mine, earliest - _CLOCKS_DIFFER, earliest)
        return [_read_answer(row) for row in self._database.fetch_rows(listing, *values)]

    def judged(self, tenant: str = "default", since: datetime | None = None) -> list[GivenAnswer]:
        listing = f"""SELECT {_ANSWER_COLUMNS} FROM given_answers WHERE tenant_key = ? AND thumb IS NOT NULL
                      AND judged >= ? ORDER BY judged, number"""
        earliest = -ALL if since is None else to_microseconds(since)
        return [_read_answer(row) for row in self._database.fetch_rows(listing, digest_names(tenant), earliest)]

    def delete_conversation(self, conversation_id: str, tenant: str = "default") -> int:
        forgetting = "DELETE FROM given_answers WHERE tenant_key = ? AND conversation = ?"
        return self._database.change_rows(forgetting, digest_names(tenant), conversation_id)


@guard_reading
def _read_answer(row: Row) -> GivenAnswer:
    name, answered, question, answer_type, strategy, confidence, question_kind, features, *rest = row
    conversation, tenant, thumb, comment, judged = rest
    return GivenAnswer(
        answer_id=name,
        answered_at=moment_of(answered),
        question=question,
        answer_type=answer_type,
        strategy=strategy,
        confidence=confidence,
        question_kind=question_kind,
        features=json.loads(features),
        conversation_id=conversation,
        tenant=tenant,
        thumb=thumb,
        comment=comment,
        judged_at=optional_moment(judged),
    )


_KEY_COLUMNS = "id, name, tenant, hint, created, requests_per_minute, is_admin, revoked, last_used"


class KeyTable:
    """A ``KeyStore``."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def add(self, key: ApiKey, digest: bytes) -> None:
        values = (
            *(digest_names(key.id), digest, key.id, key.name, key.tenant, key.hint),
            *(to_microseconds(key.created_at), key.requests_per_minute, key.is_admin),
            *(None if time is None else to_microseconds(time) for time in (key.revoked_at, key.last_used_at)),
        )
        added = self._database.change_rows(
            f"""INSERT INTO api_keys (id_key, digest, {_KEY_COLUMNS}) VALUES ({bind_marks(values)})
                ON CONFLICT DO NOTHING""",
            *values,
        )
        if not added:
            raise UsageError(f"the key {key.id!r} is there already: make another")

    def find(self, digest: bytes) -> ApiKey | None:
        found = self._database.fetch_rows(f"SELECT {_KEY_COLUMNS} FROM api_keys WHERE digest = ?", digest)
        return _read_key(found[0]) if found else None

    def touch(self, key_id: str, moment: datetime) -> None:
        """Note that a key was used; writes once a minute, so that requests hardly ever wait for it."""
        minute = to_microseconds(moment.replace(second=0, microsecond=0))
        condition = "id_key = ? AND (last_used IS NULL OR last_used < ?)"
        named = (digest_names(key_id), minute)
        if self._database.fetch_rows(f"SELECT 1 FROM api_keys WHERE {condition}", *named):
            self._database.change_rows(f"UPDATE api_keys SET last_used = ? WHERE {condition}", minute, *named)

    def keys(self) -> list[ApiKey]:
        found = self._database.fetch_rows(f"SELECT {_KEY_COLUMNS} FROM api_keys ORDER BY created, number")
        return list(map(_read_key, found))

    def digests(self) -> dict[str, bytes]:
        found = self._database.fetch_rows("SELECT id, digest FROM api_keys")
        return {str(name): bytes(digest) for name, digest in found}

    def revoke(self, key_id: str, moment: datetime) -> bool:
        revoking = "UPDATE api_keys SET revoked = coalesce(revoked, ?) WHERE id_key = ?"
        return bool(self._database.change_rows(revoking, to_microseconds(moment), digest_names(key_id)))


@guard_reading
def _read_key(row: Row) -> ApiKey:
    name, label, tenant, hint, created, requests, is_admin, revoked, last_used = row
    return ApiKey(
        name,
        label,
        tenant,
        hint,
        moment_of(created),
        requests,
        is_admin=bool(is_admin),
        revoked_at=optional_moment(revoked),
        last_used_at=optional_moment(last_used),
    )


_KEPT_FULL = 3600 * 1_000_000
"""Microseconds for which a bucket is kept after it is full again: more than the clocks of two machines differ by."""

_ONE = 1.0 - 1e-9
"""A token, but for what rounding takes of it."""


@dataclass(frozen=True, slots=True)
class Bucket:
    """``tokens`` as of ``moment`` (microseconds since 1970)."""

    tokens: float
    moment: int

    def at(self, now: int, limit: int, seconds: float) -> Bucket:
        """The bucket refilled up to now; a clock that went backwards refills nothing."""
        passed = max(0, now - self.moment) / 1_000_000
        return Bucket(min(float(limit), self.tokens + passed * limit / seconds), max(now, self.moment))

    def wait(self, now: int, limit: int, seconds: float) -> float:
        """Seconds until there is a token, to the microsecond above."""
        lacking = math.ceil(max(0.0, 1.0 - self.tokens) * seconds / limit * 1_000_000)
        return (lacking + max(0, self.moment - now)) / 1_000_000


class RateTable:
    """A ``RateLimits``."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def take(self, name: str, limit: int, seconds: float, moment: datetime) -> float:
        if limit < 1:
            return seconds
        key, now = digest_names(name), to_microseconds(moment)

        def work(db: Session) -> float:
            bucket = _lock_bucket(db, key, Bucket(float(limit), now)).at(now, limit, seconds)
            if bucket.tokens < _ONE:
                return bucket.wait(now, limit, seconds)
            left = bucket.tokens - 1.0
            full = bucket.moment + math.ceil((limit - left) * seconds / limit * 1_000_000)
            db.change_rows(
                "UPDATE rate_buckets SET tokens = ?, moment = ?, full_at = ? WHERE name_key = ?",
                *(left, bucket.moment, full, key),
            )
            return 0.0

        # Waiting for the disk would cost each request more than a count that is lost with the machine is worth.
        return self._database.run_change(work, flushed=False)


def _lock_bucket(db: Session, key: bytes, full: Bucket) -> Bucket:
    """The bucket of a name, which nobody else changes from here on; begun when there is none."""
    finding = f"SELECT tokens, moment FROM rate_buckets WHERE name_key = ?{db.dialect.lock_rows()}"
    if not (found := db.fetch_rows(finding, key)):
        db.change_rows("DELETE FROM rate_buckets WHERE full_at < ?", full.moment - _KEPT_FULL)
        db.change_rows(
            "INSERT INTO rate_buckets (name_key, tokens, moment, full_at) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING",
            *(key, full.tokens, full.moment, full.moment),
        )
        found = db.fetch_rows(finding, key)
    tokens, moment = found[0]
    return Bucket(tokens, moment)


class LeaseTable:
    """``Leases``. ``owner`` is the token of the instance that has one."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def take(self, name: str, tenant: str = "default") -> bool:
        key, me = digest_names(tenant, name), self._database.announce()

        def work(db: Session) -> bool:
            found = db.fetch_rows(f"SELECT owner FROM leases WHERE lease_key = ? {db.dialect.lock_rows()}", key)
            if found and not self._database.find_gone(db, [found[0][0]]):
                return False
            db.change_rows("DELETE FROM leases WHERE lease_key = ?", key)
            taking = "INSERT INTO leases (lease_key, owner) VALUES (?, ?) ON CONFLICT DO NOTHING"
            return bool(db.change_rows(taking, key, me))

        return self._database.run_change(work)

    def give_back(self, name: str, tenant: str = "default") -> None:
        giving = "DELETE FROM leases WHERE lease_key = ? AND owner = ?"
        self._database.change_rows(giving, digest_names(tenant, name), self._database.announce())


class TableStores:
    """``ServiceStores`` over one database; made by ``open_..._service`` of the stores that have one."""

    def __init__(self, database: Database, files: FileStore) -> None:
        self._database = database
        self.keys = KeyTable(database)
        self.jobs = JobTable(database)
        self.files = files
        self.feedback = FeedbackTable(database)
        self.answers = AnswerTable(database)
        self.rates = RateTable(database)
        self.events = EventTable(database)
        self.fetches = FetchTable(database)
        self.leases = LeaseTable(database)

    def close(self) -> None:
        self._database.close()
