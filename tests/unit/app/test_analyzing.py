"""Whole periods analysed over the real embedded store."""

from __future__ import annotations

import sqlite3
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from small_knowledge import NOW, WordHashes

from ascertain import Ascertain, Document, Settings
from ascertain.core.asking.answers import AnswerType
from ascertain.core.asking.passages import Filter, Level
from ascertain.core.asking.requests import AnalysisDone, NodeFinished
from ascertain.core.documents.documents import DocumentKind, document_id
from ascertain.core.errors import UsageError
from ascertain.core.reports.analysis import Pattern

TODAY = NOW.now()
GOOD = (
    "The upgrade of Solana was a great success, and users are happy with it. Solana rose {n} % to ${level} on that day."
)
BAD = "The outage of Solana was a disaster, and angry users lost money. Solana fell {n} % to ${level} on that day."


def article(number: int, text: str, days_ago: int, source: str = "Harbour Post", title: str = "") -> Document:
    published = (TODAY - timedelta(days=days_ago)).replace(hour=9)
    name = f"news-{number}"
    title = title or f"Solana report {number}"
    return Document(document_id(name), text, title, DocumentKind.ARTICLE, name, author=source, published_at=published)


@pytest.fixture
def knowledge(tmp_path: Path):
    settings = Settings.model_validate({"home": tmp_path / "kb", "profile": "news", "graph": {"build": False}})
    with Ascertain(settings, clock=NOW, embedder=WordHashes()) as opened:
        good = [article(n, GOOD.format(n=n + 1, level=100 + n), n) for n in range(8)]
        bad = [article(20 + n, BAD.format(n=n + 1, level=90 - n), 10 + n, "Northwire") for n in range(4)]
        old = [article(40 + n, BAD.format(n=9, level=50), 40 + n) for n in range(3)]
        forecast = article(
            60, "Ines Okafor of Carrow Research expects Solana to fall to $60 by the end of the year.", 3
        )
        other = article(
            61, "Prune an apple tree in late winter. A sharp saw leaves a clean cut.", 5, title="Apple trees"
        )
        opened.add_documents([*good, *bad, *old, forecast, other])
        yield opened


def test_reads_every_document_of_the_period_and_says_so(knowledge: Ascertain):
    found = knowledge.analyze("how did sentiment on Solana change in the last 30 days?")
    assert found.answer.text.startswith(
        "Read 14 of 14 articles dated 5 November 2024 to 5 December 2024; 13 are on “Solana”."
    )
    assert {each.mood.value: len(each.documents) for each in found.findings.shares} == {
        "positive": 8,
        "neutral": 0,
        "negative": 5,
    }
    assert found.findings.before is not None
    assert found.findings.before.documents == 3
    assert found.confidence.level in {Level.HIGH, Level.MEDIUM}


def test_every_pattern_comes_to_the_same_by_rules(knowledge: Ascertain):
    texts = {knowledge.analyze("analyze Solana", pattern=pattern).answer.text for pattern in Pattern}
    assert len(texts) == 1


def test_statements_about_the_future_are_speculation_of_who_made_them(knowledge: Ascertain):
    found = knowledge.analyze("what is your prediction for Solana in the next month based on the last 30 days?")
    assert "[speculation] Ines Okafor of Carrow Research expects Solana to fall" in found.answer.text
    assert found.answer.text.endswith("This product predicts nothing itself, and none of it is advice.")
    assert found.confidence.level is Level.MEDIUM


def test_nothing_on_the_subject_ends_in_an_honest_nothing(knowledge: Ascertain):
    found = knowledge.analyze("xyz123 quantum chain")
    assert found.answer.type is AnswerType.REJECTION
    assert found.answer.text.startswith("I read all 14 documents")
    assert found.citations == ()
    assert found.confidence.level is Level.NONE


def test_a_period_without_documents_is_said_to_hold_none(knowledge: Ascertain):
    found = knowledge.analyze("sentiment on Solana in March 2020")
    assert (
        found.answer.text
        == "There is no document dated 1 March 2020 to 31 March 2020, and so nothing on “Solana”: nothing can be said."
    )


