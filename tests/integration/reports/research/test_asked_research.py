"""A question that orders research is answered by its agents, over the documents that it may see."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from scripted_chat_server import fails

from ascertain import Ascertain, Document
from ascertain.core.asking.answers import AnswerType
from ascertain.core.asking.passages import Filter, Level
from ascertain.core.documents.documents import DocumentKind
from ascertain.core.settings import BudgetSettings, ChatSettings, ModelSettings, Settings

TEXTS = {
    "works": (
        "Notes of the works. The Northgate bridge was opened in 1932. It was built by Harrow and Sons at a cost of 4.2 million pounds.",
        datetime(2020, 5, 1, tzinfo=UTC),
    ),
    "archive": (
        "Notes of the archive. The Northgate bridge was opened in 1934, said the archivist. The river was low in that summer.",
        datetime(2024, 5, 1, tzinfo=UTC),
    ),
    "kitchen": ("A soup needs an onion, salt and an hour of patience.", datetime(2024, 5, 2, tzinfo=UTC)),
}
ORDER = "Write a detailed report on when the Northgate bridge was opened and what it cost"
OLD, NEW = "opened in 1932", "opened in 1934"


@pytest.fixture
def knowledge(tmp_path):
    with Ascertain(Settings(home=tmp_path / "kb")) as opened:
        opened.add_documents(
            [
                Document(name, text, name, DocumentKind.PROSE, f"{name}.md", published_at=when)
                for name, (text, when) in TEXTS.items()
            ]
        )
        yield opened


def nodes(answer):
    return [each.node for each in answer.decisions]


def test_the_findings_stand_under_their_sub_questions_with_their_quotations(knowledge):
    answer = knowledge.ask(ORDER)
    first, second = (
        answer.text.index(part)
        for part in ("when the Northgate bridge was opened\n", "what it cost (about: Northgate)\n")
    )
    assert first < answer.text.index(OLD) < second < answer.text.index("4.2 million pounds")
    assert "strategy" not in nodes(answer)
    assert [citation.number for citation in answer.citations] == list(range(1, len(answer.citations) + 1))
    for citation in answer.citations:
        text, _ = TEXTS[citation.document_id]
        assert text[citation.span.start : citation.span.end] == citation.quote
    assert all(sentence.citations for sentence in answer.sentences)
    assert answer.text.endswith("or POST /v1/research.")
    assert answer.text.count("ascertain research") == 1


def test_where_sources_deny_each_other_the_answer_says_so_and_is_not_sure(knowledge):
    answer = knowledge.ask(ORDER)
    one, other = (
        next(line for line in answer.text.split("\n") if line.startswith(side))
        for side in ("Sources disagree: ", "Against it: ")
    )
    assert {quote for quote in (OLD, NEW) if quote in one or quote in other} == {OLD, NEW}
    assert answer.confidence.level is not Level.HIGH
    # each side can be looked up
    cited = {each.number: each.quote for each in answer.citations}
    for side, quote in ((one, OLD if OLD in one else NEW), (other, OLD if OLD in other else NEW)):
        told = [each for each in answer.sentences if each.text in side]
        assert any(quote in cited[number] for each in told for number in each.citations)


@pytest.mark.parametrize(
    ("asked", "told", "hidden"),
    [
        ({"filter": Filter(document_ids=("archive",))}, NEW, OLD),
        ({"filter": Filter(published_before=datetime(2021, 1, 1, tzinfo=UTC))}, OLD, NEW),
    ],
)
def test_a_filter_holds_for_every_agent(knowledge, asked, told, hidden):
    answer = knowledge.ask("Research when the Northgate bridge was opened", **asked)
    assert told in answer.text
    assert hidden not in answer.text
    assert "Sources disagree" not in answer.text


def test_what_the_documents_do_not_say_is_named(knowledge):
    answer = knowledge.ask("Write a report on when the Northgate bridge was opened and what a giraffe eats")
    assert OLD in answer.text
    assert "The documents do not say: what a giraffe eats" in answer.text


def test_nothing_of_it_is_kept(knowledge):
    before = len(knowledge.documents())
    knowledge.ask(ORDER)
    assert knowledge.research.list_runs() == []
    assert len(knowledge.documents()) == before


def test_where_nothing_is_found_it_is_searched_and_refused(knowledge):
    answer = knowledge.ask("Look into Norwegian salmon farming")
    assert answer.confidence.level is Level.NONE
    assert answer.text.startswith("I could not find an answer to this in 3 documents.")
    assert nodes(answer).index("research") < nodes(answer).index("strategy")
    assert "ascertain research 'Norwegian salmon farming'" in answer.text


def test_what_every_agent_did_is_told_also_where_nothing_is_found(knowledge):
    answer = knowledge.ask("Look into Norwegian salmon farming")
    told = [each.outcome for each in answer.decisions if each.node == "research"]
    assert told[0] == "plan"
    assert told[-2:] == ["check", "nothing"]


def test_an_answer_whose_chat_model_failed_says_so_and_is_not_given_again(knowledge, tmp_path, scripted_chat_server):
    chat = ChatSettings(model="openai:scripted", base_url=scripted_chat_server.base_url, timeout_seconds=5, retries=0)
    knowledge.close()
    scripted_chat_server.reply_by(lambda request: fails(500))
    with Ascertain(Settings(home=tmp_path / "kb", models=ModelSettings(chat=chat))) as opened:
        answer = opened.ask(ORDER)
        assert OLD in answer.text
        assert any(each.outcome.startswith("fell back") for each in answer.decisions)
        assert not opened.ask(ORDER).is_cached


def test_the_same_order_is_answered_from_the_cache_until_a_document_changes(knowledge):
    first, again = knowledge.ask(ORDER), knowledge.ask(ORDER)
    assert (first.is_cached, again.is_cached) == (False, True)
    assert again.text == first.text
    knowledge.add_documents(
        [Document("new", "The Northgate bridge was painted in 2001.", "new", DocumentKind.PROSE, "n.md")]
    )
    assert not knowledge.ask(ORDER).is_cached


def test_the_budget_of_a_question_holds_over_all_agents(knowledge, tmp_path, scripted_chat_server):
    chat = ChatSettings(model="openai:scripted", base_url=scripted_chat_server.base_url, timeout_seconds=5, retries=0)
    knowledge.close()
    scripted_chat_server.reply_by(lambda request: {})
    settings = Settings(home=tmp_path / "kb", models=ModelSettings(chat=chat), budget=BudgetSettings(calls=6))
    with Ascertain(settings) as opened:
        answer = opened.ask(ORDER)
    assert answer.usage.calls <= 6
    assert len(scripted_chat_server.requests) <= 6
    assert OLD in answer.text


def test_what_a_conversation_spoke_of_is_what_its_report_is_on(knowledge):
    first = knowledge.ask("When was the Northgate bridge opened?", conversation_id="works")
    assert first.confidence.level is not Level.NONE
    answer = knowledge.ask("Write a report on it", conversation_id="works")
    assert "bridge" in answer.text
    assert "ascertain research 'the Northgate" in answer.text.replace("research Northgate", "research 'Northgate")
    assert "salt" not in answer.text


@pytest.mark.parametrize("order", ["Write a report on", "write a report on it", "Research that, please."])
def test_an_order_that_does_not_say_on_what_is_told_so_and_nothing_is_searched(knowledge, order):
    answer = knowledge.ask(order)
    assert answer.type is AnswerType.REJECTION
    assert "strategy" not in nodes(answer)
    assert "research" not in nodes(answer)


def test_an_order_to_find_out_whether_something_is_true_gets_a_verdict(knowledge):
    answer = knowledge.ask(
        "Research whether the Northgate bridge was opened in 1932", filter=Filter(document_ids=("works",))
    )
    assert answer.text.startswith("Supported: the documents say so.")
    assert "validate" in nodes(answer)


def test_a_very_long_subject_is_not_repeated(knowledge):
    words = " ".join(f"when the bridge of town {number} was opened and" for number in range(80))
    answer = knowledge.ask(f"Write a report on {words} what it cost")
    assert "town 79" not in answer.text
    assert len(answer.text) < 3000


def test_without_time_one_sub_question_is_answered_and_the_others_stay_open(knowledge, tmp_path):
    knowledge.close()
    with Ascertain(Settings(home=tmp_path / "kb", budget=BudgetSettings(seconds=0.001))) as opened:
        answer = opened.ask(ORDER)
    assert OLD in answer.text
    assert "The documents do not say" not in answer.text
    assert "There was no time to look up: what it cost" in answer.text
    assert "Sources disagree" not in answer.text
    assert answer.confidence.level is not Level.HIGH
