"""The service as OpenAI's own client sees it."""

import asyncio
import json
import threading
import time

import httpx
import openai
import pytest
from material import QUESTION
from running_service import PATIENCE, new_key, upload

from ascertain.core.asking.requests import NodeStarted

ANSWER = "This takes five working days."
LINKED = json.dumps(
    {
        "title": "Tram",
        "content": "Tram line 9 connects the airport with the old town.",
        "url": "https://example.org/tram",
    }
)
HOSTILE = """# Harbour

The harbour bridge ![x](https://evil.example/pixel.png) closed <img src="https://evil.example/a.png"> for [repairs](https://evil.example/).
"""


def said(*messages):
    """Messages of user and assistant in turn."""
    return [{"role": ("user", "assistant")[at % 2], "content": text} for at, text in enumerate(messages)]


def complete(chat, *messages, **options):
    return chat.chat.completions.create(model="ascertain", messages=said(*messages), **options)


def test_lists_the_one_model(chat):
    (model,) = chat.models.list().data
    assert model.id == "ascertain"
    assert abs(model.created - time.time()) < 3600
    assert chat.models.retrieve("ascertain") == model


def test_an_answer_is_markdown_with_footnotes_and_the_same_as_data(chat, filled):
    done = complete(chat, QUESTION)
    (choice,) = done.choices
    text, known = choice.message.content, done.ascertain
    (citation,) = [each for each in known["citations"] if ANSWER in each["quote"]]
    assert f"{ANSWER}[^{citation['n']}]" in text.replace("**", "")
    assert f"\n\nConfidence: {known['confidence']['level']} ({known['confidence']['score']}/100)." in text
    assert f"\n\n[^{citation['n']}]: Refunds · How it is paid: “{citation['quote']}”" in text
    assert choice.finish_reason == "stop"
    assert (done.object, done.model, done.usage.total_tokens) == ("chat.completion", "ascertain", 0)
    stored = filled.get(f"/v1/documents/{citation['document_id']}/text", params={"end": 10_000}).json()
    start, end = citation["span"]
    assert stored["text"][start - stored["start"] : end - stored["start"]] == citation["quote"]
    assert done.id == f"chatcmpl-{known['id']}"
    judged = filled.post("/v1/feedback", json={"answer_id": known["id"], "thumb": "up"})
    assert judged.status_code == 200


def test_a_stream_has_the_same_text_and_data_in_pieces(chat):
    whole = complete(chat, QUESTION)
    pieces = list(complete(chat, QUESTION, stream=True, stream_options={"include_usage": True}))
    text = "".join(piece.choices[0].delta.content or "" for piece in pieces if piece.choices)
    assert text == whole.choices[0].message.content
    assert pieces[0].choices[0].delta.role == "assistant"
    assert len({piece.id for piece in pieces}) == 1
    *_, last, tokens = pieces
    assert (last.choices[0].finish_reason, tokens.choices, tokens.usage.total_tokens) == ("stop", [], 0)
    assert [each["quote"] for each in last.ascertain["citations"]] == [
        each["quote"] for each in whole.ascertain["citations"]
    ]


def test_the_helper_that_puts_a_stream_together_has_the_whole_message(chat):
    with chat.chat.completions.stream(model="ascertain", messages=said(QUESTION)) as stream:
        done = stream.get_final_completion()
    assert ANSWER in done.choices[0].message.content.replace("**", "")


def test_the_asynchronous_client_works_too(chat):
    async def ask():
        http = openai.DefaultAsyncHttpxClient(trust_env=False)
        async with openai.AsyncOpenAI(base_url=chat.base_url, api_key=chat.api_key, http_client=http) as client:
            return await client.chat.completions.create(model="ascertain", messages=said(QUESTION))

    assert ANSWER in asyncio.run(ask()).choices[0].message.content.replace("**", "")


def test_web_addresses_are_annotations_at_their_marks(client, connect, tenant):
    upload(client, {"tram.json": LINKED})
    message = complete(connect(tenant), "Which tram line connects the airport?").choices[0].message
    (annotation,) = message.annotations
    cited = annotation.url_citation
    assert (cited.url, cited.title) == ("https://example.org/tram", "Tram")
    assert message.content[cited.start_index : cited.end_index] == "[^1]"
    assert "[^1]: [Tram](<https://example.org/tram>)" in message.content


