"""The files of a home folder, and whether they can be used."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from ascertain.core.errors import StoreError


@dataclass(frozen=True, slots=True)
class Layout:
    """Paths inside one home."""

    home: Path

    @property
    def record(self) -> Path:
        """The SQLite database that everything else is derived from."""
        return self.home / "record.sqlite3"

    @property
    def lock(self) -> Path:
        """Locked by the one process that writes."""
        return self.home / "writer.lock"

    @property
    def lexical(self) -> Path:
        """The Tantivy index and its state."""
        return self.home / "lexical"

    @property
    def vectors(self) -> Path:
        """The FAISS snapshot and its state."""
        return self.home / "vectors"

    @property
    def running(self) -> Path:
        """Signs of life of the processes that work on something."""
        return self.home / "running"

    @property
    def uploads(self) -> Path:
        """Uploaded files as they came."""
        return self.home / "uploads"

    @property
    def is_writable(self) -> bool:
        """Whether this process may change the home."""
        return os.access(self.home, os.W_OK) and (not self.record.exists() or os.access(self.record, os.W_OK))

    def bytes_on_disk(self) -> int:
        """Size of everything in the home; files that vanish meanwhile count as nothing."""
        total = 0
        for folder, _, names in os.walk(self.home):
            for name in names:
                try:
                    total += (Path(folder) / name).stat().st_size
                except OSError:
                    continue
        return total


def prepare(home: Path, create: bool) -> Layout:
    """The layout of ``home``, made when ``create``; raises StoreError when it cannot be a knowledge base."""
    layout = Layout(home)
    if home.exists() and not home.is_dir():
        raise StoreError(f"{home} is a file, not a folder: name another folder with --home")
    if layout.record.exists():
        if not os.access(layout.record, os.R_OK):
            raise StoreError(f"{layout.record} cannot be read: check its permissions")
        return layout
    if not create:
        raise StoreError(
            f"there is no knowledge base in {home}: run `ascertain add` first, or name it with --home"
        )
    try:
        home.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StoreError(
            f"cannot create {home} ({error.strerror}): name another folder with --home"
        ) from error
    if not layout.is_writable:
        raise StoreError(f"cannot write to {home}: check its permissions or name another folder with --home")
    return layout
