"""Events of streamed answers in two tables: the logs with the time of their last event, and the events."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import datetime

from ascertain.stores.digests import digest
from ascertain.stores.relational.database import Database, Session
from ascertain.stores.rows import microseconds
from ascertain.stores.service.events import KEPT_SECONDS, LoggedEvent


class EventTable:
    """An ``EventLog``."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def append(
        self, stream_id: str, events: Sequence[LoggedEvent], moment: datetime, tenant: str = "default"
    ) -> None:
        """Add events."""
        key, now = digest(tenant, stream_id), microseconds(moment)
        oldest = now - round(KEPT_SECONDS * 1_000_000)

        def work(db: Session) -> None:
            db.change_rows("DELETE FROM event_logs WHERE touched < ?", oldest)
            found = db.fetch_rows(
                """INSERT INTO event_logs (log_key, touched) VALUES (?, ?)
                   ON CONFLICT (log_key) DO UPDATE SET touched = excluded.touched RETURNING number""",
                *(key, now),
            )
            rows = "INSERT INTO events (log, number, kind, data, is_last) VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING"
            for event in events:
                db.change_rows(
                    rows,
                    *(found[0][0], event.number, event.kind, json.dumps(dict(event.data)), event.is_last),
                )

        # With the machine goes the run that is told of here.
        self._database.run_change(work, flushed=False)

    def after(self, stream_id: str, number: int, tenant: str = "default") -> list[LoggedEvent] | None:
        """The events after the numbered one."""
        with self._database.reading() as db:
            log = db.fetch_rows("SELECT number FROM event_logs WHERE log_key = ?", digest(tenant, stream_id))
            if not log:
                return None
            found = db.fetch_rows(
                "SELECT number, kind, data, is_last FROM events WHERE log = ? AND number > ? ORDER BY number",
                *(log[0][0], number),
            )
        return [
            LoggedEvent(place, kind, json.loads(data), is_last=bool(is_last))
            for place, kind, data, is_last in found
        ]
