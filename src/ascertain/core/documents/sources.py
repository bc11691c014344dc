"""A source that is synced repeatedly: where it is, how it is read, and the result of the last sync."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from enum import StrEnum

from ascertain.core.documents.ingest import Failure
from ascertain.core.errors import UsageError
from ascertain.core.serialisation import Serialisable

SOURCE_NAME = r"[a-z0-9][a-z0-9_-]{0,59}"
_INTERVAL = re.compile(r"([1-9]\d{0,3})([mhd])")
_UNITS = {"m": 60, "h": 3600, "d": 86_400}
NEVER = "never"
INTERVALS = "30m, 6h, 1d, or never"
"""How an interval is written."""
LISTED_FAILURES = 20
"""Failures of the last reading that are listed; of more, only the number."""


class SourceState(StrEnum):
    """The result of the last sync."""

    NEW = "new"
    READING = "reading"
    READ = "read"
    FAILED = "failed"
    INTERRUPTED = "interrupted"


@dataclass(frozen=True, slots=True)
class SourceOutcome(Serialisable, examples={"added": 12, "changed": 1, "unchanged": 230, "failed": 1, "notes": []}):
    """The report of the last sync, in documents."""

    added: int = 0
    changed: int = 0
    unchanged: int = 0
    deleted: int = 0
    failed: int = 0
    failures: tuple[Failure, ...] = ()
    """The first of those that failed."""
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class SourceRecord(
    Serialisable,
    hidden=("root", "tenant", "failed_in_a_row"),
    computed={"next_at": "read_at"},
    examples={
        "name": "handbook",
        "kind": "files",
        "address": "s3://company/handbook",
        "options": {"secret": "env:S3_SECRET"},
        "tags": ["handbook"],
        "readers": [],
        "state": "read",
        "added_at": "2024-12-05T18:00:00+00:00",
        "started_at": "2024-12-05T18:00:00+00:00",
        "read_at": "2024-12-05T18:00:07+00:00",
        "next_at": "2024-12-05T19:00:00+00:00",
    },
):
    """A stored source."""

    name: str
    kind: str
    """An entry point of `ascertain.sources`."""
    address: str
    root: str
    """The prefix of the sources of its documents."""
    added_at: datetime
    tenant: str = "default"
    options: Mapping[str, str] = field(default_factory=dict[str, str])
    """Secrets are references, never shown."""
    profile: str = "docs"
    tags: tuple[str, ...] = ()
    readers: tuple[str, ...] = ()
    """Users whose view is read; empty means what everyone may see."""
    interval_seconds: int = 3600
    """0 means only on request."""
    state: SourceState = SourceState.NEW
    started_at: datetime | None = None
    """When the last sync began."""
    read_at: datetime | None = None
    """When it was last read to its end."""
    reason: str = ""
    """Why the last reading failed."""
    failed_in_a_row: int = 0
    outcome: SourceOutcome = SourceOutcome()

    @property
    def next_at(self) -> datetime | None:
        """When `serve` or `watch` reads it again; null for never."""
        if not self.interval_seconds:
            return None
        if self.started_at is None:
            return self.added_at
        longest = max(self.interval_seconds, _UNITS["d"])
        return self.started_at + timedelta(
            seconds=min(longest, self.interval_seconds * 2 ** min(self.failed_in_a_row, 12))
        )


def parse_interval(text: str) -> int:
    """Seconds of ``30m``, ``6h``, ``1d``; 0 for ``never``. Raises UsageError."""
    if text == NEVER:
        return 0
    match = _INTERVAL.fullmatch(text.strip())
    if match is None:
        raise UsageError(f"{text!r} is not an interval; give {INTERVALS}")
    return int(match[1]) * _UNITS[match[2]]


def format_interval(seconds: int) -> str:
    """The inverse of ``parse_interval``."""
    if not seconds:
        return NEVER
    unit = next(unit for unit in ("d", "h", "m") if seconds % _UNITS[unit] == 0)
    return f"{seconds // _UNITS[unit]}{unit}"
