"""When an answer is given again, and when it is made anew."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from small_knowledge import WordHashes, a_document

from ascertain import Answer, Ascertain, Filter, Settings, Strategy
from ascertain.app.asking.answer_cache import RememberedAnswers, is_worth_keeping
from ascertain.core.asking.answers import AnswerType, Decision
from ascertain.core.asking.requests import AnswerText, Done, NodeFinished, NodeStarted, Turn
from ascertain.core.asking.runs import FELL_BACK
from ascertain.core.documents.documents import DocumentKind
from ascertain.core.errors import StoreError
from ascertain.core.settings import AnswerSettings, CacheSettings

QUESTION = "How long do the repairs of the harbour bridge take?"


class MovableClock:
    def __init__(self) -> None:
        self.moment = datetime(2024, 12, 5, 18, tzinfo=UTC)

    def now(self) -> datetime:
        return self.moment


@pytest.fixture
def clock() -> MovableClock:
    return MovableClock()


@pytest.fixture
def home(tmp_path: Path) -> Path:
    with Ascertain(Settings(home=tmp_path / "kb"), embedder=WordHashes()) as knowledge:
        knowledge.add_documents(
            [
                a_document("bridge", "The repairs of the harbour bridge take six weeks."),
                a_document("bread", "A sourdough starter is fed twice a day.", tags=("food",)),
            ]
        )
    return tmp_path / "kb"


@pytest.fixture
def knowledge(home: Path, clock: MovableClock):
    """Over vectors that every word weighs much in, articles too."""
    settings = Settings(home=home, cache=CacheSettings(similarity=0.9))
    with Ascertain(settings, clock=clock, embedder=WordHashes()) as opened:
        yield opened


def test_a_greeting_before_the_question_changes_nothing_of_the_answer(knowledge: Ascertain) -> None:
    plain = knowledge.ask(QUESTION, use_cache=False)
    greeted = knowledge.ask(f"hello, {QUESTION}", use_cache=False)
    assert (greeted.text, greeted.citations, greeted.confidence) == (plain.text, plain.citations, plain.confidence)
    assert greeted.question == f"hello, {QUESTION}"
    assert greeted.type is plain.type is AnswerType.SUMMARY


def test_a_greeting_before_a_question_that_was_answered_gets_the_same_answer(knowledge: Ascertain) -> None:
    first = knowledge.ask(QUESTION)
    again = knowledge.ask(f"Hi there! {QUESTION}")
    assert (again.is_cached, again.text, again.question) == (True, first.text, f"Hi there! {QUESTION}")


def test_what_was_quoted_stands_for_the_tenant_whose_document_it_is(knowledge: Ascertain) -> None:
    citations = knowledge.ask(QUESTION).citations
    assert citations
    opened = knowledge.opened
    assert RememberedAnswers(opened, knowledge.tenant).still_stand(citations)
    assert not RememberedAnswers(opened, "another").still_stand(citations)


def test_a_quote_stands_only_where_it_was_quoted_from(knowledge: Ascertain) -> None:
    knowledge.add_documents([a_document("bridge", "Note. The repairs of the harbour bridge take six weeks.")])
    (citation,) = knowledge.ask(QUESTION, use_cache=False).citations
    remembered = RememberedAnswers(knowledge.opened, knowledge.tenant)
    assert remembered.still_stand([citation])
    assert not remembered.still_stand([replace(citation, span=citation.span.shift(-1))])


def test_the_same_question_gets_the_same_answer_and_says_so(knowledge: Ascertain) -> None:
    first = knowledge.ask(QUESTION)
    again = knowledge.ask(QUESTION)
    assert (first.is_cached, again.is_cached) == (False, True)
    assert (again.text, again.citations, again.confidence) == (first.text, first.citations, first.confidence)
    assert again.id != first.id
    assert again.decisions[0].node == "cache"
    assert "2024-12-05 18:00" in again.decisions[0].reason
    assert [each.outcome for each in again.decisions[1:]] == [each.outcome for each in first.decisions]


def test_a_question_that_only_looks_different_gets_it_too(knowledge: Ascertain) -> None:
    knowledge.ask(QUESTION)
    again = knowledge.ask("how long do repairs of the harbour bridge take", answer_id="mine")
    assert again.is_cached
    assert (again.question, again.id) == ("how long do repairs of the harbour bridge take", "mine")


@pytest.mark.parametrize(
    "question",
    [
        "How long do the repairs of the harbour bridge not take?",
        "How long do the repairs of the harbour bridge take in 2019?",
        "How long did the repairs of the harbour bridge take?",
        "How long do the repairs of the other bridge take?",
    ],
)
def test_another_question_does_not(knowledge: Ascertain, question: str) -> None:
    knowledge.ask(QUESTION)
    assert not knowledge.ask(question).is_cached


def test_wordings_that_the_model_tells_apart_are_not_the_same(home: Path, clock: MovableClock) -> None:
    settings = Settings(home=home, cache=CacheSettings(similarity=1.0))
    with Ascertain(settings, clock=clock, embedder=WordHashes()) as knowledge:
        knowledge.ask(QUESTION)
        assert not knowledge.ask(QUESTION.replace("do the", "do")).is_cached
        assert knowledge.ask(QUESTION.replace("do the", "do")).is_cached


@pytest.mark.parametrize(
    "manner",
    [
        {"strategy": Strategy.KEYWORD},
        {"filter": Filter(kinds=(DocumentKind.PROSE,))},
        {"days_back": 300},
        {"max_chunks": 3},
        {"history": [Turn("user", "Is the bridge open?"), Turn("assistant", "No.")]},
        {"use_cache": False},
    ],
)
def test_what_was_asked_along_with_it_counts(knowledge: Ascertain, manner: dict) -> None:
    knowledge.ask(QUESTION)
    assert not knowledge.ask(QUESTION, **manner).is_cached


def test_settings_that_matter_count_and_others_do_not(home: Path, clock: MovableClock) -> None:
    def asked(**settings) -> Answer:
        with Ascertain(Settings(home=home, **settings), clock=clock, embedder=WordHashes()) as opened:
            return opened.ask(QUESTION)

    asked()
    assert asked(cache=CacheSettings(hours=10)).is_cached
    assert not asked(answers=AnswerSettings(max_sentences=1)).is_cached
    assert not asked(cache=CacheSettings(answers=False)).is_cached
    (home / "prompts").mkdir()
    (home / "prompts" / "write.md").write_text("# system\nx\n\n# user\n{question}\n", "utf-8")
    assert not asked().is_cached


def test_a_change_within_reach_makes_it_anew_and_one_outside_does_not(knowledge: Ascertain) -> None:
    food = Filter(tags=("food",))
    about_food = "How often is a sourdough starter fed?"
    knowledge.ask(QUESTION)
    knowledge.ask(about_food, filter=food)
    knowledge.add_documents([a_document("tram", "The tram to the harbour runs often.")])
    assert not knowledge.ask(QUESTION).is_cached
    assert knowledge.ask(QUESTION).is_cached
    assert knowledge.ask(about_food, filter=food).is_cached
    knowledge.add_documents([a_document("bread", "A starter is fed once a day.", tags=("food",))])
    assert not knowledge.ask(about_food, filter=food).is_cached
    knowledge.as_tenant("other").add_documents([a_document("x", "Nothing.", tenant="other")])
    assert knowledge.ask(about_food, filter=food).is_cached


def test_each_tenant_has_its_own(knowledge: Ascertain) -> None:
    knowledge.ask(QUESTION)
    other = knowledge.as_tenant("other")
    other.add_documents([a_document("bridge", "The repairs of the harbour bridge take nine weeks.", "other")])
    answer = other.ask(QUESTION)
    assert not answer.is_cached
    assert "nine" in answer.text


def test_it_grows_old(knowledge: Ascertain, clock: MovableClock) -> None:
    knowledge.ask(QUESTION)
    clock.moment += timedelta(hours=23)
    assert knowledge.ask(QUESTION).is_cached
    clock.moment += timedelta(hours=2)
    assert not knowledge.ask(QUESTION).is_cached


def test_what_is_relative_to_today_is_for_today(knowledge: Ascertain, clock: MovableClock) -> None:
    question = "How long do the repairs of the harbour bridge take now?"
    knowledge.ask(question)
    assert knowledge.ask(question).is_cached
    clock.moment += timedelta(hours=7)
    assert not knowledge.ask(question).is_cached


def test_rejections_and_greetings_are_made_anew(knowledge: Ascertain) -> None:
    for question in ("Write me a poem about the spring.", "Hello!"):
        assert knowledge.ask(question).type in {AnswerType.REJECTION, AnswerType.GREETING}
        assert not knowledge.ask(question).is_cached


def test_nothing_is_kept_that_was_made_with_a_part_missing(knowledge: Ascertain) -> None:
    answer = knowledge.ask(QUESTION)
    assert is_worth_keeping(answer)
    for node, outcome in (("judge", FELL_BACK), ("web", "3 articles")):
        decision = Decision(node, outcome, "a time-out")
        assert not is_worth_keeping(replace(answer, decisions=(*answer.decisions, decision)))
    assert not is_worth_keeping(replace(answer, is_cached=True))
    assert not is_worth_keeping(replace(answer, citations=()))
    assert not is_worth_keeping(replace(answer, type=AnswerType.WEB_AUGMENTED_ANSWER))


def test_quotes_are_compared_with_the_text_before_they_are_given_again(knowledge: Ascertain) -> None:
    knowledge.ask(QUESTION)
    answers = knowledge.service.answers
    kept: list = []
    put = type(answers).put

    def forging(self, answer, most) -> None:
        citations = [{**each, "quote": "Another text of the same length, say."} for each in answer.answer["citations"]]
        kept.append(answer)
        put(self, replace(answer, answer={**answer.answer, "citations": citations}), most)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(type(answers), "put", forging)
        other = "How long do the repairs of the harbour bridge take exactly?"
        knowledge.ask(other)
    assert kept
    assert not knowledge.ask(other).is_cached


def test_a_hit_is_a_turn_and_streams(knowledge: Ascertain) -> None:
    knowledge.ask(QUESTION)
    events = list(knowledge.ask_stream(QUESTION, conversation_id="c", answer_id="turn-1"))
    assert [type(event) for event in events] == [NodeStarted, NodeFinished, AnswerText, Done]
    answer = events[-1].answer
    assert events[2].text == answer.text
    assert answer.is_cached and answer.conversation_id == "c"
    (turn,) = knowledge.conversation("c")
    assert turn.turn_id == "turn-1" and turn.outcome is not None and turn.outcome.text == answer.text
    kept = knowledge.last_answer("c")
    assert kept is not None and (kept.id, kept.is_cached, kept.text) == ("turn-1", True, answer.text)


def test_new_conversations_share_first_answers_and_old_ones_do_not(knowledge: Ascertain) -> None:
    knowledge.ask(QUESTION, conversation_id="a")
    assert knowledge.ask(QUESTION, conversation_id="b").is_cached
    assert not knowledge.ask(QUESTION, conversation_id="b").is_cached
    tram = a_document("tram", "The tram to the harbour bridge runs.", conversation_id="c")
    knowledge.add_documents([tram])
    assert not knowledge.ask(QUESTION, conversation_id="c").is_cached


def test_a_deleted_conversation_takes_its_answers_along(knowledge: Ascertain) -> None:
    about_bread = "How often is a sourdough starter fed?"
    first = knowledge.ask(QUESTION, conversation_id="a")
    knowledge.feedback(first.id, "up", "mine alone")
    other = knowledge.ask(about_bread, conversation_id="b")
    knowledge.feedback(other.id, "up")
    assert knowledge.delete_conversation("a") == 1
    again = knowledge.ask(QUESTION)
    assert (again.text, again.is_cached) == (first.text, False)
    assert knowledge.given_feedback(first.id) is None
    assert knowledge.ask(about_bread).is_cached
    assert knowledge.given_feedback(other.id) is not None


def test_a_conversation_deleted_under_a_question_keeps_nothing_of_it(knowledge: Ascertain) -> None:
    with pytest.raises(StoreError, match="deleted meanwhile"):
        for event in knowledge.ask_stream(QUESTION, conversation_id="a", answer_id="turn"):
            if isinstance(event, NodeStarted) and event.node == "check":
                knowledge.delete_conversation("a")
    assert knowledge.service.feedback.get("turn") is None
    assert not knowledge.ask(QUESTION).is_cached


def test_a_cache_that_cannot_be_used_costs_no_answer(knowledge: Ascertain, monkeypatch) -> None:
    answers, feedback = knowledge.service.answers, knowledge.service.feedback

    def refuse(*_: object) -> None:
        raise StoreError("the disk is full; make room")

    for owner, method in ((answers, "get"), (answers, "put"), (feedback, "note")):
        monkeypatch.setattr(type(owner), method, refuse)
    answer = knowledge.ask(QUESTION)
    assert answer.citations
    assert answer.decisions[-1].node == "keep"
    assert answer.decisions[-1].reason == "the disk is full; make room"
