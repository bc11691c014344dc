"""Dates that the English rules do not know."""

import subprocess
import sys
from datetime import UTC, datetime

import pytest

from ascertain.language.languages import ENGLISH
from ascertain.questions.timeframe import find_timeframe

NOW = datetime(2024, 12, 30, 18, tzinfo=UTC)


@pytest.mark.parametrize(
    ("question", "phrase", "first"),
    [
        ("what happened on 25/12/2024?", "on 25/12/2024", datetime(2024, 12, 25, tzinfo=UTC)),
        ("what happened on 5.3.2024?", "on 5.3.2024", datetime(2024, 3, 5, tzinfo=UTC)),
        ("les nouvelles du 5 mars 2024", "5 mars 2024", datetime(2024, 3, 5, tzinfo=UTC)),
        ("Nachrichten vom 5. März 2024", "5. März 2024", datetime(2024, 3, 5, tzinfo=UTC)),
        ("noticias del 5 de marzo de 2024", "5 de marzo de 2024", datetime(2024, 3, 5, tzinfo=UTC)),
        ("release notes of 12-Sep-2024", "of 12-Sep-2024", datetime(2024, 9, 12, tzinfo=UTC)),
    ],
)
def test_a_whole_date_of_another_language_is_its_day(question, phrase, first):
    found = find_timeframe(question, ENGLISH, NOW)
    assert found is not None
    assert (found.phrase, found.start, (found.end - found.start).days) == (phrase, first, 1)


def test_the_words_before_it_count():
    found = find_timeframe("what changed since 25/12/2024?", ENGLISH, NOW)
    assert found is not None
    assert (found.start.day, found.end.day, found.phrase) == (25, 31, "since 25/12/2024")


@pytest.mark.parametrize(
    "question",
    [
        "what happened on 05/03/2024?",
        "the 10 chapters 2024 brought",
        "what does version 5.3.2024.1 fix?",
        "is 99.99.2024 a date?",
        "who scored 3 goals 2023",
        "what is 24/7/365 support?",
    ],
)
def test_ordinary_words_and_what_can_be_two_days_are_no_date(question):
    found = find_timeframe(question, ENGLISH, NOW)
    assert found is None or not found.is_explicit


def test_a_question_without_such_a_date_does_not_load_dateparser():
    program = (
        "import sys; from datetime import datetime, UTC; from ascertain.questions.timeframe import find_timeframe\n"
        "find_timeframe('what drives gas fees in 12 charts?', 'en', datetime.now(UTC)); sys.exit('dateparser' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0
