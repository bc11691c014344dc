"""What all commands print with: amounts in words, tables, and progress bars, which are drawn in a terminal only."""

from collections.abc import Generator, Iterable, Sequence
from contextlib import contextmanager
from datetime import datetime

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn
from rich.table import Table
from rich.text import Text

from ascertain.core.status import format_count

NAME_WIDTH = 28
"""Columns for the name of a document beside a bar."""


def format_named(names: int, mentions: int, relations: int) -> str:
    """What a part of the graph holds: ``3 names, 5 mentions, 1 relation``."""
    return ", ".join(
        (format_count(names, "name"), format_count(mentions, "mention"), format_count(relations, "relation"))
    )


def shorten_path(path: str, width: int) -> str:
    """The end of a path, ``…/notes/a.md``, in at most ``width`` columns."""
    return path if len(path) <= width else "…" + path[-(width - 1) :]


def format_date(moment: datetime | None) -> str:
    """``2024-12-05``, with the time of day when it has one; empty for None."""
    if moment is None:
        return ""
    return moment.strftime("%Y-%m-%d" if (moment.hour, moment.minute) == (0, 0) else "%Y-%m-%d %H:%M")


def format_duration(seconds: float) -> str:
    """``0.3 s``, ``2 min 05 s``."""
    if seconds < 60:
        return f"{seconds:.1f} s"
    return f"{int(seconds) // 60} min {int(seconds) % 60:02d} s"


def strip_control(text: str) -> str:
    """One line without control characters, so that a document cannot send escape sequences to a terminal."""
    return "".join(
        character if character.isprintable() else "\N{REPLACEMENT CHARACTER}" for character in " ".join(text.split())
    )


class IngestProgress:
    """Shows an ingest as it happens; an ``ingest.pipeline.IngestListener``."""

    def __init__(self, progress: Progress) -> None:
        self._progress = progress
        self._task = progress.add_task("", total=None, name="reading", rate="")
        self._chunks = 0

    def found(self, total_documents: int | None, total_bytes: int) -> None:
        """How much there is to do."""
        self._progress.update(self._task, total=max(total_bytes, 1))

    def report_progress(self, source: str, bytes_done: int, chunks: int) -> None:
        """One more document is done."""
        self._chunks += chunks
        elapsed = self._progress.tasks[0].elapsed or 0.0
        rate = f"{self._chunks / elapsed:.0f} chunks/s" if elapsed > 1 else ""
        self._progress.update(self._task, advance=bytes_done, name=shorten_path(source, NAME_WIDTH), rate=rate)

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


class CountedProgress:
    """A bar that counts towards a total."""

    def __init__(self, progress: Progress) -> None:
        self._progress = progress
        self._task = progress.add_task("", total=None)

    def report_progress(self, done: int, total: int, chunks: int = 0) -> None:
        """``done`` of ``total`` are done."""
        self._progress.update(self._task, completed=done, total=total)


@contextmanager
def counted_progress(console: Console, label: str, wanted: bool = True) -> Generator[CountedProgress | None]:
    """A bar behind ``label``; None where nobody watches."""
    if not (wanted and console.is_terminal):
        yield None
        return
    columns = (TextColumn(label), BarColumn(bar_width=24), MofNCompleteColumn(), TimeRemainingColumn(compact=True))
    with Progress(*columns, console=console, transient=True) as progress:
        yield CountedProgress(progress)


def print_table(
    console: Console, columns: Sequence[str], rows: Iterable[Sequence[str]], elastic: int | None = None
) -> None:
    """Print rows under a header; in a terminal only the ``elastic`` column is wrapped when the width is short."""
    if not console.is_terminal:
        for row in rows:
            # not console.print, which would expand the tabs
            console.file.write("\t".join(strip_control(cell) for cell in row) + "\n")
        return
    table = Table(box=None, pad_edge=False, header_style="bold")
    for position, column in enumerate(columns):
        table.add_column(column, no_wrap=position != elastic, overflow="fold" if position == elastic else "ellipsis")
    for row in rows:
        table.add_row(*(Text(strip_control(cell)) for cell in row))
    console.print(table)
