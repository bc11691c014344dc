from datetime import UTC, datetime, timedelta

import pytest

from ascertain.app.asking.feedback import group_questions, report_drift
from ascertain.core.service.service import GivenAnswer

NOW = datetime(2026, 11, 22, tzinfo=UTC)


def an_answer(days_ago, confidence=80, kind="summary", thumb=None, question="How long?"):
    given = NOW - timedelta(days=days_ago)
    return GivenAnswer(f"{days_ago}{question}", given, question, kind, "hybrid", confidence, thumb=thumb)


def test_recent_answers_are_compared_with_those_before_and_greetings_do_not_count():
    before = [an_answer(8 + n % 20, 80 + n % 5) for n in range(40)]
    recent = [an_answer(n % 6 + 0.5, 40 + n % 5, "rejection" if n % 2 else "summary") for n in range(20)]
    drift = report_drift([*before, *recent, an_answer(1, 0, "greeting")], NOW, 7)
    assert (drift.earlier.answers, drift.recent.answers) == (40, 20)
    assert (drift.recent.confidence.value, drift.recent.declined.value) == (42.0, 0.5)
    assert drift.moved == ("confidence", "declined")
    assert drift.recent.up.value is None
    assert [period.answers for period in drift.course][-1] == 20
    assert sum(period.answers for period in drift.course) == 60


def test_a_few_answers_move_nothing():
    drift = report_drift([an_answer(10, 90), an_answer(1, 10, thumb="down"), an_answer(9, thumb="up")], NOW, 7)
    assert drift.moved == ()
    assert report_drift([], NOW, 7).recent.confidence.value is None


def test_only_recent_rejections_are_told_as_unanswered_each_once():
    rejected = [an_answer(1, 10, "rejection", question="Where is my invoice?")] * 2
    old = an_answer(9, 10, "rejection", question="What is a refund?")
    (theme,) = report_drift([*rejected, old], NOW, 7).unanswered
    assert (theme.word, theme.questions) == ("invoice", ("Where is my invoice?",))


@pytest.mark.parametrize(
    ("questions", "themes"),
    [
        ([], []),
        (["what is it?"], []),
        (
            ["Where is my invoice?", "Who pays invoices?", "How do I reset the password?"],
            [("invoice", 2), ("password", 1)],
        ),
    ],
)
def test_questions_are_grouped_by_the_word_that_most_share(questions, themes):
    assert [(theme.word, len(theme.questions)) for theme in group_questions(questions)] == themes
