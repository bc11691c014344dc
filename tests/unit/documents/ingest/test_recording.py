from __future__ import annotations

import logging
import time
from datetime import UTC, datetime, timedelta

import pytest

from ascertain.core.documents.ingest import IngestRun, RunState
from ascertain.core.errors import StoreError
from ascertain.documents.ingest.recording import record_run, unfinished_since
from ascertain.documents.ingest.report import SilentListener


class Log:
    def __init__(self, *runs: IngestRun) -> None:
        self.entries: list[IngestRun] = list(runs)
        self.is_away = False
        self.is_closed = False

    def record(self, run: IngestRun, tenant: str = "default") -> None:
        if self.is_away:
            raise StoreError("the server is away")
        self.entries.append(run)

    def runs(self, tenant: str = "default", limit: int = 10) -> list[IngestRun]:
        return self.entries[:limit]

    def close(self) -> None:
        self.is_closed = True


@pytest.fixture
def log() -> Log:
    return Log()


def test_a_run_is_in_the_log_while_it_works_and_when_it_is_over(log: Log) -> None:
    with record_run(lambda: log, "local", "/notes", SilentListener(), interval=0.001) as listener:
        listener.found(None, 100)
        listener.report_progress("/notes/a.txt", 40, 3)
        deadline = time.monotonic() + 10
        while not any(run.chunks == 3 for run in log.entries) and time.monotonic() < deadline:
            time.sleep(0.001)
        listener.failed("/notes/b.txt", "damaged")
        listener.report_progress("/notes/c.txt", 60, 1)
    assert len({run.id for run in log.entries}) == 1
    at_work, over = next(run for run in log.entries if run.chunks == 3), log.entries[-1]
    assert (at_work.state, at_work.bytes_done, at_work.bytes_total) == (RunState.RUNNING, 40, 100)
    assert (over.state, over.bytes_done, over.chunks, over.failures) == (RunState.FINISHED, 100, 4, 1)
    assert (over.engine, over.what) == ("local", "/notes")
    assert over.started_at <= over.updated_at
    assert log.is_closed


@pytest.mark.parametrize(
    ("error", "state", "reason"),
    [
        (StoreError("the disk is full"), RunState.FAILED, "the disk is full"),
        (KeyboardInterrupt(), RunState.INTERRUPTED, "run the same command again"),
    ],
)
def test_the_log_says_why_a_run_ended_early(log: Log, error: BaseException, state: RunState, reason: str) -> None:
    with pytest.raises(type(error)), record_run(lambda: log, "ray", "/notes", SilentListener()):
        raise error
    assert log.entries[-1].state is state
    assert reason in log.entries[-1].reason


def test_a_log_that_cannot_be_written_is_one_warning(log: Log, caplog: pytest.LogCaptureFixture) -> None:
    log.is_away = True
    with (
        caplog.at_level(logging.WARNING, "ascertain.documents.ingest"),
        record_run(lambda: log, "local", "/notes", SilentListener(), interval=0.001) as listener,
    ):
        listener.report_progress("/notes/a.txt", 40, 3)
        time.sleep(0.02)
    assert [record.getMessage() for record in caplog.records] == [
        "the progress of this run is not in the ingest log: the server is away"
    ]


def test_a_log_that_comes_back_has_the_end_of_the_run(log: Log) -> None:
    log.is_away = True
    with record_run(lambda: log, "local", "/notes", SilentListener(), interval=0.001):
        time.sleep(0.01)
        log.is_away = False
    assert log.entries[-1].state is RunState.FINISHED


START = datetime(2026, 1, 1, tzinfo=UTC)


def a_run(hours: int, state: RunState, engine: str = "ray", what: str = "/notes") -> IngestRun:
    at = START + timedelta(hours=hours)
    return IngestRun(str(hours), engine, what, at, at, state)


@pytest.mark.parametrize(
    ("states", "hours"),
    [
        ([], None),
        ([RunState.FINISHED], None),
        ([RunState.INTERRUPTED], 0),
        ([RunState.INTERRUPTED, RunState.FINISHED], None),
        ([RunState.FINISHED, RunState.FAILED, RunState.INTERRUPTED, RunState.RUNNING], 1),
    ],
)
def test_a_run_takes_up_those_that_failed_since_the_last_whole_one(states: list[RunState], hours: int | None) -> None:
    runs = [a_run(hour, state) for hour, state in enumerate(states)]
    others = [
        a_run(9, RunState.FINISHED, "local"),
        a_run(9, RunState.FINISHED, what="/else"),
        a_run(9, RunState.FAILED, "local"),
    ]
    since = unfinished_since(Log(*others, *reversed(runs)), "ray", "/notes")
    assert since == (None if hours is None else START + timedelta(hours=hours))
