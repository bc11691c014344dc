"""The routing functions, over every combination that matters."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from itertools import product
from types import SimpleNamespace
from typing import Any

import pytest
from scripted_steps import (
    PASSAGE,
    SURE,
    UNSURE,
    a_composition,
    a_groundedness,
    a_plan,
    a_quality,
    a_result,
    an_evaluation,
)

from ascertain.core.asking.answers import Answer, AnswerType
from ascertain.core.asking.judgements import (
    RULES_SIGNAL,
    AnswerIssue,
    Gap,
    GapKind,
    RetrievalIssue,
    RetrievalQuality,
    Sufficiency,
)
from ascertain.core.asking.passages import Confidence, Filter, Level, Strategy
from ascertain.core.asking.plans import Intent
from ascertain.core.asking.requests import AskRequest, Standalone
from ascertain.core.settings import WorkflowSettings
from ascertain.questions.conversation.acts import Act, RequestedAct
from ascertain.questions.reading.question import read_question
from ascertain.workflow.ask import routes
from ascertain.workflow.ask.routes import (
    DONE,
    MAX_REWRITES,
    MISSED_THE_SUBJECT,
    Node,
    after_checking,
    after_classifying,
    after_finishing,
    after_parts,
    after_planning,
    after_rewriting,
    after_web,
    gate_one,
    gate_two,
    most_steps,
    next_strategy,
    untried_strategies,
    write_or_reject,
)
from ascertain.workflow.ask.state import Lookup, Retrieval, Web

WORKFLOW = WorkflowSettings()
ISSUES = list(RetrievalIssue)
ALL = (Strategy.HYBRID, Strategy.SEMANTIC, Strategy.KEYWORD)
TRIED = [ALL[:1], ALL[:2], (Strategy.HYBRID, Strategy.KEYWORD), ALL]


def a_state(**changes: Any) -> Any:
    tried = changes.pop("strategies", (Strategy.HYBRID,))
    state = {
        "request": AskRequest("q"),
        "language": "en",
        "plan": a_plan(),
        "standalone": Standalone("q", False),
        "asked": read_question("q"),
        "query": "q",
        "strategy": Strategy.HYBRID,
        "tried": tuple(("q", strategy) for strategy in tried),
        "found": a_result(),
        "evidence": (PASSAGE,),
        "report": None,
        "global_answer": None,
        "quality": a_quality(),
        "sufficiency": Sufficiency(True, (), "enough"),
        "groundedness": a_groundedness(),
        "confidence": SURE,
        "evaluation": an_evaluation(),
        "composition": a_composition(),
        "rewrites": 0,
        "regenerations": 0,
        "is_undated": False,
        "is_out_of_time": False,
        "is_fresh": True,
        "is_initial": False,
        "web": Web.CLOSED,
        "fetched": (),
        "first_search": 0,
        "documents": (),
        "lookups": (),
        "attempts": (),
        "finds_new": True,
        "refusals": 0,
    }
    state |= changes
    last = Retrieval(*(state[key] for key in ("found", "evidence", "quality", "sufficiency")))
    return {"unused": (last,)} | state


@pytest.mark.parametrize(
    ("intent", "node"),
    [
        (Intent.GREETING, Node.GREET),
        (Intent.OUT_OF_SCOPE, Node.REJECT),
        (Intent.KNOWLEDGE, Node.STRATEGY),
        (Intent.ANALYSIS, Node.STRATEGY),
    ],
)
def test_only_questions_touch_the_stores(intent, node):
    assert after_planning(a_state(plan=a_plan(intent))) is node


GREETING, KNOWLEDGE = a_plan(Intent.GREETING), a_plan(Intent.KNOWLEDGE)


@pytest.mark.parametrize(
    ("act", "plan", "node"),
    [
        (None, KNOWLEDGE, Node.PLAN),
        (None, GREETING, Node.PLAN),
        (RequestedAct(Act.CITE), GREETING, Node.RECALL),
        (RequestedAct(Act.CITE), KNOWLEDGE, Node.PLAN),
        (RequestedAct(Act.THANK), GREETING, Node.RECALL),
        (RequestedAct(Act.AGREE), KNOWLEDGE, Node.PLAN),
    ],
)
def test_an_act_is_answered_from_the_conversation_unless_a_question_is_looked_up_for_it(act, plan, node):
    assert after_rewriting(a_state(act=act, plan=plan)) is node


def an_answer(*, is_cited):
    answer = Answer("q", "a", AnswerType.SUMMARY, SURE, (), (), Strategy.HYBRID)
    return replace(answer, citations=(object(),)) if is_cited else answer


@pytest.mark.parametrize(
    ("cited", "node"), [((True, True), Node.JOIN), ((True, False), Node.JOIN), ((False, False), Node.STRATEGY)]
)
def test_parts_are_joined_where_one_has_an_answer_and_else_looked_up_as_a_whole(cited, node):
    parts = tuple(an_answer(is_cited=each) for each in cited)
    state = a_state(plan=KNOWLEDGE, has_parts=True, part_answers=parts)
    assert after_planning(state) is Node.PARTS
    assert after_parts(state) is node


@pytest.mark.parametrize(("score", "issue"), list(product([60, 61, 100], [None, *ISSUES])))
def test_good_retrieval_is_answered_from_whatever_is_wrong(score, issue):
    quality = a_quality(score, *([issue] if issue else []))
    assert gate_one(a_state(quality=quality), WORKFLOW) is Node.GENERATE


@pytest.mark.parametrize(("issue", "rewrites", "tried"), list(product(ISSUES, [0, 1, 2], TRIED)))
def test_poor_retrieval_by_issue_rewrites_left_and_strategies_tried(issue, rewrites, tried):
    state = a_state(quality=a_quality(59, issue), rewrites=rewrites, strategies=tried)
    if len(tried) == 3:
        wanted = Node.FINISH if issue is RetrievalIssue.OFF_TOPIC else Node.GENERATE
    elif issue in MISSED_THE_SUBJECT:
        wanted = Node.SWITCH
    elif rewrites < 2:
        wanted = Node.REFINE
    else:
        wanted = Node.FINISH if issue is RetrievalIssue.OFF_TOPIC else Node.GENERATE
    assert gate_one(state, WORKFLOW) is wanted


BY_MEANING = {"similarity": 0.3, "subject": 0.0}
OFF = RetrievalQuality(50, (RetrievalIssue.OFF_TOPIC,), "", BY_MEANING)
ON = RetrievalQuality(50, (), "", {"similarity": 0.5, "subject": 1.0})
BY_WORDS = RetrievalQuality(49, (RetrievalIssue.PARTIAL_COVERAGE,), "", {"subject": 0.0})


@pytest.mark.parametrize(
    ("qualities", "node"),
    [
        ([OFF], Node.FINISH),
        ([OFF, OFF], Node.FINISH),
        ([OFF, BY_WORDS], Node.FINISH),
        ([OFF, ON], Node.GENERATE),
        ([BY_WORDS], Node.GENERATE),
        ([OFF, replace(BY_WORDS, signals={"subject": 0.5})], Node.GENERATE),
        ([OFF, replace(BY_WORDS, signals={"subject": 0.0, "rules": 49.0})], Node.GENERATE),
        ([replace(OFF, score=60)], Node.GENERATE),
        ([], Node.GENERATE),
    ],
)
def test_what_every_judge_finds_off_the_subject_is_not_written_from(qualities, node):
    unused = tuple(Retrieval(a_result(), (PASSAGE,), each, Sufficiency(True, (), "")) for each in qualities)
    assert write_or_reject(a_state(unused=unused)) is node


@pytest.mark.parametrize(("rewrites", "tried"), list(product([0, 1, 2], TRIED)))
def test_nothing_found_tries_everything_and_then_gives_up(rewrites, tried):
    state = a_state(evidence=(), quality=a_quality(0), rewrites=rewrites, strategies=tried)
    wanted = Node.SWITCH if len(tried) < 3 else Node.FINISH
    assert gate_one(state, WORKFLOW) is wanted


def test_the_last_search_is_kept_for_one_without_the_dates_of_any_search_before():
    poor = a_quality(30, RetrievalIssue.PARTIAL_COVERAGE)
    first = Retrieval(DATED, (PASSAGE,), poor, Sufficiency(True, (), "enough"))
    later = a_state(quality=poor, strategies=ALL[:2], unused=(first,))
    assert gate_one(later, WORKFLOW) is Node.GENERATE
    assert gate_one({**later, "is_undated": True}, WORKFLOW) is Node.REFINE


def test_nothing_is_searched_again_once_the_time_is_up():
    poor = a_quality(10, RetrievalIssue.OFF_TOPIC)
    assert gate_one(a_state(quality=a_quality(10), is_out_of_time=True), WORKFLOW) is Node.GENERATE
    assert gate_one(a_state(quality=poor, is_out_of_time=True), WORKFLOW) is Node.FINISH
    assert gate_one(a_state(quality=poor, evidence=(), is_out_of_time=True), WORKFLOW) is Node.FINISH
    assert after_checking(a_state(groundedness=a_groundedness(0, 3), is_out_of_time=True), WORKFLOW) is Node.EVALUATE
    assert gate_two(a_state(evaluation=an_evaluation(1), is_out_of_time=True), WORKFLOW) is Node.FINISH


BANDS = {"fine": (8, 2), "moderate": (7, 3), "edge": (6, 4), "severe": (5, 5), "none": (0, 3)}


@pytest.mark.parametrize(
    ("band", "quality", "regenerations", "tried", "is_written"),
    list(product(BANDS, [59, 60], [0, 1, 2], [ALL[:1], ALL], [True, False])),
)
def test_groundedness_by_band_retrieval_and_retries(band, quality, regenerations, tried, is_written):
    composition = a_composition()
    state = a_state(
        groundedness=a_groundedness(*BANDS[band]),
        quality=a_quality(quality),
        regenerations=regenerations,
        strategies=tried,
        composition=replace(composition, quoted=composition) if is_written else composition,
    )
    if band in {"fine", "moderate", "edge"}:
        wanted = Node.EVALUATE
    elif quality < 60 and tried != ALL:
        wanted = Node.SWITCH
    else:
        # what is written can always be cut down to what has support
        wanted = Node.GENERATE if regenerations < 2 or is_written else Node.EVALUATE
    assert after_checking(state, WORKFLOW) is wanted


@pytest.mark.parametrize(
    ("issue", "score", "quality", "tried"), list(product(AnswerIssue, [49, 50, 64, 65], [59, 60], TRIED))
)
def test_answers_by_issue_score_retrieval_and_searches(issue, score, quality, tried):
    state = a_state(evaluation=an_evaluation(score, issue), quality=a_quality(quality), strategies=tried)
    is_sufficient = score >= (65 if quality >= 60 else 50)
    another = len(tried) < 3
    assert gate_two(state, WORKFLOW) is (Node.SWITCH if not is_sufficient and another else Node.FINISH)


LOOKUPS = (Lookup(Standalone("q", False), ()),)


@pytest.mark.parametrize(
    ("level", "lookups", "is_out_of_time", "node"),
    [
        (Level.HIGH, LOOKUPS, False, DONE),
        (Level.MEDIUM, LOOKUPS, False, Node.REREAD),
        (Level.NONE, LOOKUPS, False, Node.REREAD),
        (Level.NONE, LOOKUPS, True, DONE),
        (Level.NONE, (), False, DONE),
    ],
)
def test_a_follow_up_that_is_not_sure_is_looked_up_in_another_way(level, lookups, is_out_of_time, node):
    answer = SimpleNamespace(confidence=Confidence(level, 50))
    assert after_finishing(a_state(answer=answer, lookups=lookups, is_out_of_time=is_out_of_time)) == node


def test_the_documents_quoted_last_are_searched_once():
    poor = {"quality": a_quality(20), "evidence": ()}
    assert gate_one(a_state(**poor), WORKFLOW) is not Node.FINISH
    assert gate_one(a_state(**poor, documents=("d1",)), WORKFLOW) is Node.FINISH


def test_a_withheld_answer_is_tried_again_however_well_it_was_evaluated():
    assert gate_two(a_state(confidence=UNSURE), WORKFLOW) is Node.SWITCH
    assert gate_two(a_state(confidence=UNSURE, strategies=ALL), WORKFLOW) is Node.FINISH


@pytest.mark.parametrize(
    ("by_rules", "score", "rewrites", "tried", "node"),
    [
        (46, 62, 0, ALL[:1], Node.REFINE),
        (46, 62, MAX_REWRITES, ALL[:1], Node.SWITCH),
        (46, 62, 0, ALL, Node.FINISH),
        (60, 62, 0, ALL[:1], Node.SWITCH),
        (46, 58, 0, ALL[:1], Node.SWITCH),
        (None, 62, 0, ALL[:1], Node.SWITCH),
    ],
)
def test_what_a_model_let_pass_and_rules_would_have_worded_anew_is_worded_anew(by_rules, score, rewrites, tried, node):
    quality = a_quality(score)
    if by_rules is not None:
        quality = replace(quality, signals={**quality.signals, RULES_SIGNAL: float(by_rules)})
    state = a_state(confidence=UNSURE, quality=quality, rewrites=rewrites, strategies=tried)
    assert gate_two(state, WORKFLOW) is node


def test_dates_from_the_question_are_dropped_before_giving_up_and_only_once():
    dated = a_result(filter=replace(Filter(), published_from=datetime(2026, 1, 1, tzinfo=UTC)))
    nothing = {"found": dated, "evidence": (), "quality": a_quality(0)}
    assert gate_one(a_state(**nothing), WORKFLOW) is Node.UNDATE
    assert gate_one(a_state(**nothing, is_undated=True), WORKFLOW) is not Node.UNDATE
    assert gate_two(a_state(found=dated, confidence=UNSURE), WORKFLOW) is Node.UNDATE
    by_user = AskRequest("q", days_back=7)
    assert gate_one(a_state(**nothing, request=by_user), WORKFLOW) is not Node.UNDATE
    assert gate_two(a_state(found=dated, confidence=UNSURE, request=by_user), WORKFLOW) is not Node.UNDATE


@pytest.mark.parametrize(
    ("issues", "gaps", "tried", "strategy"),
    [
        ((RetrievalIssue.MISSING_KEY_INFO,), (), ALL[:1], Strategy.SEMANTIC),
        ((RetrievalIssue.OFF_TOPIC,), (), ALL[:1], Strategy.KEYWORD),
        ((RetrievalIssue.WRONG_DOMAIN,), (), ALL[:1], Strategy.KEYWORD),
        ((RetrievalIssue.WRONG_DOMAIN,), (), (Strategy.HYBRID, Strategy.KEYWORD), Strategy.SEMANTIC),
        ((RetrievalIssue.PARTIAL_COVERAGE,), (), (Strategy.KEYWORD,), Strategy.HYBRID),
        ((RetrievalIssue.INCOMPLETE_CONTEXT,), (), ALL[:2], Strategy.KEYWORD),
        ((), (Gap(GapKind.NAME, "Ether"),), ALL[:1], Strategy.KEYWORD),
        ((), (Gap(GapKind.CONCEPT, "staking"),), ALL[:1], Strategy.SEMANTIC),
        ((), (), ALL, None),
    ],
)
def test_the_next_strategy_follows_what_was_wrong_and_missing(issues, gaps, tried, strategy):
    state = a_state(quality=a_quality(10, *issues), sufficiency=Sufficiency(False, gaps, ""), strategies=tried)
    assert next_strategy(state) is strategy


def test_a_strategy_that_the_user_chose_is_never_switched():
    state = a_state(request=AskRequest("q", strategy=Strategy.KEYWORD), quality=a_quality(1, RetrievalIssue.OFF_TOPIC))
    assert untried_strategies(state) == ()
    assert gate_one(state, WORKFLOW) is Node.REFINE


def test_the_bound_on_steps_grows_with_every_bound(monkeypatch):
    before = most_steps(WORKFLOW)
    assert before < most_steps(WORKFLOW.model_copy(update={"max_attempts": 4}))
    monkeypatch.setattr(routes, "MAX_REGENERATIONS", 3)
    assert before < most_steps(WORKFLOW)


NEWS = AskRequest("q", mode="news")
DATED = a_result(filter=replace(Filter(), published_from=datetime(2026, 1, 1, tzinfo=UTC)))


@pytest.mark.parametrize(
    ("intent", "node"),
    [
        (Intent.GREETING, Node.GREET),
        (Intent.OUT_OF_SCOPE, Node.REJECT),
        (Intent.KNOWLEDGE, Node.CLASSIFY),
        (Intent.ANALYSIS, Node.CLASSIFY),
    ],
)
def test_questions_about_news_are_classified(intent, node):
    assert after_planning(a_state(plan=a_plan(intent), request=NEWS)) is node


@pytest.mark.parametrize(("is_initial", "web", "late"), list(product([True, False], Web, [True, False])))
def test_only_a_question_that_opens_a_subject_is_fetched_for_at_once(is_initial, web, late):
    state = a_state(request=NEWS, is_initial=is_initial, web=web, is_out_of_time=late)
    fetches = is_initial and web is Web.OPEN and not late
    assert after_classifying(state) is (Node.WEB if fetches else Node.STRATEGY)


@pytest.mark.parametrize(
    ("mode", "web", "found", "rewrites", "node"),
    [
        # what the conversation's articles hold is written from
        ("news", Web.OPEN, (60, True, True), 0, Node.GENERATE),
        ("news", Web.OPEN, (59, False, True), 0, Node.GENERATE),
        # they hold nothing: the web comes before any other try
        ("news", Web.OPEN, (0, False, False), 0, Node.WEB),
        # it was searched, or cannot be: what there is, or nothing
        ("news", Web.SEARCHED, (60, False, True), 0, Node.GENERATE),
        ("news", Web.SEARCHED, (59, True, True), 0, Node.GENERATE),
        ("news", Web.UNSET, (59, True, True), 2, Node.GENERATE),
        ("news", Web.SEARCHED, (0, False, False), 0, Node.FINISH),
        # documents are asked in every way first
        ("documents", Web.OPEN, (60, False, True), 0, Node.GENERATE),
        ("documents", Web.OPEN, (59, False, True), 1, Node.WEB),
        ("documents", Web.OPEN, (59, False, True), 2, Node.WEB),
        ("documents", Web.OPEN, (0, False, False), 2, Node.WEB),
        ("documents", Web.UNSET, (59, False, True), 2, Node.GENERATE),
        ("documents", Web.CLOSED, (0, False, False), 2, Node.FINISH),
        ("documents", Web.SEARCHED, (0, False, False), 2, Node.FINISH),
    ],
)
def test_the_web_comes_first_for_news_and_last_for_documents(mode, web, found, rewrites, node):
    score, is_sufficient, has_evidence = found
    state = a_state(
        request=AskRequest("q", mode=mode),
        web=web,
        quality=a_quality(score),
        sufficiency=Sufficiency(is_sufficient, (), ""),
        rewrites=rewrites,
        strategies=ALL,
        **({} if has_evidence else {"evidence": ()}),
    )
    assert gate_one(state, WORKFLOW) is node
    assert gate_one({**state, "is_out_of_time": True}, WORKFLOW) in {Node.GENERATE, Node.FINISH}


@pytest.mark.parametrize(("web", "node"), [(Web.OPEN, Node.WEB), (Web.SEARCHED, Node.UNDATE), (Web.UNSET, Node.UNDATE)])
def test_the_web_is_asked_for_the_dates_before_they_are_dropped(web, node):
    nothing = {"found": DATED, "evidence": (), "quality": a_quality(0)}
    assert gate_one(a_state(**nothing, web=web), WORKFLOW) is node
    assert gate_two(a_state(found=DATED, confidence=UNSURE, web=web), WORKFLOW) is node


@pytest.mark.parametrize(
    ("score", "tried", "web", "node"),
    [
        (90, ALL[:1], Web.OPEN, Node.FINISH),
        (10, ALL[:1], Web.OPEN, Node.SWITCH),
        (10, ALL, Web.OPEN, Node.WEB),
        (10, ALL, Web.SEARCHED, Node.FINISH),
        (10, ALL, Web.UNSET, Node.FINISH),
        (10, ALL, Web.CLOSED, Node.FINISH),
    ],
)
def test_an_answer_that_is_not_good_enough_leads_to_the_web_last(score, tried, web, node):
    state = a_state(evaluation=an_evaluation(score), strategies=tried, web=web)
    assert gate_two(state, WORKFLOW) is node


def test_what_was_fetched_is_looked_up_and_without_it_the_work_goes_on_as_before():
    searched = {"web": Web.SEARCHED, "quality": a_quality(30), "rewrites": 2, "strategies": ALL}
    assert after_web(a_state(**searched, fetched=("d1",)), WORKFLOW) is Node.STRATEGY
    assert after_web(a_state(**searched), WORKFLOW) is Node.GENERATE
    assert after_web(a_state(**searched, is_fresh=False), WORKFLOW) is Node.FINISH
    nothing_looked_up = a_state(**searched)
    del nothing_looked_up["found"]
    assert after_web(nothing_looked_up, WORKFLOW) is Node.STRATEGY


def test_after_the_web_every_search_may_be_made_once_more():
    state = a_state(strategies=ALL)
    assert untried_strategies(state) == ()
    assert untried_strategies({**state, "first_search": len(state["tried"])}) == ALL_IN_ORDER


ALL_IN_ORDER = (Strategy.HYBRID, Strategy.SEMANTIC, Strategy.KEYWORD)
