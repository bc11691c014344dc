"""Other records of an embedded home: conversations, the ingest log, the graph and what a service needs."""

import hashlib
import os
import shutil
import tempfile
import uuid
from collections.abc import Callable, Generator, Iterable
from contextlib import contextmanager, suppress
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import TypeVar

from ascertain.core.errors import StoreError
from ascertain.core.settings import StoreSettings
from ascertain.core.system.private_files import make_private_folder, private_files
from ascertain.stores.embedded import faults
from ascertain.stores.embedded.change_log import sync_file
from ascertain.stores.embedded.connections import Connections
from ascertain.stores.embedded.dialect import EscapingConnection, RecordConnection
from ascertain.stores.embedded.home import Layout, Presence, prepare_home
from ascertain.stores.embedded.schema import ensure_tables
from ascertain.stores.ports.service import StoredFile
from ascertain.stores.records.encoding import as_file_name
from ascertain.stores.relational.conversations import ConversationTable
from ascertain.stores.relational.database import Database, Owner, Session
from ascertain.stores.relational.file_tables import (
    FileTable,
    find_file,
    forget_file,
    keep_file,
    list_contents,
    unknown_file,
)
from ascertain.stores.relational.graph_store import GraphTables
from ascertain.stores.relational.ingest_log import IngestLogTable
from ascertain.stores.relational.service_tables import TableStores

_Result = TypeVar("_Result")


class RecordDatabase(Database):
    """The record of a home as a ``Database``; writes never wait for the writer's lock of an ingest."""

    no_owner = ""

    def __init__(self, layout: Layout, connections: Connections) -> None:
        self.layout = layout
        self.connections = connections
        self._presence = Presence(layout.running)

    @property
    def place(self) -> str:
        return str(self.layout.home)

    @property
    def is_writable(self) -> bool:
        """Whether the home is writable."""
        return not self.connections.read_only

    @contextmanager
    def reading(self) -> Generator[Session]:
        with faults.translate_errors(self.layout.home), self.connections.read() as db:
            yield db

    def run_change(self, work: Callable[[Session], _Result], *, flushed: bool = True) -> _Result:
        with faults.translate_errors(self.layout.home), self.connections.write(flushed=flushed) as db:
            return work(db)

    def announce(self, purpose: str = "a service cannot work on anything") -> Owner:
        with faults.translate_errors(self.layout.home):
            if not self.is_writable:
                raise StoreError(f"{self.place} is read-only: {purpose} there")
            return self._presence.announce()

    def find_gone(self, db: Session, owners: Iterable[Owner]) -> set[Owner]:
        return {owner for owner in set(owners) if not self._presence.is_alive(str(owner))}

    def close(self) -> None:
        self._presence.leave()
        self.connections.close()


def open_database(
    home: Path, factory: type[RecordConnection] = RecordConnection, *, create: bool = False
) -> RecordDatabase:
    """The record in ``home``, with all its tables; StoreError when there is none or it cannot be used."""
    with faults.translate_errors(home):
        layout = prepare_home(home, create)
        connections = Connections(layout.record, read_only=not layout.is_writable, factory=factory)
        try:
            ensure_tables(layout, connections)
        except BaseException:
            connections.close()
            raise
    return RecordDatabase(layout, connections)


