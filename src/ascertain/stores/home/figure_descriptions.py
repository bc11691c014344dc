"""Caches a chat model's descriptions of pictures, in a separate file in the home, which may be deleted at any time.

So a killed run resumes, and adding a document again costs nothing. A description is stored for each document that
shows the picture; with the last of them it is deleted, so that nothing of a deleted document stays. What cannot be stored or read, in
a home that is read-only or full, is described again.
"""

from __future__ import annotations

import logging
import sqlite3
from collections.abc import Callable, Iterable
from contextlib import closing, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from ascertain.core.documents.blocks import Figure

T = TypeVar("T")
_logger = logging.getLogger(__name__)

FILE = "figures.sqlite3"
_PATIENCE = 5.0
"""Seconds to wait for another process, whose changes take milliseconds."""
_SCHEMA = """
CREATE TABLE IF NOT EXISTS descriptions (
    tenant TEXT NOT NULL, digest TEXT NOT NULL, model TEXT NOT NULL, document_id TEXT NOT NULL, description TEXT NOT NULL,
    PRIMARY KEY (tenant, digest, model, document_id));
CREATE INDEX IF NOT EXISTS descriptions_by_document ON descriptions (tenant, document_id);
"""


@dataclass(frozen=True, slots=True)
class FigureDescriptions:
    """The descriptions in ``folder``, by tenant, picture and model; empty without one. Safe to share between threads and processes."""

    folder: Path | None

    def find(self, figure: Figure, tenant: str) -> str | None:
        """What the model wrote of the picture, empty where it shows nothing; None if unknown."""
        finding = "SELECT description FROM descriptions WHERE tenant = ? AND digest = ? AND model = ? LIMIT 1"
        found = self._attempt(
            lambda db: db.execute(finding, (tenant, figure.digest, figure.model)).fetchone(), writes=False
        )
        return None if found is None else str(found[0])

    def keep(self, figure: Figure, description: str, document_id: str, tenant: str) -> None:
        """Note what the model wrote of a picture in a document. Durable when this returns."""
        row = (tenant, figure.digest, figure.model, document_id, description)
        self._attempt(
            lambda db: db.execute("INSERT OR REPLACE INTO descriptions VALUES (?, ?, ?, ?, ?)", row), writes=True
        )

    def forget(self, document_ids: Iterable[str], tenant: str) -> None:
        """Delete what belongs to these documents alone."""
        rows = [(tenant, document_id) for document_id in document_ids]
        if rows and self._is_there:
            forgetting = "DELETE FROM descriptions WHERE tenant = ? AND document_id = ?"
            self._attempt(lambda db: db.executemany(forgetting, rows), writes=True)

    @property
    def _is_there(self) -> bool:
        return self.folder is not None and (self.folder / FILE).exists()

    def _attempt(self, work: Callable[[sqlite3.Connection], T], *, writes: bool) -> T | None:
        if self.folder is None or not (writes or self._is_there):
            return None
        path = self.folder / FILE
        for _ in range(2):
            try:
                with closing(sqlite3.connect(path, timeout=_PATIENCE)) as db, db:
                    db.execute("PRAGMA journal_mode = WAL")
                    # deleted data is overwritten
                    db.execute("PRAGMA secure_delete = ON")
                    db.executescript(_SCHEMA)
                    return work(db)
            except sqlite3.OperationalError as error:
                _logger.warning("descriptions of figures are not remembered: %s", error)
                return None
            except (sqlite3.DatabaseError, OSError) as error:
                _logger.warning("figures are described again, since %s was damaged: %s", path, error)
                for suffix in ("", "-wal", "-shm"):
                    with suppress(OSError):
                        Path(f"{path}{suffix}").unlink(missing_ok=True)
        return None
