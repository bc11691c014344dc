from __future__ import annotations

from datetime import UTC, datetime

import pytest

from ascertain.core.asking.answers import Citation
from ascertain.core.asking.passages import Filter
from ascertain.core.documents.blocks import Place, Span
from ascertain.questions.timeframe import drop_time_words
from ascertain.workflow.question_text import describe_outside, format_period


def on(day: int) -> datetime:
    return datetime(2024, 12, day, tzinfo=UTC)


def a_citation(published_at: datetime | None, quote: str = "q") -> Citation:
    return Citation(1, "d", "T", None, published_at, quote, Span(0, 1), Place())


@pytest.mark.parametrize(
    ("filter", "words"),
    [
        (Filter(), ""),
        (Filter(published_from=on(5), published_before=on(6)), "dated 5 December 2024"),
        (Filter(published_from=on(1), published_before=on(8)), "dated 1 December 2024 to 7 December 2024"),
        (Filter(published_from=on(1)), "dated 1 December 2024 or later"),
        (Filter(published_before=on(1)), "dated before 1 December 2024"),
    ],
)
def test_a_period_in_words(filter: Filter, words: str) -> None:
    assert format_period(filter) == words


def test_what_is_from_outside_the_period_names_the_newest_date_found() -> None:
    today = Filter(published_from=on(5), published_before=on(6))
    cited = [a_citation(on(1)), a_citation(on(2)), a_citation(None)]
    assert (
        describe_outside(today, were_any=False, citations=cited)
        == "Nothing that was found is dated 5 December 2024; the newest found is from 2 December 2024."
    )


def test_what_is_from_outside_tells_no_documents_from_no_answer_and_undated_sources() -> None:
    today = Filter(published_from=on(5), published_before=on(6))
    assert (
        describe_outside(today, were_any=True, citations=[a_citation(None)])
        == "Nothing that was found dated 5 December 2024 answers this; what follows carries no date."
    )


def test_what_is_dated_on_the_first_or_last_day_of_the_period_is_from_it() -> None:
    week = Filter(published_from=on(8), published_before=on(16))
    evening = on(15).replace(hour=23, minute=59)
    assert not describe_outside(week, were_any=True, citations=[a_citation(on(8)), a_citation(evening)])


@pytest.mark.parametrize(
    ("quote", "is_from_it"),
    [
        ("Employers added 139,000 jobs in November.", True),
        ("The rate was 4.2 percent on 30 November 2024, after 4.1 in October.", True),
        ("Employers added 139,000 jobs in October.", False),
        ("The lowest price since 2 March 2024.", False),
    ],
)
def test_what_is_said_later_of_the_period_is_from_it(quote: str, is_from_it: bool) -> None:
    november = Filter(published_from=datetime(2024, 11, 1, tzinfo=UTC), published_before=on(1))
    assert bool(describe_outside(november, True, [a_citation(on(6), quote)])) is not is_from_it


def test_an_answer_that_is_partly_from_the_period_says_how_much_of_it_is() -> None:
    week = Filter(published_from=on(8), published_before=on(16))
    cited = [a_citation(on(4)), a_citation(on(15)), a_citation(on(16))]
    assert describe_outside(week, were_any=True, citations=cited) == (
        "Only 1 of the 3 places quoted is dated 8 December 2024 to 15 December 2024; "
        "the newest other one is from 16 December 2024."
    )


@pytest.mark.parametrize(
    ("phrase", "question", "rest"),
    [
        ("today", "How is bitcoin doing today?", "How is bitcoin doing?"),
        ("this week", "This week, what fell?", "what fell?"),
        ("today", "today?", "today?"),
    ],
)
def test_the_words_about_time_are_taken_out(phrase: str, question: str, rest: str) -> None:
    assert drop_time_words(phrase, question) == rest
