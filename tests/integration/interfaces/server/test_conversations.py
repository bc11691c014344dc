"""Conversations and feedback over HTTP."""

import uuid

import pytest
from material import QUESTION

from ascertain.app.wire.conversations import ConversationJson, ConversationsJson, FollowUpsJson
from ascertain.core.asking.feedback import FeedbackSummary


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
    assert FeedbackSummary.from_json(summary).to_json() == summary
    assert (summary["judged"], summary["up"]) == (1, 1)
    assert summary["rows"][0]["strategy"] == answer["strategy"]


def test_nobody_can_judge_an_answer_that_was_not_given(filled, new_client):
    body = {"answer_id": uuid.uuid4().hex, "thumb": "up"}
    assert filled.post("/v1/feedback", json=body).status_code == 404
    theirs = {"answer_id": ask(filled)["id"], "thumb": "down"}
    refused = new_client("another-tenant").post("/v1/feedback", json=theirs)
    assert refused.status_code == 404
    assert filled.get("/v1/feedback/summary").json()["judged"] == 0


def test_a_conversation_is_named_and_pinned(filled):
    ask(filled, conversation_id="shop")
    named = filled.patch("/v1/conversations/shop", json={"name": "  Money \n back "}).raise_for_status().json()
    assert (named["name"], named["is_pinned"], named["first_question"]) == ("Money back", False, QUESTION)
    filled.patch("/v1/conversations/shop", json={"is_pinned": True}).raise_for_status()
    [listed] = filled.get("/v1/conversations").json()["conversations"]
    assert (listed["name"], listed["is_pinned"]) == ("Money back", True)
    assert filled.patch("/v1/conversations/other", json={"name": "x"}).status_code == 404
    assert filled.patch("/v1/conversations/shop", json={"name": "x" * 301}).status_code == 422


def test_a_turn_taken_back_is_as_if_it_had_not_been_asked(filled):
    first = ask(filled, conversation_id="shop")
    second = ask(filled, "And who is it paid to?", conversation_id="shop")
    path = "/v1/conversations/shop/turns"
    assert filled.delete(f"{path}/{second['id']}").json() == {"deleted": 1}
    assert [turn["turn_id"] for turn in filled.get("/v1/conversations/shop").json()["turns"]] == [first["id"]]
    assert filled.delete(f"{path}/{second['id']}").status_code == 404


def test_nobody_names_or_takes_back_what_is_another_tenants(filled, new_client):
    answer = ask(filled, conversation_id="shop")
    with new_client(f"other-{uuid.uuid4().hex[:8]}") as other:
        assert other.patch("/v1/conversations/shop", json={"name": "mine"}).status_code == 404
        assert other.delete(f"/v1/conversations/shop/turns/{answer['id']}").status_code == 404
        assert other.get(f"/v1/conversations/shop/turns/{answer['id']}/follow-ups").status_code == 404
    assert filled.get("/v1/conversations").json()["conversations"][0]["name"] == ""


def test_what_an_answer_leads_on_to_can_be_found(filled):
    answer = ask(filled, "What does fault code GB-7731 mean?", conversation_id="shop")
    found = filled.get(f"/v1/conversations/shop/turns/{answer['id']}/follow-ups").raise_for_status().json()
    FollowUpsJson.model_validate(found, extra="forbid")
    cited = {section for citation in answer["citations"] for section in citation["place"]["section"]}
    for each in found["follow_ups"]:
        assert each["section"] not in cited
        search = {"query": f"{each['section']} {each['title']}", "filter": {"document_ids": [each["document_id"]]}}
        assert filled.post("/v1/search", json=search).json()["results"]
    assert filled.get("/v1/conversations/shop/turns/none/follow-ups").status_code == 404
