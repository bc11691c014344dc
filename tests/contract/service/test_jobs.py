"""What every store of jobs must do."""

import os
import signal
import threading
from contextlib import closing
from dataclasses import replace

import pytest
from service_nouns import NOON, ODD, a_job, eventually, later

from ascertain.core.errors import StoreError
from ascertain.core.service.service import JobState

CLAIM_AND_WAIT = """
job = service.jobs.claim(noon)
service.jobs.begin(job.id, noon)
say(job.id, job.attempts)
say(service.jobs.progress(job.id, 5, 10, noon))
"""

CLAIM_ALL = """
say("ready")
while (job := service.jobs.claim(noon)) is not None:
    print(job.id, flush=True)
    service.jobs.finish(job.id, job.state.__class__.FINISHED, noon)
"""


def states(service, **arguments):
    return {job.id: job.state.value for job in service.jobs.jobs(**arguments)}


def test_nothing_is_to_be_done_at_first(service):
    assert service.jobs.claim(NOON) is None
    assert service.jobs.jobs() == []
    assert service.jobs.get("job") is None


def test_everything_of_a_job_comes_back(reopen):
    job = a_job(
        "j\0",
        what="3 files\udc80",
        created_at=later(microseconds=1),
        tenant="acme",
        state=JobState.FAILED,
        work={"files": ["a", "\ud800"], "nested": {"é": None}},
        report={"added": 3},
        done=2**40,
        total=2**41,
        reason="no room",
        attempts=2,
    )
    first = reopen()
    first.jobs.add(job)
    first.close()
    assert reopen().jobs.get("j\0", "acme") == job


def test_a_job_that_is_there_stays_as_it_is(service):
    service.jobs.add(a_job("j"))
    service.jobs.add(a_job("j", what="something else"))
    assert service.jobs.get("j").what == "three files"
    assert len(service.jobs.jobs()) == 1


def test_names_are_told_apart_to_the_character(service):
    for name in ODD:
        service.jobs.add(a_job(name, what=name))
    assert [service.jobs.get(name).what for name in ODD] == list(ODD)


def test_the_oldest_of_any_tenant_is_claimed_first(service):
    for name, day, tenant in (("b", 2, "default"), ("a", 1, "acme"), ("c", 3, "default")):
        service.jobs.add(a_job(name, created_at=later(days=day), tenant=tenant))
    claimed = [service.jobs.claim(later(days=4)) for _ in range(4)]
    assert [job and (job.id, job.tenant) for job in claimed] == [
        ("a", "acme"),
        ("b", "default"),
        ("c", "default"),
        None,
    ]
    assert all(job.state is JobState.RUNNING and job.attempts == 0 for job in claimed[:3])
    assert all(job.updated_at == later(days=4) for job in claimed[:3])


def test_jobs_of_tenants_that_are_passed_over_stay(service):
    for name, day, tenant in (("a", 1, "acme"), ("b", 2, "default"), ("c", 3, "acme")):
        service.jobs.add(a_job(name, created_at=later(days=day), tenant=tenant))
    assert service.jobs.claim(later(days=4), {"acme"}).id == "b"
    assert service.jobs.claim(later(days=4), ("acme", "default")) is None
    assert service.jobs.claim(later(days=4)).id == "a"


def test_a_claimed_job_is_nobody_elses(reopen):
    here, there = reopen(), reopen()
    here.jobs.add(a_job("j"))
    assert here.jobs.claim(NOON).id == "j"
    assert here.jobs.claim(NOON) is None
    assert there.jobs.claim(NOON) is None
    assert not there.jobs.progress("j", 1, 2, NOON)
    there.jobs.begin("j", NOON)
    assert here.jobs.get("j").attempts == 0
    there.jobs.finish("j", JobState.FINISHED, NOON)
    there.jobs.release("j", NOON)
    assert here.jobs.get("j").state is JobState.RUNNING


def test_closing_the_stores_gives_up_what_was_claimed(reopen):
    here, there = reopen(), reopen()
    here.jobs.add(a_job("j"))
    here.jobs.claim(NOON)
    here.jobs.begin("j", NOON)
    here.close()
    again = there.jobs.claim(later(minutes=1))
    assert (again.id, again.attempts) == ("j", 1)
    with pytest.raises(StoreError, match="closed"):
        here.jobs.progress("j", 1, 2, NOON)


