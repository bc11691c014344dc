"""``ascertain keys`` and ``ascertain jobs``, run in this process."""

from __future__ import annotations

import json
import re
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from ascertain.core.service.service import JobState


def test_a_key_is_made_on_an_empty_home_and_printed_alone(run) -> None:
    code, out, err = run("keys", "add", "alice")
    assert code == 0
    assert re.fullmatch(r"ask_[A-Za-z0-9_-]{43}\n", out)
    assert re.fullmatch(
        r"key ([0-9a-f]{8}) of alice for \1 in tenant default, role write; it is not shown again\n", err
    )
    code, listed, _ = run("keys", "list")
    assert code == 0
    assert listed.split("\t")[1:3] == ["alice", "default"]
    assert listed.split("\t")[4:7] == ["write", f"{out[:8]}…", "120"]
    assert run("keys")[1] == listed
    assert out.strip() not in listed


def test_a_key_can_be_made_listed_and_revoked_by_programs(run) -> None:
    code, out, _ = run(
        "keys", "add", "press office", "--tenant", "press", "--requests-per-minute", "30", "--role", "admin", "--json"
    )
    made = json.loads(out)
    assert code == 0
    assert (made["tenant"], made["requests_per_minute"], made["role"]) == ("press", 30, "admin")
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


def test_a_key_names_a_user_a_role_and_an_end_and_is_rotated(run) -> None:
    made = json.loads(
        run("keys", "add", "laptop", "--user", "alice", "--role", "read", "--expires", "90d", "--json")[1]
    )
    assert (made["user"], made["role"]) == ("alice", "read")
    lasts = datetime.fromisoformat(made["expires_at"]) - datetime.fromisoformat(made["created_at"])
    assert lasts == timedelta(days=90)
    rotated = json.loads(run("keys", "rotate", made["id"], "--json")[1])
    assert rotated["key"] != made["key"]
    assert (rotated["id"], rotated["user"], rotated["role"]) == (made["id"], "alice", "read")
    assert run("keys")[1].rstrip("\n").split("\t")[-1] == "good"
    run("keys", "revoke", made["id"])
    assert run("keys")[1].rstrip("\n").split("\t")[-1] == "revoked"
    assert "is revoked" in run("keys", "rotate", made["id"])[2]


def test_what_became_of_keys_and_what_was_deleted_is_on_record(run, tmp_path: Path) -> None:
    assert run("audit") == (0, "", "the audit log is empty\n")
    made = json.loads(run("keys", "add", "laptop", "--user", "alice", "--json")[1])
    run("keys", "rotate", made["id"])
    run("keys", "revoke", made["id"])
    (tmp_path / "a.md").write_text("# One\n\nThe mill was built in 1885.\n")
    run("add", str(tmp_path / "a.md"))
    run("delete", "--source", str(tmp_path / "a.md"), "--yes")
    noted = json.loads(run("audit", "--json")[1])
    assert [(each["action"], each["outcome"]) for each in noted] == [
        *(("delete_documents", "done"), ("revoke_key", "done")),
        *(("rotate_key", "done"), ("add_key", "done")),
    ]
    assert all(each["address"] == "local" and each["user"] for each in noted)
    assert "a.md" in noted[0]["subject"]
    assert made["key"][8:] not in run("audit")[1]
    assert len(run("audit", "--limit", "2")[1].splitlines()) == 2
    assert run("audit", "--tenant", "acme")[1] == ""


def test_old_entries_of_the_audit_log_go_and_that_they_did_is_one(run) -> None:
    run("keys", "add", "laptop")
    assert run("prune-audit", "--before", "2020-01-01", "--yes")[1] == "deleted 0 entries\n"
    code, _, error = run("prune-audit", "--before", "2999-01-01")
    assert (code, "add --yes" in error) == (2, True)
    assert len(json.loads(run("audit", "--json")[1])) == 2
    assert json.loads(run("prune-audit", "--before", "2999-01-01", "--yes", "--json")[1]) == {"deleted": 2}
    (left,) = json.loads(run("audit", "--json")[1])
    assert (left["action"], left["subject"]) == ("prune_audit", "before 2999-01-01T00:00 of all tenants")


def test_listing_makes_no_knowledge_base(run, tmp_path: Path) -> None:
    assert run("keys", "list") == (0, "", "no keys yet; create one: ascertain keys add NAME\n")
    assert run("keys", "list", "--json") == (0, "[]\n", "")
    assert run("jobs", "--json") == (0, "[]\n", "")
    assert not (tmp_path / "kb").exists()


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("keys", "revoke", "nope"), "there are no keys in"),
        (("keys", "add", "alice", "--tenant", "a/b"), "not a valid tenant name"),
        (("keys", "add", " "), "a key's name says who uses it"),
        (("keys", "add", "alice", "--requests-per-minute", "-1"), "greater than or equal to 0"),
        (("keys", "add"), "NAME"),
        (("keys", "add", "alice", "--expires", "soon"), "'soon' is not a duration"),
        (("keys", "add", "alice", "--user", "a b"), "not a valid user name"),
        (("keys", "add", "alice", "--role", "boss"), "'boss' is not one of 'read', 'write', 'admin'"),
        (("keys", "rotate", "nope"), "there are no keys in"),
        (("jobs", "--cancel", "nope"), "there is no job 'nope'"),
        (("jobs", "retry", "nope"), "there is no job 'nope'"),
        (("jobs", "--tenant", "acme", "retry", "nope"), "go after the command"),
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
        job = knowledge.jobs.submit_files([("a.txt", [b"one"]), ("b.txt", [b"two"])])
        knowledge.as_tenant("acme").jobs.submit_files([("c.txt", [b"three"])])
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
        job = acme.jobs.submit_files([("a.txt", [b"one"])])
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
