"""What a manual lists by name is shown entry by entry where all of it is asked for."""

import pytest

from ascertain import Ascertain

WITH_DEFINITIONS = """<html><head><title>sweep files</title></head><body><h1>sweep files</h1>
<p>positional arguments</p><dl><dt>FOLDER</dt><dd>folder to sweep</dd></dl>
<p>options</p>
<dl><dt>--dry-run</dt><dd>say what would be swept. Nothing is removed by it.</dd>
<dt>--older-than DAYS</dt><dd>leave what is younger alone (default: 30)</dd></dl>
<h2>Description</h2><p>Sweeps what nobody has opened. It asks before each file, which takes long where there are many.</p>
</body></html>"""
WITH_HEADING = """# polish wood

## Synopsis

    polish wood [options] BOARD

## Options

`--grain`
: Follow the grain of the board. This needs a board of one piece.

`--wax COLOUR`
: Put wax on it. Without a colour it is clear.

## Notes

Boards of oak need no wax.
"""


@pytest.fixture(scope="module")
def knowledge(tmp_path_factory):
    folder = tmp_path_factory.mktemp("commands")
    (folder / "sweep.html").write_text(WITH_DEFINITIONS)
    (folder / "polish.md").write_text(WITH_HEADING)
    with Ascertain.open(folder / "kb") as opened:
        opened.add([folder / "sweep.html", folder / "polish.md"])
        yield opened


@pytest.mark.parametrize(
    "question",
    [
        "Which options does sweep files have?",
        "which flags does sweep files take?",
        "What are the options of sweep files?",
    ],
)
def test_the_options_of_a_command_are_listed_and_nothing_beside_them(knowledge, question):
    answer = knowledge.ask(question)
    assert [sentence.text for sentence in answer.sentences] == [
        "--dry-run: say what would be swept.",
        "--older-than DAYS: leave what is younger alone (default: 30)",
    ]
    assert "2 entries" in answer.text
    assert "row" not in (answer.confidence.caveat or "")


def test_of_a_section_of_definitions_the_entries_are_listed(knowledge):
    answer = knowledge.ask("Which options does polish wood have?")
    assert "--grain" in answer.text
    assert "--wax COLOUR" in answer.text
    assert "one piece" not in answer.text


def test_what_a_thing_has_that_is_no_document_is_looked_up(knowledge):
    answer = knowledge.ask("Which options does the harbour have?")
    assert "entries" not in answer.text
