"""What a question lists is looked up one by one."""

from __future__ import annotations

import pytest

from ascertain.language.languages import ENGLISH
from ascertain.reports.research.planning import is_about_papers
from ascertain.reports.research.subjects import find_subjects


@pytest.mark.parametrize(
    ("question", "looked_up"),
    [
        (
            "What are the rent, the deposit and the term of the lease?",
            ["What is the rent of the lease?", "What is the deposit of the lease?", "What is the term of the lease?"],
        ),
        (
            "What are the risks and benefits of tides?",
            ["What are the risks of tides?", "What are the benefits of tides?"],
        ),
        (
            "Explain attention, layer normalisation, and dropout",
            ["Explain attention", "Explain layer normalisation", "Explain dropout"],
        ),
        ("how do refunds and exchanges work?", ["how do refunds work?", "how do exchanges work?"]),
        ("List the methods: BM25, dense retrieval and SPLADE", ["BM25", "dense retrieval", "SPLADE"]),
        ("research rent and insurance", ["rent", "insurance"]),
        ("Kubernetes and Elixir", ["Kubernetes", "Elixir"]),
    ],
)
def test_what_is_listed_is_asked_about_one_by_one(question, looked_up):
    found = find_subjects(question, ENGLISH)
    assert found is not None
    assert (list(found.questions), found.is_comparison) == (looked_up, False)


@pytest.mark.parametrize(
    ("question", "looked_up"),
    [
        ("Compare SQLite, MySQL and Postgres", ["SQLite", "MySQL", "Postgres"]),
        ("How do Nomad and Docker Swarm differ in networking?", ["Nomad in networking", "Docker Swarm in networking"]),
        ("What is the difference in price between Fly and Heroku?", ["Fly in price", "Heroku in price"]),
        ("Git vs Fossil", ["Git", "Fossil"]),
    ],
)
def test_what_is_compared_is_looked_up_side_by_side(question, looked_up):
    found = find_subjects(question, ENGLISH)
    assert found is not None
    assert (list(found.questions), found.is_comparison) == (looked_up, True)


@pytest.mark.parametrize(
    "question",
    [
        "How does the Securities and Exchange Commission work?",
        "What is research and development?",
        "Who founded Apple and who founded Microsoft?",
        "How does the boiler work?",
        "and",
        "compare , and ,",
        "",
        "x and " * 500,
    ],
)
def test_one_thing_is_not_taken_apart(question):
    assert find_subjects(question, ENGLISH) is None


@pytest.mark.parametrize(
    ("question", "is_about"),
    [
        ("What do recent papers say about sparse attention?", True),
        ("state of the art in speech recognition", True),
        ("Which studies show that sleep helps?", True),
        ("Which newspapers wrote about it?", False),
        ("How do refunds work?", False),
        ("What paper size does the printer take?", False),
    ],
)
def test_questions_about_papers_are_known_by_their_words(question, is_about):
    assert is_about_papers(question) is is_about
