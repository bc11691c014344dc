import math
import sys
from datetime import UTC, datetime, timedelta

import pytest
from prometheus_client.parser import text_string_to_metric_families

from ascertain.app.asking.feedback import report_drift
from ascertain.app.telemetry.metrics import Metrics
from ascertain.core.asking.answers import Answer, AnswerType, Decision, TaskUsage, Usage
from ascertain.core.asking.passages import Confidence, Level, Strategy
from ascertain.core.asking.runs import FELL_BACK
from ascertain.core.errors import MissingExtra
from ascertain.core.service.service import GivenAnswer, Job, JobState


def an_answer(**more):
    given = {
        "question": "When did Ether move?",
        "text": "In 2022.",
        "type": AnswerType.SUMMARY,
        "confidence": Confidence(Level.MEDIUM, 64),
        "sentences": (),
        "citations": (),
        "strategy": Strategy.HYBRID,
        "decisions": (
            Decision("retrieve", "8 passages", "", {}, 0.02),
            Decision("judge", FELL_BACK, "the chat model is left alone"),
        ),
        "usage": Usage.of([TaskUsage("write", 2, 1400, 100, 0.002)]),
        "seconds": 0.3,
        "conversation_id": "c1",
        "id": "a1",
    }
    return Answer(**{**given, **more})


def values(metrics):
    """Every sample as ``name{label="value"}`` with its value, without the moments of creation."""
    body, content_type = metrics.exposition()
    assert content_type.startswith("text/plain")
    return {
        f"{sample.name}{{{','.join(f'{k}={v}' for k, v in sorted(sample.labels.items()))}}}": sample.value
        for family in text_string_to_metric_families(body.decode())
        for sample in family.samples
        if not sample.name.endswith("_created")
    }


def test_requests_are_counted_by_route_method_and_status():
    metrics = Metrics()
    metrics.request("/v1/documents/{id}", "GET", 200, 0.003)
    metrics.request("/v1/documents/{id}", "GET", 404, 0.2)
    told = values(metrics)
    assert told["ascertain_http_requests_total{method=GET,route=/v1/documents/{id},status=404}"] == 1
    bucket = "ascertain_http_request_duration_seconds_bucket{le=%s,method=GET,route=/v1/documents/{id}}"
    assert (told[bucket % "0.005"], told[bucket % "+Inf"]) == (1, 2)


def test_paths_and_methods_from_outside_make_no_series_of_their_own():
    metrics = Metrics()
    for number in range(100):
        metrics.request(None, f"METHOD{number}", 404, 0.001)
    series = [name for name in values(metrics) if name.startswith("ascertain_http_requests_total")]
    assert series == ["ascertain_http_requests_total{method=other,route=other,status=404}"]


def test_a_question_tells_its_type_time_confidence_steps_and_cost():
    metrics = Metrics()
    metrics.question(an_answer(), "documents", cache="on")
    told = values(metrics)
    assert told["ascertain_questions_total{cached=false,mode=documents,type=summary}"] == 1
    assert told["ascertain_question_duration_seconds_sum{cached=false,mode=documents}"] == 0.3
    assert told["ascertain_question_confidence_sum{mode=documents}"] == 64
    assert told["ascertain_node_duration_seconds_sum{node=retrieve}"] == 0.02
    assert not any("ascertain_node_duration" in name and "judge" in name for name in told)
    assert told["ascertain_steps_left_to_rules_total{node=judge}"] == 1
    assert told["ascertain_model_calls_total{task=write}"] == 2
    assert told["ascertain_model_tokens_total{direction=input,task=write}"] == 1400
    assert told["ascertain_model_tokens_total{direction=output,task=write}"] == 100
    assert told["ascertain_model_cost_usd_total{task=write}"] == 0.002
    assert told["ascertain_answer_cache_lookups_total{result=miss}"] == 1


def test_chat_models_that_are_left_alone_are_counted_when_the_figures_are_read():
    metrics, left_alone = Metrics(), [0.0]
    metrics.watch_chat_models(lambda: left_alone[0])
    assert values(metrics)["ascertain_chat_models_left_alone{}"] == 0
    left_alone[0] = 2
    assert values(metrics)["ascertain_chat_models_left_alone{}"] == 2


def test_a_cached_answer_costs_nothing_again():
    metrics = Metrics()
    metrics.question(an_answer(is_cached=True), "documents", cache="on")
    told = values(metrics)
    assert told["ascertain_questions_total{cached=true,mode=documents,type=summary}"] == 1
    assert told["ascertain_answer_cache_lookups_total{result=hit}"] == 1
    assert not any(name.startswith(("ascertain_model_", "ascertain_node_")) for name in told)