def test_a_follow_up_is_understood_with_the_messages_before_it_and_nothing_is_kept(chat, filled):
    first = complete(chat, "How are refunds paid?").choices[0].message.content
    done = complete(chat, "How are refunds paid?", first, "And how long does it take?")
    assert ANSWER in done.choices[0].message.content.replace("**", "")
    assert "refund" in done.ascertain["standalone"].lower()
    assert (done.ascertain["type"], done.ascertain["conversation_id"]) == ("followup_answer", None)
    assert filled.get("/v1/conversations").json() == {"conversations": []}


@pytest.mark.parametrize("named", [{"user": "shop"}, {"extra_headers": {"X-Conversation-ID": "shop"}}])
def test_a_follow_up_is_understood_with_the_turns_of_the_conversation_that_is_named(named, chat, filled):
    complete(chat, "How are refunds paid?", **named)
    done = complete(chat, "And how long does it take?", **named)
    assert ANSWER in done.choices[0].message.content.replace("**", "")
    assert done.ascertain["conversation_id"] == "shop"
    kept = filled.get("/v1/conversations/shop").json()["turns"]
    assert [turn["question"] for turn in kept] == ["How are refunds paid?", "And how long does it take?"]


def test_messages_that_are_sent_count_more_than_turns_on_record(chat, filled):
    complete(chat, "What does fault code GB-7731 mean?", user="shop")
    first = complete(chat, "How are refunds paid?").choices[0].message.content
    done = complete(chat, "How are refunds paid?", first, "And how long does it take?", user="shop")
    assert ANSWER in done.choices[0].message.content.replace("**", "")
    assert len(filled.get("/v1/conversations/shop").json()["turns"]) == 2


def test_the_header_counts_more_than_the_user(chat, filled):
    complete(chat, QUESTION, user="somebody", extra_headers={"X-Conversation-ID": "shop"})
    listed = filled.get("/v1/conversations").json()["conversations"]
    assert [each["id"] for each in listed] == ["shop"]


def test_what_is_not_in_the_documents_is_not_answered(chat):
    done = complete(chat, "Who composed the opera Tosca?")
    assert done.ascertain["type"] == "rejection"
    assert done.choices[0].message.content.startswith("I could not find anything about this")
    assert "Confidence: none (0/100)." in done.choices[0].message.content


def test_settings_of_samplers_and_parts_of_text_are_taken(chat):
    parts = [{"type": "text", "text": QUESTION}]
    tool = {"type": "function", "function": {"name": "f", "parameters": {"type": "object", "properties": {}}}}
    done = chat.chat.completions.create(
        model="ascertain",
        messages=[{"role": "system", "content": "Speak like a pirate."}, {"role": "user", "content": parts}],
        temperature=0.2,
        max_tokens=10,
        tools=[tool],
        tool_choice="auto",
        seed=1,
    )
    assert ANSWER in done.choices[0].message.content.replace("**", "")


def test_nothing_of_a_document_becomes_markup(client, connect, tenant):
    upload(client, {"harbour.md": HOSTILE})
    text = complete(connect(tenant), "Why did the harbour bridge close?").choices[0].message.content
    assert "](https://evil.example" not in text.replace("\\](", "")
    assert "<img" not in text.replace("\\<img", "")


WRONG = [
    ({"model": "gpt-5"}, openai.NotFoundError, "model", "model_not_found"),
    ({"messages": []}, openai.UnprocessableEntityError, "messages", "invalid_body"),
    ({"messages": [{"role": "system", "content": "Hello"}]}, openai.BadRequestError, "messages", "invalid_request"),
    ({"messages": said("  ")}, openai.BadRequestError, None, "invalid_request"),
    ({"n": 2}, openai.UnprocessableEntityError, "n", "invalid_body"),
    (
        {"response_format": {"type": "json_object"}},
        openai.UnprocessableEntityError,
        "response_format.type",
        "invalid_body",
    ),
    ({"user": "a/b"}, openai.UnprocessableEntityError, None, "invalid_body"),
    (
        {"messages": [{"role": "user", "content": [{"type": "image_url", "image_url": {"url": "data:,"}}]}]},
        openai.BadRequestError,
        "messages[0].content",
        "invalid_request",
    ),
]


