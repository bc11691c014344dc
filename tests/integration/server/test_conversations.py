"""Conversations and feedback over HTTP."""

import uuid

import pytest
from material import QUESTION

from ascertain.wire.conversations import ConversationJson, ConversationsJson, FeedbackSummaryJson


def ask(client, question=QUESTION, **body):
    return client.post("/v1/ask", json={"question": question, **body}).raise_for_status().json()


def test_a_conversation_is_kept_with_whole_answers(filled):
    first = ask(filled, conversation_id="shop")
    second = ask(filled, "And who is it paid to?", conversation_id="shop")
    shown = filled.get("/v1/conversations/shop").json()
    ConversationJson.model_validate(shown, extra="forbid")
    assert [turn["whole"] for turn in shown["turns"]] == [first, second]
    assert [turn["turn_id"] for turn in shown["turns"]] == [first["id"], second["id"]]
    listed = filled.get("/v1/conversations").json()
    ConversationsJson.model_validate(listed, extra="forbid")
    assert [(each["id"], each["turns"]) for each in listed["conversations"]] == [("shop", 2)]


def test_a_conversation_tells_what_was_thought_of_its_answers(filled):
    answers = [ask(filled, conversation_id="shop") for _ in range(2)]
    feedback = {"answer_id": answers[1]["id"], "thumb": "down", "comment": "so it is not"}
    filled.post("/v1/feedback", json=feedback).raise_for_status()
    shown = filled.get("/v1/conversations/shop").json()
    ConversationJson.model_validate(shown, extra="forbid")
    assert [turn["feedback"] for turn in shown["turns"]] == [None, feedback]


def test_a_deleted_conversation_is_forgotten(filled):
    ask(filled, conversation_id="shop")
    assert filled.delete("/v1/conversations/shop").json() == {"deleted": 1}
    assert filled.get("/v1/conversations/shop").status_code == 404
    assert filled.delete("/v1/conversations/shop").status_code == 404
    assert filled.get("/v1/conversations").json() == {"conversations": []}


def test_nothing_of_a_conversation_deleted_as_news_is_given_or_counted_again(filled):
    given = ask(filled, conversation_id="shop")
    assert filled.post("/v1/feedback", json={"answer_id": given["id"], "thumb": "up"}).status_code == 200
    assert filled.delete("/rag/conversation/shop").json() == {"conversation_id": "shop", "deleted": 1}
    assert not ask(filled)["is_cached"]
    assert filled.post("/v1/feedback", json={"answer_id": given["id"], "thumb": "up"}).status_code == 404
    assert filled.get("/v1/feedback/summary").json()["judged"] == 0


def test_a_conversation_that_fetched_nothing_has_no_sources(filled):
    ask(filled, conversation_id="shop")
    assert filled.get("/v1/conversations/shop/sources").json() == {"documents": []}
    assert filled.get("/v1/conversations/other/sources").status_code == 404


@pytest.mark.parametrize("name", ["budget 2026", "ümläut", "a:b@c+d", "漢字", "a" * 200, "...x"])
def test_conversations_are_named_as_one_likes(filled, name):
    ask(filled, conversation_id=name)
    with filled.stream("GET", f"/v1/conversations/{name}") as response:
        assert response.status_code == 200


@pytest.mark.parametrize("name", ["", "a/b", "..", ".", "a\nb", "a\\b", "a?b", "a" * 201, "\x00", "\x7f"])
def test_names_that_are_no_segment_of_a_path_are_refused(filled, name):
    response = filled.post("/v1/ask", json={"question": QUESTION, "conversation_id": name})
    assert response.status_code == 422
    assert response.json()["errors"][0]["pointer"] == "#/conversation_id"


def test_feedback_is_kept_and_counted_and_the_last_one_counts(filled):
    answer = ask(filled)
    for thumb in ("down", "up"):
        body = {"answer_id": answer["id"], "thumb": thumb, "comment": "so it is"}
        assert filled.post("/v1/feedback", json=body).json() == body
    summary = filled.get("/v1/feedback/summary").json()
    FeedbackSummaryJson.model_validate(summary, extra="forbid")
    assert (summary["judged"], summary["up"]) == (1, 1)
    assert summary["rows"][0]["strategy"] == answer["strategy"]


def test_nobody_can_judge_an_answer_that_was_not_given(filled, new_client):
    body = {"answer_id": uuid.uuid4().hex, "thumb": "up"}
    assert filled.post("/v1/feedback", json=body).status_code == 404
    theirs = {"answer_id": ask(filled)["id"], "thumb": "down"}
    refused = new_client("another-tenant").post("/v1/feedback", json=theirs)
    assert refused.status_code == 404
    assert filled.get("/v1/feedback/summary").json()["judged"] == 0
