"""Questions about the documents that these do not answer: the web is searched, once, and never breaks an answer."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from news_stories import MOON

from ascertain.app.asking.researching import forget_expired
from ascertain.core.asking.answers import AnswerType
from ascertain.core.asking.passages import OWN, Filter
from ascertain.workflow.ask.finish import NO_PROVIDER

QUESTION = "How much did the landing of Heron on the Moon cost?"
STORED = "How long does sourdough dough rest?"


class Later(datetime):
    """A clock that is a week ahead."""

    @classmethod
    def now(cls, tz=None):
        return datetime.now(tz) + timedelta(days=7)


def told(answer, node):
    return [decision for decision in answer.decisions if decision.node == node]


def test_what_the_documents_hold_is_answered_without_the_web(with_tavily, tavily, bread):
    knowledge = with_tavily()
    knowledge.add([bread])
    answer = knowledge.ask(STORED)
    assert answer.type is AnswerType.SUMMARY
    assert "twelve hours" in answer.text
    assert not tavily.requests


def test_what_they_do_not_hold_is_looked_up_once(with_tavily, tavily, bread):
    knowledge = with_tavily()
    knowledge.add([bread])
    answer = knowledge.ask(QUESTION)
    assert answer.type is AnswerType.WEB_AUGMENTED_ANSWER
    assert "92 million euros" in answer.text
    assert MOON.url in {citation.url for citation in answer.citations}
    assert len(tavily.requests) == len(told(answer, "web")) == 1


def test_a_question_without_a_conversation_keeps_its_sources_to_itself(with_tavily, tavily, bread):
    knowledge = with_tavily()
    knowledge.add([bread])
    answer = knowledge.ask(QUESTION)
    document = knowledge.document(answer.citations[0].document_id)
    assert document.conversation_id == answer.id
    tavily.stories = []
    assert knowledge.ask(QUESTION, use_cache=False).type is AnswerType.REJECTION
    assert [record.title for record in knowledge.documents(Filter(within=(OWN,)))] == ["Bread"]


def test_what_was_found_for_one_question_goes_after_a_while_and_nothing_else_does(with_tavily, tavily, bread):
    knowledge = with_tavily()
    knowledge.add([bread])
    alone, told = knowledge.ask(QUESTION), knowledge.ask(QUESTION, conversation_id="c", use_cache=False)
    store, now = knowledge.container.store(), datetime.now(UTC)
    assert forget_expired(store, "default", knowledge.settings.cache.hours) == 0
    assert knowledge.document(alone.citations[0].document_id) is not None
    assert forget_expired(store, "acme", 24, now + timedelta(days=2)) == 0
    assert forget_expired(store, "default", 24, now + timedelta(days=2)) > 0
    assert knowledge.document(alone.citations[0].document_id) is None
    assert knowledge.document(told.citations[0].document_id) is not None
    assert "twelve hours" in knowledge.ask(STORED).text


def test_the_next_search_of_the_web_deletes_what_has_expired(with_tavily, tavily, bread, monkeypatch):
    knowledge = with_tavily()
    knowledge.add([bread])
    earlier = knowledge.ask(QUESTION)
    monkeypatch.setattr("ascertain.app.asking.researching.datetime", Later)
    assert "92 million euros" in knowledge.ask(QUESTION, use_cache=False).text
    assert knowledge.document(earlier.citations[0].document_id) is None


def test_in_a_conversation_what_was_found_helps_the_next_question(with_tavily, tavily, bread):
    knowledge = with_tavily()
    knowledge.add([bread])
    knowledge.ask(QUESTION, conversation_id="c")
    answer = knowledge.ask("How many kilograms of instruments and supplies did Heron carry?", conversation_id="c")
    assert "310 kilograms" in answer.text
    assert len(tavily.requests) == 1


def test_a_question_about_chosen_documents_keeps_to_them(with_tavily, tavily, bread):
    knowledge = with_tavily()
    knowledge.add([bread])
    answer = knowledge.ask(QUESTION, filter=Filter(sources=(f"{bread.parent}/*",)))
    assert answer.type is AnswerType.REJECTION
    assert not tavily.requests
    assert "web" not in answer.text


def test_the_settings_can_keep_to_the_documents(with_tavily, tavily, bread):
    knowledge = with_tavily(news__fallback="false")
    knowledge.add([bread])
    answer = knowledge.ask(QUESTION)
    assert answer.type is AnswerType.REJECTION
    assert not tavily.requests
    assert NO_PROVIDER not in answer.text


def test_without_a_provider_the_rejection_says_so_once(knowledge, bread):
    base = knowledge()
    base.add([bread])
    answer = base.ask(QUESTION)
    assert answer.type is AnswerType.REJECTION
    assert answer.text.count(NO_PROVIDER) == 1
    assert NO_PROVIDER not in base.ask(STORED).text
    assert NO_PROVIDER not in (base.ask(STORED).confidence.caveat or "")


def test_dates_of_the_question_are_looked_up_before_they_are_dropped(with_tavily, tavily, bread):
    knowledge = with_tavily()
    knowledge.add([bread])
    answer = knowledge.ask("What did Orbital Foundry land on the Moon this week?")
    assert answer.type is AnswerType.WEB_AUGMENTED_ANSWER
    assert tavily.requests[0].json["start_date"] == "2024-02-25"
    assert not told(answer, "undate")
