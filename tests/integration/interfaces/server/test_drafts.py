"""Drafts of a chat model over HTTP: as events of their own, and over OpenAI's API where that is set."""

import openai
import pytest
from running_service import PATIENCE, RunningService, client_of, new_key, settings_of, streamed, upload
from scripted_chat_server import fails, streams

from tests.integration.workflow.test_drafts import DRAFT, WRITTEN, check_claims
from tests.integration.workflow.test_with_chat_model import QUESTION, TEXTS, a_reply


@pytest.fixture
def serve(tmp_path, scripted_chat_server):
    """A client of a service whose chat model writes by ``writing``, and OpenAI's client of it."""
    running = []

    def serve(writing=None, **settings):
        def reply(request):
            if request.schema == "WritingReply":
                return writing or WRITTEN
            return check_claims(request) if request.schema == "ExaminationReply" else a_reply(request)

        scripted_chat_server.reply_by(reply)
        service = RunningService(
            settings_of(
                tmp_path / "kb",
                models__chat__model="tiny",
                models__chat__base_url=scripted_chat_server.base_url,
                models__chat__retries=0,
                budget__calls=30,
                **settings,
            )
        )
        running.append(service)
        key = new_key(service.knowledge, "default")
        client = client_of(service.url, key)
        upload(client, {f"{name}.md": text for name, text in TEXTS.items()})
        http = openai.DefaultHttpxClient(trust_env=False)
        chat = openai.OpenAI(
            base_url=f"{service.url}/v1", api_key=key, max_retries=0, timeout=PATIENCE, http_client=http
        )
        running.extend([client, http])
        return client, chat

    yield serve
    for each in reversed(running):
        each.close()


def complete(chat, **options):
    return chat.chat.completions.create(model="ascertain", messages=[{"role": "user", "content": QUESTION}], **options)


def text_of(pieces):
    return "".join(piece.choices[0].delta.content or "" for piece in pieces if piece.choices)


def test_a_draft_is_told_in_events_of_its_own_before_the_checked_text(serve):
    client, _ = serve()
    with streamed(client, "POST", "/v1/ask/stream", json={"question": QUESTION}) as events:
        told = list(events)
    drafts = [(at, data) for at, (_, name, data) in enumerate(told) if name == "draft"]
    assert "".join(data["text"] for _, data in drafts) == DRAFT
    assert [data["is_new"] for _, data in drafts] == [True, *[False] * (len(drafts) - 1)]
    first_text = next(at for at, (_, name, _) in enumerate(told) if name == "text")
    assert drafts[-1][0] < first_text
    answer = told[-1][2]
    assert answer["answer"] == DRAFT == "".join(data["text"] for _, name, data in told if name == "text")
    assert [each["form"] for each in answer["sentences"]] == ["text", "item"]


def test_who_comes_back_hears_the_draft_too(serve):
    client, _ = serve()
    with streamed(client, "POST", "/v1/ask/stream", json={"question": QUESTION}) as events:
        told = list(events)
    answer_id = told[0][2]["answer_id"]
    with streamed(client, "GET", f"/v1/ask/stream/{answer_id}") as events:
        assert [name for _, name, _ in events].count("draft") == sum(name == "draft" for _, name, _ in told)


def test_a_whole_answer_needs_no_stream_of_the_model(serve, scripted_chat_server):
    client, _ = serve()
    assert client.post("/v1/ask", json={"question": QUESTION}).json()["answer"] == DRAFT
    assert not any(request.is_streamed for request in scripted_chat_server.requests)


def test_over_the_api_of_openai_only_the_checked_answer_is_sent(serve, scripted_chat_server):
    _, chat = serve()
    text = text_of(list(complete(chat, stream=True)))
    assert text.startswith("The event is called the Merge.[^1]\n\n- Ether moved to proof of stake on ")
    assert not any(request.is_streamed for request in scripted_chat_server.requests)


def test_where_it_is_set_the_draft_comes_first_and_the_answer_below_it(serve):
    _, chat = serve(server__stream_drafts=True)
    pieces = list(complete(chat, stream=True))
    text = text_of(pieces)
    draft, _, answer = text.partition("\n\n---\n\n*Checked answer:*\n\n")
    assert draft == f"*Draft, not checked yet:*\n\n{DRAFT}"
    assert answer.startswith("The event is called the Merge.[^1]\n\n- Ether moved to proof of stake on ")
    assert "\n\nConfidence:" in answer
    assert len(pieces) > 8
    whole = complete(chat).choices[0].message.content
    assert whole == answer


def test_a_draft_in_a_chat_is_no_part_of_what_was_answered(serve, scripted_chat_server):
    _, chat = serve(server__stream_drafts=True)
    first = text_of(list(complete(chat, stream=True)))
    said = [
        {"role": "user", "content": QUESTION},
        {"role": "assistant", "content": first},
        {"role": "user", "content": "And what is it called?"},
    ]
    chat.chat.completions.create(model="ascertain", messages=said)
    prompt = next(r.text for r in reversed(scripted_chat_server.requests) if r.schema == "UnderstandingReply")
    assert "not checked yet" not in prompt
    assert prompt.count("The event is called the Merge.") == 1


def test_a_model_that_dies_over_its_draft_leaves_an_answer_below_it(serve):
    _, chat = serve(streams(WRITTEN, stops_after=9, ends="dies", seconds_a_piece=0.05), server__stream_drafts=True)
    text = text_of(list(complete(chat, stream=True)))
    draft, _, answer = text.partition("\n\n---\n\n*Checked answer:*\n\n")
    assert draft.startswith("*Draft, not checked yet:*\n\nThe event")
    assert "15 September 2022" in answer


def test_without_a_draft_nothing_is_said_of_one(serve):
    _, chat = serve(fails(500), server__stream_drafts=True)
    text = text_of(list(complete(chat, stream=True)))
    assert "draft" not in text.casefold()
    assert "15 September 2022" in text
