"""From a folder of documents to a comparison of two runs, as docs/evaluation.md has it, line by line."""

import json
import re
import shlex
from pathlib import Path

import pytest
from typer.testing import CliRunner

from ascertain.evaluation.golden.questions import read_golden
from ascertain.evaluation.runs import read_run
from ascertain.interfaces.cli.application import app

PAGE = Path(__file__).parents[3] / "docs" / "evaluation.md"
HANDBOOK = {
    "tokens.md": "# Tokens\n\nA token is valid for 90 days by default. Seven days before that the owner gets an email.\n",
    "retention.md": "# Retention\n\nA removed snapshot can be brought back for 72 hours. The newest snapshot is always kept.\n",
    "tea.md": "# Tea\n\nA teapot is a vessel that tea is brewed and served in. The kitchen opened on 4 June 2019 in Oslo.\n",
}


def lines_of_page() -> list[list[str]]:
    (block,) = re.findall(r"^```bash\n(.*?)^```$", PAGE.read_text("utf-8"), re.MULTILINE | re.DOTALL)
    return [shlex.split(line)[1:] for line in block.splitlines()]


@pytest.fixture
def here(tmp_path, monkeypatch, heard_interrupts):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "handbook").mkdir()
    for name, text in HANDBOOK.items():
        (tmp_path / "handbook" / name).write_text(text)
    return tmp_path


def run(*arguments: str, typed: str = "") -> str:
    done = CliRunner().invoke(app, list(arguments), input=typed)
    assert done.exit_code == 0, (done.output, done.exception)
    return done.stdout


def test_the_lines_of_the_page_lead_to_a_comparison(here):
    printed = {" ".join(line[:2]): run(*line, typed="k\n" * 40) for line in lines_of_page()}
    questions = read_golden(here / "golden.jsonl")
    assert {question.question for question in questions} >= {
        "A token is valid for how many days by default?",
        "What is a teapot?",
        "Tea: the kitchen opened on what date in Oslo?",
    }
    assert printed["eval validate"].endswith(f"{len(questions)} of {len(questions)} questions are validated.\n")
    assert json.loads(printed["eval answers"])["metrics"]["answer_in_text"] == 1.0
    assert printed["eval compare"].startswith("No difference that could not be chance: answer_in_text 1.000 → 1.000")
    assert "--strategy: None → keyword" in printed["eval compare"]
    assert (here / "comparison.html").read_text("utf-8").startswith("<!doctype html>")
    assert read_run(here / "words.json").options["strategy"] == "keyword"


def test_a_person_changes_marks_and_drops_what_was_proposed(here):
    run("add", "handbook")
    assert json.loads(run("eval", "generate", "g.jsonl", "--json")) == {"file": "g.jsonl", "questions": 4}
    before = read_golden(here / "g.jsonl")
    typed = "q\nHow long?\na\n90 days | three months\nk\nd\nu\nk\nx\ne\n"
    printed = run("eval", "validate", "g.jsonl", typed=typed)
    after = read_golden(here / "g.jsonl")
    assert [question.id for question in after] == ["p001", "p003", "p004"]
    assert (after[0].question, after[0].answers, after[0].validated) == ("How long?", ("90 days", "three months"), True)
    assert (after[1].answerable, after[1].relevant, after[1].validated) == (False, (), True)
    assert after[2] == before[3]
    assert "Please type one of the letters in brackets." in printed
    assert "2 of 3 questions are validated." in printed


def test_what_was_decided_before_the_input_ended_is_kept_and_told(here):
    run("add", "handbook")
    run("eval", "generate", "g.jsonl")
    assert "1 of 4 questions are validated." in run("eval", "validate", "g.jsonl", typed="k\nq\n")
    assert [question.validated for question in read_golden(here / "g.jsonl")] == [True, False, False, False]


def test_what_does_not_agree_with_the_documents_is_listed(here):
    run("add", "handbook")
    row = {
        "id": "x",
        "question": "How long?",
        "answers": ["72 hours"],
        "relevant": [{"source": "tea.md", "quote": "72"}],
    }
    (here / "g.jsonl").write_text(json.dumps(row) + "\n")
    done = CliRunner().invoke(app, ["eval", "validate", "g.jsonl", "--check"])
    assert done.exit_code == 1
    assert done.stdout.splitlines() == [
        "x: tea.md does not say '72'",
        "x: none of its documents says '72 hours'",
        "0 of 1 questions are validated.",
    ]


