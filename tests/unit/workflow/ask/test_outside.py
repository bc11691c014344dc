"""The world outside in whole runs, with a researcher that plays a script."""

from __future__ import annotations

import random
from dataclasses import replace
from datetime import UTC, datetime

import pytest
from scripted_steps import (
    PASSAGE,
    SURE,
    UNSURE,
    Script,
    ScriptedResearcher,
    a_composition,
    a_groundedness,
    a_plan,
    a_quality,
    a_result,
    an_evaluation,
    context_of,
)

from ascertain.core.asking.answers import AnswerType
from ascertain.core.asking.judgements import AnswerIssue, RetrievalIssue
from ascertain.core.asking.passages import OWN, Filter
from ascertain.core.asking.plans import Intent
from ascertain.core.asking.requests import AskRequest, Turn
from ascertain.core.asking.runs import Budget, Run
from ascertain.core.documents.documents import DocumentKind
from ascertain.language.languages import ENGLISH
from ascertain.questions.timeframe import BEGINNING, Timeframe
from ascertain.workflow.ask.finish import NO_PROVIDER
from ascertain.workflow.ask.nodes import web_at_first
from ascertain.workflow.ask.routes import Node
from ascertain.workflow.ask.run import run_question
from ascertain.workflow.ask.side_nodes import opens_subject
from ascertain.workflow.ask.state import Web

NEWS = AskRequest("When did Ether move?", mode="news", conversation_id="c", filter=Filter(tenant="blue"))
DOCUMENTS = AskRequest("When did Ether move?", filter=Filter(within=(OWN,)))
HISTORY = (Turn("user", "What happened to Ether?"), Turn("assistant", "Ether moved to proof of stake."))
NOTHING = {"found": a_result(()), "quality": a_quality(0)}


def asked(script, request, **more):
    return run_question(request, context_of(script, **more), 1000)


def path(answer):
    names = {node.value for node in Node}
    return [decision.node for decision in answer.decisions if decision.node in names]


def test_a_question_that_opens_a_subject_is_fetched_for_before_anything_is_looked_up():
    researcher = ScriptedResearcher()
    answer = asked(Script(researcher=researcher), NEWS)
    assert path(answer)[:5] == ["rewrite", "plan", "classify", "web", "strategy"]
    assert answer.type is AnswerType.SUMMARY
    (request,) = researcher.asked
    assert (request.query, request.conversation_id, request.tenant) == (NEWS.question, "c", "blue")


def test_a_follow_up_is_looked_up_in_the_conversation_alone():
    researcher = ScriptedResearcher(known=3)
    script = Script(researcher=researcher)
    answer = asked(script, replace(NEWS, history=HISTORY))
    assert answer.type is AnswerType.FOLLOWUP_ANSWER
    assert not researcher.asked
    seen = script.seen("found")[0].filter
    assert (seen.conversation_id, seen.within, seen.tenant) == ("c", None, "blue")


def test_a_follow_up_that_is_not_covered_is_augmented_from_the_web():
    researcher = ScriptedResearcher(known=3)
    script = Script(researcher=researcher, confidence=[UNSURE, UNSURE, SURE])
    answer = asked(script, replace(NEWS, history=HISTORY))
    assert answer.type is AnswerType.WEB_AUGMENTED_ANSWER
    assert script.count("refine") == 0
    assert len(researcher.asked) == 1


def test_an_answer_that_rests_on_nothing_new_is_not_called_augmented():
    researcher = ScriptedResearcher(known=3, brings=[("something else",)])
    script = Script(researcher=researcher, confidence=[UNSURE, UNSURE, SURE])
    assert asked(script, replace(NEWS, history=HISTORY)).type is AnswerType.FOLLOWUP_ANSWER


def test_documents_are_searched_with_what_was_fetched_once_all_else_was_tried():
    researcher = ScriptedResearcher()
    script = Script(researcher=researcher, quality=[a_quality(20)] * 3 + [a_quality(90)])
    answer = asked(script, replace(DOCUMENTS, answer_id="a1"))
    assert answer.type is AnswerType.WEB_AUGMENTED_ANSWER
    assert [request.filter.within for request in script.seen("found")] == [(OWN,)] * 3 + [(OWN, "a1")]
    assert researcher.asked[0].conversation_id == "a1"
    # the question as it was asked, not as it was worded last
    assert script.seen("found")[-1].question == DOCUMENTS.question