class UploadFolder(FileTable):
    """A ``FileStore``: files in a folder of the home, and their metadata in its record.

    A file is written under a name of its own, made durable and only then noted. Names begin with the token of the
    process that wrote them, so that leftovers of a killed one are distinguished from files being written.
    """

    def __init__(self, layout: Layout, database: Database) -> None:
        self._home = layout.home
        self._folder = layout.uploads
        self._is_writable = layout.is_writable
        super().__init__(database)
        self._is_swept = False

    def put(
        self,
        file_id: str,
        name: str,
        pieces: Iterable[bytes],
        moment: datetime,
        tenant: str = "default",
        *,
        user: str = "",
    ) -> StoredFile:
        content = self._new_name()
        path = self._folder / content
        try:
            written = self._write_file(path, pieces)
            file = replace(written, id=file_id, name=name, created_at=moment, tenant=tenant, user=user)
            replaced = self._database.run_change(lambda db: _note_file(db, file, content))
        except BaseException:
            _remove_path(path)
            raise
        if replaced is not None:
            _remove_path(self._folder / replaced)
        return file

    @contextmanager
    def open(self, file_id: str, tenant: str = "default") -> Generator[Path]:
        """A readable copy: another name of the same content, so that it stays when the file is deleted meanwhile."""
        with faults.translate_errors(self._home):
            folder = self._folder_for_reading()
            try:
                copy = self._copy_in(folder, file_id, tenant)
            except BaseException:
                _remove_path(folder)
                raise
        try:
            yield copy
        finally:
            _remove_path(folder)

    def delete(self, file_id: str, tenant: str = "default") -> bool:
        content = self._database.run_change(lambda db: forget_file(db, file_id, tenant))
        if content is not None:
            _remove_path(self._folder / str(content))
        return content is not None

    def _new_name(self) -> str:
        token = self._database.announce()
        with faults.translate_errors(self._home):
            make_private_folder(self._folder)
            if not self._is_swept:
                self._sweep_leftovers()
                self._is_swept = True
        return f"{token}-{uuid.uuid4().hex}"

    def _write_file(self, path: Path, pieces: Iterable[bytes]) -> StoredFile:
        """Write a new file durably; its size and digest, nothing else is set."""
        size, sha256 = 0, hashlib.sha256()
        with faults.translate_errors(self._home), private_files():
            file = path.open("xb")
        with file:
            # Errors of the iterable belong to the caller.
            for piece in pieces:
                with faults.translate_errors(self._home):
                    file.write(piece)
                sha256.update(piece)
                size += len(piece)
            with faults.translate_errors(self._home):
                file.flush()
                os.fsync(file.fileno())
                sync_file(self._folder)
        return StoredFile("", "", size, sha256.hexdigest(), datetime.min)

    def _folder_for_reading(self) -> Path:
        if not self._is_writable:
            return Path(tempfile.mkdtemp(prefix="ascertain-"))
        folder = self._folder / self._new_name()
        make_private_folder(folder)
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
                return _link_file(source, folder / as_file_name(file.name))
            except FileNotFoundError:
                # Replaced since it was looked up, or damaged.
                missing = source

    def _sweep_leftovers(self) -> None:
        """Remove leftovers of dead processes. In this order: what they still noted is seen."""
        names = [path.name for path in self._folder.iterdir()]
        tokens = {name.partition("-")[0] for name in names}
        with self._database.reading() as db:
            gone = self._database.find_gone(db, tokens)
        with self._database.reading() as db:
            noted = list_contents(db)
        for name in names:
            if name.partition("-")[0] in gone and name not in noted:
                _remove_path(self._folder / name)


def _note_file(db: Session, file: StoredFile, content: str) -> str | None:
    before = find_file(db, file.id, file.tenant)
    keep_file(db, file, content)
    return None if before is None else str(before[1])


def _link_file(source: Path, copy: Path) -> Path:
    try:
        os.link(source, copy)
    except FileNotFoundError:
        raise
    except OSError:
        # A file system without links, or another one.
        shutil.copyfile(source, copy)
    return copy


def _remove_path(path: Path) -> None:
    """Remove a file or a folder; what cannot be removed now is left to a later cleanup."""
    with suppress(OSError):
        if path.is_dir():
            shutil.rmtree(path)
        else:
            path.unlink(missing_ok=True)


def open_embedded_conversations(settings: StoreSettings, home: Path, kept_turns: int) -> ConversationTable:
    """The conversations in ``home``; StoreError when there is no knowledge base or it cannot be used."""
    return ConversationTable(open_database(home), kept_turns)


def open_embedded_ingest_log(settings: StoreSettings, home: Path) -> IngestLogTable:
    """The ingest log in ``home``; StoreError when there is no knowledge base or it cannot be used."""
    return IngestLogTable(open_database(home))


def open_embedded_graph(settings: StoreSettings, home: Path) -> GraphTables:
    """The graph of the knowledge base in ``home``; StoreError when there is none or it cannot be used."""
    return GraphTables(open_database(home, EscapingConnection))


def open_embedded_service(settings: StoreSettings, home: Path) -> TableStores:
    """The records of a service in ``home``, created empty if missing.

    Raises StoreError when it cannot be used.
    """
    database = open_database(home, EscapingConnection, create=True)
    return TableStores(database, UploadFolder(database.layout, database))
