"""What is asked of the last answer, or of the conversation, through the whole product."""

import pytest
from small_knowledge import a_document, opened

from ascertain import Ascertain
from ascertain.core.asking.answers import Answer, AnswerType, Form
from ascertain.core.asking.passages import Filter
from ascertain.core.asking.requests import Turn
from ascertain.core.settings import Settings

LEASE = (
    "Lease of the shop\n\nThe deposit is 4,500 euros, payable to Marta Keller before the keys are handed over. It is returned within six "
    "weeks after the end of the lease.\n\nThe tenant pays for electricity, for water, and for the waste collection."
)
NOTES = "Notes on BM25\n\nBM25 is a ranking function that counts the words that a query and a document share."


@pytest.fixture
def knowledge(tmp_path):
    with opened(tmp_path / "kb") as knowledge:
        knowledge.add_documents([a_document("lease.md", LEASE), a_document("bm25.md", NOTES)])
        yield knowledge


def hold(knowledge, *messages: str) -> Answer:
    """The answer to the last of ``messages``, said one after another."""
    return [knowledge.ask(message, conversation_id="talk", use_cache=False) for message in messages][-1]


def test_the_last_answer_is_shortened_to_the_words_that_answer(knowledge):
    answer = hold(knowledge, "How much is the deposit?", "shorter please")
    assert answer.text == "4,500 euros"
    assert answer.citations[0].quote.startswith("The deposit is 4,500 euros")
    assert answer.type is AnswerType.FOLLOWUP_ANSWER


def test_more_is_shown_of_the_passage_that_answered(knowledge):
    answer = hold(knowledge, "How much is the deposit?", "Tell me more")
    assert "4,500 euros" in answer.text
    assert "returned within six weeks" in answer.text
    assert all(sentence.citations for sentence in answer.sentences)


def test_a_sentence_that_counts_up_becomes_a_list(knowledge):
    answer = hold(knowledge, "What does the tenant pay for?", "as a list")
    assert [sentence.form for sentence in answer.sentences] == [Form.ITEM] * 3
    assert answer.text.splitlines()[-1].endswith("for the waste collection.")


def test_it_says_where_the_answer_stands(knowledge):
    answer = hold(knowledge, "How much is the deposit?", "Which source says that?")
    assert "“The deposit is 4,500 euros" in answer.text
    assert "lease.md" in answer.text or "Lease of the shop" in answer.text
    assert answer.citations


def test_it_says_how_sure_it_is_and_of_what(knowledge):
    first = hold(knowledge, "How much is the deposit?")
    again = knowledge.ask("Are you sure?", conversation_id="talk", use_cache=False)
    assert f"Confidence {first.confidence.score} of 100" in again.text
    assert again.confidence.score == first.confidence.score
    assert "4,500 euros" in again.text


def test_without_a_chat_model_it_says_that_it_cannot_translate(knowledge):
    answer = hold(knowledge, "How much is the deposit?", "in German please")
    assert "Without a chat model" in answer.text
    assert "4,500 euros" in answer.text


def test_questions_are_recalled_and_thanks_are_answered(knowledge):
    hold(knowledge, "How much is the deposit?", "What is BM25?")
    assert hold(knowledge, "What did I ask first?").text == "“How much is the deposit?”"
    assert "You are welcome" in hold(knowledge, "thanks!").text


SUM_UP = "Summarise what we have so far"


def test_the_answers_so_far_are_told_question_by_question_with_citations_numbered_through(knowledge):
    asked = [
        "How much is the deposit?",
        "Who painted the Mona Lisa?",
        "thanks",
        "What is BM25?",
        "How much is the deposit?",
    ]
    answer = hold(knowledge, *asked, SUM_UP)
    lines = [line for line in answer.text.splitlines() if line]
    assert [line for line in lines if line[0].isdigit()] == [
        "1. How much is the deposit?",
        "2. What is BM25?",
        "3. How much is the deposit?",
    ]
    assert lines[2].startswith("The deposit is 4,500 euros")
    assert lines[-1] == "No answer was found to: “Who painted the Mona Lisa?”."
    assert [(each.number, each.title) for each in answer.citations] == [(1, "lease.md"), (2, "bm25.md")]
    assert [sentence.citations for sentence in answer.sentences] == [(1,), (2,), (1,)]
    assert all(sentence.text in answer.text for sentence in answer.sentences)


