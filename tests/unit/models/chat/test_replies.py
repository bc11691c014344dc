import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, Field

from ascertain.models.chat.replies import BadReply, read_reply


class Inner(BaseModel):
    name: str


class Grade(BaseModel):
    score: int = Field(ge=0, le=100)
    reason: str = ""
    parts: list[Inner] = Field(default_factory=list)


PROSE = st.text(alphabet=st.characters(exclude_characters="{}`<>", codec="utf-8"), max_size=60)
GRADES = st.builds(
    Grade,
    score=st.integers(0, 100),
    reason=st.text(st.characters(codec="utf-8"), max_size=40),
    parts=st.lists(st.builds(Inner, name=st.text(st.characters(codec="utf-8"), max_size=10)), max_size=3),
)


def text_of(grade: Grade) -> str:
    return json.dumps(grade.model_dump(), ensure_ascii=False)


@given(GRADES)
def test_plain_reply_is_read_whatever_its_strings_hold(grade: Grade):
    assert read_reply(text_of(grade), Grade) == grade


@given(GRADES, PROSE, PROSE)
def test_prose_around_changes_nothing(grade: Grade, before: str, after: str):
    assert read_reply(f"{before}\n{text_of(grade)}\n{after}", Grade) == grade


@given(GRADES, GRADES)
def test_reasoning_changes_nothing(grade: Grade, draft: Grade):
    inside = text_of(draft).replace("<", "(")
    assert read_reply(f"<think>Perhaps {inside}?</think>\n{text_of(grade)}", Grade) == grade


@given(st.text())
def test_any_text_gives_a_grade_or_a_bad_reply(text: str):
    try:
        read_reply(text, Grade)
    except BadReply as bad:
        assert str(bad)


@pytest.mark.parametrize(
    "text",
    [
        '{"score": 7}',
        '  {"score": "7"}\n',
        '```json\n{"score": 7}\n```',
        '```\n{"score": 7}```',
        'Here:\n```json\n{"score": 7}\n```\nAnything else? {like: this}',
        'The set {a, b} is graded {"score": 7}.',
        '{"score": 7} as I said: {"score": 7}',
        '<think>{"score": 1}</think>{"score": 7}',
        '<reasoning effort="high">a</reasoning><think>b</think>{"score": 7}',
        'thoughts {"score": 1} </think> {"score": 7}',
        '<think>a<think>b</think>{"score": 2}</think>{"score": 7}',
        '<think>no end {"score": 7}',
        '<THINKING>\n{"score": 7}',
        '{"Grade": {"score": 7}}',
        '{"answer": {"result": {"score": 7}}}',
        '{"score": 7, "parts": [],}',
        '{"score": 7, "reason": "",\n}',
        '{"score": 7, "unknown": [1, {"a": null}]}',
    ],
)
def test_reply_is_found(text: str):
    assert read_reply(text, Grade).score == 7


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ('{"score": 7, "reason": "a, }"}', "a, }"),
        ('{"score": 7, "reason": "a ,] b",}', "a ,] b"),
        ('{"score": 7, "reason": "two\nlines"}', "two\nlines"),
        ('{"score": 7, "reason": "a <think> tag</think>"}', "a <think> tag</think>"),
        ('{"score": 7, "reason": "a ``` fence"}', "a ``` fence"),
        ('Well: {"score": 7, "reason": "brace } and \\" quote"}!', 'brace } and " quote'),
    ],
)
def test_strings_are_kept_as_they_are(text: str, reason: str):
    assert read_reply(text, Grade).reason == reason


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "empty"),
        ("  \n", "empty"),
        ("I cannot.", "no complete JSON object"),
        ('{"score": 7', "no complete JSON object"),
        ("<think>{", "no complete JSON object"),
        ("[1, 2]", "not an object"),
        ("7", "not an object"),
        ('{"score": NaN}', "no complete JSON object"),
        ('{"score": 101}', "score: Input should be less than or equal to 100"),
        ('{"reason": "good"}', "score: Field required"),
        ('{"score": 7, "parts": [{"name": 1}]}', r"parts\.0\.name: Input should be a valid string"),
        ('{"a": {"score": 7}, "b": 1}', "score: Field required"),
        ('{"parts": {"score": 7}}', "score: Field required"),
        ('{"score": 1} no, {"score": 2}', "several JSON objects that differ"),
        ("[" * 100_000, "no complete JSON object"),
        ('{"a":' * 100_000 + "1" + "}" * 100_000, "no complete JSON object"),
    ],
)
def test_bad_reply_says_what_is_wrong(text: str, said: str):
    with pytest.raises(BadReply, match=said):
        read_reply(text, Grade)


@pytest.mark.parametrize("piece", ["{", "<think>", "</think>", "```", '"', '\\"', '{"', ", ", "<think ", "`` `", "}{"])
def test_endless_reply_is_read_in_one_pass(piece: str):
    """pytest's own limit ends a test that is not."""
    with pytest.raises(BadReply):
        read_reply(piece * (100_000 // len(piece)), Grade)
