"""The ports of ``stores.service_ports`` in the SQL that SQLite and PostgreSQL have in common: keys, rates and leases in
tables, and all of the ports together.

Rows are found by digests of tenant and id, which may be longer than an index takes. Times are microseconds since 1970.
"""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple

from ascertain.core.errors import UsageError
from ascertain.core.service.service import ApiKey, AuditEntry, Notebook, Role, User
from ascertain.stores.ports.service import FileStore
from ascertain.stores.records.encoding import digest_names
from ascertain.stores.records.rows import Row, guard_reading, list_columns, moment_of, optional_moment, to_microseconds
from ascertain.stores.relational.answer_tables import AnswerTable, FeedbackTable
from ascertain.stores.relational.database import Database, Session, bind_marks
from ascertain.stores.relational.file_tables import EventTable, FetchTable
from ascertain.stores.relational.job_table import JobTable


class _KeyRow(NamedTuple):
    id: str
    name: str
    tenant: str
    hint: str
    created: int
    requests_per_minute: int
    username: str
    role: str
    expires: int | None
    revoked: int | None
    last_used: int | None


_KEY_COLUMNS = list_columns(_KeyRow._fields)


class KeyTable:
    """A ``KeyStore``."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def add(self, key: ApiKey, digest: bytes) -> None:
        values = (
            *(digest_names(key.id), digest, key.id, key.name, key.tenant, key.hint),
            *(to_microseconds(key.created_at), key.requests_per_minute, key.user, key.role.value),
            *(map(_optional_microseconds, (key.expires_at, key.revoked_at, key.last_used_at))),
        )
        added = self._database.change_rows(
            f"""INSERT INTO api_keys (id_key, digest, {_KEY_COLUMNS}) VALUES ({bind_marks(values)})
                ON CONFLICT DO NOTHING""",
            *values,
        )
        if not added:
            raise UsageError(f"the key {key.id!r} exists already: create another")

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

    def delete(self, key_id: str) -> bool:
        return bool(self._database.change_rows("DELETE FROM api_keys WHERE id_key = ?", digest_names(key_id)))

    def rotate(self, key_id: str, digest: bytes, hint: str, created_at: datetime, expires_at: datetime | None) -> bool:
        rotating = """UPDATE api_keys SET digest = ?, hint = ?, created = ?, expires = ?
                      WHERE id_key = ? AND revoked IS NULL"""
        values = (digest, hint, to_microseconds(created_at), _optional_microseconds(expires_at), digest_names(key_id))
        return bool(self._database.change_rows(rotating, *values))


def _optional_microseconds(moment: datetime | None) -> int | None:
    return None if moment is None else to_microseconds(moment)


@guard_reading
def _read_key(values: Row) -> ApiKey:
    row = _KeyRow._make(values)
    return ApiKey(
        row.id,
        row.name,
        row.tenant,
        row.hint,
        moment_of(row.created),
        row.requests_per_minute,
        user=row.username,
        role=Role(row.role),
        expires_at=optional_moment(row.expires),
        revoked_at=optional_moment(row.revoked),
        last_used_at=optional_moment(row.last_used),
    )


class UserTable:
    """A ``UserStore``."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def put(self, user: User, secret: str) -> None:
        values = (
            *(digest_names(user.name), user.name, user.tenant, user.role.value),
            *(to_microseconds(user.changed_at), secret),
        )
        self._database.change_rows(
            f"""INSERT INTO users (user_key, {_USER_COLUMNS}, secret) VALUES ({bind_marks(values)})
                ON CONFLICT (user_key) DO UPDATE SET tenant = excluded.tenant, role = excluded.role,
                    changed = excluded.changed, secret = excluded.secret""",
            *values,
        )

    def find(self, name: str) -> tuple[User, str] | None:
        finding = f"SELECT secret, {_USER_COLUMNS} FROM users WHERE user_key = ?"
        for secret, *user in self._database.fetch_rows(finding, digest_names(name)):
            return _read_user(user), secret
        return None

    def users(self) -> list[User]:
        found = map(_read_user, self._database.fetch_rows(f"SELECT {_USER_COLUMNS} FROM users"))
        return sorted(found, key=lambda user: user.name)

    def delete(self, name: str) -> bool:
        return bool(self._database.change_rows("DELETE FROM users WHERE user_key = ?", digest_names(name)))


