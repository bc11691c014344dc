"""Syncing sources automatically: folders as they change, the others on schedule."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ascertain.app.access.api_keys import list_keys
from ascertain.app.sources.desk import SourceDesk
from ascertain.core.errors import AscertainError

if TYPE_CHECKING:
    from ascertain.app.access.viewers import Access

_logger = logging.getLogger(__name__)

LEASE = "watch of sources"
LOOK_SECONDS = 2.0
"""How soon a new or due source is found."""
_QUIET_MILLISECONDS = 500
"""A folder is read once nothing in it has changed for this long: most programs have written a file by then."""
_BUSY_MILLISECONDS = 5_000
"""At the latest after this time, in a folder that keeps changing."""

Owner = tuple[str, str]
"""Tenant and name of a source."""


class SourceWatch:
    """Watches the sources of every tenant of a knowledge base, in one process at a time."""

    def __init__(self, access: Access, read: Callable[[str, str], None]) -> None:
        """``access`` names the first tenant. ``read`` syncs a source, given its tenant and its name, or schedules that; it is called by the
        watching thread.
        """
        self._access = access
        self._container = access.container
        self._read = read
        self._stopping = threading.Event()
        self._thread: threading.Thread | None = None
        self._folders: dict[Path, Owner] = {}
        self._changes: Iterator[set[tuple[Any, str]]] | None = None
        self._unread: set[Owner] = set()
        self._newly_watched: set[Owner] = set()
        """Folders that may have changed between their last reading and the moment from which they are watched."""

    def start(self) -> None:
        """Start, in its own thread."""
        self._stopping.clear()
        self._thread = threading.Thread(target=self._watch_while_wanted, name="ascertain-watch", daemon=True)
        self._thread.start()

    def end(self) -> None:
        """Start no further sync."""
        self._stopping.set()

    def stop(self, seconds: float) -> None:
        """Stop, and wait this long for it."""
        self.end()
        if self._thread is not None:
            self._thread.join(seconds)

    def run(self) -> bool:
        """Watch in this thread until ``end`` is called; False at once where another process watches."""
        leases = self._container.service.leases
        if not leases.take(LEASE):
            return False
        try:
            while not self._stopping.is_set():
                self._look_around()
        finally:
            self._forget_changes()
            leases.give_back(LEASE)
        return True

    def _watch_while_wanted(self) -> None:
        while not self._stopping.is_set():
            try:
                self._container.set_up()
                self.run()
            except AscertainError as error:
                _logger.warning("sources are not watched: %s", error)
            self._stopping.wait(LOOK_SECONDS)

    def _look_around(self) -> None:
        """Read what is due, then wait for a change in a folder, or for a while."""
        folders: dict[Path, Owner] = {}
        due = set(self._unread)
        for tenant in self._list_tenants():
            desk = SourceDesk(self._container, replace(self._access, tenant=tenant))
            due |= {(tenant, name) for name in desk.find_due()}
            folders |= {
                Path(record.root): (tenant, record.name)
                for record in desk.list_all()
                if record.kind == "folder" and record.interval_seconds and Path(record.root).is_dir()
            }
        self._watch_folders(folders)
        for owner in sorted(due):
            if not self._stopping.is_set():
                self._read_one(owner)
        self._unread |= self._await_changes()

    def _read_one(self, owner: Owner) -> None:
        tenant, name = owner
        self._unread.discard(owner)
        try:
            self._read(tenant, name)
        except AscertainError as error:
            _logger.warning("the source %s was not read: %s", name, error, extra={"tenant": tenant})
            self._stopping.wait(LOOK_SECONDS)

    def _watch_folders(self, folders: Mapping[Path, Owner]) -> None:
        if folders == self._folders:
            return
        from watchfiles import watch

        self._forget_changes()
        self._folders = dict(folders)
        self._newly_watched = set(folders.values())
        if folders:
            self._changes = watch(
                *folders,
                debounce=_BUSY_MILLISECONDS,
                step=_QUIET_MILLISECONDS,
                rust_timeout=int(1000 * LOOK_SECONDS),
                yield_on_timeout=True,
                stop_event=self._stopping,
                raise_interrupt=True,
            )

    def _await_changes(self) -> set[Owner]:
        """The folders in which something changed; it may be that another was looked for in vain."""
        if self._changes is None:
            self._stopping.wait(LOOK_SECONDS)
            return set()
        began = time.monotonic()
        newly_watched, self._newly_watched = self._newly_watched, set()
        changes = next(self._changes, set[tuple[Any, str]]())
        if not changes and time.monotonic() - began < LOOK_SECONDS / 2:
            self._stopping.wait(LOOK_SECONDS)
        return newly_watched | {
            owner
            for folder, owner in self._folders.items()
            if any(folder == Path(path) or folder in Path(path).parents for _, path in changes)
        }

    def _forget_changes(self) -> None:
        close = getattr(self._changes, "close", None)
        if close is not None:
            close()
        self._changes = None
        self._folders = {}

    def _list_tenants(self) -> list[str]:
        return sorted({self._access.tenant, *(key.tenant for key in list_keys(self._container.service))})
