"""Which questions ask about the documents as such."""

import pytest

from ascertain.core.asking.plans import Aspect
from ascertain.questions.kinds.catalogue import read_catalogue_question


@pytest.mark.parametrize(
    ("question", "aspect", "name", "focus"),
    [
        ("How many documents do you have in total?", Aspect.COUNT, "", ""),
        ("how many papers do we have on ranking", Aspect.COUNT, "papers", "ranking"),
        ("How many articles mention Ethereum?", Aspect.COUNT, "articles", "Ethereum"),
        ("How many articles about tides are there?", Aspect.COUNT, "articles", "tides"),
        ("Give me the number of transcripts", Aspect.COUNT, "transcripts", ""),
        ("What documents do you have?", Aspect.TITLES, "", ""),
        ("please list the episodes", Aspect.TITLES, "episodes", ""),
        ("Which of these papers mention BM25?", Aspect.TITLES, "papers", "BM25"),
        ("Do you have any documents about parking?", Aspect.TITLES, "", "parking"),
        ("what's the newest document?", Aspect.NEWEST, "", ""),
        ("When was the last article published?", Aspect.NEWEST, "article", ""),
        ("how up to date is the knowledge base?", Aspect.NEWEST, "", ""),
        ("What is the oldest paper in the collection?", Aspect.OLDEST, "paper", ""),
        ("what did I upload most recently?", Aspect.ADDED_LAST, "", ""),
        ("How far back do the episodes go?", Aspect.PERIOD, "episodes", ""),
    ],
)
def test_a_question_about_the_documents_is_read(question, aspect, name, focus):
    asked = read_catalogue_question(question)
    assert asked is not None
    assert (asked.aspect, asked.name, asked.focus) == (aspect, name, focus)
    assert asked.is_of_records


@pytest.mark.parametrize(
    "question",
    [
        "How many documents must the applicant submit?",
        "How many papers did Turing publish?",
        "Which documents do I need for a visa?",
        "What is the latest version of the policy?",
        "What is the newest episode about?",
        "List the documents required for the application",
        "How many articles does the treaty have?",
        "Which contracts expire in 2027?",
        "What is the last article of the constitution?",
        "How many books are there in the library of Alexandria?",
        "Who wrote the oldest book?",
    ],
)
def test_a_question_to_the_documents_is_not(question):
    assert read_catalogue_question(question) is None
