from datetime import UTC, datetime
from types import SimpleNamespace

import pytest

from ascertain.core.documents import Document, DocumentKind, Place, Region, RegionKind, Span
from ascertain.core.errors import ModelError
from ascertain.core.service import GivenAnswer
from ascertain.evaluation.golden.proposals import name_source, propose_by_model, propose_from, propose_from_feedback
from ascertain.evaluation.golden.questions import find_quote
from ascertain.models.prompts import Prompts


def a_document(text, title="Rules", regions=()):
    return Document(
        id="d",
        text=text,
        title=title,
        kind=DocumentKind.PROSE,
        source="/home/me/docs/rules.md",
        profile="docs",
        regions=regions,
    )


def questions_of(document):
    return [(proposal.kind, proposal.question, *proposal.answers) for proposal in propose_from(document)]


@pytest.mark.parametrize(
    ("text", "proposed"),
    [
        (
            "A token is valid for 90 days by default, unless it is renewed.",
            ("number", "A token is valid for how many days by default, unless it is renewed?", "90 days"),
        ),
        (
            "The plan Plus costs 5 euros a month for up to five computers.",
            ("number", "The plan Plus costs how much money a month for up to five computers?", "5 euros"),
        ),
        (
            "Tidepool warns when more than 40 percent of the files change.",
            ("number", "Tidepool warns when more than what percentage of the files change?", "40 percent"),
        ),
        (
            "Version 1.0 of the program came out on 17 August 2000 in Charlotte.",
            ("number", "Version 1.0 of the program came out on what date in Charlotte?", "17 August 2000"),
        ),
        (
            "A hot wallet is a wallet that is connected to the internet.",
            ("definition", "What is a hot wallet?", "a wallet that is connected to the internet"),
        ),
    ],
)
def test_a_statement_is_asked_for_what_it_says(text, proposed):
    assert questions_of(a_document(text)) == [proposed]


@pytest.mark.parametrize(
    "text",
    [
        "Short: 90 days.",
        "It is a program that reads the files of ninety computers.",
        "This page covers the program as of version 3 files and later.",
        "The table below lists all of the settings and what they mean.",
        "Press the button for 30 seconds until the lamp is green and",
    ],
)
def test_what_does_not_stand_alone_or_holds_nothing_to_ask_is_passed_over(text):
    assert questions_of(a_document(text)) == []


def test_rows_of_tables_are_asked_by_their_name_and_column():
    text = "Rules.\n\nSetting | Default | Meaning\nretention.daily | 7 | the last snapshot of a day\nretention.yearly | 3 | of a year\n"
    assert questions_of(a_document(text))[:3] == [
        ("table", "Rules: what is the default of retention.daily?", "7"),
        ("table", "Rules: what is the meaning of retention.daily?", "the last snapshot of a day"),
        ("table", "Rules: what is the default of retention.yearly?", "3"),
    ]


def test_what_a_speaker_said_is_asked_with_the_name():
    text = "Ana Berg: The reflog keeps where a branch was for 90 days."
    place = Place(speaker="Ana Berg")
    document = a_document(text, regions=(Region(RegionKind.TURN, Span(0, len(text)), place),))
    assert questions_of(document) == [
        ("speaker", "According to Ana Berg: The reflog keeps where a branch was for how many days?", "90 days")
    ]


def test_a_title_that_is_a_question_is_taken_as_it_is():
    document = a_document("The plan Plus is for people with several computers at home.", title="How much does it cost?")
    (proposal,) = propose_from(document)
    assert (proposal.kind, proposal.question, proposal.answers) == ("heading", "How much does it cost?", ())


def test_every_quote_stands_in_its_document():
    text = "# Rules\n\nA token is valid for 90\ndays by default, unless it is renewed.\n\nSnapshots are kept for 72 hours after they are removed."
    document = a_document(text)
    proposals = list(propose_from(document))
    assert len(proposals) == 2
    assert all(find_quote(proposal.quote, document.text) for proposal in proposals)


@pytest.mark.parametrize(
    ("source", "name"),
    [
        ("/home/me/docs/rules.md", "docs/rules.md"),
        ("https://example.org/a/b", "https://example.org/a/b"),
        ("a.md", "a.md"),
    ],
)
def test_a_source_is_named_so_that_the_folder_may_move(source, name):
    assert name_source(source) == name


TEXT = "Tokens of this service expire after 90 days. Nobody can extend one, because each is signed once."
GOOD = {
    "question": "How long does a token work?",
    "answers": ["90 days"],
    "quote": "Tokens of this service expire after  90 days.",
}


def ask_model(reply, text=TEXT):
    class Chat:
        def ask(self, task, messages, answer, run):
            if reply is None:
                raise ModelError("no usable reply")
            return answer.model_validate({"questions": reply})

    document = a_document(text)
    record = SimpleNamespace(id=document.id, source=document.source, duplicate_of=None)
    return propose_by_model([record], lambda _: document, 3, 0, Chat(), Prompts())


def test_a_model_words_questions_and_its_quote_is_the_documents():
    (question,) = ask_model([GOOD])
    assert (question.question, question.answers, question.tags) == (
        "How long does a token work?",
        ("90 days",),
        ("model",),
    )
    assert question.relevant[0].quote == "Tokens of this service expire after 90 days."
    assert not question.validated


@pytest.mark.parametrize(
    "change",
    [
        {"quote": "Tokens of this service expire after 30 days."},
        {"answers": ["30 days"]},
        {"answers": []},
        {"question": "Do tokens expire after 90 days?"},
        {"question": "Token life"},
    ],
)
def test_what_a_model_makes_up_is_dropped_and_the_rules_stand_in(change):
    (question,) = ask_model([GOOD | change])
    assert (question.tags, question.question) == (("number",), "Tokens of this service expire after how many days?")


def test_the_rules_stand_in_for_a_model_that_does_not_reply():
    (question,) = ask_model(None)
    assert question.tags == ("number",)


def test_feedback_becomes_questions_with_what_it_says_of_them():
    moment = datetime(2026, 11, 20, tzinfo=UTC)
    rows = [
        ("q1", "summary", "up", ""),
        ("q2", "rejection", "down", "it is in the manual"),
        ("q3", "rejection", "up", ""),
    ]
    rows.append(("q1", "summary", "down", "outdated"))
    judged = [
        GivenAnswer(f"id{n}", moment, question, kind, "hybrid", 50, thumb=thumb, comment=comment)
        for n, (question, kind, thumb, comment) in enumerate(rows)
    ]
    questions = {question.question: question for question in propose_from_feedback(judged)}
    assert {name: question.answerable for name, question in questions.items()} == {"q1": True, "q2": True, "q3": False}
    assert (questions["q1"].tags, questions["q1"].note) == (("feedback", "down", "answered"), "outdated")
    assert questions["q2"].note == "it is in the manual"
