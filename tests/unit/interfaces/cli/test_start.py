"""``ascertain`` alone says what to do next, and its help lists the commands by what they are for."""

from __future__ import annotations

import pytest
from typer.testing import CliRunner

from ascertain.interfaces.cli.application import PANELS, app


@pytest.fixture
def run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def invoke(*arguments: str) -> str:
        done = CliRunner().invoke(app, arguments)
        assert done.exit_code == 0, done.output
        return done.stdout

    return invoke


def test_without_documents_it_shows_how_to_begin(run, tmp_path):
    shown = run()
    assert "There are no documents in .ascertain yet" in shown
    assert [f"ascertain {command}" in shown for command in ("demo", "add FOLDER", "ask")] == [True, True, False]
    assert list(tmp_path.iterdir()) == []


def test_with_documents_it_counts_them_and_shows_how_to_ask(run, tmp_path):
    (tmp_path / "note.md").write_text("# Refunds\n\nRefunds take 72 hours.\n")
    run("add", "note.md", "--home", "my kb")
    shown = run("--home", "my kb")
    assert "1 document in my kb" in shown
    assert "ascertain ask \"...\" --home 'my kb'" in shown and "ascertain demo" not in shown


def test_the_help_lists_every_command_once_in_the_panel_of_what_it_is_for(run):
    _, *sections = run("--help").split("\n\n")
    listed: dict[str, list[str]] = {}
    for section in sections:
        heading, *rows = section.splitlines()
        if heading.rstrip(":") in PANELS:
            listed[heading.rstrip(":")] = [row.split()[0] for row in rows]
    assert listed == {panel: list(commands) for panel, commands in PANELS.items()}


def test_no_line_of_the_list_is_cut_off(run):
    commands = run("--help").partition("Ask:\n")[2].splitlines()
    assert len(commands) > 30
    assert [line for line in commands if line.endswith("...") or len(line) > 80] == []