def test_progress_and_end_of_a_job(service):
    service.jobs.add(a_job("j"))
    assert not service.jobs.progress("j", 1, 10, NOON)
    service.jobs.claim(NOON)
    assert service.jobs.progress("j", 4, 10, later(minutes=1))
    job = service.jobs.get("j")
    assert (job.done, job.total, job.updated_at) == (4, 10, later(minutes=1))
    service.jobs.finish("j", JobState.FAILED, later(minutes=2), reason="no\0 room", report={"added": 1})
    ended = replace(job, state=JobState.FAILED, updated_at=later(minutes=2), reason="no\0 room", report={"added": 1})
    assert service.jobs.get("j") == ended
    service.jobs.finish("j", JobState.FINISHED, later(minutes=3))
    service.jobs.release("j", later(minutes=3))
    assert not service.jobs.progress("j", 5, 10, later(minutes=3))
    assert service.jobs.get("j") == ended


def test_a_job_that_failed_can_be_run_again_as_if_it_had_never_begun(service):
    for name, state in (("f", JobState.FAILED), ("done", JobState.FINISHED)):
        service.jobs.add(a_job(name))
        assert not service.jobs.retry(name, NOON)
        service.jobs.claim(NOON)
        assert not service.jobs.retry(name, NOON)
        service.jobs.begin(name, NOON)
        service.jobs.progress(name, 4, 10, NOON)
        service.jobs.finish(name, state, NOON, reason="no room", report={"added": 1})
    assert not service.jobs.retry("f", NOON, "acme")
    assert not service.jobs.retry("done", NOON)
    assert service.jobs.retry("f", later(minutes=1))
    assert service.jobs.get("f") == a_job("f", total=10, updated_at=later(minutes=1))
    assert not service.jobs.retry("f", NOON)
    assert service.jobs.claim(NOON).id == "f"


def test_a_job_that_failed_can_be_let_go_of(service):
    for name, state in (("f", JobState.FAILED), ("done", JobState.FINISHED)):
        service.jobs.add(a_job(name, state=state))
    assert service.jobs.cancel("f", later(minutes=1))
    assert service.jobs.get("f").state is JobState.CANCELLED
    assert not service.jobs.retry("f", NOON)
    assert not service.jobs.cancel("done", NOON)


def test_a_kill_before_the_work_began_is_no_attempt(reopen):
    reopen().jobs.add(a_job("j"))
    for _ in range(5):
        with closing(reopen()) as killed:
            assert killed.jobs.claim(NOON).attempts == 0


def test_a_job_cannot_end_as_running(service):
    with pytest.raises(ValueError, match="running"):
        service.jobs.finish("j", JobState.RUNNING, NOON)


def test_a_released_job_can_be_claimed_again_as_if_it_never_was(reopen):
    here, there = reopen(), reopen()
    here.jobs.add(a_job("j"))
    for has_begun in (True, False):
        here.jobs.claim(NOON)
        if has_begun:
            here.jobs.begin("j", NOON)
        here.jobs.release("j", later(minutes=1))
        assert here.jobs.get("j") == a_job("j", updated_at=later(minutes=1))
    assert there.jobs.claim(NOON).attempts == 0


@pytest.mark.parametrize("is_running", [True, False])
def test_a_cancelled_job_stops(service, is_running):
    service.jobs.add(a_job("j"))
    if is_running:
        service.jobs.claim(NOON)
    assert not service.jobs.cancel("j", NOON, "acme")
    assert service.jobs.cancel("j", later(minutes=1))
    assert service.jobs.get("j").state is JobState.CANCELLED
    assert service.jobs.claim(NOON) is None
    assert not service.jobs.progress("j", 1, 2, NOON)
    service.jobs.finish("j", JobState.FINISHED, NOON)
    assert service.jobs.get("j").state is JobState.CANCELLED
    assert not service.jobs.cancel("j", NOON)


