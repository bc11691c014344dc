"""Keeps the maps of documents (``analysis.mapping``) in a file of their own in the home, which may be deleted at any time.

Nothing of a deleted document stays: what is kept of it goes in the same call that deletes it. What cannot be kept or read, in a home
that is read-only or full, is computed again.
"""

from __future__ import annotations

import logging
import sqlite3
import threading
import zlib
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, Protocol, cast

from pydantic import ValidationError

from ascertain.core.asking.passages import Filter
from ascertain.core.reports.analysis import DocumentMap
from ascertain.core.serialisation import make_storage_adapter
from ascertain.stores.ports.chunks import CompleteStore

_logger = logging.getLogger(__name__)

FILE = "analysis.sqlite3"
MOST_MAPS = 200_000
"""Maps kept in one home, the last written: about 400 MB of articles."""
_GROUP = 500
"""Ids bound in one statement; SQLite takes 32,766."""

_ADAPTER = make_storage_adapter(DocumentMap)
_SCHEMA = """
CREATE TABLE IF NOT EXISTS maps (
    tenant TEXT NOT NULL, document_id TEXT NOT NULL, version TEXT NOT NULL, content_hash TEXT NOT NULL, map BLOB NOT NULL,
    PRIMARY KEY (tenant, document_id, version))
"""


class DocumentMaps:
    """A ``workflow.analysis.steps.MapCache``. Without a folder they are kept in memory. Safe to share between threads."""

    def __init__(self, folder: Path | None, most: int = MOST_MAPS) -> None:
        self._path = folder / FILE if folder is not None else None
        self._most = most
        self._lock = threading.Lock()
        self._memory: sqlite3.Connection | None = None

    def fetch(self, hashes: Mapping[str, str], version: str, tenant: str) -> dict[str, DocumentMap]:
        """The maps kept of these documents (content hash by id), made by this version of the mapper."""
        found: dict[str, DocumentMap] = {}
        ids = list(hashes)

        def read(db: sqlite3.Connection) -> None:
            for start in range(0, len(ids), _GROUP):
                group = ids[start : start + _GROUP]
                marks = ", ".join("?" * len(group))
                reading = f"SELECT document_id, content_hash, map FROM maps WHERE tenant = ? AND version = ? AND document_id IN ({marks})"
                for document_id, content_hash, packed in db.execute(reading, (tenant, version, *group)):
                    kept = _unpack_map(packed) if content_hash == hashes[document_id] else None
                    if kept is not None:
                        found[document_id] = kept

        self._attempt(read, writes=False)
        return found

    def keep(self, maps: Sequence[DocumentMap], version: str, tenant: str) -> None:
        """Keep these over what was kept of the same documents; the oldest beyond the most go."""
        rows = [(tenant, each.document_id, version, each.content_hash, _pack_map(each)) for each in maps]

        def write(db: sqlite3.Connection) -> None:
            db.executemany("INSERT OR REPLACE INTO maps VALUES (?, ?, ?, ?, ?)", rows)
            # the rowid grows with each row that is written
            db.execute("DELETE FROM maps WHERE rowid <= (SELECT max(rowid) FROM maps) - ?", (self._most,))

        self._attempt(write, writes=True)

    def forget(self, document_ids: Iterable[str], tenant: str) -> None:
        """Forget what is kept of these documents."""
        rows = [(tenant, document_id) for document_id in document_ids]
        if rows and (self._path is None or self._path.exists()):
            self._attempt(
                lambda db: db.executemany("DELETE FROM maps WHERE tenant = ? AND document_id = ?", rows), writes=True
            )

    def close(self) -> None:
        """Release what is open; it is opened again when needed."""
        with self._lock:
            memory, self._memory = self._memory, None
        if memory is not None:
            memory.close()

    def _attempt(self, work: Callable[[sqlite3.Connection], object], writes: bool) -> None:
        if not writes and self._path is not None and not self._path.exists():
            return
        try:
            with self._open() as db, db:
                work(db)
        except (sqlite3.Error, OSError) as error:
            _logger.warning("maps of documents are not kept: %s", error)

    @contextmanager
    def _open(self) -> Generator[sqlite3.Connection]:
        if self._path is None:
            with self._lock:
                if self._memory is None:
                    self._memory = sqlite3.connect(":memory:", check_same_thread=False)
                    self._memory.execute(_SCHEMA)
                yield self._memory
            return
        with closing(sqlite3.connect(self._path, timeout=5.0)) as db:
            db.execute("PRAGMA journal_mode = WAL")
            db.execute("PRAGMA synchronous = NORMAL")
            db.execute("PRAGMA secure_delete = ON")
            db.execute(_SCHEMA)
            yield db


def _pack_map(given: DocumentMap) -> bytes:
    return zlib.compress(_ADAPTER.dump_json(given), 1)


def _unpack_map(packed: bytes) -> DocumentMap | None:
    try:
        return _ADAPTER.validate_json(zlib.decompress(packed))
    except (zlib.error, ValidationError):
        return None


class Forgets(Protocol):
    """Something that is kept of documents and goes with them."""

    def forget(self, document_ids: Iterable[str], tenant: str) -> None:
        """Forget what is kept of these documents."""
        ...


def forget_with(plain: CompleteStore, *kept: Forgets) -> CompleteStore:
    """``plain``, with what is kept of the documents that are deleted from it forgotten."""
    return cast(CompleteStore, _ForgettingStore(plain, kept))


class _ForgettingStore:
    """``plain``, whose documents are deleted first, then what is kept of them."""

    def __init__(self, plain: CompleteStore, kept: Sequence[Forgets]) -> None:
        self._plain = plain
        self._kept = kept

    def __getattr__(self, name: str) -> Any:
        """All else is the plain store's."""
        return getattr(self._plain, name)

    def delete(self, filter: Filter) -> int:
        """See ``ChunkStore.delete``."""
        gone = [record.id for record in self._plain.documents(filter)]
        deleted = self._plain.delete(filter)
        for each in self._kept:
            each.forget(gone, filter.tenant)
        return deleted
