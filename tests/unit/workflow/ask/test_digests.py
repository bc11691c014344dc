"""Questions for a digest: which way they go, of documents and of the articles of a conversation."""

from __future__ import annotations

from dataclasses import replace

import pytest
from scripted_steps import PASSAGE, SURE, UNSURE, Script, a_composition, a_plan, context_of
from test_routes import a_state

from ascertain.answering.overviews.global_answers import GlobalAnswer
from ascertain.core.asking.answers import AnswerType
from ascertain.core.asking.passages import Filter
from ascertain.core.asking.plans import DigestQuestion, GlobalQuestion
from ascertain.core.asking.requests import AskRequest
from ascertain.workflow.ask.routes import Node, after_planning, after_web, find_digest_question
from ascertain.workflow.ask.run import run_question

NEWS = DigestQuestion("bitcoin", 7)
ARTICLES = DigestQuestion("bitcoin", for_articles=True)
ALL = DigestQuestion(for_articles=True)
NEWEST = DigestQuestion("bitcoin", by_date="newest")


class Written:
    """Writes one digest, or none, and keeps what it was asked."""

    def __init__(self, made):
        self.made, self.seen = made, []

    def write(self, question, asked, request, filter, run, *, language):
        self.seen.append((question, asked, filter))
        return self.made


A_DIGEST = GlobalAnswer(a_composition(), (PASSAGE,), Filter(), 80, "by the script", {})


def asked(written, confidence=SURE):
    context = context_of(Script(plan=replace(a_plan(), digest_question=NEWS), confidence=confidence))
    context = replace(context, steps=replace(context.steps, side=replace(context.steps.side, digest_writer=written)))
    return run_question(AskRequest("latest bitcoin news"), context, 1000)


def nodes_of(answer):
    return [decision.node for decision in answer.decisions]


def test_news_are_told_and_nothing_is_searched():
    answer = asked(Written(A_DIGEST))
    assert nodes_of(answer) == ["rewrite", "supervise", "plan", "digest", "check", "finish"]
    assert answer.type is AnswerType.SUMMARY
    assert answer.text == a_composition().text


@pytest.mark.parametrize(("written", "confidence"), [(Written(None), SURE), (Written(A_DIGEST), [UNSURE, SURE])])
def test_where_there_are_none_or_they_are_too_unsure_the_question_is_looked_up_as_any_other(written, confidence):
    answer = asked(written, confidence)
    assert "strategy" in nodes_of(answer)
    assert answer.type is AnswerType.SUMMARY


@pytest.mark.parametrize(
    ("given", "mode", "initial", "found"),
    [
        (None, "documents", False, None),
        (NEWS, "documents", False, NEWS),
        (ARTICLES, "documents", False, None),
        (ALL, "documents", False, None),
        (NEWEST, "documents", False, NEWEST),
        (NEWS, "news", True, replace(NEWS, focus="")),
        (NEWS, "news", False, NEWS),
        (ARTICLES, "news", True, replace(ARTICLES, focus="")),
        (ARTICLES, "news", False, None),
        (ALL, "news", False, ALL),
        (NEWEST, "news", True, NEWEST),
    ],
)
def test_all_that_was_fetched_for_a_question_is_told_and_later_what_is_asked_for(given, mode, initial, found):
    plan = replace(a_plan(), digest_question=given)
    state = a_state(plan=plan, request=AskRequest("q", mode=mode), is_initial=initial, fetched=("a",))
    assert find_digest_question(state) == found
    assert after_web(state, context_of(Script()).workflow) is (Node.STRATEGY if found is None else Node.DIGEST)
    if mode == "documents":
        assert after_planning(state) is (Node.STRATEGY if found is None else Node.DIGEST)


def test_themes_are_no_digest_also_where_they_are_asked_of_articles():
    themes = replace(a_plan(), global_question=GlobalQuestion(), digest_question=replace(ARTICLES, focus="main themes"))
    assert find_digest_question(a_state(plan=themes, request=AskRequest("q", mode="news"))) is None
