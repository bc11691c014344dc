"""The port of uploaded files, as they came: what a job reads, and what a page image of a PDF is drawn from."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Protocol


@dataclass(frozen=True, slots=True)
class StoredFile:
    """A file without its content. ``sha256`` is in hex."""

    id: str
    name: str
    size: int
    sha256: str
    created_at: datetime
    tenant: str = "default"


class FileStore(Protocol):
    """Files by tenant; every replica over one server store sees all of them."""

    def put(
        self, file_id: str, name: str, pieces: Iterable[bytes], moment: datetime, tenant: str = "default"
    ) -> StoredFile:
        """Write a file, replacing one of this id, without ever holding it whole; it is there whole or, on any error or kill, not at all."""
        ...

    def open(self, file_id: str, tenant: str = "default") -> AbstractContextManager[Path]:
        """A readable copy on this machine, named as the file was, for as long as the context lasts. Raises UsageError for an unknown id."""
        ...

    def get(self, file_id: str, tenant: str = "default") -> StoredFile | None:
        """What is known of a file."""
        ...

    def files(self, tenant: str = "default", beginning: str = "") -> list[StoredFile]:
        """The files of a tenant whose ids begin with ``beginning``, the oldest first. Cheap when few do."""
        ...

    def delete(self, file_id: str, tenant: str = "default") -> bool:
        """Remove a file; False when there is none."""
        ...
