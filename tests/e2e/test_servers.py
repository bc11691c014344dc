"""The real command with its knowledge base on a server: nothing changes but the configuration."""

from __future__ import annotations

import json
import re
from collections.abc import Callable

import pytest

from ascertain import Ascertain
from ascertain.models.onnx import TOKENIZER, WEIGHTS

PASSWORD = "s3cret"


@pytest.fixture(scope="module")
def on_server(postgres_url: str) -> Callable[[str], dict[str, str]]:
    """Environment variables that name a schema of a real PostgreSQL."""

    def variables(schema: str) -> dict[str, str]:
        return {
            "ASCERTAIN_STORE__KIND": "postgres",
            "ASCERTAIN_STORE__URL": postgres_url,
            "ASCERTAIN_STORE__NAME": schema,
        }

    return variables


@pytest.fixture(scope="module")
def filled(run_ascertain, corpus, on_server, tmp_path_factory) -> dict[str, str]:
    """The small corpus, added from a machine that only knows the server."""
    variables = on_server("filled")
    folder = tmp_path_factory.mktemp("first-machine")
    added = run_ascertain("add", corpus, "--tag", "everything", "--json", cwd=folder, **variables)
    assert added.code == 0, added.err
    assert (added.json["added"], len(added.json["failures"])) == (5, 1)
    assert not list(folder.iterdir())
    return variables


@pytest.fixture
def run(inline, filled):
    """Runs a command on another machine, which has nothing but the address of the filled knowledge base."""
    return lambda *arguments, **more: inline(*arguments, **{**filled, **more})


def test_it_is_found_from_another_machine(run, tmp_path):
    (hit, *_) = run("search", "GB-7731", "--strategy", "keyword", "--json").json["results"]
    assert "GB-7731" in hit["text"]
    assert run("search", "get my money back", "--json").json["results"][0]["title"] == "Refunds"
    assert not list(tmp_path.iterdir())


def test_answers_are_those_of_the_embedded_store(run, inline, home):
    asked = ("ask", "Within how many days is a refund granted?", "--json")
    here, there = inline(*asked, "--home", home).json, run(*asked).json
    for answer in (here, there):
        assert "within 30 days" in answer["answer"]
    assert there["answer"] == here["answer"]
    assert there["citations"] == here["citations"]


def test_a_conversation_goes_on_at_another_machine(run):
    first = run("ask", "How are refunds paid?", "--conversation", "c1", "--json", "--home", "one.kb")
    assert first.json["type"] == "summary", first.err
    second = run("ask", "How long does it take?", "--conversation", "c1", "--json", "--home", "two.kb")
    assert second.json["type"] == "followup_answer"
    assert "five working days" in second.json["answer"]
    assert [row["id"] for row in run("conversations", "--json").json] == ["c1"]


def test_a_chat_is_kept(run):
    outcome = run("chat", "--conversation", "talk", stdin="How are refunds paid?\n/sources\n/quit\n")
    assert outcome.code == 0, outcome.err
    assert "Refunds are **paid to the card that was used for the purchase**. [1]" in outcome.out
    assert run("conversations", "talk", "--delete", "--json").json == {"deleted": 1}


def test_stats_and_doctor_name_the_server(run, filled):
    numbers = run("stats", "--json").json
    assert numbers["documents"] == 5
    assert numbers["place"].endswith("#filled")
    assert "postgresql://" in run("stats").out
    checked = run("doctor", "--json")
    assert checked.code == 0, checked.out
    facts = checked.json["facts"]
    assert facts["psycopg"] != "not installed"
    assert re.fullmatch(r"[\d.]+ ms", facts["answers in"])
    assert "disk" not in facts
    assert facts["store"].endswith("#filled")


def test_the_schema_is_looked_after(run, inline, on_server):
    status = run("db", "status", "--json").json
    assert status["before"] == status["after"] > 0
    assert "exists already" in run("db", "create").out
    new = on_server("empty_one")
    assert inline("db", "status", "--json", **new).json["before"] == 0
    assert inline("db", "create", "--json", **new).json["after"] == status["after"]
    assert f"schema {status['after']}" in inline("db", "status", **new).out
    refused = inline("search", "x", **new)
    assert refused.code == 2
    assert "postgresql://" in refused.err and "#empty_one" in refused.err and "ascertain add" in refused.err


def test_a_settings_file_names_the_server_as_well(inline, filled, tmp_path):
    home = tmp_path / "team.kb"
    home.mkdir()
    lines = [f"{name.partition('__')[2].lower()} = {json.dumps(value)}" for name, value in filled.items()]
    (home / "ascertain.toml").write_text("[store]\n" + "\n".join(lines) + "\n", encoding="utf-8")
    assert inline("stats", "--home", home, "--json").json["documents"] == 5
    with Ascertain.open(home, environ={}) as knowledge:
        assert knowledge.search("oil pressure").passages
    with Ascertain.open(tmp_path / "absent.kb", environ=filled) as knowledge:
        assert knowledge.exists
        assert len(knowledge.documents()) == 6


