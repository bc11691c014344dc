import json
import re

import pytest

from ascertain.core.documents.blocks import BlockKind
from ascertain.core.documents.documents import DocumentKind
from ascertain.documents.formats.speech.conversations import find_conversations
from ascertain.documents.sources.files import ReadOptions, read_path


def node(parent, role, text, children=(), **more):
    message = {"author": {"role": role}, "content": {"content_type": "text", "parts": [text]}, **more}
    return {"parent": parent, "message": message, "children": list(children)}


CHATGPT = {
    "title": "Knots",
    "create_time": 1719390000.0,
    "current_node": "d",
    "mapping": {
        "r": {"parent": None, "message": None, "children": ["a"]},
        "a": node("r", "user", "Which knot?", ["b", "d"]),
        "b": node("a", "assistant", "A reef knot."),
        "d": node("a", "assistant", "A bowline."),
    },
}
CLAUDE = {
    "uuid": "1",
    "name": "Sails",
    "chat_messages": [
        {"sender": "human", "text": "Which sail?", "created_at": "2025-03-04T10:00:00Z", "attachments": [{"file_name": "plan.pdf", "extracted_content": "four words are here"}]},
        {"sender": "assistant", "text": "", "content": [{"type": "text", "text": "The jib."}], "created_at": "2025-03-04T10:01:00Z"},
    ],
}  # fmt: skip
SLACK = [
    {"type": "message", "user": "U1", "ts": "1719390000.000100", "text": "Hi <@U2>", "user_profile": {"real_name": "Ada Dahl"}},
    {"type": "message", "user": "U2", "ts": "1719390060.000200", "text": "Hello", "user_profile": {"real_name": "Bo Aas"}, "files": [{"name": "a.png"}]},
]  # fmt: skip
TELEGRAM = {
    "name": "Harbour",
    "type": "private_group",
    "messages": [
        {"id": 1, "type": "service", "date": "2025-03-04T09:00:00", "actor": "Ada", "action": "create_group"},
        {"id": 2, "type": "message", "date": "2025-03-04T10:00:00", "from": "Ada", "text": ["See ", {"type": "link", "text": "example.org"}]},
    ],
}  # fmt: skip
DISCORD = {
    "guild": {"name": "Club"},
    "channel": {"name": "boats"},
    "messages": [{"timestamp": "2025-03-04T10:00:00+00:00", "content": "Ahoy", "author": {"name": "ada", "nickname": "Ada"}, "attachments": [{"fileName": "b.png"}]}],
}  # fmt: skip
LOG = {
    "messages": [
        {"role": "system", "content": "Be kind."},
        {"role": "user", "content": [{"type": "text", "text": "Hi"}]},
    ]
}


@pytest.mark.parametrize(
    ("value", "title", "text", "named"),
    [
        ([CHATGPT], "Knots", "User: Which knot?\n\nAssistant: A bowline.", {"messages of other branches": 3}),
        ([CLAUDE], "Sails", "User: Which sail?\n\nAssistant: The jib.", {"attachments": 4}),
        (SLACK, None, "Ada Dahl (2024-06-26 08:20): Hi @Bo Aas\n\nBo Aas (2024-06-26 08:21): Hello", {"attachments": 0}),
        (TELEGRAM, "Harbour", "Ada (2025-03-04 10:00): See example.org", {"notices of the service": 0}),
        ({"chats": {"list": [TELEGRAM]}}, "Harbour", "Ada (2025-03-04 10:00): See example.org", {"notices of the service": 0}),
        (DISCORD, "Club / boats", "Ada (2025-03-04 10:00): Ahoy", {"attachments": 0}),
        (LOG, None, "System: Be kind.\n\nUser: Hi", {}),
        (LOG["messages"], None, "System: Be kind.\n\nUser: Hi", {}),
    ],
)  # fmt: skip
def test_exports_of_chats_are_conversations_with_speakers(value, title, text, named):
    (conversation,) = find_conversations(value)
    extracted = conversation.with_row("1")
    assert (extracted.title, extracted.text, extracted.kind) == (title, text, DocumentKind.TRANSCRIPT)
    assert {loss.what: loss.words for loss in extracted.left_out} == named


SAID = {
    "slack": [{"type": "message", "user": "w001", "ts": "1719390000.0001", "text": "w002", "attachments": [{"pretext": "w003", "title": "w004", "text": "w005", "fallback": "no"}, {"fallback": "w006"}], "files": [{"name": "w101.png"}]}],
    "telegram": {"name": "w001", "messages": [
        {"type": "message", "date": "2025-03-04T10:00:00", "from": "w002", "text": ["w003 ", {"type": "link", "text": "w004"}], "file": "w101.mp4"},
        {"type": "message", "date": "2025-03-04T10:00:00", "from": "w005", "text": "", "poll": {"question": "w006", "answers": [{"text": "w007"}]}},
        {"type": "service", "date": "2025-03-04T10:00:00", "actor": "a", "action": "w102"},
    ]},
    "discord": {"guild": {"name": "w001"}, "channel": {"name": "w002"}, "messages": [{
        "content": "w003", "author": {"name": "w004"}, "attachments": [{"fileName": "w101.png"}], "stickers": [{"name": "w102"}],
        "embeds": [{"title": "w005", "description": "w006", "fields": [{"name": "w007", "value": "w008"}], "footer": {"text": "w009"}}],
    }]},
    "log": [
        {"role": "user", "name": "w001", "content": [{"type": "text", "text": "w002"}, {"type": "w101", "image_url": {"url": "no"}}]},
        {"role": "assistant", "content": "w003", "tool_calls": [{"function": {"name": "two", "arguments": "words"}}]},
        {"role": "assistant", "content": None, "refusal": "one"},
    ],
}  # fmt: skip


@pytest.mark.parametrize("value", SAID.values(), ids=SAID)
def test_every_carrier_of_text_in_a_chat_is_stored_once_or_named(value):
    (conversation,) = find_conversations(value)
    extracted = conversation.with_row("1")
    stored = f"{extracted.title}\n{extracted.text}"
    for word in sorted(set(re.findall(r"w\d{3}", json.dumps(value)))):
        if word < "w100":
            assert stored.count(word) == 1, word
        else:
            assert any(word in name for loss in extracted.left_out for name in loss.names), word
    if value is SAID["log"]:
        assert {loss.what: loss.words for loss in extracted.left_out if loss.words} == {"tool calls": 5, "refusal": 1}


def test_each_conversation_is_a_document_with_turns(write, check):
    documents = list(read_path(write("conversations.json", json.dumps([CHATGPT, CLAUDE])), ReadOptions()))
    assert [document.title for document in documents] == ["Knots", "Sails"]
    for document in documents:
        check(document)
        assert [turn.place.speaker for turn in document.blocks_of(BlockKind.TURN)] == ["User", "Assistant"]
    assert str(documents[0].published_at)[:10] == "2024-06-26"


def test_a_tree_that_goes_in_circles_ends():
    tree = {"mapping": {"a": node("b", "user", "x", ["b"]), "b": node("a", "user", "y", ["a"])}, "current_node": "a"}
    (conversation,) = find_conversations([tree])
    assert len(conversation.messages) == 2


@pytest.mark.parametrize("value", [[{"id": 1}], {"messages": [{"id": 1}]}, [1, 2], "x", {"mapping": {"a": 1}}])
def test_other_json_is_no_conversation(value):
    assert not find_conversations(value)
