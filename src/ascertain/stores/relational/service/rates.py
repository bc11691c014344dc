"""Rate limits in a table: a token bucket for each name, and none for names whose bucket is full."""

from __future__ import annotations

import math
from dataclasses import dataclass
from datetime import datetime

from ascertain.stores.digests import digest
from ascertain.stores.relational.database import Database, Session
from ascertain.stores.rows import microseconds

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
        """Count one request, or say how long to wait."""
        if limit < 1:
            return seconds
        key, now = digest(name), microseconds(moment)

        def work(db: Session) -> float:
            bucket = _locked(db, key, Bucket(float(limit), now)).at(now, limit, seconds)
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


def _locked(db: Session, key: bytes, full: Bucket) -> Bucket:
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
