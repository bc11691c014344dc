import json

import pytest

from ascertain.core.blocks import BlockKind
from ascertain.core.documents import DocumentKind
from ascertain.sources.files import ReadOptions, read_path
from ascertain.sources.formats.speech.conversations import find_conversations


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
    ],
)  # fmt: skip
def test_exports_of_chats_are_conversations_with_speakers(value, title, text, named):
    (conversation,) = find_conversations(value)
    extracted = conversation.with_row("1")
    assert (extracted.title, extracted.text, extracted.kind) == (title, text, DocumentKind.TRANSCRIPT)
    assert {loss.what: loss.words for loss in extracted.left_out} == named


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
