"""Questions over HTTP, answered whole."""

import pytest
from material import QUESTION
from running_service import upload

from ascertain.core.asking.answers import Answer
from ascertain.workflow.question_text import MAX_CHARACTERS


def ask(client, question=QUESTION, **body):
    return client.post("/v1/ask", json={"question": question, **body})


def test_an_answer_rests_on_the_exact_words_of_a_document(filled):
    answer = ask(filled).raise_for_status().json()
    assert Answer.from_json(answer).to_json() == answer
    assert "five working days" in answer["answer"]
    cited = answer["citations"][0]
    start, end = cited["span"]
    shown = filled.get(f"/v1/documents/{cited['document_id']}/text", params={"start": start, "end": end}).json()
    assert cited["quote"] == shown["text"][shown["quote_start"] - shown["start"] : shown["quote_end"] - shown["start"]]
    assert cited["source"] == "upload:refunds.md"


def test_every_answer_has_an_id_of_its_own(filled):
    first, second = (ask(filled, cache=False).json() for _ in range(2))
    assert first["id"] != second["id"]


def test_the_same_question_is_answered_from_the_cache_unless_that_is_declined(filled):
    ask(filled).raise_for_status()
    assert ask(filled).json()["is_cached"]
    assert not ask(filled, cache=False).json()["is_cached"]


def test_a_new_document_makes_the_answer_anew(filled):
    ask(filled).raise_for_status()
    upload(filled, {"news.md": "# Refunds now\n\nSince May a refund is paid within two working days."})
    answer = ask(filled).json()
    assert not answer["is_cached"]
    assert "two working days" in answer["answer"]


def test_a_follow_up_is_understood_with_the_turns_before_it(filled):
    ask(filled, "What does fault code GB-7731 mean?", conversation_id="garage").raise_for_status()
    answer = ask(filled, "And what should I do about it?", conversation_id="garage").json()
    assert answer["conversation_id"] == "garage"
    assert answer["type"] == "followup_answer"
    assert "GB-7731" in answer["standalone"]


@pytest.mark.parametrize(
    ("filter", "type"),
    [
        ({"sources": ["upload:refunds.md"]}, "summary"),
        ({"sources": ["upload:manuals/*"]}, "rejection"),
        ({"tags": ["house"]}, "summary"),
        ({"tags": ["garden"]}, "rejection"),
        ({"kinds": ["paper"]}, "rejection"),
        ({"published_from": "2024-01-01"}, "rejection"),
    ],
)
def test_a_filter_says_what_may_be_used(filled, filter, type):
    assert ask(filled, filter=filter).raise_for_status().json()["type"] == type


def test_before_the_first_document_there_is_nothing_to_ask(client):
    response = ask(client)
    assert response.status_code == 409
    assert response.json()["type"] == "urn:ascertain:problem:no-documents"
    assert "POST /v1/documents" in response.json()["detail"]


def test_a_question_longer_than_the_settings_allow_is_refused_with_the_limit(filled, place):
    limit = MAX_CHARACTERS
    response = ask(filled, "a" * (limit + 1))
    assert response.status_code == 400
    assert f"{limit:,}" in response.json()["detail"]


def test_passages_are_found_with_their_places(filled):
    found = filled.post("/v1/search", json={"query": "oil pressure", "k": 1}).raise_for_status().json()
    (result,) = found["results"]
    assert result["title"] == "Gearbox manual"
    assert "GB-7731" in result["text"]