def test_every_figure_has_its_exact_quote(knowledge: Ascertain):
    found = knowledge.analyze("analyze Solana")
    for move in found.findings.moves:
        document = knowledge.document(move.quote.document_id)
        assert document is not None and move.quote.span.of(document.text) == move.quote.text
        assert f"{move.percent:g}" in move.quote.text
    assert {each.document_id for each in found.citations} <= set(found.findings.documents)


def test_a_document_is_read_once_until_it_changes(knowledge: Ascertain):
    assert knowledge.analyze("analyze Solana").coverage.reused == 0
    assert knowledge.analyze("analyze Solana").coverage.reused == 14
    knowledge.add_documents([article(0, BAD.format(n=5, level=70), 0)])
    again = knowledge.analyze("analyze Solana")
    assert again.coverage.reused == 13
    assert {each.mood.value: len(each.documents) for each in again.findings.shares}["negative"] == 6


def test_nothing_of_a_deleted_document_stays(knowledge: Ascertain, tmp_path: Path):
    knowledge.analyze("analyze Solana")
    gone = article(60, "", 3).id
    knowledge.delete(Filter(document_ids=(gone,)))
    with sqlite3.connect(tmp_path / "kb" / "analysis.sqlite3") as db:
        kept = {row[0] for row in db.execute("SELECT document_id FROM maps")}
    db.close()
    assert gone not in kept
    assert len(kept) > 10


def test_near_duplicates_count_once(knowledge: Ascertain):
    text = " ".join(f"The report number {n} of the committee in Porto tells of Solana at length." for n in range(30))
    knowledge.add_documents([article(70, text, 2), article(71, f"{text} (wire)", 2, "Northwire")])
    found = knowledge.analyze("analyze Solana")
    assert found.coverage.duplicates == 1
    assert "1 near-duplicate counted once" in found.answer.text
    assert found.coverage.read == found.coverage.found == 16


def test_tells_each_step(knowledge: Ascertain):
    events = list(knowledge.analyze_stream("analyze Solana"))
    assert [each.node for each in events if isinstance(each, NodeFinished)] == ["scope", "read", "reduce", "compare"]
    assert isinstance(events[-1], AnalysisDone)


def test_ask_sends_analytical_questions_to_the_analysis(knowledge: Ascertain):
    answer = knowledge.ask("how did sentiment on Solana change in the last 30 days?")
    assert answer.type is AnswerType.ANALYSIS
    assert "Read 14 of 14 articles" in answer.text
    assert any(each.node == "analyse" for each in answer.decisions)
    assert answer.groundedness == 1.0


def test_ask_answers_other_questions_as_before(knowledge: Ascertain):
    answer = knowledge.ask("what happened this week?")
    assert all(each.node != "analyse" for each in answer.decisions)


def test_the_other_tenant_is_not_read(knowledge: Ascertain):
    other = knowledge.as_tenant("other")
    other.add_documents([article(1, "Solana is wonderful, said Ines Okafor.", 1)])
    assert other.analyze("analyze Solana").coverage.found == 1
    assert knowledge.analyze("analyze Solana").coverage.found == 14


def test_what_makes_no_sense_is_refused(knowledge: Ascertain):
    with pytest.raises(UsageError, match="choose from single_pass, map_reduce, refine"):
        knowledge.analyze("analyze Solana", pattern="all")
    with pytest.raises(UsageError, match="days back"):
        knowledge.analyze("analyze Solana", days_back=0)
    with pytest.raises(UsageError, match="empty"):
        knowledge.analyze(" ")


def test_days_back_and_the_filter_are_over_the_words(knowledge: Ascertain):
    assert knowledge.analyze("sentiment on Solana in the last 30 days", days_back=2).coverage.found == 3
    day = datetime(2024, 12, 4, tzinfo=UTC)
    dated = Filter(published_from=day, published_before=day + timedelta(days=1))
    assert knowledge.analyze("sentiment on Solana in the last 30 days", filter=dated).coverage.found == 1
