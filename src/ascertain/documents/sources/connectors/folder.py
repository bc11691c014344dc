"""A folder of files on this machine, as ``ascertain add --sync`` reads one."""

import os
from collections.abc import Iterator, Sequence
from pathlib import Path

from ascertain.core.errors import SourceError
from ascertain.documents.sources.connectors.ports import SourceGiven, SourceItem
from ascertain.documents.sources.files import discover_files


class FolderSource:
    """A ``Source``."""

    is_complete = True

    def __init__(self, given: SourceGiven) -> None:
        given.check_options()
        self._folder = Path(given.address).expanduser().resolve()
        self._describes = given.reading.reads_pictures
        self.root = str(self._folder)
        self.notes: Sequence[str] = ()

    def list_items(self) -> Iterator[SourceItem]:
        """Files in the order of reading; an unreadable folder ends the list with an error."""
        if not self._folder.is_dir():
            raise SourceError(f"{self._folder}: the folder does not exist; is its disk mounted?")
        found = discover_files([self._folder], describes=self._describes)
        for path in found.files:
            # a file reached by a link lies elsewhere and keeps its own name
            name = os.path.relpath(path, self._folder)
            try:
                status = path.stat()
            except OSError:
                continue
            yield SourceItem(name, f"{status.st_size}-{status.st_mtime_ns}", name=path.name)
        unreadable = [path for path, reason in found.skipped if "permission" in reason or "cannot be read" in reason]
        if unreadable:
            raise SourceError(f"{unreadable[0]}: no permission to read it; nothing was deleted")

    def read(self, item: SourceItem) -> Path:
        """The file itself, which the reader of its format opens."""
        return self._folder / item.id

    def close(self) -> None:
        """Nothing is open."""
