"""``--kb NAME`` opens the same knowledge base from any folder."""

from __future__ import annotations

import json

import pytest
from typer.testing import CliRunner

from ascertain.core.errors import UsageError
from ascertain.interfaces.cli.application import app


@pytest.fixture
def run(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    for name in ("here", "there"):
        (tmp_path / name).mkdir()
    (tmp_path / "here" / "note.md").write_text("# Refunds\n\nRefunds take 72 hours.\n")

    def invoke(folder: str, *arguments: str, typed: str = ""):
        monkeypatch.chdir(tmp_path / folder)
        return CliRunner().invoke(app, arguments, input=typed)

    return invoke


def test_what_is_added_in_one_folder_is_asked_from_another(run, tmp_path):
    assert run("here", "add", "note.md", "--kb", "shop").exit_code == 0
    assert "72 hours" in run("there", "--kb", "shop", "ask", "How long do refunds take?").stdout
    assert 'ascertain ask "..." --kb shop' in run("there", "--kb", "shop").stdout
    assert not list((tmp_path / "there").iterdir())
    home = str(tmp_path / "data" / "ascertain" / "shop")
    assert json.loads(run("there", "kb", "list", "--json").stdout) == [{"name": "shop", "home": home, "documents": 1}]


def test_one_that_cannot_be_opened_does_not_hide_the_others(run, tmp_path):
    run("here", "add", "note.md", "--kb", "shop")
    run("here", "add", "note.md", "--kb", "broken")
    record = tmp_path / "data" / "ascertain" / "broken" / "record.sqlite3"
    record.write_bytes(b"no database" * 1000)
    listed = {each["name"]: each["documents"] for each in json.loads(run("there", "kb", "list", "--json").stdout)}
    assert listed == {"broken": None, "shop": 1}


def test_a_name_that_is_not_there_is_answered_with_those_that_are(run):
    run("here", "add", "note.md", "--kb", "shop")
    error = str(run("there", "ask", "How long?", "--kb", "shpo").exception)
    assert error.endswith("add documents first: ascertain add PATH --kb shpo; there are shop")


def test_without_any_it_says_how_to_make_one(run):
    done = run("here", "kb", "list")
    assert (done.exit_code, done.stdout) == (0, "")
    assert "ascertain add PATH --kb NAME" in done.stderr


@pytest.mark.parametrize("name", ["", ".", "..", "../shop", "a/b", "/tmp"])
def test_a_name_is_no_path(run, name, tmp_path):
    error = run("here", "add", "note.md", "--kb", name).exception
    assert isinstance(error, UsageError)
    assert "a name, not a path" in str(error)
    assert not (tmp_path / "data").exists()


def test_a_home_beside_a_name_is_refused(run):
    assert "give one of them" in str(run("here", "add", "note.md", "--kb", "shop", "--home", "other").exception)


@pytest.fixture
def filled(run, tmp_path):
    """Two knowledge bases: ``shop`` knows of refunds, ``pumps`` of valves."""
    (tmp_path / "there" / "pump.md").write_text(
        "# Pump\n\nThe valve of the pump opens at 6 bar. Refunds of pumps take 9 days.\n"
    )
    run("here", "add", "note.md", "--kb", "shop")
    run("there", "add", "pump.md", "--kb", "pumps")
    return run


def test_of_several_the_surest_answers_and_the_others_are_offered(filled):
    done = filled("there", "ask", "At how many bar does the valve open?", "--kb", "shop,pumps")
    assert done.exit_code == 0
    assert done.stdout.startswith("From pumps:\n")
    assert "6 bar" in done.stdout
    assert "Nothing in shop." in done.stdout
    both = json.loads(filled("there", "ask", "How long do refunds take?", "--kb", "pumps,shop", "--json").stdout)
    assert {each["knowledge_base"] for each in both} == {"pumps", "shop"}
    scores = [each["answer"]["confidence"]["score"] for each in both]
    assert scores == sorted(scores, reverse=True)


def test_a_conversation_is_with_the_one_that_answered_last(filled):
    """What the others are asked is what the question means there."""
    given = ("--kb", "shop,pumps", "--conversation", "c")
    assert filled("there", "ask", "At how many bar does the valve of the pump open?", *given).stdout.startswith(
        "From pumps:"
    )
    done = filled("there", "ask", "And how long do its refunds take?", *given, "--json")
    asked = {each["knowledge_base"]: each["answer"]["question"] for each in json.loads(done.stdout)}
    assert asked["pumps"] == "And how long do its refunds take?"
    assert "pump" in asked["shop"]
    shown = filled("there", "ask", "And how long do its refunds take?", *given).stdout
    assert "--kb shop" in shown
    assert "about:" not in shown.partition("ascertain ask")[2]


def test_a_chat_shows_the_surest_answer_and_its_sources(filled):
    typed = "At how many bar does the valve open?\n/sources\nHow long do refunds of the shop take?\n/up\n/quit\n"
    done = filled("there", "chat", "--kb", "shop,pumps", typed=typed)
    assert done.exit_code == 0
    first, second = done.stdout.split("From ")[1:]
    assert first.startswith("pumps:\n")
    assert first.count("pump.md") == 2
    assert second.startswith("shop:\n")
    assert "Noted: up." in done.stderr
    assert done.stderr.strip().endswith("--kb shop,pumps")


def test_passages_of_several_are_taken_in_turn(filled):
    done = filled("there", "search", "refunds", "--kb", "shop,pumps", "--k", "2")
    assert done.exit_code == 0
    assert {line for line in done.stdout.splitlines() if line in {"shop:", "pumps:"}} == {"shop:", "pumps:"}
    found = json.loads(filled("there", "search", "refunds", "--kb", "shop,pumps", "--json").stdout)
    assert [len(each["found"]["results"]) for each in found] == [1, 1]


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (("documents",), "this works on one knowledge base; ask, search, chat and mcp take several"),
        (("serve",), "this works on one knowledge base"),
        (("ask", "How long?", "--stream"), "several knowledge bases take no --batch, --stream"),
        (("chat", "--news"), "news are fetched into one knowledge base"),
        (("ask", "How long?", "--kb", "shop,../x"), "a name, not a path"),
        (("search", "refunds", "--kb", "shop,none"), "ascertain add PATH --kb none"),
    ],
)
def test_what_does_not_go_with_several_is_said(filled, arguments, reason):
    given = arguments if "--kb" in arguments else (*arguments, "--kb", "shop,pumps")
    error = filled("here", *given).exception
    assert isinstance(error, UsageError)
    assert reason in str(error)