def test_a_question_that_asked_for_no_cache_is_no_lookup():
    metrics = Metrics()
    metrics.question(an_answer(), "documents")
    assert not any("lookups_total" in name for name in values(metrics))


def test_nothing_of_a_question_is_in_the_figures():
    metrics = Metrics()
    metrics.question(an_answer(), "documents")
    body = metrics.exposition()[0].decode()
    assert not [word for word in ("Ether", "2022", "c1", "a1") if f'"{word}' in body or f" {word} " in body]


def test_failures_feedback_and_jobs():
    metrics = Metrics()
    metrics.count_failed_question("news")
    metrics.feedback("up")
    report = {"added": 3, "failures": [{"source": "a.md", "reason": "empty"}], "notes": ["a"]}
    now = datetime.now(UTC)
    metrics.count_ended_job(Job("j1", "files", "a.md", now, now, state=JobState.FINISHED, report=report))
    metrics.jobs({"queued": 2, "running": 1})
    metrics.jobs({"running": 1})
    told = values(metrics)
    assert told["ascertain_questions_failed_total{mode=news}"] == 1
    assert told["ascertain_feedback_total{thumb=up}"] == 1
    assert told["ascertain_jobs_ended_total{state=finished}"] == 1
    assert told["ascertain_ingested_documents_total{result=added}"] == 3
    assert told["ascertain_ingested_documents_total{result=failures}"] == 1
    assert [name for name in told if name.startswith("ascertain_jobs{")] == ["ascertain_jobs{state=running}"]


NOW = datetime(2026, 11, 22, tzinfo=UTC)


def given(days_ago, question="How long?", **fields):
    usual = {"answer_type": "summary", "strategy": "hybrid", "confidence": 80}
    return GivenAnswer(f"{days_ago}", NOW - timedelta(days=days_ago), question, **{**usual, **fields})


def test_answers_of_late_are_told_beside_those_before():
    invoices = [given(n, f"Where is invoice {n}?", answer_type="rejection", confidence=10) for n in (1, 2, 3)]
    password = given(4, "How do I reset the password?", answer_type="rejection", confidence=30)
    answers = [
        *invoices,
        password,
        given(5, thumb="up"),
        given(6, thumb="down"),
        given(6.5),
        given(34, confidence=61),
        given(36),
    ]
    metrics = Metrics()
    metrics.drift(report_drift(answers, NOW, 7))
    told = values(metrics)
    recent, earlier = (
        {
            name: told[f"ascertain_answers_{name}{{period={period}}}"]
            for name in ("given", "confidence_mean", "declined_ratio")
        }
        for period in ("recent", "earlier")
    )
    assert recent == {"given": 7, "confidence_mean": pytest.approx(300 / 7), "declined_ratio": pytest.approx(4 / 7)}
    assert earlier == {"given": 1, "confidence_mean": 61, "declined_ratio": 0}
    assert told["ascertain_answers_up_ratio{period=recent}"] == 0.5
    assert math.isnan(told["ascertain_answers_up_ratio{period=earlier}"])
    assert told["ascertain_unanswered_questions{theme=1}"] == 3
    assert told["ascertain_unanswered_questions{theme=2}"] == 1
    body = metrics.exposition()[0].decode()
    assert 'ascertain_answers_declined_ratio{period="earlier"} 0.0\n' in body
    assert "invoice" not in body


def test_a_theme_that_was_answered_is_told_no_more():
    metrics = Metrics()
    metrics.drift(report_drift([given(1, "Where is my invoice?", answer_type="rejection")], NOW, 7))
    metrics.drift(report_drift([], NOW, 7))
    told = values(metrics)
    assert not any(name.startswith("ascertain_unanswered_questions") for name in told)
    assert told["ascertain_answers_given{period=recent}"] == 0
    assert math.isnan(told["ascertain_answers_confidence_mean{period=recent}"])


def test_the_queue_is_asked_when_the_figures_are_read():
    metrics, waiting = Metrics(), [1, 2]
    metrics.watch_queue(lambda: len(waiting), lambda: 1)
    waiting.append(3)
    told = values(metrics)
    assert (told["ascertain_questions_waiting{}"], told["ascertain_questions_running{}"]) == (3, 1)


def test_two_services_in_one_process_count_for_themselves():
    one, other = Metrics(), Metrics()
    one.feedback("down")
    assert not any(name.startswith("ascertain_feedback_total") for name in values(other))


def test_without_the_package_the_extra_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "prometheus_client", None)
    with pytest.raises(MissingExtra, match=r"pip install .*\[server\]"):
        Metrics()
