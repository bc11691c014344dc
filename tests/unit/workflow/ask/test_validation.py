"""Questions that ask whether something is true: a verdict where anything speaks for it or against it."""

from __future__ import annotations

from dataclasses import replace

import pytest
from scripted_steps import PASSAGE, SURE, Script, a_composition, context_of

from ascertain.answering.overviews.global_answers import GlobalAnswer
from ascertain.core.asking.answers import AnswerType
from ascertain.core.asking.passages import Filter
from ascertain.core.asking.requests import AskRequest
from ascertain.workflow.ask.run import run_question

QUESTION = "Is it true that the bridge was opened in 1932?"
VERDICT = GlobalAnswer(a_composition(), (PASSAGE,), Filter(), 80, "supported: the evidence says it", {})


class Validating:
    """Gives one verdict, or none, and keeps what it was asked."""

    def __init__(self, made):
        self.made, self.seen = made, []

    def validate(self, claim, language, filter, run):
        self.seen.append(claim)
        return self.made


def asked(validator, question=QUESTION, mode="documents"):
    context = context_of(Script(confidence=SURE))
    context = replace(
        context, steps=replace(context.steps, side=replace(context.steps.side, claim_validator=validator))
    )
    return run_question(AskRequest(question, mode=mode), context, 1000)


def test_a_claim_gets_a_verdict_and_nothing_else_is_searched():
    validator = Validating(VERDICT)
    answer = asked(validator)
    assert validator.seen == ["The bridge was opened in 1932."]
    assert [decision.node for decision in answer.decisions] == [
        "rewrite",
        "supervise",
        "plan",
        "validate",
        "check",
        "finish",
    ]
    told = next(decision for decision in answer.decisions if decision.node == "validate")
    assert told.reason == "supported: the evidence says it"
    assert answer.type is AnswerType.SUMMARY
    assert answer.text == a_composition().text


@pytest.mark.parametrize("validator", [Validating(None), None])
def test_where_nothing_speaks_of_it_the_question_is_answered_as_any_other(validator):
    answer = asked(validator)
    nodes = [decision.node for decision in answer.decisions]
    assert nodes[:5] == ["rewrite", "supervise", "plan", "validate", "strategy"]


@pytest.mark.parametrize("question", ["When was the bridge opened?", "What is a true story?"])
def test_other_questions_ask_no_validator(question):
    validator = Validating(VERDICT)
    asked(validator, question)
    assert validator.seen == []


@pytest.mark.parametrize(
    ("question", "course", "why"),
    [
        (QUESTION, "validation", "it asks whether “The bridge was opened in 1932” is true"),
        ("When was the bridge opened?", "retrieval", "passages can answer it"),
        ("Research how the bridge was built", "research", "it asks for research, which several agents do"),
        ("Please write me a detailed report on the bridge", "research", "it asks for research"),
        (
            "What does https://example.org/bridge say of its cost?",
            "retrieval",
            "pages are fetched by `ascertain research` alone",
        ),
        ("What does the research say about bridges?", "retrieval", "passages can answer it"),
        ("Research papers on bridges", "retrieval", "passages can answer it"),
        ("Who wrote the report on the bridge?", "retrieval", "passages can answer it"),
    ],
)
def test_the_supervisor_says_where_a_question_goes_and_why(question, course, why):
    told = next(each for each in asked(Validating(VERDICT), question).decisions if each.node == "supervise")
    assert told.outcome == course
    assert told.reason.startswith(why)


class Reporting:
    """Gives one report, or none, and keeps what it was asked."""

    def __init__(self, made):
        self.made, self.seen = made, []

    def write(self, subject, language, days_back, filter, run):
        self.seen.append((subject, days_back))
        return self.made


def ordered(writer, question="Research how the bridge was built", **request):
    context = context_of(Script(confidence=SURE))
    context = replace(context, steps=replace(context.steps, side=replace(context.steps.side, report_writer=writer)))
    return run_question(AskRequest(question, **request), context, 1000)


def test_who_asks_for_research_gets_a_report_by_the_agents_and_nothing_else_is_searched():
    writer = Reporting(replace(VERDICT, how="1 finding on 1 of 1 sub-question"))
    answer = ordered(writer, days_back=30)
    assert writer.seen == [("how the bridge was built", 30)]
    assert [each.node for each in answer.decisions] == ["rewrite", "supervise", "plan", "research", "check", "finish"]
    assert answer.text.startswith(a_composition().text)
    assert answer.text.endswith("ascertain research 'how the bridge was built', or POST /v1/research.")


@pytest.mark.parametrize("writer", [Reporting(None), None])
def test_where_research_finds_nothing_the_subject_is_searched_as_any_other(writer):
    nodes = [each.node for each in ordered(writer).decisions]
    assert nodes[:5] == ["rewrite", "supervise", "plan", "research", "strategy"]


@pytest.mark.parametrize(
    ("question", "mode"),
    [
        ("How was the bridge built?", "documents"),
        ("What does https://example.org/bridge say of its cost?", "documents"),
        ("Research how the bridge was built", "news"),
    ],
)
def test_nobody_is_sent_for_a_question_a_page_or_the_news(question, mode):
    writer = Reporting(VERDICT)
    ordered(writer, question, mode=mode)
    assert writer.seen == []


def test_who_asks_for_research_gets_an_answer_and_the_command_that_runs_it():
    text = asked(None, "Research how Kit's bridge was built; then stop").text
    assert text.startswith(a_composition().text)
    assert """ascertain research 'how Kit'"'"'s bridge was built; then stop'""" in text
    assert "/v1/research" in text
    assert "ascertain research" not in asked(None, "How was the bridge built?").text