def test_when_the_web_brings_nothing_the_best_that_was_found_is_written_from():
    script = Script(researcher=ScriptedResearcher(brings=[()]), quality=a_quality(40))
    answer = asked(script, DOCUMENTS)
    assert answer.type is AnswerType.SUMMARY
    assert path(answer).count("web") == 1
    assert path(answer)[path(answer).index("web") + 1] == "generate"


def test_a_rejection_tells_that_the_web_was_asked_too():
    script = Script(researcher=ScriptedResearcher(brings=[()]), **NOTHING)
    for request in (NEWS, DOCUMENTS):
        answer = asked(script, request)
        assert answer.type is AnswerType.REJECTION
        assert answer.text.endswith("The web was asked too: wire found 0.")


@pytest.mark.parametrize("request_", [NEWS, DOCUMENTS], ids=["news", "documents"])
def test_without_a_provider_a_rejection_says_so(request_):
    script = Script(researcher=ScriptedResearcher(providers=()), **NOTHING)
    answer = asked(script, request_)
    assert answer.text.count(NO_PROVIDER) == 1


def test_without_a_provider_an_answer_about_news_says_so_and_one_from_documents_does_not():
    script = Script(researcher=ScriptedResearcher(providers=(), known=2))
    assert NO_PROVIDER in (asked(script, NEWS).confidence.caveat or "")
    assert asked(script, DOCUMENTS).confidence.caveat is None


@pytest.mark.parametrize("intent", [Intent.GREETING, Intent.OUT_OF_SCOPE])
def test_where_nothing_is_searched_the_web_is_not_spoken_of(intent):
    researcher = ScriptedResearcher(providers=())
    for request in (NEWS, DOCUMENTS):
        answer = asked(Script(researcher=researcher, plan=a_plan(intent)), request)
        assert "web" not in answer.text.lower()
    assert not researcher.asked


def test_words_about_time_become_dates_of_the_search():
    week = Timeframe(datetime(2026, 6, 1, tzinfo=UTC), datetime(2026, 6, 8, tzinfo=UTC), "this week", "week")
    researcher = ScriptedResearcher()
    script = Script(researcher=researcher, timeframe=lambda text, language: week if "week" in text else None)
    asked(script, replace(NEWS, question="What did Ether do this week?", time_range="year", max_articles=7))
    asked(script, replace(NEWS, question="What did Ether do this week?", days_back=3))
    first, second = researcher.asked
    assert (first.query, first.since, first.until) == ("What did Ether do?", week.start, week.end)
    assert (first.time_range, first.max_articles) == ("year", 7)
    assert (second.query, second.since, second.days_back) == ("What did Ether do?", None, 3)


def test_the_beginning_of_time_is_no_date_to_search_from():
    until = Timeframe(BEGINNING, datetime(2020, 1, 1, tzinfo=UTC), "before 2020", "")
    researcher = ScriptedResearcher()
    asked(
        Script(researcher=researcher, timeframe=lambda text, language: until if "2020" in text else None),
        replace(NEWS, question="Ether before 2020"),
    )
    assert researcher.asked[0].since is None
    assert researcher.asked[0].until == until.end


def test_the_users_own_dates_go_to_the_search():
    start = datetime(2026, 1, 1, tzinfo=UTC)
    researcher = ScriptedResearcher()
    asked(Script(researcher=researcher), replace(NEWS, filter=Filter(published_from=start)))
    assert researcher.asked[0].since == start


@pytest.mark.parametrize(
    ("filter", "web"),
    [
        (Filter(), Web.OPEN),
        (Filter(within=(OWN, "c"), tenant="blue"), Web.OPEN),
        (Filter(published_from=datetime(2026, 1, 1, tzinfo=UTC)), Web.OPEN),
        (Filter(kinds=(DocumentKind.ARTICLE, DocumentKind.PAPER)), Web.OPEN),
        (Filter(profiles=("news",)), Web.OPEN),
        (Filter(kinds=(DocumentKind.PAPER,)), Web.CLOSED),
        (Filter(profiles=("papers",)), Web.CLOSED),
        (Filter(sources=("contracts/*",)), Web.CLOSED),
        (Filter(document_ids=("d",)), Web.CLOSED),
        (Filter(chunk_ids=("d:1",)), Web.CLOSED),
        (Filter(tags=("t",)), Web.CLOSED),
        (Filter(conversation_id="c"), Web.CLOSED),
    ],
)
def test_a_filter_that_no_fetched_article_fulfils_keeps_the_web_out(filter, web):
    assert web_at_first(AskRequest("q", filter=filter), ScriptedResearcher()) is web
    assert web_at_first(AskRequest("q", filter=filter, mode="news"), ScriptedResearcher()) is Web.OPEN


