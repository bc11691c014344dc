"""What a manual says under the name of a thing is the answer to what that thing is or does."""

import pytest

from ascertain import Ascertain
from ascertain.answering.judging.headings import score_named
from ascertain.answering.units.candidates import gather_candidates
from ascertain.core.documents.blocks import Block, BlockKind, Span
from ascertain.language.languages import ENGLISH
from ascertain.questions.reading.question import read_question

MANUAL = """# The settings file

Every setting has a default. The devEngines field helps people who work on one code base to use the same tools.

## name

The name must be unique. Don't put "node" in it, as the engines say that already.

## bundled-parts

This defines the parts that are packed together with everything else. In cases where you need to keep them elsewhere, say so in
bundled-parts once more.

## engines

You can say here which version of the machine your work runs on, and nothing else.

And, as with the name, any version will do where the engines field is empty.

## run-scripts

- Default: true
- Type: yes or no

Whether what a part brings along is started when it is added.
"""
COMMAND = """# tidy-up

## Synopsis

    tidy-up [--all] FOLDER

## Description

This command removes what nobody has opened for a year, and asks before each file.

## Notes

The tidy-up tool was written anew in version 7, and tidy-up of version 6 is no longer supported.
"""


@pytest.fixture(scope="module")
def knowledge(tmp_path_factory):
    folder = tmp_path_factory.mktemp("manual")
    (folder / "settings.md").write_text(MANUAL)
    (folder / "tidy-up.md").write_text(COMMAND)
    with Ascertain.open(folder / "kb") as opened:
        opened.add([folder / "settings.md", folder / "tidy-up.md"])
        yield opened


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("What does the engines field do?", "which version of the machine your work runs on"),
        ("What is bundled-parts for?", "the parts that are packed together"),
        ("What does --run-scripts do?", "Whether what a part brings along is started"),
        ("What is tidy-up?", "removes what nobody has opened for a year"),
    ],
)
def test_the_opening_under_the_name_of_a_thing_says_what_it_is(knowledge, question, said):
    answer = knowledge.ask(question)
    assert said in answer.text.split("\n\n")[0]
    assert said in answer.citations[0].quote


def test_a_name_within_a_heading_is_not_the_heading(knowledge):
    # "devEngines" is a thing of its own
    assert "same tools" in knowledge.ask("What does the devEngines field do?").text


def test_what_stands_under_the_name_asked_for_gains_and_its_neighbour_does_not(a_document, a_passage):
    text = "lock file: Supports max connections. The default is a path.\n\nmax connections: How many may connect. The default is 0."
    entries = [Span(0, text.index("\n")), Span(text.index("max connections: "), len(text))]
    labels = ("lock file", "max connections")
    blocks = tuple(Block(BlockKind.DEFINITION, each, label=label) for each, label in zip(entries, labels, strict=True))
    document = a_document(text, blocks=blocks)
    candidates = gather_candidates([a_passage(document)], lambda _: document, ENGLISH).candidates

    scores = score_named(read_question("what is the default of max connections"), candidates)

    assert [bool(score > 0) for score in scores] == [each.span.start >= entries[1].start for each in candidates]
    assert min(scores) == 0
    assert not score_named(read_question("who rows?"), candidates).any()


DICTIONARY = """   adger

   bit bucket

   :adger: /aj'r/, vt.

   [poss. from nadger]

   To make a move with consequences that could have been foreseen. They adgered the whole project within an hour.

   :admin: /ad'min/, n.

   Short for administrator; the person who looks after the machines.

   BIT BUCKET, n.

   The place where lost data goes. It is never full.

   BORE, n.  A person who talks when you wish him to listen.
"""


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("What does adger mean?", "To make a move with consequences that could have been foreseen."),
        ("adger", "To make a move with consequences that could have been foreseen."),
        ("What is an admin?", "Short for administrator; the person who looks after the machines."),
        ("what is the bit bucket", "The place where lost data goes."),
        ("What is a bore?", "A person who talks when you wish him to listen."),
    ],
)
def test_what_stands_below_a_line_of_a_dictionary_says_what_it_is(tmp_path, question, said):
    (tmp_path / "words.txt").write_text(DICTIONARY)
    with Ascertain.open(tmp_path / "kb") as knowledge:
        knowledge.add([tmp_path / "words.txt"])
        assert knowledge.ask(question).sentences[0].text.startswith(said)
