"""Responses and embeddings as OpenAI's own client sees them."""

import base64
import math

import httpx
import numpy as np
import openai
import pytest
from material import QUESTION
from test_chat_completions import ANSWER, LINKED

from ascertain.core.asking.requests import NodeStarted


def ask(chat, question=QUESTION, **options):
    return chat.responses.create(model="ascertain", input=question, **options)


def plain(response):
    return response.output_text.replace("**", "")


def test_an_answer_has_its_citations_as_annotations(chat, filled):
    done = ask(chat, store=False)
    assert ANSWER in plain(done)
    (message,) = done.output
    (part,) = message.content
    marks = [part.text[each.index :].partition("]")[0] for each in part.annotations]
    assert marks
    assert all(mark.startswith("[^") for mark in marks)
    documents = {each["id"]: each["title"] for each in filled.get("/v1/documents").json()["documents"]}
    assert {(each.type, documents[each.file_id]) for each in part.annotations} == {("file_citation", "Refunds")}
    assert (done.object, done.status, done.model, done.error) == ("response", "completed", "ascertain", None)
    assert (done.usage.input_tokens, done.usage.total_tokens) == (0, 0)
    assert any(ANSWER in each["quote"] for each in done.ascertain["citations"])
    assert filled.get("/v1/conversations").json() == {"conversations": []}


def test_web_addresses_are_annotations_at_their_marks(client, connect, tenant):
    from running_service import upload

    upload(client, {"tram.json": LINKED})
    done = ask(connect(tenant), "Which tram line connects the airport?", store=False)
    (cited,) = done.output[0].content[0].annotations
    assert (cited.type, cited.url, cited.title) == ("url_citation", "https://example.org/tram", "Tram")
    assert done.output_text[cited.start_index : cited.end_index] == "[^1]"


def test_a_stream_has_the_events_that_the_client_puts_together(chat):
    whole = ask(chat, store=False)
    with chat.responses.stream(model="ascertain", input=QUESTION, store=False) as stream:
        events = list(stream)
        done = stream.get_final_response()
    kinds = [event.type for event in events]
    assert kinds[:4] == [
        "response.created",
        "response.in_progress",
        "response.output_item.added",
        "response.content_part.added",
    ]
    assert "response.output_text.annotation.added" in kinds
    assert kinds[-4:] == [
        "response.output_text.done",
        "response.content_part.done",
        "response.output_item.done",
        "response.completed",
    ]
    assert [event.sequence_number for event in events] == list(range(len(events)))
    deltas = "".join(event.delta for event in events if event.type == "response.output_text.delta")
    assert deltas == done.output_text == whole.output_text
    assert done.output[0].content[0].annotations == whole.output[0].content[0].annotations
    raw = list(ask(chat, store=False, stream=True))
    assert raw[-1].response.status == "completed"


def test_no_proxy_holds_a_stream_back(filled):
    headers = {"cache-control": "no-cache", "x-accel-buffering": "no"}
    asked = {"model": "ascertain", "stream": True}
    for path, body in (
        ("/v1/chat/completions", {**asked, "messages": [{"role": "user", "content": QUESTION}]}),
        ("/v1/responses", {**asked, "input": QUESTION, "store": False}),
        ("/v1/ask/stream", {"question": QUESTION}),
    ):
        with filled.stream("POST", path, json=body) as response:
            assert response.headers["content-type"].startswith("text/event-stream"), path
            assert {name: response.headers[name] for name in headers} == headers, path
            response.read()


def test_a_question_follows_the_response_that_it_names(chat, filled):
    first = ask(chat, "How are refunds paid?")
    done = ask(chat, "And how long does it take?", previous_response_id=first.id)
    assert ANSWER in plain(done)
    assert "refund" in done.ascertain["standalone"].lower()
    assert (done.previous_response_id, done.store) == (first.id, True)
    (kept,) = filled.get("/v1/conversations").json()["conversations"]
    turns = filled.get(f"/v1/conversations/{kept['id']}").json()["turns"]
    assert [turn["question"] for turn in turns] == ["How are refunds paid?", "And how long does it take?"]


