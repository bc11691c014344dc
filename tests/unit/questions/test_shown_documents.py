"""Follow-ups on documents that the last answer shows."""

import pytest

from ascertain.core.asking.requests import Turn
from ascertain.core.asking.runs import Budget, Run
from ascertain.language.languages import ENGLISH
from ascertain.questions.conversation.rewriting import RuleRewriter

LISTED = """There are 3 documents here. None of them carries a date.

“Lease, Dock 4” (contract)
The rent is 900 pounds a month. [1]

“Minutes of 9 March 2026” (minutes, 9 March 2026)
It was resolved to buy two boats. [2]

“Tides”
High water comes later each day. [3]"""
ALONE = "“Lease, Dock 4” (all of it, from 2 of 2 sections):\n\nRent\nThe rent is 900 pounds a month. [1]"
NEWEST = "The newest of 2 dated documents is of 13 April 2026.\n\n“Minutes of 13 April 2026” (minutes, 13 April 2026)\nPaint. [1]"


def understood(question: str, last: str, answer: str) -> str:
    run = Run(Budget(calls=0, tokens=0, seconds=9, usd=0))
    return RuleRewriter().standalone(question, ENGLISH, [Turn("user", last), Turn("assistant", answer)], run).text


@pytest.mark.parametrize(
    ("question", "answer", "expected"),
    [
        ("Summarise the second one", LISTED, "Summarise “Minutes of 9 March 2026”"),
        ("And what does the last document say?", LISTED, "what does “Tides” say?"),
        ("What was decided in the 2nd?", LISTED, "What was decided in “Minutes of 9 March 2026”?"),
        ("Summarise the fourth one", LISTED, None),
        ("Summarise it", LISTED, None),
        ("What are the deadlines in it?", ALONE, "What are the deadlines in “Lease, Dock 4”?"),
        ("What was decided?", ALONE, "What was decided in “Lease, Dock 4”?"),
        ("What does that document say about the rent?", ALONE, "What does “Lease, Dock 4” say about the rent?"),
        ("Who pays it?", ALONE, None),
        ("What does it say?", "The rent is 900 pounds a month. [1]", None),
    ],
)
def test_what_points_at_a_document_that_is_shown_names_it(question, answer, expected):
    found = understood(question, "Which documents do you have?", answer)
    assert found == expected if expected else "“" not in found


@pytest.mark.parametrize(
    "question",
    [
        "How many documents do you have?",
        "What are these documents about?",
        "Summarise the lease",
        "Which file is the newest?",
    ],
)
def test_a_question_about_documents_takes_nothing_from_the_conversation(question):
    assert understood(question, "How much is the rent of the dock?", "The rent is 900 pounds a month. [1]") == question


@pytest.mark.parametrize(
    ("question", "last", "expected"),
    [
        ("and the oldest?", "Which document is the newest?", "which document is the oldest?"),
        ("And the newest one?", "What is the oldest paper?", "which paper is the newest?"),
        ("and the oldest?", "Who is the newest member?", None),
    ],
)
def test_the_other_end_of_the_dates_is_asked_for_with_a_word(question, last, expected):
    found = understood(question, last, NEWEST)
    assert found == expected if expected else not found.startswith("which document")
