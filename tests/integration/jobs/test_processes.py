"""Jobs worked off by processes that are killed, stopped, and in each other's way."""

from __future__ import annotations

import random
import subprocess
import time
from collections.abc import Callable

import pytest

from ascertain import Ascertain
from ascertain.core.service.service import Job, JobState

Worker = Callable[..., "subprocess.Popen[str]"]
SECONDS = 150.0


def notes(count: int, about: str = "bridge") -> list[tuple[str, list[bytes]]]:
    return [(f"{about}{n:02}.txt", [f"Note {n} tells of the {about} number {n}.".encode()]) for n in range(count)]


def until(happened: Callable[[], bool]) -> None:
    deadline = time.monotonic() + SECONDS
    while not happened():
        assert time.monotonic() < deadline, "it never happened"
        time.sleep(0.02)


def now(knowledge: Ascertain, job: Job) -> Job:
    found = knowledge.service.jobs.get(job.id, knowledge.tenant)
    assert found is not None
    return found


def ended(knowledge: Ascertain, job: Job) -> Job:
    until(lambda: now(knowledge, job).state.is_ended)
    return now(knowledge, job)


def stopped(process: subprocess.Popen[str]) -> list[list[str]]:
    """Ask a worker to stop; what it told since it was ready."""
    output, _ = process.communicate("stop\n", timeout=SECONDS)
    assert process.returncode == 0
    return [line.split() for line in output.splitlines()]


def assert_all_added(knowledge: Ascertain, files: list[tuple[str, list[bytes]]]) -> None:
    records = knowledge.documents()
    assert sorted(record.source for record in records) == sorted(f"upload:{name}" for name, _ in files)
    for record in records:
        document = knowledge.document(record.id)
        assert document is not None
        assert [document.text.encode()] == dict(files)[record.source.removeprefix("upload:")]
        assert record.chunks == 1
    assert len(knowledge.service.files.files()) == len(files)
    assert knowledge.check().problems == ()


@pytest.mark.sample
@pytest.mark.slow
def test_a_job_survives_two_kills_of_its_process(knowledge: Ascertain, worker: Worker) -> None:
    files = notes(20)
    job = knowledge.jobs.submit_files(files)
    chance = random.Random(5)
    for kill in range(2):
        process = worker(0.1)
        until(lambda before=kill * 3: len(knowledge.documents()) > before)
        time.sleep(chance.uniform(0, 0.1))
        process.kill()
        process.wait()
        assert now(knowledge, job).state is JobState.RUNNING
    worker()
    done = ended(knowledge, job)
    assert done.state is JobState.FINISHED
    assert done.report["failures"] == []
    assert done.report["added"] + done.report["unchanged"] == 20
    assert done.report["unchanged"] > 0
    assert_all_added(knowledge, files)


@pytest.mark.slow
def test_a_process_that_is_told_to_stop_hands_its_job_to_another(knowledge: Ascertain, worker: Worker) -> None:
    files = notes(20)
    job = knowledge.jobs.submit_files(files)
    first = worker(0.3)
    until(lambda: len(knowledge.documents()) > 2)
    assert stopped(first) == [["began", job.id, "0"], ["stopped", "True"]]
    assert now(knowledge, job).state is JobState.QUEUED
    assert len(knowledge.documents()) < 20
    second = worker()
    done = ended(knowledge, job)
    assert (done.state, done.attempts) == (JobState.FINISHED, 1)
    assert done.report["unchanged"] > 2
    assert_all_added(knowledge, files)
    assert stopped(second)[0] == ["began", job.id, "0"]


@pytest.mark.slow
def test_two_processes_share_the_jobs_and_do_none_twice(knowledge: Ascertain, worker: Worker) -> None:
    files = {n: notes(3, f"topic{n}") for n in range(12)}
    jobs = [knowledge.jobs.submit_files(files[n]) for n in range(12)]
    processes = worker(0.01), worker(0.01)
    for job in jobs:
        assert ended(knowledge, job).state is JobState.FINISHED
    begun = [words for process in processes for words in stopped(process) if words[0] == "began"]
    assert sorted(words[1] for words in begun) == sorted(job.id for job in jobs)
    assert {words[2] for words in begun} == {"0"}
    assert_all_added(knowledge, [file for some in files.values() for file in some])


def test_a_job_is_cancelled_from_another_process(knowledge: Ascertain, worker: Worker) -> None:
    job = knowledge.jobs.submit_files(notes(200))
    process = worker(0.05)
    until(lambda: len(knowledge.documents()) > 1)
    assert knowledge.jobs.cancel(job.id)
    after = knowledge.jobs.submit_files(notes(1, "ferry"))
    assert ended(knowledge, after).state is JobState.FINISHED
    stopped(process)
    assert now(knowledge, job).state is JobState.CANCELLED
    added = {record.source.removeprefix("upload:") for record in knowledge.documents()}
    assert 2 < len(added) < 100
    assert {file.name for file in knowledge.service.files.files()} == added


def test_a_job_waits_for_another_process_that_is_writing(knowledge: Ascertain, worker: Worker) -> None:
    files = notes(3)
    with knowledge.container.store().writing():
        worker()
        job = knowledge.jobs.submit_files(files)
        until(lambda: now(knowledge, job).state is JobState.RUNNING)
        # longer than one attempt to write waits for the other process
        time.sleep(1.0)
        assert now(knowledge, job).state in (JobState.RUNNING, JobState.FINISHED)
    assert ended(knowledge, job).state is JobState.FINISHED
    assert_all_added(knowledge, files)


@pytest.mark.slow
@pytest.mark.timeout(1200)
def test_fifty_kills_lose_no_upload(knowledge: Ascertain, worker: Worker) -> None:
    chance = random.Random(11)
    every = notes(4, "first")
    jobs = [knowledge.jobs.submit_files(every)]
    first = worker(0.02)
    begun = time.monotonic()
    ended(knowledge, jobs[0])
    stopped(first)
    # how long a job takes where the tests run, so that a process on a busy machine gets on between two kills as well
    usual = time.monotonic() - begun
    done_before: dict[str, int] = {}
    without_progress: dict[str, int] = {}
    for kill in range(50):
        every += notes(4, f"kill{kill}")
        jobs.append(knowledge.jobs.submit_files(every[-4:]))
        process = worker(0.02)
        time.sleep(chance.uniform(0, 2 * usual))
        process.kill()
        process.wait()
        for state in (now(knowledge, job) for job in jobs):
            if not state.state.is_ended:
                has_got_on = state.done > done_before.get(state.id, 0)
                without_progress[state.id] = 0 if has_got_on else without_progress.get(state.id, 0) + 1
                done_before[state.id] = state.done
    worker()
    for job in jobs:
        if (state := ended(knowledge, job)).state is not JobState.FINISHED:
            # two processes in a row died over it, the last before it got any further; nothing else may fail one
            assert state.attempts >= 2
            assert without_progress[job.id] >= 1
            knowledge.jobs.retry(job.id)
            assert ended(knowledge, job).state is JobState.FINISHED
    assert_all_added(knowledge, every)
