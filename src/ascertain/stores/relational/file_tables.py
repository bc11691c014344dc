"""Files uploaded for jobs, the states of fetched addresses, and the events of answers, in tables."""

import json
from collections.abc import Sequence
from datetime import datetime
from typing import Any

from ascertain.core.errors import UsageError
from ascertain.core.service.service import LoggedEvent
from ascertain.stores.ports.service import KEPT_SECONDS, FetchState, StoredFile
from ascertain.stores.records.encoding import digest_names
from ascertain.stores.records.rows import guard_reading, moment_of, to_microseconds
from ascertain.stores.relational.database import Database, Session, bind_marks

Content = str | int
"""Name of the content in a folder, or its number in a table."""

_START = 64
"""Characters of an id that are indexed."""

_LAST = "\U0010ffff"
"""No character sorts after it."""

_FILE_COLUMNS = "id, name, size, sha256, created, tenant, owner"


class FileTable:
    """The metadata of a ``FileStore``; each store holds the content in its own way."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def get(self, file_id: str, tenant: str = "default") -> StoredFile | None:
        with self._database.reading() as db:
            found = find_file(db, file_id, tenant)
        return found[0] if found else None

    def files(self, tenant: str = "default", beginning: str = "") -> list[StoredFile]:
        start = beginning[:_START]
        found = self._database.fetch_rows(
            f"""SELECT {_FILE_COLUMNS} FROM files WHERE tenant_key = ? AND id_start >= ? AND id_start <= ?
                ORDER BY created, number""",
            *(digest_names(tenant), start, start + _LAST * _START),
        )
        return [file for file in map(_read_file_row, found) if file.id.startswith(beginning)]


def keep_file(db: Session, file: StoredFile, content: Content) -> None:
    """Store the metadata of a file, replacing one with the same id."""
    values = (
        *(digest_names(file.tenant, file.id), digest_names(file.tenant), file.id[:_START], content, file.id, file.name),
        *(file.size, file.sha256, to_microseconds(file.created_at), file.tenant, file.user),
    )
    db.change_rows(
        f"""INSERT INTO files (file_key, tenant_key, id_start, content, {_FILE_COLUMNS}) VALUES ({bind_marks(values)})
            ON CONFLICT (file_key) DO UPDATE SET content = excluded.content, name = excluded.name, size = excluded.size,
                sha256 = excluded.sha256, created = excluded.created, owner = excluded.owner""",
        *values,
    )


def find_file(db: Session, file_id: str, tenant: str) -> tuple[StoredFile, Content] | None:
    """A file and its content."""
    finding = f"SELECT content, {_FILE_COLUMNS} FROM files WHERE file_key = ?"
    for content, *fields in db.fetch_rows(finding, digest_names(tenant, file_id)):
        return _read_file_row(fields), content
    return None


def forget_file(db: Session, file_id: str, tenant: str) -> Content | None:
    """Delete the metadata of a file; returns its content, None for an unknown file."""
    found = db.fetch_rows("DELETE FROM files WHERE file_key = ? RETURNING content", digest_names(tenant, file_id))
    return found[0][0] if found else None


def list_contents(db: Session) -> set[Content]:
    """Every content that a file has."""
    return {content for (content,) in db.fetch_rows("SELECT content FROM files")}


def unknown_file(file_id: str) -> UsageError:
    """The error for a missing file."""
    return UsageError(f"there is no uploaded file {file_id!r}: upload it again")


def _read_file_row(row: Sequence[Any]) -> StoredFile:
    name, label, size, sha256, created, tenant, user = row
    return StoredFile(name, label, size, sha256, moment_of(created), tenant, user)


class FetchTable:
    """A ``FetchStates``."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def get(self, url: str, tenant: str = "default") -> FetchState | None:
        finding = "SELECT fetched, etag, last_modified FROM fetch_states WHERE url_key = ?"
        found = self._database.fetch_rows(finding, digest_names(tenant, url))
        if not found:
            return None
        fetched, etag, last_modified = found[0]
        return FetchState(url, moment_of(fetched), etag, last_modified)

    def put(self, state: FetchState, tenant: str = "default") -> None:
        self.put_all([state], tenant)

    def put_all(self, states: Sequence[FetchState], tenant: str = "default") -> None:
        keeping = """INSERT INTO fetch_states (url_key, url, fetched, etag, last_modified) VALUES (?, ?, ?, ?, ?)
                     ON CONFLICT (url_key) DO UPDATE SET fetched = excluded.fetched, etag = excluded.etag,
                         last_modified = excluded.last_modified"""

        def work(db: Session) -> None:
            for state in states:
                fetched = to_microseconds(state.fetched_at)
                key = digest_names(tenant, state.url)
                db.change_rows(keeping, key, state.url, fetched, state.etag, state.last_modified)

        self._database.run_change(work)


class EventTable:
    """An ``EventLog``."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def append(
        self,
        stream_id: str,
        events: Sequence[LoggedEvent],
        moment: datetime,
        tenant: str = "default",
        *,
        user: str = "",
        about: str = "",
    ) -> None:
        key, now = digest_names(tenant, stream_id), to_microseconds(moment)
        subject = digest_names(tenant, about) if about else None
        is_begun = bool(events) and events[0].number > 1
        oldest = now - round(KEPT_SECONDS * 1_000_000)

        def work(db: Session) -> None:
            db.change_rows("DELETE FROM event_logs WHERE touched < ?", oldest)
            touching = "UPDATE event_logs SET touched = ? WHERE log_key = ? RETURNING number"
            found = db.fetch_rows(touching, now, key)
            if not found and is_begun:
                return
            if not found:
                found = db.fetch_rows(
                    """INSERT INTO event_logs (log_key, touched, owner, about_key) VALUES (?, ?, ?, ?)
                       ON CONFLICT (log_key) DO UPDATE SET touched = excluded.touched RETURNING number""",
                    *(key, now, user, subject),
                )
            rows = "INSERT INTO events (log, number, kind, data, is_last) VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING"
            ((log,),) = found
            for event in events:
                db.change_rows(rows, *(log, event.number, event.kind, json.dumps(dict(event.data)), event.is_last))

        # If the machine crashes, so does the run logged here.
        self._database.run_change(work, flushed=False)

    @guard_reading
    def after(
        self, stream_id: str, number: int, tenant: str = "default", user: str | None = None
    ) -> list[LoggedEvent] | None:
        with self._database.reading() as db:
            finding = "SELECT number, owner FROM event_logs WHERE log_key = ?"
            log, owner = next(iter(db.fetch_rows(finding, digest_names(tenant, stream_id))), (None, None))
            if log is None or user not in (None, owner):
                return None
            found = db.fetch_rows(
                "SELECT number, kind, data, is_last FROM events WHERE log = ? AND number > ? ORDER BY number",
                *(log, number),
            )
        return [
            LoggedEvent(place, kind, json.loads(data), is_last=bool(is_last)) for place, kind, data, is_last in found
        ]

    def delete(self, stream_id: str, tenant: str = "default") -> bool:
        forgetting = "DELETE FROM event_logs WHERE log_key = ?"
        return bool(self._database.change_rows(forgetting, digest_names(tenant, stream_id)))

    def delete_about(self, about: str, tenant: str = "default") -> int:
        forgetting = "DELETE FROM event_logs WHERE about_key = ?"
        return self._database.change_rows(forgetting, digest_names(tenant, about))