def test_a_suite_is_measured_and_what_is_finished_is_not_measured_again(here):
    run("add", "handbook")
    row = {"id": "x", "question": "How long can a removed snapshot be brought back?", "answers": ["72 hours"]}
    row |= {"relevant": [{"source": "retention.md"}], "validated": True}
    (here / "g.jsonl").write_text(json.dumps(row) + "\n")
    (here / "suite.yaml").write_text(
        "measure:\n  a: {kind: retrieval, golden: g.jsonl}\n  b: {kind: abstention, golden: g.jsonl}\n"
    )
    first = [json.loads(line) for line in run("eval", "run", "suite.yaml", "--save", "runs").splitlines()]
    assert [row["metrics"].get("Hit@1", row["metrics"].get("answer_in_text")) for row in first] == [1.0, 1.0]
    assert run("eval", "run", "suite.yaml", "--save", "runs") == ""


def test_asked_questions_are_asked_of_their_corpora_and_homes_are_kept(here):
    folder = here / "asked"
    folder.mkdir()
    (here / "handbook").rename(folder / "documents")
    (folder / "corpora").mkdir()
    (folder / "documents").rename(folder / "corpora" / "handbook")
    known = {"corpus": "handbook", "type": "number", "must": [["72 hours"]], "sources": ["retention"]}
    rows = [
        known | {"id": "a", "question": "For how long can a removed snapshot be brought back?"},
        {"id": "b", "corpus": "handbook", "type": "far", "question": "How tall is Mont Blanc?", "expect": "decline"},
        known | {"id": "c", "question": "what is a teapot?", "must": [["vessel"]], "sources": [], "conversation": "t"},
    ]
    (folder / "questions.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    command = ("eval", "asked", "--data", "asked", "--homes", "homes", "--save", "asked.json")
    measured = [json.loads(line) for line in run(*command).splitlines()]
    assert [(row["set"], row["queries"], row["metrics"]["ok"]) for row in measured] == [
        ("handbook", 3, 1.0),
        ("all", 3, 1.0),
    ]
    again = CliRunner().invoke(app, [*command[:-1], "again.json", "--type", "number"])
    assert "reading" not in again.stderr
    assert [result.id for result in read_run(here / "again.json").results] == ["a", "c"]


def test_claims_are_checked_against_their_evidence(here):
    folder = here / "sets" / "small"
    folder.mkdir(parents=True)
    evidence = "A token is valid for 90 days by default."
    rows = [
        {"_id": "1", "claim": "A token is valid for 90 days.", "evidence": evidence, "label": 1},
        {"_id": "2", "claim": "A token is valid for 30 years.", "evidence": evidence, "label": 0},
    ]
    (folder / "claims.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    row = json.loads(run("eval", "claims", "--data", "sets", "--set", "small"))
    assert (row["queries"], row["metrics"]["right"], row["metrics"]["balanced_accuracy"]) == (2, 1.0, 1.0)


def test_a_sweep_reads_documents_once_for_each_way_to_read_them_and_goes_on(here):
    row = {"id": "x", "question": "How long can a removed snapshot be brought back?", "answers": ["72 hours"]}
    row |= {"relevant": [{"source": "retention.md"}], "validated": True}
    (here / "g.jsonl").write_text(json.dumps(row) + "\n")
    command = ("eval", "sweep", "--golden", "g.jsonl", "--runs", "sweep", "--documents", "handbook", "--json")
    strategies = ("--vary", "retrieval.strategy=keyword,hybrid")
    tried = json.loads(run(*command, *strategies))
    assert {(one["values"]["retrieval.strategy"], one["mean"]) for one in tried} == {("keyword", 1.0), ("hybrid", 1.0)}
    assert len(list((here / "sweep" / "homes").glob("*.finished"))) == 1
    again = CliRunner().invoke(app, [*command, *strategies])
    assert json.loads(again.stdout) == tried
    assert "1 of 2" not in again.stderr
