"""What is looked up for a question."""

from __future__ import annotations

import pytest

from ascertain.core.asking.plans import SubQuery, SubQueryType
from ascertain.core.asking.runs import Budget, Run
from ascertain.core.reports.research import ResearchRequest
from ascertain.language.languages import ENGLISH
from ascertain.reports.research.planning import find_claim, find_research_order, is_bare_subject, plan_research


class Splitting:
    """Plans a question as two parts."""

    def __init__(self, *parts: str) -> None:
        self.sub_queries = tuple(SubQuery(part, SubQueryType.FACTUAL, 1) for part in parts)

    def plan(self, question, language, run):
        return self


def test_a_part_that_points_back_is_looked_up_with_the_name_that_it_means():
    splitting = Splitting("what Krellion did", "how large it is")
    plan = plan_research(
        ResearchRequest("r", "Say what Krellion did and how large it is"),
        None,
        splitting,
        Run(Budget(0, 0, 9, 0)),
        language=ENGLISH,
    )
    assert [part.text for part in plan.sub_questions] == ["what Krellion did", "how large it is (about: Krellion)"]


@pytest.mark.parametrize(
    ("message", "subject"),
    [
        ("Write a report on structured logging.", "structured logging"),
        ("please research the fall of Rome", "the fall of Rome"),
        ("write a report on", ""),
        ("Look into it", ""),
        ("Who wrote the report on logging?", None),
        ("Research papers on logging", None),
    ],
)
def test_an_order_of_research_names_its_subject(message, subject):
    assert find_research_order(message, ENGLISH) == subject


@pytest.mark.parametrize(
    ("question", "claim"),
    [
        ("whether the bridge was opened in 1932", "The bridge was opened in 1932."),
        ("whether it is true that the bridge was opened in 1932", "The bridge was opened in 1932."),
        ("whether the bridge or the tunnel is older", ""),
    ],
)
def test_what_somebody_wants_to_know_the_truth_of_is_a_claim(question, claim):
    assert find_claim(question) == claim


@pytest.mark.parametrize(
    ("text", "is_bare"),
    [
        ("structured logging", True),
        ("Krellion", True),
        ("how refunds work", False),
        ("structured logging?", False),
        ("compare Rome with Athens", False),
    ],
)
def test_a_bare_subject_asks_nothing(text, is_bare):
    assert is_bare_subject(text) is is_bare