def test_a_question_may_follow_an_earlier_response_than_the_last(chat, filled):
    first = ask(chat, "How are refunds paid?")
    ask(chat, "What does fault code GB-7731 mean?", previous_response_id=first.id)
    done = ask(chat, "And how long does it take?", previous_response_id=first.id, store=False)
    assert ANSWER in plain(done)
    (kept,) = filled.get("/v1/conversations").json()["conversations"]
    assert len(filled.get(f"/v1/conversations/{kept['id']}").json()["turns"]) == 2
    with pytest.raises(openai.BadRequestError) as raised:
        ask(chat, "And why?", previous_response_id=done.id)
    assert (raised.value.code, raised.value.param) == ("previous_response_not_found", "previous_response_id")


@pytest.mark.parametrize("conversation", ["shop", {"id": "shop"}])
def test_a_conversation_is_gone_on_with(conversation, chat, filled):
    ask(chat, "How are refunds paid?", conversation=conversation)
    done = ask(chat, "And how long does it take?", conversation=conversation)
    assert ANSWER in plain(done)
    assert len(filled.get("/v1/conversations/shop").json()["turns"]) == 2


def test_messages_and_instructions_are_taken(chat):
    messages = [
        {"role": "system", "content": "Speak like a pirate."},
        {"role": "user", "content": "How are refunds paid?"},
        {"role": "assistant", "content": [{"type": "output_text", "text": "They are paid to the card."}]},
        {"type": "reasoning", "summary": [], "id": "rs_1"},
        {"role": "user", "content": [{"type": "input_text", "text": "And how long does a refund take?"}]},
    ]
    done = ask(chat, messages, instructions="Be brief.", metadata={"a": "b"}, temperature=0.2, store=False)
    assert ANSWER in plain(done)
    assert (done.instructions, done.metadata) == ("Be brief.", {"a": "b"})


WRONG = [
    ({"model": "gpt-5"}, openai.NotFoundError, "model", "model_not_found"),
    ({"input": []}, openai.UnprocessableEntityError, None, "invalid_body"),
    ({"input": [{"role": "system", "content": "Hello"}]}, openai.BadRequestError, "input", "invalid_request"),
    (
        {"input": [{"role": "user", "content": [{"type": "input_image", "image_url": "data:,"}]}]},
        openai.BadRequestError,
        "input[0].content",
        "invalid_request",
    ),
    ({"background": True}, openai.UnprocessableEntityError, "background", "invalid_body"),
    (
        {"previous_response_id": "resp_none_1"},
        openai.BadRequestError,
        "previous_response_id",
        "previous_response_not_found",
    ),
    (
        {"conversation": "c", "previous_response_id": "resp_c_1"},
        openai.BadRequestError,
        "conversation",
        "invalid_request",
    ),
    ({"conversation": "c", "store": False}, openai.BadRequestError, "store", "invalid_request"),
]


@pytest.mark.parametrize("is_streamed", [False, True])
@pytest.mark.parametrize("case", WRONG, ids=lambda case: str(case[0])[:40])
def test_what_is_wrong_is_said_in_the_form_of_openai(case, is_streamed, chat):
    wrong, error, param, code = case
    with pytest.raises(error) as raised:
        chat.responses.create(**{"model": "ascertain", "input": QUESTION, "stream": is_streamed, **wrong})
    told = raised.value
    assert (told.code, told.type) == (code, "invalid_request_error")
    assert told.param == param or param is None
    assert told.body["message"]


def test_an_error_on_the_way_ends_the_stream_with_a_response_that_failed(chat, monkeypatch):
    def fail(*_, **__):
        yield NodeStarted("retrieve")
        raise KeyError("secret")

    monkeypatch.setattr("ascertain.app.ascertain.Ascertain.ask_stream", fail)
    *_, last = ask(chat, stream=True, store=False)
    assert (last.type, last.response.status, last.response.error.code) == (
        "response.failed",
        "failed",
        "internal_error",
    )
    assert "secret" not in last.response.error.message


