"""Uploaded files in a folder of the home, and what is known of them in its record.

A file is written under a name of its own, made durable and only then noted. Names begin with the token of the process that wrote
them, so that what a killed one left behind is told from what is being written.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import tempfile
import uuid
from collections.abc import Generator, Iterable
from contextlib import contextmanager, suppress
from dataclasses import replace
from datetime import datetime
from pathlib import Path

from ascertain.core.errors import StoreError
from ascertain.stores.embedded import faults
from ascertain.stores.embedded.derived_state import sync_file
from ascertain.stores.embedded.layout import Layout
from ascertain.stores.file_names import as_file_name
from ascertain.stores.relational.database import Database, Session
from ascertain.stores.relational.service.files import (
    FileTable,
    find_file,
    forget_file,
    keep_file,
    list_contents,
    unknown_file,
)
from ascertain.stores.service.files import StoredFile


class UploadFolder(FileTable):
    """A ``FileStore``."""

    def __init__(self, layout: Layout, database: Database) -> None:
        self._home = layout.home
        self._folder = layout.uploads
        self._is_writable = layout.is_writable
        super().__init__(database)
        self._is_swept = False

    def put(
        self, file_id: str, name: str, pieces: Iterable[bytes], moment: datetime, tenant: str = "default"
    ) -> StoredFile:
        """Write a file, replacing one of this id."""
        content = self._new_name()
        path = self._folder / content
        try:
            written = self._written(path, pieces)
            file = replace(written, id=file_id, name=name, created_at=moment, tenant=tenant)
            replaced = self._database.run_change(lambda db: _noted(db, file, content))
        except BaseException:
            _remove(path)
            raise
        if replaced is not None:
            _remove(self._folder / replaced)
        return file

    @contextmanager
    def open(self, file_id: str, tenant: str = "default") -> Generator[Path]:
        """A readable copy: another name of the same content, so that it stays when the file is deleted meanwhile."""
        with faults.translated(self._home):
            folder = self._folder_for_reading()
            try:
                copy = self._copy_in(folder, file_id, tenant)
            except BaseException:
                _remove(folder)
                raise
        try:
            yield copy
        finally:
            _remove(folder)

    def delete(self, file_id: str, tenant: str = "default") -> bool:
        """Remove a file."""
        content = self._database.run_change(lambda db: forget_file(db, file_id, tenant))
        if content is not None:
            _remove(self._folder / str(content))
        return content is not None

    def _new_name(self) -> str:
        token = self._database.announce()
        with faults.translated(self._home):
            self._folder.mkdir(exist_ok=True)
            if not self._is_swept:
                self._sweep()
                self._is_swept = True
        return f"{token}-{uuid.uuid4().hex}"

    def _written(self, path: Path, pieces: Iterable[bytes]) -> StoredFile:
        """Write a new file durably; its size and digest, with nothing else filled in."""
        size, sha256 = 0, hashlib.sha256()
        with faults.translated(self._home):
            file = path.open("xb")
        with file:
            # What the iterable raises is the caller's own.
            for piece in pieces:
                with faults.translated(self._home):
                    file.write(piece)
                sha256.update(piece)
                size += len(piece)
            with faults.translated(self._home):
                file.flush()
                os.fsync(file.fileno())
                sync_file(self._folder)
        return StoredFile("", "", size, sha256.hexdigest(), datetime.min)

    def _folder_for_reading(self) -> Path:
        if not self._is_writable:
            return Path(tempfile.mkdtemp(prefix="ascertain-"))
        folder = self._folder / self._new_name()
        folder.mkdir()
        return folder

    def _copy_in(self, folder: Path, file_id: str, tenant: str) -> Path:
        missing = None
        while True:
            with self._database.reading() as db:
                found = find_file(db, file_id, tenant)
            if found is None:
                raise unknown_file(file_id)
            file, content = found
            source = self._folder / str(content)
            if source == missing:
                raise StoreError(f"{source}, the content of {file.name}, is missing: upload the file again")
            try:
                return _linked(source, folder / as_file_name(file.name))
            except FileNotFoundError:
                # Replaced since it was looked up, or damaged.
                missing = source

    def _sweep(self) -> None:
        """Remove what processes left behind that are gone. In this order: what they still noted is seen."""
        names = [path.name for path in self._folder.iterdir()]
        tokens = {name.partition("-")[0] for name in names}
        with self._database.reading() as db:
            gone = self._database.find_gone(db, tokens)
        with self._database.reading() as db:
            noted = list_contents(db)
        for name in names:
            if name.partition("-")[0] in gone and name not in noted:
                _remove(self._folder / name)


def _noted(db: Session, file: StoredFile, content: str) -> str | None:
    before = find_file(db, file.id, file.tenant)
    keep_file(db, file, content)
    return None if before is None else str(before[1])


def _linked(source: Path, copy: Path) -> Path:
    try:
        os.link(source, copy)
    except FileNotFoundError:
        raise
    except OSError:
        # A file system without links, or another one.
        shutil.copyfile(source, copy)
    return copy


def _remove(path: Path) -> None:
    """Remove a file or a folder; what cannot be removed now is left for a later sweep."""
    with suppress(OSError):
        if path.is_dir():
            shutil.rmtree(path)
        else:
            path.unlink(missing_ok=True)
