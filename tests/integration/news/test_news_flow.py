"""Questions about the news, from the provider's answer to the checked sentence: everything real but the services themselves."""

from __future__ import annotations

import pytest
from news_stories import DRILL, MOON, NOW, OLIVES

from ascertain.app.health import warm_up
from ascertain.core.asking.answers import AnswerType
from ascertain.core.asking.passages import Filter
from ascertain.workflow.ask.finish import NO_PROVIDER

FIRST = "What did Orbital Foundry land on the Moon?"


def told(answer, node):
    return [decision for decision in answer.decisions if decision.node == node]


def sources(answer):
    return {citation.url for citation in answer.citations}


def assert_quotes_are_exact(knowledge, answer):
    assert answer.citations
    for citation in answer.citations:
        document = knowledge.document(citation.document_id)
        assert document.text[citation.span.start : citation.span.end] == citation.quote


def test_an_initial_question_is_answered_from_articles_fetched_for_it(with_tavily, tavily):
    knowledge = with_tavily()
    answer = knowledge.ask(FIRST, mode="news", conversation_id="moon")
    assert answer.type is AnswerType.SUMMARY
    assert MOON.url in sources(answer)
    assert_quotes_are_exact(knowledge, answer)
    assert told(answer, "classify")[0].outcome == "initial"
    assert told(answer, "provider")[0].outcome == "tavily"
    assert len(tavily.requests) == 1
    records = knowledge.documents(Filter(conversation_id="moon"))
    assert {record.url for record in records} == {MOON.url, DRILL.url}
    assert {record.profile for record in records} == {"news"}


def test_a_follow_up_is_answered_from_what_is_there(with_tavily, tavily):
    knowledge = with_tavily()
    knowledge.ask(FIRST, mode="news", conversation_id="moon")
    answer = knowledge.ask("How much did the landing cost?", mode="news", conversation_id="moon")
    assert answer.type is AnswerType.FOLLOWUP_ANSWER
    assert "92 million euros" in answer.text
    assert told(answer, "classify")[0].outcome == "follow-up"
    assert not told(answer, "web")
    assert len(tavily.requests) == 1


@pytest.mark.parametrize("question", ["Orbital Foundry on the Moon", "What happened on the Moon?", "latest Moon news"])
def test_the_summary_of_a_subject_covers_all_articles_that_were_fetched(with_tavily, question):
    knowledge = with_tavily()
    answer = knowledge.ask(question, mode="news", conversation_id="moon")
    assert answer.type is AnswerType.SUMMARY
    assert sources(answer) == {MOON.url, DRILL.url}
    assert answer.text.startswith("Both articles")
    later = knowledge.ask("Summarize the articles", mode="news", conversation_id="moon")
    assert sources(later) == {MOON.url, DRILL.url}


def test_a_follow_up_that_the_articles_do_not_answer_is_looked_up(with_tavily, tavily):
    tavily.stories = [MOON]
    knowledge = with_tavily()
    knowledge.ask(FIRST, mode="news", conversation_id="moon")
    tavily.stories = [MOON, DRILL]
    answer = knowledge.ask("Which university built the drill on the Moon?", mode="news", conversation_id="moon")
    assert answer.type is AnswerType.WEB_AUGMENTED_ANSWER
    assert "University of Aveiro" in answer.text
    assert_quotes_are_exact(knowledge, answer)
    assert [decision.node for decision in answer.decisions].index("web") > [
        decision.node for decision in answer.decisions
    ].index("judge")


def test_another_subject_is_fetched_anew(with_tavily, tavily):
    knowledge = with_tavily()
    knowledge.ask(FIRST, mode="news", conversation_id="moon")
    tavily.stories.append(OLIVES)
    answer = knowledge.ask("What is the price of olive oil in Spain?", mode="news", conversation_id="moon")
    assert answer.type is AnswerType.SUMMARY
    assert "a new subject" in told(answer, "classify")[0].reason
    assert sources(answer) == {OLIVES.url}


def test_a_conversation_never_sees_the_articles_of_another(with_tavily, tavily):
    knowledge = with_tavily()
    knowledge.ask(FIRST, mode="news", conversation_id="moon")
    tavily.stories = []
    answer = knowledge.ask(FIRST, mode="news", conversation_id="other")
    assert answer.type is AnswerType.REJECTION
    assert knowledge.ask(FIRST, conversation_id="third").type is AnswerType.REJECTION