def test_a_follow_up_is_named_as_it_was_understood(knowledge):
    answer = hold(knowledge, "How much is the deposit?", "When is it returned?", SUM_UP)
    assert "2. When is deposit returned?" in answer.text or "2. When is the deposit returned?" in answer.text
    assert "(about:" not in answer.text


def test_an_answer_whose_document_is_gone_is_named_and_not_told_again(knowledge):
    hold(knowledge, "How much is the deposit?", "What is BM25?")
    knowledge.delete(Filter(sources=("lease.md",)))
    answer = knowledge.ask(SUM_UP, conversation_id="talk", use_cache=False)
    assert "4,500" not in answer.text
    assert "The documents no longer say what was quoted for: “How much is the deposit?”." in answer.text
    assert {each.title for each in answer.citations} == {"bm25.md"}


def test_only_this_conversation_is_summed_up(knowledge):
    knowledge.ask("What is BM25?", conversation_id="another", use_cache=False)
    assert "BM25" not in hold(knowledge, "How much is the deposit?", SUM_UP).text


def test_what_is_not_on_record_is_repeated_without_sources_which_is_said(knowledge):
    history = (Turn("user", "How much is the deposit?"), Turn("assistant", "It is 4,500 euros. More is in the lease."))
    answer = knowledge.ask(SUM_UP, history=history)
    assert "1. How much is the deposit?\n\nIt is 4,500 euros." in answer.text
    assert "not on record" in answer.text
    assert not answer.citations


def test_an_act_works_on_what_was_last_answered_and_not_on_thanks(knowledge):
    answer = hold(knowledge, "How much is the deposit?", "thanks", "Which source says that?")
    assert "4,500 euros" in answer.text


def test_an_answer_whose_document_is_gone_is_looked_up_again(knowledge):
    hold(knowledge, "How much is the deposit?")
    knowledge.delete(Filter(sources=("lease.md",)))
    answer = knowledge.ask("say that again", conversation_id="talk", use_cache=False)
    assert answer.type is AnswerType.REJECTION
    assert "4,500" not in answer.text


def test_without_a_record_the_last_question_is_answered_again(knowledge):
    history = (Turn("user", "How much is the deposit?"), Turn("assistant", "It is 4,500 euros."))
    answer = knowledge.ask("Which source says that?", history=history)
    assert "“The deposit is 4,500 euros" in answer.text


def test_the_same_words_without_a_conversation_are_a_question(knowledge):
    assert knowledge.ask("Which source says that?").type is AnswerType.REJECTION


def test_each_part_of_a_question_has_its_answer(knowledge):
    answer = knowledge.ask("How much is the deposit and what is BM25?")
    assert "4,500 euros" in answer.text
    assert "ranking function" in answer.text
    assert {citation.title for citation in answer.citations} == {"lease.md", "bm25.md"}


def test_a_part_without_an_answer_is_named(knowledge):
    answer = knowledge.ask("How much is the deposit and who painted the Mona Lisa?")
    assert "4,500 euros" in answer.text
    assert "No answer was found to: “Who painted the Mona Lisa?”" in (answer.confidence.caveat or "")
    assert answer.confidence.score < 70


@pytest.fixture
def embedded(tmp_path):
    """The same with the embedder of the product, which tells what is merely near from what answers."""
    with Ascertain(Settings(home=tmp_path / "embedded")) as knowledge:
        knowledge.add_documents([a_document("lease.md", LEASE), a_document("bm25.md", NOTES)])
        yield knowledge


def test_a_refusal_offers_the_nearest_document_and_yes_shows_it(embedded):
    refused = hold(embedded, "On which floor is the shop?")
    assert refused.type is AnswerType.REJECTION
    assert "Nearest is “lease.md”: “Lease of the shop" in refused.text
    shown = embedded.ask("yes please", conversation_id="talk", use_cache=False)
    assert "4,500 euros" in shown.text
    assert {citation.title for citation in shown.citations} == {"lease.md"}


def test_nothing_is_offered_that_is_not_on_the_subject(embedded):
    assert "Nearest is" not in hold(embedded, "Who painted the Mona Lisa?").text
    assert "All right" in hold(embedded, "no thanks").text
