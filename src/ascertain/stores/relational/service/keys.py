"""API keys in a table."""

from __future__ import annotations

from datetime import datetime

from ascertain.core.errors import UsageError
from ascertain.stores import digests
from ascertain.stores.relational.database import Database
from ascertain.stores.rows import Row, microseconds, moment_of, optional_moment
from ascertain.stores.service.keys import ApiKey

_COLUMNS = "id, name, tenant, hint, created, requests_per_minute, is_admin, revoked, last_used"


class KeyTable:
    """A ``KeyStore``."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def add(self, key: ApiKey, digest: bytes) -> None:
        """Keep a key."""
        values = (
            *(digests.digest(key.id), digest, key.id, key.name, key.tenant, key.hint),
            *(microseconds(key.created_at), key.requests_per_minute, key.is_admin),
            *(None if time is None else microseconds(time) for time in (key.revoked_at, key.last_used_at)),
        )
        added = self._database.change_rows(
            f"INSERT INTO api_keys (id_key, digest, {_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING",
            *values,
        )
        if not added:
            raise UsageError(f"the key {key.id!r} is there already: make another")

    def find(self, digest: bytes) -> ApiKey | None:
        """The key of this digest."""
        found = self._database.fetch_rows(f"SELECT {_COLUMNS} FROM api_keys WHERE digest = ?", digest)
        return _key(found[0]) if found else None

    def touch(self, key_id: str, moment: datetime) -> None:
        """Note that a key was used; writes once a minute, so that requests hardly ever wait for it."""
        minute = microseconds(moment.replace(second=0, microsecond=0))
        condition = "id_key = ? AND (last_used IS NULL OR last_used < ?)"
        is_due = bool(
            self._database.fetch_rows(
                f"SELECT 1 FROM api_keys WHERE {condition}", digests.digest(key_id), minute
            )
        )
        if is_due:
            self._database.change_rows(
                f"UPDATE api_keys SET last_used = ? WHERE {condition}",
                minute,
                digests.digest(key_id),
                minute,
            )

    def keys(self) -> list[ApiKey]:
        """All keys, the oldest first."""
        return [
            _key(row)
            for row in self._database.fetch_rows(f"SELECT {_COLUMNS} FROM api_keys ORDER BY created, number")
        ]

    def digests(self) -> dict[str, bytes]:
        """The SHA-256 of each key."""
        return {
            str(name): bytes(digest)
            for name, digest in self._database.fetch_rows("SELECT id, digest FROM api_keys")
        }

    def revoke(self, key_id: str, moment: datetime) -> bool:
        """Refuse the key from now on."""
        revoking = "UPDATE api_keys SET revoked = coalesce(revoked, ?) WHERE id_key = ?"
        return bool(self._database.change_rows(revoking, microseconds(moment), digests.digest(key_id)))


def _key(row: Row) -> ApiKey:
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