def test_how_a_question_stands_to_the_web_follows_the_settings():
    assert web_at_first(DOCUMENTS, None) is Web.CLOSED
    assert web_at_first(DOCUMENTS, ScriptedResearcher(is_fallback=False)) is Web.CLOSED
    assert web_at_first(NEWS, ScriptedResearcher(is_fallback=False)) is Web.OPEN
    assert web_at_first(DOCUMENTS, ScriptedResearcher(providers=())) is Web.UNSET


@pytest.mark.parametrize(
    ("question", "leans", "opens"),
    [
        ("When did it move?", True, False),
        ("When did Ether move?", False, False),
        ("What is proof of stake?", False, False),
        ("Who won the election in Chile?", False, True),
        ("What happened to Chile?", False, True),
        ("and what about Chile?", True, True),
        ("what does wheat cost?", False, True),
        ("latest news", False, False),
        ("and why?", True, False),
    ],
)
def test_a_question_opens_a_subject_unless_the_articles_at_hand_hold_its_words(question, leans, opens):
    articles = "ether moved to proof of stake".split()
    reason = opens_subject(question, ENGLISH, leans, lambda words: [word for word in words if word.lower() in articles])
    assert (reason is not None) is opens


def test_what_the_articles_of_a_conversation_do_not_hold_is_fetched_whatever_was_said_before():
    researcher = ScriptedResearcher(known=3, held=())
    answer = asked(Script(researcher=researcher), replace(NEWS, history=HISTORY))
    assert answer.type is AnswerType.SUMMARY
    assert len(researcher.asked) == 1


def test_the_number_of_chunks_bounds_what_an_answer_is_written_from():
    found = tuple(replace(PASSAGE, score=0.9 - n / 10) for n in range(4))
    limits = []
    script = Script(found=a_result(found))
    context = context_of(script)
    searching = replace(
        context.steps.searching, evidence=lambda q, language, passages, limit, run: limits.append(limit) or passages
    )
    steps = replace(context.steps, searching=searching)
    run_question(replace(DOCUMENTS, max_chunks=2), replace(context, steps=steps), 1000)
    run_question(DOCUMENTS, replace(context, steps=steps), 1000)
    assert limits == [2, None]
    assert context.depth_for(None) == context.depth_for(2) == 8
    assert context.depth_for(20) == 40


def test_every_answer_has_an_id():
    assert asked(Script(), replace(DOCUMENTS, answer_id="a1")).id == "a1"
    first, second = (asked(Script(), DOCUMENTS).id for _ in range(2))
    assert first
    assert first != second


@pytest.mark.parametrize("seed", range(60))
def test_whatever_the_steps_and_the_web_give_the_work_ends_with_one_search_of_the_web_at_most(seed):
    chance = random.Random(seed)

    def forever(make):
        while True:
            yield make()

    issues, wrong = list(RetrievalIssue), list(AnswerIssue)
    researcher = ScriptedResearcher(
        brings=[chance.choice([(), ("d1",)])], known=chance.choice([0, 3]), providers=chance.choice([(), ("wire",)])
    )
    script = Script(
        researcher=researcher,
        found=forever(lambda: a_result(chance.choice([(), (PASSAGE,)]))),
        quality=forever(lambda: a_quality(chance.randrange(101), chance.choice(issues))),
        composition=forever(lambda: a_composition(chance.choice([AnswerType.SUMMARY, AnswerType.REJECTION]))),
        groundedness=forever(lambda: a_groundedness(chance.randrange(3), chance.randrange(3))),
        confidence=forever(lambda: chance.choice([SURE, UNSURE])),
        evaluation=forever(lambda: an_evaluation(chance.randrange(101), chance.choice(wrong))),
    )
    request = replace(chance.choice([NEWS, DOCUMENTS]), history=chance.choice([(), HISTORY]))
    answer = asked(script, request, run=Run(Budget(10, 1000, 600, 1.0)))
    assert answer.text
    assert len(researcher.asked) <= 1
    assert answer.type is AnswerType.REJECTION or answer.citations
