"""Files uploaded for jobs, and what is known of addresses fetched before, in tables."""

from ascertain.core.errors import UsageError
from ascertain.stores.encoding import digest_names
from ascertain.stores.relational.database import Database, Session, bind_marks
from ascertain.stores.rows import Row, moment_of, to_microseconds
from ascertain.stores.service_ports import FetchState, StoredFile

Content = str | int
"""Name of the content in a folder, or its number in a table."""

_START = 64
"""Characters of an id that are indexed."""

_LAST = "\U0010ffff"
"""No character sorts after it."""

_FILE_COLUMNS = "id, name, size, sha256, created, tenant"


class FileTable:
    """What a ``FileStore`` knows of its files; each store keeps the content in its own way."""

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
    """Note a file over one of its id."""
    values = (
        *(digest_names(file.tenant, file.id), digest_names(file.tenant), file.id[:_START], content, file.id, file.name),
        *(file.size, file.sha256, to_microseconds(file.created_at), file.tenant),
    )
    db.change_rows(
        f"""INSERT INTO files (file_key, tenant_key, id_start, content, {_FILE_COLUMNS}) VALUES ({bind_marks(values)})
            ON CONFLICT (file_key) DO UPDATE SET content = excluded.content, name = excluded.name, size = excluded.size,
                sha256 = excluded.sha256, created = excluded.created""",
        *values,
    )


def find_file(db: Session, file_id: str, tenant: str) -> tuple[StoredFile, Content] | None:
    """A file and its content."""
    found = db.fetch_rows(
        f"SELECT {_FILE_COLUMNS}, content FROM files WHERE file_key = ?", digest_names(tenant, file_id)
    )
    return (_read_file_row(found[0][:-1]), found[0][-1]) if found else None


def forget_file(db: Session, file_id: str, tenant: str) -> Content | None:
    """Drop what is known of a file; its content, None when there is none."""
    found = db.fetch_rows("DELETE FROM files WHERE file_key = ? RETURNING content", digest_names(tenant, file_id))
    return found[0][0] if found else None


def list_contents(db: Session) -> set[Content]:
    """Every content that a file has."""
    return {content for (content,) in db.fetch_rows("SELECT content FROM files")}


def unknown_file(file_id: str) -> UsageError:
    """The error for a file that is not there."""
    return UsageError(f"there is no uploaded file {file_id!r}: upload it again")


def _read_file_row(row: Row) -> StoredFile:
    name, label, size, sha256, created, tenant = row
    return StoredFile(name, label, size, sha256, moment_of(created), tenant)


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
        keeping = """INSERT INTO fetch_states (url_key, url, fetched, etag, last_modified) VALUES (?, ?, ?, ?, ?)
                     ON CONFLICT (url_key) DO UPDATE SET fetched = excluded.fetched, etag = excluded.etag,
                         last_modified = excluded.last_modified"""
        values = (
            digest_names(tenant, state.url),
            state.url,
            to_microseconds(state.fetched_at),
            state.etag,
            state.last_modified,
        )
        self._database.change_rows(keeping, *values)
