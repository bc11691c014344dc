from datetime import UTC, datetime
from types import SimpleNamespace

import pytest

from ascertain.core.errors import ModelError
from ascertain.core.service.service import GivenAnswer
from ascertain.evaluation.golden.proposals import name_source, propose_by_model, propose_from_feedback
from ascertain.models.prompts import Prompts


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


TEXT = "Tokens of the service expire after 90 days. Nobody can extend one, since each is signed once."
GOOD = {
    "question": "How long does a token work?",
    "answers": ["90 days"],
    "quote": "Tokens of the service expire after  90 days.",
}


@pytest.fixture
def ask_model(a_document):
    def ask(reply, text=TEXT):
        class Chat:
            def ask(self, task, messages, answer, run):
                if reply is None:
                    raise ModelError("no usable reply")
                return answer.model_validate({"questions": reply})

        document = a_document(text)
        record = SimpleNamespace(id=document.id, source=document.source, duplicate_of=None)
        return propose_by_model([record], lambda _: document, 3, 0, Chat(), Prompts())

    return ask


def test_a_model_words_questions_and_its_quote_is_the_documents(ask_model):
    (question,) = ask_model([GOOD])
    assert (question.question, question.answers, question.tags) == (
        "How long does a token work?",
        ("90 days",),
        ("model",),
    )
    assert question.relevant[0].quote == "Tokens of the service expire after 90 days."
    assert not question.validated


@pytest.mark.parametrize(
    "change",
    [
        {"quote": "Tokens of the service expire after 30 days."},
        {"answers": ["30 days"]},
        {"answers": []},
        {"question": "Do tokens expire after 90 days?"},
        {"question": "Token life"},
    ],
)
def test_what_a_model_makes_up_is_dropped_and_the_rules_stand_in(ask_model, change):
    (question,) = ask_model([GOOD | change])
    assert (question.tags, question.question) == (("number",), "Tokens of the service expire after how many days?")


def test_the_rules_stand_in_for_a_model_that_does_not_reply(ask_model):
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
