"""Uploaded files on a PostgreSQL server, in pieces, so that every machine that uses the knowledge base can read them.

The pieces of a new file are written one transaction each and belong to nobody until all are there; a last one makes them the file's.
"""

from __future__ import annotations

import hashlib
import tempfile
from collections.abc import Generator, Iterable, Iterator
from contextlib import contextmanager, suppress
from datetime import datetime
from pathlib import Path

from ascertain.core.errors import StoreError
from ascertain.stores.digests import digest
from ascertain.stores.file_names import as_file_name
from ascertain.stores.relational.database import Database, Session
from ascertain.stores.relational.service.files import (
    Content,
    FileTable,
    find_file,
    forget_file,
    keep_file,
    unknown_file,
)
from ascertain.stores.service.files import StoredFile

_PIECE_BYTES = 1 << 20
"""Of one row: what a server takes and gives in a few milliseconds, and holds in memory for each of them."""


class FilePieces(FileTable):
    """A ``FileStore``."""

    def __init__(self, database: Database) -> None:
        super().__init__(database)
        self._is_swept = False

    def put(
        self, file_id: str, name: str, pieces: Iterable[bytes], moment: datetime, tenant: str = "default"
    ) -> StoredFile:
        """Write a file, replacing one of this id."""
        key = digest(tenant, file_id)
        content = self._begun(key)
        try:
            size, sha256 = 0, hashlib.sha256()
            for place, piece in enumerate(_of_size(pieces, _PIECE_BYTES)):
                self._add_piece(content, place, piece)
                sha256.update(piece)
                size += len(piece)
            file = StoredFile(file_id, name, size, sha256.hexdigest(), moment, tenant)
            self._database.run_change(lambda db: _switch(db, key, file, content))
        except BaseException:
            # What cannot be removed now is swept away later.
            with suppress(StoreError):
                self._database.run_change(
                    lambda db: db.change_rows("DELETE FROM file_contents WHERE number = ?", content)
                )
            raise
        return file

    @contextmanager
    def open(self, file_id: str, tenant: str = "default") -> Generator[Path]:
        """A copy in a folder of its own."""
        with tempfile.TemporaryDirectory(prefix="ascertain-", ignore_cleanup_errors=True) as folder:
            yield self._copied(Path(folder), file_id, tenant)

    def delete(self, file_id: str, tenant: str = "default") -> bool:
        """Remove a file."""

        def work(db: Session) -> bool:
            content = forget_file(db, file_id, tenant)
            db.change_rows("DELETE FROM file_contents WHERE number = ?", content)
            return content is not None

        return self._database.run_change(work)

    def _begun(self, key: bytes) -> int:
        """A new content that is this process's."""
        owner = self._database.announce()
        if not self._is_swept:
            self._database.run_change(self._sweep)
            self._is_swept = True
        beginning = "INSERT INTO file_contents (file_key, owner) VALUES (?, ?) RETURNING number"
        return int(self._database.run_change(lambda db: db.fetch_rows(beginning, key, owner))[0][0])

    def _add_piece(self, content: int, place: int, piece: bytes) -> None:
        adding = "INSERT INTO file_pieces (content, place, data) VALUES (?, ?, ?)"
        self._database.run_change(lambda db: db.change_rows(adding, content, place, piece))

    def _copied(self, folder: Path, file_id: str, tenant: str) -> Path:
        with self._database.reading() as db:
            found = find_file(db, file_id, tenant)
            if found is None:
                raise unknown_file(file_id)
            file, content = found
            copy = folder / as_file_name(file.name)
            try:
                with copy.open("xb") as opened:
                    opened.writelines(_pieces(db, content))
            except OSError as error:
                raise StoreError(
                    f"cannot copy {file.name} to {folder} ({error.strerror}): free some space there, or name another "
                    "folder with TMPDIR"
                ) from error
        return copy

    def _sweep(self, db: Session) -> None:
        """Remove what was being written by processes that are gone."""
        owners = [
            owner
            for (owner,) in db.fetch_rows("SELECT DISTINCT owner FROM file_contents WHERE owner IS NOT NULL")
        ]
        for owner in self._database.find_gone(db, owners):
            db.change_rows("DELETE FROM file_contents WHERE owner = ?", owner)


def _pieces(db: Session, content: Content) -> Iterator[bytes]:
    place = 0
    while found := db.fetch_rows(
        "SELECT data FROM file_pieces WHERE content = ? AND place = ?", content, place
    ):
        yield found[0][0]
        place += 1


def _switch(db: Session, key: bytes, file: StoredFile, content: int) -> None:
    """Make a content the file's, and remove what it had."""
    if not db.change_rows("UPDATE file_contents SET owner = NULL WHERE number = ?", content):
        raise StoreError(f"the connection was lost while {file.name} was uploaded: upload it again")
    keep_file(db, file, content)
    db.change_rows(
        "DELETE FROM file_contents WHERE file_key = ? AND owner IS NULL AND number <> ?", key, content
    )


def _of_size(pieces: Iterable[bytes], size: int) -> Iterator[bytes]:
    """The same bytes in pieces of one size, the last one shorter."""
    held = bytearray()
    for piece in pieces:
        held += piece
        while len(held) >= size:
            yield bytes(held[:size])
            del held[:size]
    if held:
        yield bytes(held)
