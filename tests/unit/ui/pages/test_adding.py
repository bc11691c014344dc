from ascertain.core.service import JobState
from ascertain.core.settings.profiles import profile_names
from ascertain.ui.pages.documents import JOB_STATES, PROFILES, job_row
from ascertain.wire.service import JobJson
from ascertain.wire.shape import make_example


def a_job(**fields):
    usual = {
        "id": "j1",
        "kind": "files",
        "what": "may.pdf",
        "state": "running",
        "done": 50,
        "total": 200,
        "reason": "",
        "report": {},
    }
    return JobJson.model_validate({**make_example(JobJson), **usual, **fields})


def test_every_profile_that_comes_with_the_package_is_offered():
    assert set(PROFILES) - {""} == set(profile_names())


def test_every_state_has_a_word():
    assert set(JOB_STATES) == {state.value for state in JobState}


def test_running_work_says_how_far_it_is():
    assert job_row(a_job())["facts"] == ["25%"]


def test_finished_work_says_what_came_of_it():
    report = {"added": 2, "unchanged": 1, "failures": [{"source": "scan.pdf", "reason": "no text"}]}
    row = job_row(a_job(state="finished", report=report))
    assert (row["facts"], row["note"]) == (["2 added", "1 unchanged"], "scan.pdf: no text")


def test_many_failures_are_counted():
    failures = [{"source": f"{n}.pdf", "reason": "no text"} for n in range(5)]
    assert job_row(a_job(state="failed", reason="", report={"failures": failures}))["note"].endswith(
        "and 2 more failures"
    )
