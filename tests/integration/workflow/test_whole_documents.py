"""Whole documents, asked for through the knowledge base, the exported graph and the real command."""

from __future__ import annotations

import subprocess
import sys

import pytest
from langchain_core.messages import HumanMessage

from ascertain.answering.documents.composing import NAMED
from ascertain.app.ascertain import Ascertain
from ascertain.app.asking.studio import build_ask_graph
from ascertain.core.asking.answers import AnswerType
from ascertain.core.settings import Settings

FILES = {
    "lease-dock-4.md": "# Lease, Dock 4\n\n## Rent\n\nThe rent is 900 pounds a month.\n\n## Term\n\nThe lease runs for three years.\n",
    "minutes-march.md": (
        "---\ndate: 2026-03-09\n---\n# Minutes of 9 March 2026\n\n## Boats\n\nIt was resolved to buy two boats for 18,400 pounds. Petra dislikes the colour.\n\n"
        "## Action items\n\n- Samir Okafor signs by 20 March 2026.\n"
    ),
    "minutes-april.md": "---\ndate: 2026-04-13\n---\n# Minutes of 13 April 2026\n\n## Pier\n\nThe board agreed to paint the pier green.\n",
    "crew.csv": "Name,Joined\nPetra Lund,2024-05-01\nSamir Okafor,2025-01-15\n",
    "tides.md": "# Tides\n\nHigh water comes about fifty minutes later each day.\n",
}


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    folder = tmp_path_factory.mktemp("office")
    for name, text in FILES.items():
        (folder / name).write_text(text, "utf-8")
    with Ascertain(Settings(home=folder / "kb")) as opened:
        opened.add([str(folder / name) for name in FILES])
    return folder / "kb"


@pytest.fixture(scope="module")
def knowledge(home):
    with Ascertain(Settings(home=home)) as opened:
        yield opened


@pytest.mark.parametrize(
    ("question", "held"),
    [
        ("Summarise the lease", ["900 pounds", "three years", "2 of 2 sections"]),
        ("What was decided on 9 March according to the minutes of 9 March?", ["two boats"]),
        ("Who has to do what in the minutes of March?", ["Samir Okafor", "20 March"]),
        ("What do the minutes of April say?", ["pier green"]),
        ("Explain the rental contract", ["900 pounds"]),
    ],
)
def test_the_named_document_is_presented_from_its_own_sentences(knowledge, question, held):
    answer = knowledge.ask(question, use_cache=False)
    assert answer.type is AnswerType.SUMMARY
    assert all(words in answer.text for words in held), answer.text
    assert "document" in {decision.node for decision in answer.decisions}


def test_a_few_documents_are_presented_one_by_one(knowledge):
    answer = knowledge.ask("What are these documents about?", use_cache=False)
    assert answer.text.startswith("5 of 5 documents:")
    assert all(words in answer.text for words in ("Lease, Dock 4", "High water"))


@pytest.mark.parametrize(
    ("question", "begins", "held"),
    [
        ("How many documents do you have?", "There are 5 documents here", ["“Lease, Dock 4”", "High water comes"]),
        (
            "Which documents are there?",
            "There are 5 documents here",
            ["“Minutes of 13 April 2026” (minutes, 13 April 2026)"],
        ),
        (
            "How many documents mention boats?",
            "1 of 5 documents names “boats”",
            ["“Minutes of 9 March 2026”", "two boats"],
        ),
        ("How many spreadsheets do we have?", "1 of 5 documents is called “spreadsheets”", ["“Crew”"]),
        (
            "Which document is the newest?",
            "The newest of 2 dated documents is of 13 April 2026. 3 more carry no date.",
            ["paint"],
        ),
        (
            "What is the oldest document?",
            "The oldest of 2 dated documents is of 9 March 2026.",
            ["“Minutes of 9 March 2026”"],
        ),
        (
            "What period do the documents cover?",
            "5 documents. 2 of them carry a date, from 9 March 2026 to 13 April 2026.",
            [],
        ),
    ],
)
def test_what_is_on_record_of_the_documents_is_said_from_the_record(knowledge, question, begins, held):
    answer = knowledge.ask(question, use_cache=False)
    assert answer.text.startswith(begins), answer.text
    assert all(words in answer.text for words in held), answer.text
    assert answer.confidence.score == NAMED
    assert answer.confidence.caveat is None


def test_of_a_subject_that_no_document_names_nothing_is_counted(knowledge):
    answer = knowledge.ask("How many documents are there about bicycles?", use_cache=False)
    assert answer.type is AnswerType.REJECTION


@pytest.mark.parametrize(
    "question", ["How much is the rent?", "When does high water come?", "What is the price of the boats?"]
)
def test_a_look_up_is_answered_by_a_sentence_and_no_document_is_presented(knowledge, question):
    answer = knowledge.ask(question, use_cache=False)
    assert not any(each.node == "document" and "sentence" in each.outcome for each in answer.decisions)
    assert len(answer.sentences) <= 3


def test_what_names_no_document_is_looked_up_as_any_other_question(knowledge):
    answer = knowledge.ask("What are the risks of sailing at night?", use_cache=False)
    assert answer.type is AnswerType.REJECTION


def test_the_exported_graph_answers_a_conversation(knowledge):
    final = build_ask_graph(knowledge).invoke({"messages": [HumanMessage("Summarise the lease")]})
    assert "900 pounds" in final["messages"][-1].text
    assert final["answer"].citations


def test_the_command_presents_a_document_and_draws_the_workflow(home, tmp_path):
    def run(*arguments):
        command = [sys.executable, "-m", "ascertain", "--home", str(home), *arguments]
        return subprocess.run(command, capture_output=True, text=True, check=True, timeout=120).stdout

    shown = run("ask", "--no-cache", "What does the lease say?")
    assert "“Lease, Dock 4” (all of it, from 2 of 2 sections):" in shown
    assert "The rent is 900 pounds a month. [1]" in shown
    run("workflow", "--draw", str(tmp_path / "ask.svg"))
    assert (tmp_path / "ask.svg").read_text("utf-8").startswith("<svg")
