"""``ascertain keys`` and ``ascertain jobs``, run in this process."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from ascertain.app.jobs.jobs import submit_files
from ascertain.core.service import JobState


def test_a_key_is_made_on_an_empty_home_and_printed_alone(run) -> None:
    code, out, err = run("keys", "add", "alice")
    assert code == 0
    assert re.fullmatch(r"ask_[A-Za-z0-9_-]{43}\n", out)
    assert re.fullmatch(r"key [0-9a-f]{8} of alice for tenant default; it is not shown again\n", err)
    code, listed, _ = run("keys", "list")
    assert code == 0
    assert listed.split("\t")[1:5] == ["alice", "default", f"{out[:8]}…", "120"]
    assert out.strip() not in listed


def test_a_key_can_be_made_listed_and_revoked_by_programs(run) -> None:
    code, out, _ = run(
        "keys", "add", "press office", "--tenant", "press", "--requests-per-minute", "30", "--admin", "--json"
    )
    made = json.loads(out)
    assert code == 0
    assert (made["tenant"], made["requests_per_minute"], made["is_admin"]) == ("press", 30, True)
    listed = json.loads(run("keys", "list", "--json")[1])
    key = made.pop("key")
    assert listed == [made]
    assert key.startswith(made["hint"])
    assert json.loads(run("keys", "revoke", made["id"], "--json")[1]) == {"revoked": made["id"]}
    assert json.loads(run("keys", "list", "--json")[1])[0]["revoked_at"] is not None


def test_a_limit_that_is_not_given_is_that_of_the_settings(run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ASCERTAIN_SERVER__REQUESTS_PER_MINUTE", "7")
    assert json.loads(run("keys", "add", "alice", "--json")[1])["requests_per_minute"] == 7
    assert json.loads(run("keys", "add", "bob", "--requests-per-minute", "0", "--json")[1])["requests_per_minute"] == 0


def test_listing_makes_no_knowledge_base(run, tmp_path: Path) -> None:
    assert run("keys", "list") == (0, "", "no keys yet; make one: ascertain keys add NAME\n")
    assert run("keys", "list", "--json") == (0, "[]\n", "")
    assert run("jobs", "--json") == (0, "[]\n", "")
    assert not (tmp_path / "kb").exists()


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("keys", "revoke", "nope"), "there are no keys in"),
        (("keys", "add", "alice", "--tenant", "a/b"), "no name of a tenant"),
        (("keys", "add", " "), "a key's name says who uses it"),
        (("keys", "add", "alice", "--requests-per-minute", "-1"), "greater than or equal to 0"),
        (("keys", "add"), "NAME"),
        (("jobs", "--cancel", "nope"), "there is no job 'nope'"),
        (("jobs", "retry", "nope"), "there is no job 'nope'"),
        (("jobs", "--tenant", "acme", "retry", "nope"), "stand behind the command"),
    ],
)
def test_a_mistake_is_one_line_that_says_what_to_do(run, words: tuple[str, ...], message: str) -> None:
    code, out, err = run(*words)
    assert (code, out) == (2, "")
    assert message in err
    assert err.count("\n") == 1


def test_jobs_are_listed_and_cancelled(run, tmp_path: Path) -> None:
    from ascertain import Ascertain

    with Ascertain.open(tmp_path / "kb") as knowledge:
        job = submit_files(knowledge, [("a.txt", [b"one"]), ("b.txt", [b"two"])])
        submit_files(knowledge.as_tenant("acme"), [("c.txt", [b"three"])])
    code, out, _ = run("jobs")
    assert code == 0
    assert out.rstrip("\n").split("\t")[:3] == [job.id, "queued", "0 %"]
    assert [listed["what"] for listed in json.loads(run("jobs", "--json", "--tenant", "acme")[1])] == ["c.txt"]
    assert run("jobs", "--cancel", job.id, "--tenant", "acme")[0] == 2
    assert json.loads(run("jobs", "--cancel", job.id, "--json")[1]) == {"cancelled": job.id}
    assert json.loads(run("jobs", "--json")[1])[0]["state"] == "cancelled"


def test_a_job_that_failed_is_queued_again(run, tmp_path: Path) -> None:
    from ascertain import Ascertain

    with Ascertain.open(tmp_path / "kb") as knowledge:
        acme = knowledge.as_tenant("acme")
        job = submit_files(acme, [("a.txt", [b"one"])])
        code, _, err = run("jobs", "retry", job.id, "--tenant", "acme")
        assert code == 2
        assert err == f"ascertain: job {job.id} is queued; only one that failed can be run again\n"
        knowledge.service.jobs.claim(job.created_at)
        knowledge.service.jobs.finish(job.id, JobState.FAILED, job.created_at, reason="no room")
    assert run("jobs", "--tenant", "acme")[1].rstrip("\n").split("\t")[-1] == "no room"
    assert run("jobs", "retry", job.id)[0] == 2
    assert run("jobs", "retry", job.id, "--tenant", "acme") == (0, f"queued {job.id} again: a.txt\n", "")
    (listed,) = json.loads(run("jobs", "--json", "--tenant", "acme")[1])
    assert (listed["state"], listed["reason"]) == ("queued", "")
