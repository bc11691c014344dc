"""Feedback on answers, and what it says of the ways of searching."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from small_knowledge import a_document, opened
from typer.testing import CliRunner

from ascertain import Ascertain
from ascertain.app.wire.conversations import FeedbackJson
from ascertain.core.asking.feedback import summarise_feedback, wilson_interval
from ascertain.core.errors import UsageError
from ascertain.core.service.service import GivenAnswer
from ascertain.interfaces.cli.application import app

MOMENT = datetime(2024, 12, 5, tzinfo=UTC)


def a_judged_answer(kind: str, strategy: str, thumb) -> GivenAnswer:
    return GivenAnswer("a", MOMENT, "q", "summary", strategy, 80, question_kind=kind, thumb=thumb)


@pytest.fixture
def knowledge(tmp_path: Path):
    with opened(tmp_path / "kb") as knowledge:
        knowledge.add_documents([a_document("bridge", "The repairs of the harbour bridge take six weeks.")])
        yield knowledge


def test_an_answer_is_noted_with_what_its_strategy_is_chosen_by(knowledge: Ascertain) -> None:
    answer = knowledge.ask("How long do repairs of the Harbour bridge take?", conversation_id="c")
    noted = knowledge.service.feedback.get(answer.id)
    assert noted is not None
    assert (noted.question, noted.strategy) == (answer.question, answer.strategy.value)
    assert (noted.answer_type, noted.confidence) == (answer.type.value, answer.confidence.score)
    assert (noted.question_kind, noted.conversation_id) == ("factual", "c")
    assert noted.features == {
        "mode": "documents",
        "words": 9,
        "exact": 0.0,
        "names": 0.25,
        "has_dates": False,
        "is_follow_up": False,
        "intent": "knowledge",
        "type": "factual",
        "complexity": "simple",
        "parts": 0,
        "is_cached": False,
    }


def test_feedback_is_kept_and_counted(knowledge: Ascertain) -> None:
    first = knowledge.ask("How long do the repairs take?")
    again = knowledge.ask("How long do the repairs take?")
    assert again.is_cached
    assert knowledge.feedback(first.id, "down", "too long").comment == "too long"
    assert knowledge.feedback(first.id, "up").thumb == "up"
    knowledge.feedback(again.id, "down")
    summary = knowledge.feedback_summary()
    assert (summary.judged, summary.up) == (2, 1)
    (row,) = summary.rows
    assert (row.question_kind, row.strategy, row.share) == ("factual", first.strategy.value, 0.5)
    assert row.low < 0.5 < row.high


def test_an_unknown_answer_and_anothers_cannot_be_judged(knowledge: Ascertain) -> None:
    answer = knowledge.ask("How long do the repairs take?")
    with pytest.raises(UsageError, match="there is no answer 'nonesuch' to judge"):
        knowledge.feedback("nonesuch", "up")
    other = knowledge.as_tenant("other")
    with pytest.raises(UsageError, match="there is no answer"):
        other.feedback(answer.id, "up")
    assert other.feedback_summary().judged == 0


def test_rows_are_by_kind_and_the_surer_strategy_first() -> None:
    judged = [
        *(a_judged_answer("factual", "hybrid", "up") for _ in range(9)),
        a_judged_answer("factual", "hybrid", "down"),
        a_judged_answer("factual", "keyword", "up"),
        a_judged_answer("conceptual", "semantic", "down"),
        a_judged_answer("conceptual", "semantic", None),
    ]
    summary = summarise_feedback(judged)
    assert [(row.question_kind, row.strategy, row.judged) for row in summary.rows] == [
        ("conceptual", "semantic", 1),
        ("factual", "hybrid", 10),
        ("factual", "keyword", 1),
    ]
    assert (summary.judged, summary.up) == (12, 10)
    assert summary.to_json()["rows"][1] == {  # type: ignore[index]
        "question_kind": "factual",
        "strategy": "hybrid",
        "judged": 10,
        "up": 9,
        "share": 0.9,
        "low": 0.59585,
        "high": 0.982124,
    }
    assert FeedbackJson.from_noun(judged[0]).to_json() == {"answer_id": "a", "thumb": "up", "comment": ""}


@given(st.integers(0, 200), st.integers(0, 200))
def test_the_interval_holds_the_share_and_narrows_with_more_feedback(up: int, down: int) -> None:
    low, high = wilson_interval(up, up + down)
    assert 0 <= low <= high <= 1
    if up + down:
        assert low <= up / (up + down) <= high
        surer = wilson_interval(4 * up, 4 * (up + down))
        assert surer[1] - surer[0] < high - low


def test_the_shell_keeps_feedback_too(tmp_path: Path) -> None:
    with opened(tmp_path / "kb") as knowledge:
        knowledge.add_documents([a_document("bridge", "The repairs of the harbour bridge take six weeks.")])
        answer = knowledge.ask("How long do the repairs take?")
    home = ["--home", str(tmp_path / "kb")]
    runner = CliRunner()
    nobody = runner.invoke(app, ["stats", "--feedback", *home])
    assert "there is no feedback yet" in nobody.output
    noted = runner.invoke(app, ["feedback", answer.id, "up", "--comment", "right", *home])
    assert noted.output == "Noted: up, for “How long do the repairs take?”.\n"
    table = runner.invoke(app, ["stats", "--feedback", *home])
    assert table.output == "factual\thybrid\t1\t100%\t21% to 100%\n"
    shape = json.loads(runner.invoke(app, ["stats", "--feedback", "--json", *home]).output)
    assert (shape["judged"], shape["rows"][0]["strategy"]) == (1, "hybrid")
