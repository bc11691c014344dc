"""Golden sets and runs in the folder ``evaluation`` of the home, over HTTP."""

import json

import httpx
import pytest

from ascertain.core.settings import Settings
from ascertain.evaluation.golden.questions import GoldenQuestion, Relevant, read_golden, write_golden
from ascertain.evaluation.runs import Result, describe_run, save_run


@pytest.fixture
def service(open_service):
    return open_service()


@pytest.fixture
def client(service):
    with httpx.Client(base_url=service.url, trust_env=False) as client:
        yield client


@pytest.fixture
def folder(service):
    folder = service.knowledge.settings.home / "evaluation"
    quote = Relevant(source="nowhere.md", quote="72 hours")
    questions = [
        GoldenQuestion(id=f"p{n}", question=f"How long is number {n} kept?", answers=("72 hours",), relevant=(quote,))
        for n in range(3)
    ]
    write_golden(questions, folder / "golden.jsonl")
    for name, score in (("words", 0.0), ("hybrid", 1.0)):
        results = [Result("golden", f"p{n}", "How long?", 0.1, {"answer_in_text": score}) for n in range(8)]
        save_run(describe_run("answers", Settings(), {}, [], results=results), folder / f"{name}.json")
    (folder / "else.json").write_text("{}")
    return folder


def test_runs_and_golden_sets_are_listed_and_two_runs_compared(client, folder):
    kept = client.get("/v1/evaluation").json()
    assert {run["name"]: run["mean"] for run in kept["runs"]} == {"hybrid": 1.0, "words": 0.0}
    assert kept["golden"] == [{"name": "golden", "questions": 3, "validated": 0}]
    named = {"before": "words", "after": "hybrid"}
    compared = client.get("/v1/evaluation/comparison", params=named).json()
    assert (compared["questions"], compared["metrics"][0]["verdict"]) == (8, "better")


def test_a_question_is_judged_dropped_and_nothing_else_is_changed(client, folder):
    (first, *_) = client.get("/v1/evaluation/golden/golden").json()["questions"]
    assert first["places"][0]["is_there"] is False
    body = {"question": "For how long?", "answers": [" three days ", ""], "grade": 1, "validated_by": "Kim"}
    done = client.put("/v1/evaluation/golden/golden/p0", json=body)
    assert done.json() == {"name": "golden", "questions": 3, "validated": 1}
    assert (
        client.put("/v1/evaluation/golden/golden/p1", json={"question": "Who?", "answerable": False}).status_code == 200
    )
    assert client.delete("/v1/evaluation/golden/golden/p2").json()["questions"] == 2
    judged, unanswerable = read_golden(folder / "golden.jsonl")
    assert (judged.question, judged.answers, judged.validated_by) == ("For how long?", ("three days",), "Kim")
    assert (judged.relevant[0].grade, judged.relevant[0].quote) == (1, "72 hours")
    assert (unanswerable.answerable, unanswerable.answers, unanswerable.relevant) == (False, (), ())


@pytest.mark.parametrize("name", ["none", "..%2F..%2Fascertain", "%2Fetc%2Fpasswd", "else"])
def test_a_name_never_leads_out_of_the_folder(client, folder, name):
    (folder.parent / "ascertain.jsonl").write_text(json.dumps({"id": "a", "question": "q"}) + "\n")
    assert client.get(f"/v1/evaluation/golden/{name}").status_code == 404
    assert client.put(f"/v1/evaluation/golden/{name}/a", json={"question": "q"}).status_code == 404
    assert client.delete(f"/v1/evaluation/golden/{name}/a").status_code == 404
    assert client.delete("/v1/evaluation/golden/golden/none").status_code == 404


def test_a_key_that_is_no_administrators_sees_nothing(new_client, tenant):
    assert new_client(tenant).get("/v1/evaluation").status_code == 403