def test_the_range_and_the_number_asked_for_are_kept(with_tavily, tavily):
    knowledge = with_tavily()
    knowledge.ask(FIRST, mode="news", time_range="day", max_articles=1)
    knowledge.ask(FIRST, mode="news", time_range="any")
    knowledge.ask(FIRST, mode="news")
    knowledge.ask("What did Orbital Foundry land on the Moon since 20 February 2024?", mode="news")
    knowledge.ask(FIRST, mode="news", days_back=3)
    asked = [request.json for request in tavily.requests]
    # a day of leeway for time zones; what is older is dropped by its own date
    assert [each.get("start_date") for each in asked] == [
        "2024-02-27",
        None,
        "2024-01-28",
        "2024-02-19",
        asked[4]["start_date"],
    ]
    assert asked[4]["start_date"] in {"2024-02-24", "2024-02-25"}
    assert [each["max_results"] for each in asked] == [1, 10, 10, 10, 10]
    assert "February" not in asked[3]["query"]


def test_articles_older_than_the_range_are_never_kept(with_tavily, tavily):
    knowledge = with_tavily()
    answer = knowledge.ask(FIRST, mode="news", conversation_id="moon", time_range="day")
    records = knowledge.documents(Filter(conversation_id="moon"))
    assert {record.url for record in records} == {DRILL.url}
    assert all(record.published_at >= NOW.replace(day=28) for record in records)
    assert sources(answer) <= {DRILL.url}


def test_a_greeting_is_greeted_and_nobody_is_asked(with_tavily, tavily):
    answer = with_tavily().ask("Hello!", mode="news")
    assert answer.type is AnswerType.GREETING
    assert "the news" in answer.text
    assert not tavily.requests


def test_without_any_provider_the_answer_says_what_was_not_searched(knowledge):
    answer = knowledge().ask(FIRST, mode="news")
    assert answer.type is AnswerType.REJECTION
    assert answer.text.count(NO_PROVIDER) == 1
    greeted = knowledge().ask("Hello!", mode="news")
    assert NO_PROVIDER not in greeted.text


def test_pages_are_read_where_the_feed_has_only_a_summary(knowledge, site):
    base = knowledge(site, news__providers="rss", news__rss__urls=f'["{site.url}/feed.xml"]', web__timeout_seconds=5)
    answer = base.ask("How much did the landing of Orbital Foundry cost?", mode="news")
    assert "92 million euros" in answer.text
    assert_quotes_are_exact(base, answer)


def test_a_deleted_conversation_takes_its_articles_with_it(with_tavily):
    knowledge = with_tavily()
    knowledge.ask(FIRST, mode="news", conversation_id="moon")
    knowledge.delete_conversation("moon")
    assert knowledge.documents(Filter(conversation_id="moon")) == []


@pytest.mark.parametrize("question", ["", "   ", "???"])
def test_what_cannot_be_asked_is_refused_before_anybody_is(with_tavily, tavily, question):
    from ascertain.core.errors import UsageError

    with pytest.raises(UsageError):
        with_tavily().ask(question, mode="news")
    assert not tavily.requests


def test_asked_as_of_a_past_day_the_services_are_told_where_to_end(with_tavily, tavily):
    with_tavily().ask(FIRST, mode="news", time_range="week")
    asked = tavily.requests[0].json
    assert (asked["start_date"], asked["end_date"]) == ("2024-02-21", "2024-03-02")


def test_the_same_question_again_adds_nothing_twice(with_tavily, tavily):
    knowledge = with_tavily()
    knowledge.ask(FIRST, mode="news", conversation_id="moon")
    before = knowledge.documents(Filter(conversation_id="moon"))
    tavily.stories.append(OLIVES)
    knowledge.ask("What is the price of olive oil in Spain?", mode="news", conversation_id="moon")
    after = knowledge.documents(Filter(conversation_id="moon"))
    assert len(after) == len(before) + 1
    assert [record.added_at for record in after if record.url != OLIVES.url] == [r.added_at for r in before]


def test_the_start_of_a_service_asks_nobody_outside_and_stores_nothing(with_tavily, tavily, bread, monkeypatch):
    # also where the documents do not answer what the models are loaded by
    monkeypatch.setattr("ascertain.app.health.WARM_UP", "How much did the landing on the Moon cost?")
    knowledge = with_tavily()
    knowledge.add([bread])
    warm_up(knowledge)
    assert not tavily.requests
    assert [record.title for record in knowledge.documents()] == ["Bread"]
