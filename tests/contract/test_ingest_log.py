"""What every ingest log must do."""

import itertools
import os
import signal
import threading
import time
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import HealthCheck, given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from ascertain.core.documents.ingest import IngestRun, RunState
from ascertain.core.errors import StoreError
from ascertain.stores.registry import open_ingest_log, open_store

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
SECONDS = 60
"""How long a server may take to see that a process is gone."""

SCRIPT = """
import sys
from datetime import UTC, datetime
from pathlib import Path
from ascertain.core.settings import StoreSettings
from ascertain.core.documents.ingest import IngestRun, RunState
from ascertain.stores.registry import open_ingest_log

noon = datetime(2026, 3, 1, 12, tzinfo=UTC)
log = open_ingest_log(StoreSettings.model_validate_json(sys.argv[1]), Path(sys.argv[2]))
def say(line):
    print(line, flush=True)
    sys.stdin.readline()
"""

RUN_AND_WAIT = """
log.record(IngestRun("theirs", "local", "docs", noon, noon, chunks=7))
say("running")
log.record(IngestRun("theirs", "local", "docs", noon, noon, RunState.FINISHED, chunks=9))
"""

RUN_OFTEN = """
for number in range(15):
    run = IngestRun(sys.argv[3] + str(number), "local", "docs", noon, noon)
    log.record(run)
    log.record(IngestRun(run.id, "local", "docs", noon, noon, RunState.FINISHED))
"""


@pytest.fixture
def log(reopen_log):
    return reopen_log()


@pytest.fixture
def process(run_script):
    """Start a script in another process, which has ``log`` and ``say`` (print a line, wait for one)."""
    return lambda script, *arguments: run_script(SCRIPT + script, *arguments)


def a_run(name="run", **fields):
    times = {"started_at": NOON, "updated_at": NOON}
    return IngestRun(name, "local", "docs", **(times | fields))


def states(log, **arguments):
    return {run.id: run.state for run in log.runs(**arguments)}


def eventually(holds):
    end = time.monotonic() + SECONDS
    while not holds() and time.monotonic() < end:
        time.sleep(0.02)
    return holds()


def test_an_empty_log_has_no_runs(log):
    assert log.runs() == []


def test_everything_of_a_run_comes_back(reopen_log):
    run = IngestRun(
        "a1",
        "ray",
        "/docs and 2 more",
        NOON,
        NOON + timedelta(microseconds=3),
        RunState.FAILED,
        bytes_done=2**40,
        bytes_total=2**41,
        chunks=12,
        failures=3,
        reason="no space left",
    )
    first = reopen_log()
    first.record(run)
    first.close()
    assert reopen_log().runs() == [run]


def test_a_run_is_written_over_what_was_written_of_it(log):
    run = a_run()
    log.record(run)
    later = replace(run, bytes_done=10, bytes_total=20, updated_at=NOON + timedelta(seconds=1))
    log.record(later)
    assert log.runs() == [later]
    done = replace(later, state=RunState.FINISHED, bytes_done=20)
    log.record(done)
    assert log.runs() == [done]


def test_the_last_started_come_first(log):
    for hour in (2, 0, 3, 1):
        log.record(a_run(f"at {hour}", started_at=NOON + timedelta(hours=hour)))
    log.record(a_run("at 0", started_at=NOON, updated_at=NOON + timedelta(hours=9)))
    assert [run.id for run in log.runs()] == ["at 3", "at 2", "at 1", "at 0"]
    assert [run.id for run in log.runs(limit=2)] == ["at 3", "at 2"]
    assert log.runs(limit=0) == []


def test_of_runs_that_started_together_the_last_recorded_comes_first(log):
    for name in "abc":
        log.record(a_run(name))
    assert [run.id for run in log.runs()] == ["c", "b", "a"]


def test_runs_beyond_the_last_hundred_are_forgotten(log):
    for number in range(103):
        log.record(a_run(str(number), started_at=NOON + timedelta(seconds=number)))
    log.record(a_run("other", started_at=NOON - timedelta(days=1)), "other")
    assert [run.id for run in log.runs(limit=1000)] == [str(number) for number in range(102, 2, -1)]
    assert [run.id for run in log.runs("other")] == ["other"]


