"""Printing for all commands: amounts in words, tables, and progress: a bar in a terminal, elsewhere a line now and then."""

import threading
from collections.abc import Generator, Iterable, Sequence
from contextlib import contextmanager
from datetime import datetime

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, ProgressColumn, Task, TaskProgressColumn, TextColumn
from rich.table import Table
from rich.text import Text

from ascertain.core.service.status import format_count

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


LINE_SECONDS = 10.0
"""Between two lines about progress where no bar can be drawn: rare enough for a log, frequent enough to see that it is alive."""


def estimate_left(elapsed: float, done: float, total: float | None) -> str:
    """``about 2 min left`` at the current pace, from the first piece on; empty before, at the end and without a total."""
    if not total or not 0 < done < total:
        return ""
    seconds = elapsed * (total - done) / done
    if seconds < 60:
        return f"about {max(1, round(seconds))} s left"
    if seconds < 3600:
        return f"about {round(seconds / 60)} min left"
    return f"about {seconds / 3600:.1f} h left"


class TimeLeftColumn(ProgressColumn):
    """The estimate of ``estimate_left``: rich's own waits for a second piece."""

    def render(self, task: Task) -> Text:
        """The text beside the bar of ``task``."""
        return Text(estimate_left(task.elapsed or 0.0, task.completed, task.total), style="progress.remaining")


class IngestProgress:
    """The progress of an ingest; an ``documents.ingest.report.IngestListener`` and ``FileListener``."""

    def __init__(self, progress: Progress) -> None:
        self._progress = progress
        self._task = progress.add_task("", total=None, name="reading", rate="", files="")
        self._chunks = 0

    def found(self, total_documents: int | None, total_bytes: int) -> None:
        """The total to do."""
        self._progress.reset(self._task, total=max(total_bytes, 1))

    def count_files(self, done: int, total: int) -> None:
        """How many of the files have been read."""
        self._progress.update(self._task, files=f"{done:,} of {format_count(total, 'file')}" if total else "")

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
def ingest_progress(console: Console, every: float = LINE_SECONDS) -> Generator[IngestProgress]:
    """A listener that draws a bar on ``console``, or prints a line to it now and then where it is no terminal."""
    fields = ("files", "rate", "name")
    if console.is_terminal:
        with rated_progress(console, TextColumn("{task.fields[files]}")) as progress:
            yield IngestProgress(progress)
        return
    with progress_lines(console, every, fields) as progress:
        yield IngestProgress(progress)


@contextmanager
def progress_lines(console: Console, every: float, fields: Sequence[str] = (), label: str = "") -> Generator[Progress]:
    """Tasks that are not drawn; the progress of the last one is printed on ``console`` at intervals."""
    progress = Progress(console=Console(quiet=True), auto_refresh=False)
    ended = threading.Event()

    def print_lines() -> None:
        while not ended.wait(every):
            if progress.tasks:
                line = describe_task(progress.tasks[-1], fields)
                console.print(f"{label}: {line}" if label else line, markup=False, highlight=False, soft_wrap=True)

    printing = threading.Thread(target=print_lines, name="ascertain-progress", daemon=True)
    printing.start()
    try:
        yield progress
    finally:
        ended.set()
        printing.join()


def describe_task(task: Task, fields: Sequence[str]) -> str:
    """``12 of 40 files, 31 %, about 2 min left, 40 chunks/s, notes/a.md``; a task without ``fields`` is counted itself."""
    parts = [str(task.fields[name]) for name in fields]
    share = f"{task.completed / task.total:.0%}".replace("%", " %") if task.total else ""
    if not fields and task.total:
        parts, share = [f"{task.completed:,.0f} of {task.total:,.0f}"], ""
    first, rest = parts[:1], parts[1:]
    left = estimate_left(task.elapsed or 0.0, task.completed, task.total)
    return strip_control(", ".join(part for part in (*first, share, left, *rest) if part)) or "at work"


def rated_progress(console: Console, *counts: ProgressColumn) -> Progress:
    """A bar with the share done, ``counts``, the time left, and the fields ``rate`` and ``name`` of its tasks."""
    columns = (
        BarColumn(bar_width=24),
        TaskProgressColumn(),
        *counts,
        TimeLeftColumn(),
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
    """A bar behind ``label``, or a line now and then where there is no terminal; None if disabled."""
    if not wanted:
        yield None
        return
    if not console.is_terminal:
        with progress_lines(console, LINE_SECONDS, label=label) as progress:
            yield CountedProgress(progress)
        return
    columns = (TextColumn(label), BarColumn(bar_width=24), MofNCompleteColumn(), TimeLeftColumn())
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