def test_somebody_elses_response_is_not_followed(filled, chat, new_client, connect, tenant):
    first = ask(chat, "How are refunds paid?")
    with pytest.raises(openai.BadRequestError, match="no stored response with this id"):
        ask(connect(tenant), "And how long does it take?", previous_response_id=first.id)


def test_texts_are_embedded_with_the_model_of_the_documents(chat, place):
    texts = ["A refund is granted within 30 days.", "Money is paid back in a month.", "The oil pressure is too low."]
    made = chat.embeddings.create(model="ascertain", input=texts)
    vectors = np.array([each.embedding for each in made.data])
    expected = place.knowledge.embedder.embed_documents(texts)
    assert np.allclose(vectors, expected, atol=1e-5)
    assert [each.index for each in made.data] == [0, 1, 2]
    assert made.model == place.knowledge.embedder.name
    assert made.usage.prompt_tokens == made.usage.total_tokens > 10
    named = chat.embeddings.create(model=made.model, input=texts[0], encoding_format="float")
    assert math.isclose(named.data[0].embedding[0], vectors[0][0], abs_tol=1e-5)
    same = chat.embeddings.create(model="ascertain", input=texts[0], dimensions=vectors.shape[1])
    assert len(same.data[0].embedding) == vectors.shape[1]


def test_embeddings_come_in_base64_too(filled):
    asked = {"model": "ascertain", "input": "refund"}
    numbers = filled.post("/v1/embeddings", json=asked).json()["data"][0]["embedding"]
    packed = filled.post("/v1/embeddings", json={**asked, "encoding_format": "base64"}).json()["data"][0]["embedding"]
    assert np.allclose(np.frombuffer(base64.b64decode(packed), "<f4"), numbers, atol=1e-6)


@pytest.mark.parametrize(
    ("wrong", "error", "param", "told"),
    [
        ({"model": "text-embedding-3-small"}, openai.NotFoundError, "model", "no model with this name"),
        ({"input": []}, openai.UnprocessableEntityError, "input", "at least 1"),
        ({"input": ""}, openai.UnprocessableEntityError, "input[0]", "at least 1"),
        ({"input": [1, 2, 3]}, openai.UnprocessableEntityError, "input", "check_embedding_ctx_length=False"),
        ({"input": [[1, 2], [3]]}, openai.UnprocessableEntityError, "input", "send text, not tokens"),
        ({"dimensions": 7}, openai.BadRequestError, "dimensions", "7 is not available"),
    ],
)
def test_what_cannot_be_embedded_is_said_in_the_form_of_openai(wrong, error, param, told, chat):
    with pytest.raises(error) as raised:
        chat.embeddings.create(**{"model": "ascertain", "input": "refund", **wrong})
    assert told in str(raised.value)
    assert (raised.value.param, raised.value.type) == (param, "invalid_request_error")


def test_what_else_openais_client_calls_is_refused_in_its_form(chat, filled):
    with pytest.raises(openai.NotFoundError) as raised:
        chat.files.list()
    assert (raised.value.code, raised.value.type) == ("not_found", "invalid_request_error")
    assert filled.get("/v1/files").json()["type"] == "urn:ascertain:problem:not-found"


@pytest.mark.parametrize("path", ["/v1/responses", "/v1/embeddings", "/v1/chat/completions", "/v1/models"])
def test_every_problem_of_these_routes_has_the_form_of_openai(path, place, filled):
    known = httpx.Client(base_url=place.url, trust_env=False)
    strangers = known.post(path, json={})
    wrong_method = filled.delete(path)
    no_json = filled.post(path, content=b"{", headers={"content-type": "application/json"})
    foreign = filled.post(path, json={}, headers={"origin": "https://evil.example"})
    too_large = filled.post(path, content=b"x" * 1_100_000, headers={"content-type": "application/json"})
    statuses = []
    for response in (strangers, wrong_method, no_json, foreign, too_large):
        error = response.json()["error"]
        assert set(error) == {"message", "type", "param", "code"}
        assert error["message"]
        statuses.append(response.status_code)
    assert statuses[0] == 401
    assert statuses[3] == 403
    known.close()
