"""What Prometheus reads of the answers that were given of late, over each kind of store."""

from datetime import UTC, datetime, timedelta

import pytest
from material import REFUNDS
from prometheus_client.parser import text_string_to_metric_families
from running_service import upload

from ascertain.core.service.service import GivenAnswer, Role
from ascertain.stores.relational.answer_tables import FeedbackTable


@pytest.fixture
def administrator(new_client, tenant):
    client = new_client(tenant, role=Role.ADMIN)
    upload(client, {"refunds.md": REFUNDS})
    return client


@pytest.fixture
def note(place, tenant):
    """Keeps an answer of the test's tenant as if it had been given some days ago."""

    def note_answer(name, days_ago, question="How long?", **fields):
        given = datetime.now(UTC) - timedelta(days=days_ago)
        usual = {"answer_type": "summary", "strategy": "hybrid", "confidence": 80, "tenant": tenant}
        place.knowledge.service.feedback.note(GivenAnswer(name, given, question, **{**usual, **fields}))

    return note_answer


def scrape(client):
    body = client.get("/metrics").raise_for_status().text
    return body, {
        (sample.name, *sample.labels.values()): sample.value
        for family in text_string_to_metric_families(body)
        for sample in family.samples
    }


def test_answers_of_the_tenant_are_told_by_period_and_without_their_words(administrator, note):
    note("a", 1, "Where is my invoice?", answer_type="rejection", confidence=10)
    note("b", 2, "Who pays the invoice?", answer_type="rejection", confidence=20)
    note("c", 3, confidence=90)
    note("d", 20, confidence=70)
    note("too old", 40, confidence=0)
    note("of another", 1, tenant="somebody", confidence=0)
    body, told = scrape(administrator)
    assert (told["ascertain_answers_given", "recent"], told["ascertain_answers_given", "earlier"]) == (3, 1)
    assert told["ascertain_answers_confidence_mean", "recent"] == 40
    assert told["ascertain_answers_confidence_mean", "earlier"] == 70
    assert told["ascertain_answers_declined_ratio", "recent"] == pytest.approx(2 / 3)
    assert told["ascertain_unanswered_questions", "1"] == 2
    assert "invoice" not in body


def test_only_answers_of_the_periods_are_read(administrator, note, monkeypatch):
    asked = []

    def watch(self, *given, answers=FeedbackTable.answers):
        asked.append(answers(self, *given))
        return asked[-1]

    monkeypatch.setattr(FeedbackTable, "answers", watch)
    for number in range(20):
        note(f"old{number}", 50 + number)
        note(f"judged{number}", 50 + number, thumb="up", judged_at=datetime.now(UTC) - timedelta(days=49))
    note("new", 1)
    scrape(administrator)
    assert [[answer.answer_id for answer in read] for read in asked] == [["new"]]
