"""What is shown of an ingest while it runs: in a terminal, and as lines where there is none."""

import io
import time

import pytest
from rich.console import Console

from ascertain.interfaces.cli import printing
from ascertain.interfaces.cli.printing import counted_progress, estimate_left, ingest_progress


def a_console(*, is_terminal):
    return Console(file=io.StringIO(), force_terminal=is_terminal, width=160, color_system=None)


def shown(console, words, progress):
    """What stands on the console once ``words`` do."""
    until = time.monotonic() + 20
    while words not in (said := console.file.getvalue()):
        assert time.monotonic() < until, said
        time.sleep(0.02)
    return said


@pytest.mark.parametrize(
    ("elapsed", "done", "total", "words"),
    [
        (2.0, 1, 40, "about 1 min left"),
        (3.0, 10, 40, "about 9 s left"),
        (0.01, 1, 2, "about 1 s left"),
        (600.0, 1, 100, "about 16.5 h left"),
        (5.0, 0, 40, ""),
        (5.0, 40, 40, ""),
        (5.0, 3, None, ""),
    ],
)
def test_estimate_is_there_from_the_first_piece_on(elapsed, done, total, words):
    assert estimate_left(elapsed, done, total) == words


def test_bar_counts_files_and_estimates_from_the_first_one():
    console = a_console(is_terminal=True)
    with ingest_progress(console) as listener:
        listener.found(None, 4_000)
        listener.count_files(0, 4)
        listener.report_progress("/notes/a.md", 1_000, 3)
        listener.count_files(1, 4)
        said = shown(console, "1 of 4 files", listener)
        assert "25%" in said
        shown(console, "left", listener)


def test_without_a_terminal_a_line_tells_how_far_it_is():
    console = a_console(is_terminal=False)
    with ingest_progress(console, every=0.05) as listener:
        listener.found(None, 4_000)
        listener.count_files(1, 4)
        listener.report_progress("/notes/a\x1b[2J.md", 1_000, 3)
        line = shown(console, "1 of 4 files, 25 %, about ", listener).splitlines()[-1]
    assert line.endswith(("a.md", "J.md"))
    assert "\x1b" not in line


def test_without_a_terminal_a_short_run_says_nothing():
    console = a_console(is_terminal=False)
    with ingest_progress(console) as listener:
        listener.found(None, 10)
        listener.report_progress("a.md", 10, 1)
    assert console.file.getvalue() == ""
    assert printing.LINE_SECONDS == 10


def test_without_a_terminal_counted_work_tells_how_far_it_is(monkeypatch):
    monkeypatch.setattr(printing, "LINE_SECONDS", 0.05)
    console = a_console(is_terminal=False)
    with counted_progress(console, "reading") as bar:
        bar.report_progress(3, 12)
        shown(console, "reading: 3 of 12, about ", bar)


def test_unwanted_progress_says_nothing():
    with counted_progress(a_console(is_terminal=True), "reading", wanted=False) as bar:
        assert bar is None
