"""RAGAS over a saved run: the real package, judged by a scripted server."""

import json
from pathlib import Path

import pytest
from scripted_chat_server import fails
from typer.testing import CliRunner

from ascertain.core.settings import Settings
from ascertain.evaluation.ragas import choose_inputs
from ascertain.evaluation.runs import Result, describe_run, read_run, save_run
from ascertain.interfaces.cli.application import app

CONTEXTS = ["A removed snapshot can be brought back for 72 hours.", "A teapot is a vessel."]
KEPT = Result(
    "golden",
    "kept",
    "How long can it be brought back?",
    0.2,
    {"answer_in_text": 1.0},
    {"answer": "For 72 hours. It is free.", "declined": False, "contexts": CONTEXTS, "reference": "For 72 hours."},
)
DECLINED = Result(
    "golden", "far", "How tall is it?", 0.1, {}, {"answer": "I found nothing.", "declined": True, "contexts": CONTEXTS}
)


def reply_as_judge(request):
    """A judge that finds one of two statements founded, the first passage useful and all of the reference there."""
    match request.schema:
        case "StatementGeneratorOutput":
            return {"statements": ["It is 72 hours.", "It is free."]}
        case "NLIStatementOutput":
            verdicts = [{"statement": text, "reason": "r", "verdict": n} for text, n in (("a", 1), ("b", 0))]
            return {"statements": verdicts}
        case "AnswerRelevanceOutput":
            return {"question": "How long can it be brought back?", "noncommittal": 0}
        case "ContextPrecisionOutput":
            return {"reason": "r", "verdict": int("teapot is a vessel" not in request.text.rpartition('"context"')[2])}
        case "ContextRecallOutput":
            return {"classifications": [{"statement": "For 72 hours.", "reason": "r", "attributed": 1}]}
        case other:
            raise AssertionError(other)


@pytest.fixture
def run_file(tmp_path, monkeypatch, scripted_chat_server, unknown_chat_servers):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "ascertain.toml").write_text(
        f"[models.chat]\nmodel = 'judge'\nbase_url = '{scripted_chat_server.base_url}'\nretries = 0\n"
    )
    path = tmp_path / "run.json"
    save_run(describe_run("answers", Settings(), {}, [], results=[KEPT, DECLINED]), path)
    return str(path)


def judge(*arguments):
    return CliRunner().invoke(app, ["eval", "ragas", *arguments])


def test_each_measure_is_given_what_it_takes_and_only_where_it_applies():
    assert set(choose_inputs(KEPT)) == {"faithfulness", "answer_relevancy", "context_precision", "context_recall"}
    assert choose_inputs(KEPT)["context_recall"]["reference"] == "For 72 hours."
    assert choose_inputs(DECLINED) == {}


def test_a_run_without_passages_and_settings_without_a_model_are_told(run_file, tmp_path):
    save_run(
        describe_run("retrieval", Settings(), {}, [], results=[Result("s", "a", "q", 0.1, {"R@2": 1.0})]),
        Path("r.json"),
    )
    assert "r: holds no answers with their passages; measure again" in str(judge("r.json").exception)
    (tmp_path / "ascertain.toml").write_text("")
    assert "ragas needs a chat model that judges; set models.chat.model" in str(judge(run_file).exception)


def test_without_the_package_the_extra_is_named(run_file, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "ragas", None)
    assert "eval ragas needs the extra ragas: " in str(judge(run_file).exception)


def test_a_run_is_judged_and_kept_for_a_comparison(run_file, scripted_chat_server):
    scripted_chat_server.reply_by(reply_as_judge)
    done = judge(run_file, "--save", "judged.json")
    assert done.exit_code == 0, (done.output, done.exception)
    metrics = json.loads(done.stdout)["metrics"]
    assert metrics["faithfulness"] == 0.5
    assert metrics["answer_relevancy"] == pytest.approx(1.0, abs=1e-5)
    assert metrics["context_precision"] == pytest.approx(1.0)
    assert metrics["context_recall"] == 1.0
    assert metrics["calls"] == len(scripted_chat_server.requests) == 2 + 3 + 2 + 1
    judged = {result.id: result for result in read_run(Path("judged.json")).results}
    assert judged["far"].scores == dict.fromkeys(metrics.keys() - {"calls", "dollars"})
    compared = CliRunner().invoke(app, ["eval", "compare", "judged.json", "judged.json", "--json"])
    assert json.loads(compared.stdout)["main"] == "faithfulness"


def test_what_a_judge_leaves_open_is_told_and_left_out(run_file, scripted_chat_server):
    def reply(request):
        return fails(400, "no") if request.schema == "ContextRecallOutput" else reply_as_judge(request)

    scripted_chat_server.reply_by(reply)
    done = judge(run_file)
    assert done.exit_code == 0, (done.output, done.exception)
    metrics = json.loads(done.stdout)["metrics"]
    assert (metrics["context_recall"], metrics["faithfulness"]) == (None, 0.5)
    assert "golden: 1 of 2 questions could not be judged in full" in done.stderr