def test_a_knowledge_base_moves_to_the_server_and_back(inline, own, postgres_url, tmp_path):
    asked = inline("ask", "How are refunds paid?", "--home", own, "--conversation", "c", "--json")
    address = f"{postgres_url}#moved"
    plan = inline("migrate", "--from", own, "--to", address, "--dry-run", "--json").json
    assert (plan["target_exists"], plan["obstacles"], plan["tenants"][0]["documents"]) == (False, [], 6)
    moved = inline("migrate", "--home", own, "--to", address, "--switch")
    assert moved.code == 0, moved.err
    assert "verified: both are equal" in moved.out
    stats = inline("stats", "--home", own, "--json").json
    assert stats["place"].endswith("#moved")
    again = inline("ask", "How are refunds paid?", "--home", own, "--conversation", "d", "--json").json
    assert again["citations"] == asked.json["citations"]
    back = inline("migrate", "--from", own, "--to", "back.kb", "--json")
    assert back.json["equal"], back.out
    assert len(inline("conversations", "--home", "back.kb", "--json").json) == 2
    forth = inline("migrate", "--from", f"embedded:{own}", "--to", address)
    assert forth.code == 2
    assert "conversation d" in forth.err and "--merge" in forth.err
    assert inline("migrate", "--from", f"embedded:{own}", "--to", address, "--merge").code == 0


def test_documents_are_listed_changed_and_deleted(inline, corpus, on_server):
    variables = on_server("short_lived")
    assert inline("add", corpus / "docs", **variables).code == 0
    assert inline("add", corpus / "docs", "--json", **variables).json["unchanged"] == 2
    records = inline("documents", "--json", **variables).json
    assert {record["state"] for record in records} == {"indexed", "failed"}
    assert inline("delete", "--source", corpus / "docs" / "gearbox.md", "--yes", "--json", **variables).json == {
        "deleted": 1
    }
    assert inline("search", "GB-7731", "--strategy", "keyword", "--json", **variables).json["results"] == []
    assert inline("reindex", "--json", **variables).code == 0


def test_another_model_is_for_every_machine_to_set(inline, corpus, on_server, tmp_path):
    variables = on_server("two_models")
    assert inline("add", corpus / "docs" / "gearbox.md", **variables).code == 0
    model = tmp_path / "my-encoder"
    model.mkdir()
    for file, name in zip((WEIGHTS, TOKENIZER), ("model.onnx", "tokenizer.json"), strict=True):
        (model / name).symlink_to(file)
    moved = inline("reindex", model, **variables)
    assert moved.code == 0, moved.err
    assert f'now set models.embedder = "{model}" on every machine that uses postgresql://' in moved.out
    # a machine that was not told finds with the model that the vectors are of, and adds nothing
    assert inline("search", "oil", "--json", **variables).json["results"]
    refused = inline("add", corpus / "docs" / "refunds.md", **variables)
    assert refused.code == 1
    assert "models.embedder" in refused.err
    assert inline("search", "oil", "--json", ASCERTAIN_MODELS__EMBEDDER=str(model), **variables).json["results"]


def test_a_server_that_is_not_there_is_one_line_without_its_password(inline, tmp_path):
    variables = {
        "ASCERTAIN_STORE__KIND": "postgres",
        "ASCERTAIN_STORE__URL": f"postgresql://me:{PASSWORD}@127.0.0.1:1/docs",
        "ASCERTAIN_STORE__TIMEOUT_SECONDS": "3",
    }
    for command in (("search", "x"), ("stats",), ("add", tmp_path), ("db", "create"), ("conversations",)):
        failed = inline(*command, **variables)
        assert failed.code == 1, command
        assert failed.err.startswith("ascertain: ") and failed.err.count("\n") == 1
        assert "127.0.0.1" in failed.err
        assert PASSWORD not in failed.err
    checked = inline("doctor", "--json", **variables)
    assert checked.code == 1
    assert any("127.0.0.1" in problem for problem in checked.json["problems"])
    shown = inline("config", "show", **variables)
    assert PASSWORD not in checked.out + shown.out
    assert "postgresql://me@127.0.0.1:1/docs" in shown.out


@pytest.mark.slow
def test_evaluation_and_demo_stay_off_the_server(inline, on_server):
    variables = on_server("never_touched")
    assert inline("demo", "--json", **variables).code == 0
    assert inline("db", "status", "--json", **variables).json["before"] == 0
