"""``ascertain read``, ``show``, and what ``add`` says of how completely files were read; run in this process."""

import json
import os
import sys
import time

import pytest
from rich.console import Console

from ascertain.core.documents.documents import Completeness, LeftOut
from ascertain.core.documents.ingest import FileCompleteness
from ascertain.core.errors import UsageError
from ascertain.interfaces.cli.commands.documents.documents import print_completeness
from ascertain.interfaces.cli.commands.documents.reading import _find_original

MANUAL = "# Pump\n\nDo this:\n\n1. Open the valve.\n2. Start.\n\n| Town | Boats |\n|---|---|\n| Narvik | 3 |\n"


@pytest.fixture
def manual(tmp_path):
    (tmp_path / "pump.md").write_text(MANUAL)
    return tmp_path / "pump.md"


def test_reads_a_file_without_storing_anything(run, manual, tmp_path):
    code, out, _ = run("read", "pump.md")
    assert code == 0
    lines = [" ".join(line.split()) for line in out.splitlines()]
    assert lines[:3] == ["Pump", f"{manual} prose", "stored: 100 % of 13 words"]
    assert "heading 1 Pump" in lines
    assert "item 1. Open the valve." in lines
    assert not (tmp_path / "kb").exists()


def test_an_outline_has_the_headings_alone(run, manual):
    _, out, _ = run("read", "pump.md", "--outline")
    assert out.splitlines()[4:] == ["heading 1    Pump", ""]


def test_as_json_every_block_is_an_exact_slice(run, manual):
    _, out, _ = run("read", "pump.md", "--json")
    [document] = json.loads(out)
    assert all(document["text"][slice(*block["span"])] == block["text"] for block in document["blocks"])
    assert {"heading", "item", "table"} <= {block["kind"] for block in document["blocks"]}


def test_what_cannot_be_read_is_listed_with_the_reason(run, manual, tmp_path):
    (tmp_path / "broken.pdf").write_bytes(b"%PDF-1.4 nothing")
    code, out, err = run("read", "pump.md", "broken.pdf")
    assert code == 1
    assert "Open the valve." in out
    assert "broken.pdf" in err


def test_shows_what_is_stored_by_id_file_and_name(run, manual):
    run("add", "pump.md")
    _, listed, _ = run("documents", "--json")
    [record] = json.loads(listed)
    shown = [run("show", name, "--json") for name in (record["id"], str(manual), "pump.md")]
    assert {code for code, _, _ in shown} == {0}
    assert len({out for _, out, _ in shown}) == 1
    assert json.loads(shown[0][1])["completeness"] == record["completeness"]


@pytest.mark.parametrize("name", ["nothing.md", "a.md"])
def test_an_unknown_or_ambiguous_name_is_an_error_that_says_so(run, tmp_path, name):
    for folder in ("one", "two"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "a.md").write_text(f"Text of {folder}.")
    run("add", "one", "two")
    code, _, err = run("show", name)
    assert code == 2
    assert ("2 documents have this name" if name == "a.md" else "no such document") in err


def test_adding_says_how_much_was_stored(run, tmp_path):
    (tmp_path / "note.txt").write_text("Ten hens sleep.")
    _, out, _ = run("add", "note.txt")
    assert "stored: 100 % of 3 words" in out
    (tmp_path / "other.txt").write_text("Two foxes wait.")
    _, out, _ = run("add", "other.txt", "--json")
    [found] = json.loads(out)["completeness"]
    assert (found["source"], found["completeness"]["share"]) == (str(tmp_path / "other.txt"), 1)


def test_what_is_left_out_is_named_and_much_of_it_is_a_warning(capsys):
    completeness = [
        FileCompleteness("form.pdf", Completeness(80, (LeftOut("form fields", 3, 20),))),
        FileCompleteness("talk.pptx", Completeness(900, (LeftOut("pictures", 1, 0, ("hen.png",)),))),
        FileCompleteness("note.txt", Completeness(20)),
    ]
    print_completeness(Console(width=200, no_color=True, highlight=False), completeness)
    assert capsys.readouterr().out.splitlines() == [
        "stored: 98.04 % of 1,020 words",
        "  form.pdf: 80 % of 100 words; left out: 3 form fields (20 words)",
        "  talk.pptx: 100 % of 900 words; left out: 1 picture (hen.png)",
    ]


@pytest.fixture
def opener(tmp_path, monkeypatch):
    """A program that notes what it is given, where the system's own would open it."""
    noted = tmp_path / "opened.txt"
    program = tmp_path / "bin" / ("open" if sys.platform == "darwin" else "xdg-open")
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\necho "$1" > {noted}\n')
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{program.parent}{os.pathsep}{os.environ['PATH']}")

    def read_noted():
        until = time.monotonic() + 20
        while not (noted.exists() and noted.read_text()) and time.monotonic() < until:
            time.sleep(0.02)
        return noted.read_text().strip()

    return read_noted


# nobody waits for the program that shows it
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning", "ignore::ResourceWarning")
def test_opens_the_file_that_a_document_was_read_from(run, manual, opener):
    run("add", "pump.md")
    code, out, _ = run("open", "pump.md")
    assert code == 0
    assert out.strip() == opener() == str(manual)
    assert json.loads(run("open", "pump.md", "--json")[1]) == {"place": str(manual), "opened": True}


def test_says_where_a_file_is_gone_or_was_never_on_this_machine(run, manual, opener):
    run("add", "pump.md")
    manual.unlink()
    code, _, err = run("open", "Pump")
    assert code == 2
    assert f"{manual} no longer exists" in err


@pytest.mark.parametrize(
    ("source", "place"),
    [("https://example.org/a#b", "https://example.org/a#b"), ("upload:a.md", None), ("file:///etc/passwd", None)],
)
def test_of_addresses_only_those_of_the_web_are_opened(source, place):
    if place is None:
        with pytest.raises(UsageError, match="there is no file or page of it"):
            _find_original(source)
    else:
        assert _find_original(source) == place


def test_of_what_was_in_an_archive_the_archive_is_opened(tmp_path):
    (tmp_path / "all.zip").write_text("")
    assert _find_original(f"{tmp_path / 'all.zip'}#a/b.md") == str(tmp_path / "all.zip")