def test_a_run_older_than_the_last_hundred_is_not_kept(log):
    for number in range(100):
        log.record(a_run(str(number), started_at=NOON + timedelta(seconds=number)))
    log.record(a_run("ancient", started_at=NOON - timedelta(days=1)))
    assert "ancient" not in states(log, limit=1000)


def test_tenants_do_not_see_each_other(log):
    log.record(a_run("same", chunks=1), "one")
    log.record(a_run("same", chunks=2), "two")
    assert [run.chunks for run in log.runs("one")] == [1]
    assert [run.chunks for run in log.runs("two")] == [2]
    assert log.runs() == []


TEXT = st.text(st.characters(codec=None, exclude_categories=()), max_size=40)


@hypothesis_settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(texts=st.tuples(TEXT, TEXT, TEXT, TEXT, TEXT))
def test_any_text_comes_back_to_the_character(log, texts):
    name, engine, what, reason, tenant = texts
    run = IngestRun(name, engine, what, NOON, NOON, RunState.FAILED, reason=reason)
    log.record(run, tenant)
    assert log.runs(tenant, limit=100).count(run) == 1


def test_long_ids_are_kept_apart(log):
    log.record(a_run("x" * 5000 + "a", chunks=1))
    log.record(a_run("x" * 5000 + "b", chunks=2))
    assert [run.chunks for run in log.runs()] == [2, 1]


def test_a_run_is_running_while_its_process_lives(log, process):
    other = process(RUN_AND_WAIT)
    assert other.stdout.readline() == "running\n"
    log.record(a_run("mine"))
    assert states(log) == {"mine": RunState.RUNNING, "theirs": RunState.RUNNING}
    other.communicate("\n")
    assert other.returncode == 0
    assert states(log) == {"mine": RunState.RUNNING, "theirs": RunState.FINISHED}


def test_a_run_whose_process_was_killed_is_interrupted(log, process):
    other = process(RUN_AND_WAIT)
    assert other.stdout.readline() == "running\n"
    os.kill(other.pid, signal.SIGKILL)
    other.wait()
    assert eventually(lambda: states(log) == {"theirs": RunState.INTERRUPTED})
    (run,) = log.runs()
    assert run.chunks == 7
    assert "process ended" in run.reason


def test_an_interrupted_run_taken_up_again_is_running(log, process):
    other = process(RUN_AND_WAIT)
    other.stdout.readline()
    os.kill(other.pid, signal.SIGKILL)
    other.wait()
    log.record(a_run("theirs", chunks=8))
    assert states(log) == {"theirs": RunState.RUNNING}


def test_a_run_ends_with_the_log_that_recorded_it(reopen_log):
    first = reopen_log()
    first.record(a_run())
    first.close()
    assert states(reopen_log()) == {"run": RunState.INTERRUPTED}


def test_two_processes_record_side_by_side(log, process):
    others = [process(RUN_OFTEN, name) for name in "ab"]
    for other in others:
        other.communicate()
        assert other.returncode == 0
    expected = {f"{name}{number}": RunState.FINISHED for name, number in itertools.product("ab", range(15))}
    assert states(log, limit=100) == expected


def test_threads_share_a_log(log):
    def record(name):
        for number in range(10):
            log.record(a_run(f"{name}{number}"))

    threads = [threading.Thread(target=record, args=(name,)) for name in "abcd"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(log.runs(limit=100)) == 40


def test_runs_are_recorded_while_documents_are_written(log, settings, home):
    ingesting = open_store(settings, home, "model-a", 8)
    with ingesting.writing():
        log.record(a_run())
    ingesting.close()
    assert states(log) == {"run": RunState.RUNNING}


def test_there_is_none_without_a_knowledge_base(settings, tmp_path):
    with pytest.raises(StoreError, match="no knowledge base"):
        open_ingest_log(settings, tmp_path / "nowhere")


def test_a_closed_log_says_so(log):
    log.close()
    for call in (log.runs, lambda: log.record(a_run())):
        with pytest.raises(StoreError, match="closed"):
            call()
