from __future__ import annotations

from datetime import UTC, datetime

import pytest

from ascertain.core.answers import Citation
from ascertain.core.documents import Place, Span
from ascertain.core.passages import Filter
from ascertain.workflow.question_text import drop_time_words, format_period, undated_caveat


def on(day: int) -> datetime:
    return datetime(2024, 12, day, tzinfo=UTC)


def a_citation(published_at: datetime | None) -> Citation:
    return Citation(1, "d", "T", None, published_at, "q", Span(0, 1), Place())


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


def test_the_caveat_names_the_newest_date_found() -> None:
    today = Filter(published_from=on(5), published_before=on(6))
    cited = [a_citation(on(1)), a_citation(on(2)), a_citation(None)]
    assert (
        undated_caveat(today, were_any=False, citations=cited)
        == "Nothing dated 5 December 2024; the newest found is from 2 December 2024."
    )


def test_the_caveat_tells_no_documents_from_no_answer_and_undated_sources() -> None:
    today = Filter(published_from=on(5), published_before=on(6))
    assert (
        undated_caveat(today, were_any=True, citations=[a_citation(None)])
        == "Nothing dated 5 December 2024 answers this; what follows carries no date."
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
