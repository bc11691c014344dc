"""A progress bar with the rate and the time left, on standard error and only in a terminal."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TaskProgressColumn,
    TextColumn,
    TimeRemainingColumn,
)

from ascertain.cli.text import shorten_path

if TYPE_CHECKING:
    from rich.console import Console

NAME_WIDTH = 28


class IngestProgress:
    """Shows an ingest as it happens; an ``ingest.pipeline.IngestListener``."""

    def __init__(self, progress: Progress) -> None:
        self._progress = progress
        self._task = progress.add_task("", total=None, name="reading", rate="")
        self._chunks = 0

    def found(self, total_documents: int | None, total_bytes: int) -> None:
        """How much there is to do."""
        self._progress.update(self._task, total=max(total_bytes, 1))

    def advanced(self, source: str, bytes_done: int, chunks: int) -> None:
        """One more document is done."""
        self._chunks += chunks
        elapsed = self._progress.tasks[0].elapsed or 0.0
        rate = f"{self._chunks / elapsed:.0f} chunks/s" if elapsed > 1 else ""
        self._progress.update(
            self._task, advance=bytes_done, name=shorten_path(source, NAME_WIDTH), rate=rate
        )

    def failed(self, source: str, reason: str) -> None:
        """A document could not be read; it is listed at the end."""
        self._progress.update(self._task, name=f"failed: {shorten_path(source, NAME_WIDTH - 8)}")


@contextmanager
def ingest_progress(console: Console) -> Generator[IngestProgress | None]:
    """A listener that draws on ``console``, or None where nobody watches."""
    if not console.is_terminal:
        yield None
        return
    with rated_progress(console) as progress:
        yield IngestProgress(progress)


def rated_progress(console: Console) -> Progress:
    """A bar with the share done, the time left, and the fields ``rate`` and ``name`` of its tasks."""
    columns = (
        BarColumn(bar_width=24),
        TaskProgressColumn(),
        TimeRemainingColumn(compact=True),
        TextColumn("{task.fields[rate]}", style="cyan"),
        TextColumn("{task.fields[name]}", style="dim"),
    )
    return Progress(*columns, console=console, transient=True)


@contextmanager
def counted_progress(console: Console, label: str, wanted: bool = True) -> Generator[Progress | None]:
    """A bar that counts towards a total, for ``reindex`` and ``ask --batch``; None where nobody watches."""
    if not (wanted and console.is_terminal):
        yield None
        return
    columns = (
        TextColumn(label),
        BarColumn(bar_width=24),
        MofNCompleteColumn(),
        TimeRemainingColumn(compact=True),
    )
    with Progress(*columns, console=console, transient=True) as progress:
        yield progress