@pytest.mark.parametrize("is_streamed", [False, True])
@pytest.mark.parametrize("case", WRONG, ids=lambda case: str(case[0])[:40])
def test_what_is_wrong_is_said_in_the_form_of_openai(case, is_streamed, chat):
    wrong, error, param, code = case
    with pytest.raises(error) as raised:
        chat.chat.completions.create(
            **{"model": "ascertain", "messages": said(QUESTION), "stream": is_streamed, **wrong}
        )
    told = raised.value
    assert (told.code, told.type) == (code, "invalid_request_error")
    assert told.param == param or param is None
    assert told.body["message"]
    assert told.request_id


def test_without_documents_it_says_so_once(client, connect, tenant):
    with pytest.raises(openai.ConflictError, match="no documents yet") as raised:
        complete(connect(tenant), QUESTION)
    assert raised.value.response.headers["x-should-retry"] == "false"


def test_another_tenant_sees_nothing(filled, connect):
    with pytest.raises(openai.ConflictError):
        complete(connect("somebody-else"), QUESTION)


def test_without_a_key_nobody_is_let_in(connect, tenant):
    for call in (lambda chat: complete(chat, QUESTION), lambda chat: chat.models.list()):
        with pytest.raises(openai.AuthenticationError) as raised:
            call(connect(tenant, key="ask_wrong"))
        assert raised.value.code == "invalid_api_key"


def test_the_limit_of_a_key_holds(place, connect, tenant):
    chat = connect(tenant, key=new_key(place.knowledge, tenant, requests_per_minute=1))
    chat.models.list()
    with pytest.raises(openai.RateLimitError) as raised:
        complete(chat, QUESTION)
    assert (raised.value.code, raised.value.type) == ("rate_limit_exceeded", "rate_limit_error")
    assert int(raised.value.response.headers["retry-after"]) > 0


def test_a_service_without_keys_takes_whatever_key_a_client_makes_up(open_service):
    url = open_service().url
    with openai.OpenAI(
        base_url=f"{url}/v1", api_key="none", max_retries=0, http_client=openai.DefaultHttpxClient(trust_env=False)
    ) as chat:
        assert [model.id for model in chat.models.list()] == ["ascertain"]
    elsewhere = {"Authorization": "Bearer none", "Origin": "https://evil.example"}
    assert httpx.get(f"{url}/v1/models", headers=elsewhere, trust_env=False).status_code == 403


def test_who_stops_listening_ends_the_work(chat, monkeypatch):
    has_ended = threading.Event()

    def work_on(*_, **__):
        try:
            until = time.monotonic() + PATIENCE
            while time.monotonic() < until:
                yield NodeStarted("retrieve")
                time.sleep(0.05)
        finally:
            has_ended.set()

    monkeypatch.setattr("ascertain.app.ascertain.Ascertain.ask_stream", work_on)
    stream = complete(chat, QUESTION, stream=True)
    assert next(iter(stream)).choices[0].delta.role == "assistant"
    assert not has_ended.is_set()
    stream.close()
    assert has_ended.wait(PATIENCE / 2)


def test_an_error_on_the_way_ends_the_stream_in_the_form_of_openai(chat, monkeypatch):
    def fail(*_, **__):
        raise KeyError("secret")
        yield

    monkeypatch.setattr("ascertain.app.ascertain.Ascertain.ask_stream", fail)
    with pytest.raises(openai.APIError, match="log of the service") as raised:
        list(complete(chat, QUESTION, stream=True))
    assert (raised.value.type, raised.value.code) == ("server_error", "internal_error")


def test_pages_of_named_origins_may_send_what_openais_client_sends(open_service):
    service = open_service(server__cors_origins=["https://page.example.org"])
    asked = {
        "Origin": "https://page.example.org",
        "Access-Control-Request-Method": "POST",
        "Access-Control-Request-Headers": "authorization, content-type, x-conversation-id, x-stainless-lang, x-stainless-os",
    }
    allowed = httpx.options(f"{service.url}/v1/chat/completions", headers=asked, trust_env=False)
    assert (allowed.status_code, allowed.headers["access-control-allow-origin"]) == (200, "https://page.example.org")
