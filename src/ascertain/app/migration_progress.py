"""Telling how far a migration has come."""

from __future__ import annotations

from typing import Protocol


class MigrationListener(Protocol):
    """Hears how far a migration has come."""

    def stage(self, name: str, chunks: int) -> None:
        """``name`` begins (copying, indexing, conversations and files, graph, verifying) and will go over so many chunks; 0 where that is not known."""
        ...

    def advanced(self, chunks: int) -> None:
        """So many more chunks are done."""
        ...


class Unheard:
    """A listener that nobody watches."""

    def stage(self, name: str, chunks: int) -> None:
        """Nothing."""

    def advanced(self, chunks: int) -> None:
        """Nothing."""