_USER_COLUMNS = "name, tenant, role, changed"


@guard_reading
def _read_user(row: Sequence[Any]) -> User:
    name, tenant, role, changed = row
    return User(name, tenant, Role(role), moment_of(changed))


_NOTEBOOK_COLUMNS = "id, name, sources, owner, is_shared, changed, tenant"


class NotebookTable:
    """A ``NotebookStore``."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def put(self, notebook: Notebook) -> None:
        values = (
            *(digest_names(notebook.tenant, notebook.id), digest_names(notebook.tenant), notebook.id, notebook.name),
            *(json.dumps(notebook.sources), notebook.owner, int(notebook.is_shared)),
            *(to_microseconds(notebook.changed_at), notebook.tenant),
        )
        self._database.change_rows(
            f"""INSERT INTO notebooks (notebook_key, tenant_key, {_NOTEBOOK_COLUMNS}) VALUES ({bind_marks(values)})
                ON CONFLICT (notebook_key) DO UPDATE SET name = excluded.name, sources = excluded.sources,
                    owner = excluded.owner, is_shared = excluded.is_shared, changed = excluded.changed""",
            *values,
        )

    def get(self, notebook_id: str, tenant: str = "default") -> Notebook | None:
        finding = f"SELECT {_NOTEBOOK_COLUMNS} FROM notebooks WHERE notebook_key = ?"
        found = self._database.fetch_rows(finding, digest_names(tenant, notebook_id))
        return _read_notebook(found[0]) if found else None

    def notebooks(self, tenant: str = "default") -> list[Notebook]:
        listing = f"SELECT {_NOTEBOOK_COLUMNS} FROM notebooks WHERE tenant_key = ? ORDER BY id"
        return list(map(_read_notebook, self._database.fetch_rows(listing, digest_names(tenant))))

    def delete(self, notebook_id: str, tenant: str = "default") -> bool:
        deleting = "DELETE FROM notebooks WHERE notebook_key = ?"
        return bool(self._database.change_rows(deleting, digest_names(tenant, notebook_id)))


@guard_reading
def _read_notebook(row: Row) -> Notebook:
    name, label, sources, owner, is_shared, changed, tenant = row
    return Notebook(name, label, tuple(json.loads(sources)), moment_of(changed), owner, bool(is_shared), tenant)


_AUDIT_COLUMNS = "moment, action, subject, outcome, tenant, key_id, username, address"


class AuditTable:
    """An ``AuditLog``."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def note(self, entry: AuditEntry) -> None:
        values = (
            *(digest_names(entry.tenant), to_microseconds(entry.moment), entry.action, entry.subject, entry.outcome),
            *(entry.tenant, entry.key_id, entry.user, entry.address),
        )
        self._database.change_rows(
            f"INSERT INTO audit_entries (tenant_key, {_AUDIT_COLUMNS}) VALUES ({bind_marks(values)})", *values
        )

    def entries(self, tenant: str | None = None, limit: int = 100) -> list[AuditEntry]:
        chosen, named = ("", ()) if tenant is None else ("WHERE tenant_key = ?", (digest_names(tenant),))
        found = self._database.fetch_rows(
            f"SELECT {_AUDIT_COLUMNS} FROM audit_entries {chosen} ORDER BY number DESC LIMIT ?", *named, max(0, limit)
        )
        return [AuditEntry(moment_of(moment), *fields) for moment, *fields in found]

    def delete_before(self, moment: datetime, tenant: str | None = None) -> int:
        chosen, named = ("", ()) if tenant is None else (" AND tenant_key = ?", (digest_names(tenant),))
        return self._database.change_rows(
            f"DELETE FROM audit_entries WHERE moment < ?{chosen}", to_microseconds(moment), *named
        )


_KEPT_FULL = 3600 * 1_000_000
"""Microseconds for which a bucket is stored after it is full again: more than the clocks of two machines differ by."""

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
    """The bucket of a name, locked from here on; created if missing."""
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
        self.users = UserTable(database)
        self.notebooks = NotebookTable(database)
        self.audit = AuditTable(database)
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
