import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ascertain.answering.writing.drafts import MOST_DRAFTS, DraftTeller, read_draft

REPLY = {
    "sentences": [
        {"kind": "text", "text": "The plans are these.", "quotes": [{"key": "S1", "text": "plans"}]},
        {"kind": "row", "text": "Plan | Price", "quotes": []},
        {"kind": "row", "text": "Basic | 10 €", "quotes": [{"key": "S1", "text": "Basic costs 10 €"}]},
        {"kind": "row", "text": "Pro | 20 €", "quotes": [{"key": "S1", "text": "Pro costs 20 €"}]},
        {"kind": "step", "text": "Choose one of them.", "quotes": [{"key": "S1", "text": "choose"}]},
        {"kind": "code", "text": "```bash\nplan --pro\n```", "quotes": [{"key": "S1", "text": "plan --pro"}]},
    ]
}
DRAFT = (
    "The plans are these.\n\n| Plan | Price |\n| --- | --- |\n| Basic | 10 € |\n| Pro | 20 € |\n\n"
    "1. Choose one of them.\n\n```bash\nplan --pro\n```"
)


class Hearing:
    """Who is shown drafts: the text of each, and the pieces of the last."""

    def __init__(self):
        self.drafts = []
        self.pieces = []

    def take(self, event):
        if event.is_new:
            self.drafts.append("")
            self.pieces = []
        self.pieces.append(event.text)
        self.drafts[-1] += event.text


@pytest.fixture
def hearing():
    return Hearing()


@pytest.fixture
def teller(hearing):
    """One that shows each piece at once."""
    moments = iter(range(1_000_000))
    return DraftTeller(hearing.take, ("See https://oakford.example/bridge",), 30, lambda: next(moments))


def write(teller, text, size=1):
    for end in range(size, len(text) + size, size):
        teller.take_reply(text[:end])
    teller.finish()


def test_shows_the_words_as_they_are_written(teller, hearing):
    write(teller, json.dumps({"sentences": [{"kind": "text", "text": "It was built in 1912.", "quotes": []}]}))
    assert hearing.pieces == ["It", " was", " built", " in", " 1912."]


@pytest.mark.parametrize("size", [1, 7, 50])
@pytest.mark.parametrize("indent", [None, 2])
@pytest.mark.parametrize("around", ["{}", "Sure! ```json\n{}\n```", "<think>Perhaps { this }?</think>{}"])
def test_a_draft_grows_into_the_whole_and_takes_nothing_back(teller, hearing, size, indent, around):
    write(teller, around.replace("{}", json.dumps(REPLY, indent=indent, ensure_ascii=False)), size)
    assert len(hearing.drafts) == 1
    assert hearing.drafts[0] == DRAFT or around.startswith("Sure")
    assert DRAFT.startswith(hearing.drafts[0])
    assert len(hearing.drafts[0]) > len(DRAFT) - 20


@pytest.mark.parametrize(
    "text",
    [
        "See ![x](https://evil.example/p.png?d=1 and more) now.",
        "See [the page](https://evil.example/x) now.",
        'An <img src="https://evil.example/p"> here.',
        "Go to https://evil.example/x?q=1 now.",
        "Run \x1b[31mthis\x1b[0m now.",
        "A [^1]: https://evil.example/ now.",
    ],
)
def test_nothing_live_is_shown_on_the_way(teller, hearing, text):
    write(teller, json.dumps({"sentences": [{"text": text, "quotes": []}]}))
    shown = "".join(hearing.drafts)
    assert "evil" not in shown
    assert "\x1b" not in shown
    assert "<img" not in shown
    assert "now." in shown or "here." in shown


def test_a_reply_begun_again_is_another_draft(teller, hearing):
    first = json.dumps({"sentences": [{"text": "It was built in 1912.", "quotes": []}]})
    teller.take_reply(first[:40])
    write(teller, json.dumps({"sentences": [{"text": "Ada Stone built it.", "quotes": []}]}))
    assert hearing.drafts[-1] == "Ada Stone built it."
    assert len(hearing.drafts) == 2
    write(teller, first)
    assert hearing.drafts[-1] == "It was built in 1912."


def test_a_kind_that_comes_after_the_text_begins_the_draft_again(teller, hearing):
    write(teller, json.dumps({"sentences": [{"text": "Red is one.", "kind": "item", "quotes": []}]}))
    assert hearing.drafts[-1] == "- Red is one."


def test_a_draft_does_not_begin_again_for_ever(teller, hearing):
    for n in range(3 * MOST_DRAFTS):
        write(teller, json.dumps({"sentences": [{"text": f"Number {n} is it.", "quotes": []}]}))
    assert len(hearing.drafts) == MOST_DRAFTS


def test_pieces_are_not_shown_more_often_than_can_be_read(hearing):
    teller = DraftTeller(hearing.take, (), 30, lambda: 0.0)
    write(teller, json.dumps(REPLY, ensure_ascii=False))
    assert len(hearing.pieces) == 2
    assert hearing.drafts == [DRAFT]


@pytest.mark.parametrize(
    "reply",
    [
        "",
        "I would rather not.",
        "{",
        "[1, 2]",
        '{"sentences": "none"}',
        '{"sentences": [1, "a", {"text": 3}]}',
        "<think>{",
        "}{",
    ],
)
def test_of_nonsense_nothing_is_shown(teller, hearing, reply):
    write(teller, reply)
    assert hearing.drafts == []


@given(st.text('{}[]",:\\ sentcxk\n1', max_size=80))
def test_no_reply_is_too_odd_to_be_read(reply):
    assert isinstance(read_draft(reply, (), 30), str)