def test_jobs_come_last_created_first(service):
    for number in (1, 3, 2):
        service.jobs.add(a_job(str(number), created_at=later(days=number)))
    assert [job.id for job in service.jobs.jobs()] == ["3", "2", "1"]
    assert [job.id for job in service.jobs.jobs(limit=2)] == ["3", "2"]
    assert service.jobs.jobs(limit=0) == []
    assert service.jobs.jobs("acme") == []


def test_ended_jobs_beyond_the_last_are_forgotten(service, monkeypatch):
    monkeypatch.setattr("ascertain.stores.relational.job_table.KEPT_JOBS", 2)
    service.jobs.add(a_job("of another", tenant="acme", state=JobState.FINISHED))
    service.jobs.add(a_job("queued"))
    for number in range(4):
        service.jobs.add(a_job(str(number), state=JobState.FINISHED, created_at=later(days=number)))
    assert states(service) == {"queued": "queued", "2": "finished", "3": "finished"}
    assert states(service, tenant="acme") == {"of another": "finished"}


def test_a_job_that_gets_further_has_its_attempts_counted_anew(reopen):
    begun = []
    reopen().jobs.add(a_job("j"))
    for done in (3, 3, 2, 4, 4):
        with closing(reopen()) as there:
            begun.append(there.jobs.claim(NOON).attempts)
            there.jobs.begin("j", NOON)
            there.jobs.progress("j", done, 10, NOON)
            assert there.jobs.get("j").done == max(3, done)
    assert begun == [0, 1, 2, 3, 1]


def test_an_instance_never_works_on_two_jobs_of_one_id(reopen):
    here, there = reopen(), reopen()
    for tenant in ("default", "acme"):
        here.jobs.add(a_job("j", tenant=tenant))
    first = here.jobs.claim(NOON)
    assert here.jobs.claim(NOON) is None
    here.jobs.finish("j", JobState.FINISHED, NOON)
    assert {first.tenant, there.jobs.claim(NOON).tenant} == {"default", "acme"}


def test_a_job_of_a_killed_process_is_taken_over(service, process):
    service.jobs.add(a_job("j"))
    other = process(CLAIM_AND_WAIT)
    assert other.stdout.readline() == "j 0\n"
    assert service.jobs.claim(NOON) is None
    other.stdin.write("\n")
    other.stdin.flush()
    assert other.stdout.readline() == "True\n"
    os.kill(other.pid, signal.SIGKILL)
    other.wait()
    taken = []
    assert eventually(lambda: taken.append(service.jobs.claim(later(minutes=1))) or taken[-1])
    assert (taken[-1].id, taken[-1].attempts, taken[-1].done) == ("j", 1, 5)
    assert service.jobs.progress("j", 6, 10, NOON)


def test_no_job_is_claimed_twice_by_processes_at_the_same_time(service, process):
    names = [f"j{number}" for number in range(30)]
    for number, name in enumerate(names):
        service.jobs.add(a_job(name, created_at=later(seconds=number)))
    others = [process(CLAIM_ALL) for _ in range(3)]
    for other in others:
        assert other.stdout.readline() == "ready\n"
    for other in others:
        other.stdin.write("\n")
        other.stdin.flush()
    claimed = [line.strip() for other in others for line in other.communicate()[0].splitlines()]
    assert sorted(claimed) == sorted(names)
    assert set(states(service).values()) == {"finished"}


def test_no_job_is_claimed_twice_by_threads_at_the_same_time(service):
    for number in range(20):
        service.jobs.add(a_job(f"j{number}"))
    claimed = []

    def work():
        while (job := service.jobs.claim(NOON)) is not None:
            claimed.append(job.id)

    threads = [threading.Thread(target=work) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(claimed) == sorted(f"j{number}" for number in range(20))


def test_a_job_is_forgotten_once_it_has_ended(service):
    for tenant in ("default", "acme"):
        service.jobs.add(a_job("a", tenant=tenant))
    assert not service.jobs.delete("a")
    service.jobs.cancel("a", NOON)
    assert service.jobs.delete("a")
    assert not service.jobs.delete("a")
    assert service.jobs.get("a") is None
    assert service.jobs.get("a", "acme") is not None
