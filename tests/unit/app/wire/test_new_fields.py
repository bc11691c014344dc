"""A field that is added to an answer shows wherever answers are shown or stored, or it is named here."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import MISSING, fields, is_dataclass, replace
from datetime import UTC, datetime
from enum import Enum
from types import UnionType
from typing import Any, NamedTuple, Union, get_args, get_origin, get_type_hints

import pytest
from pydantic import TypeAdapter

from ascertain.app.wire.answers import describe_event, describe_stream_event
from ascertain.app.wire.conversations import TurnJson
from ascertain.app.wire.shape import encode_shape
from ascertain.core.asking.answers import Answer, AnswerSentence, Citation, Usage
from ascertain.core.asking.requests import Done, StoredTurn, TurnRecord, TurnState
from ascertain.interfaces.mcp import shapes
from ascertain.interfaces.server.routes.asking.questions import asking_router
from ascertain.interfaces.server.routes.openai.chat_completions import describe_answer

DAY = datetime(2026, 11, 28, 12, 0, tzinfo=UTC)
PLAIN: Mapping[Any, object] = {str: "x", int: 7, float: 0.5, bool: True, datetime: DAY}


def make_full(kind: Any) -> Any:
    """A value of a type in which every field says something other than its default."""
    parts = [part for part in get_args(kind) if part not in {type(None), Ellipsis}]
    if get_origin(kind) in {Union, UnionType}:
        return make_full(parts[0])
    if get_origin(kind) is tuple:
        return tuple(map(make_full, parts))
    if get_origin(kind) in {dict, Mapping}:
        return {make_full(parts[0]): make_full(parts[1])}
    if kind in PLAIN:
        return PLAIN[kind]
    if issubclass(kind, Enum):
        return list(kind)[-1]
    hints = get_type_hints(kind)
    if not is_dataclass(kind):
        return kind(*map(make_full, hints.values()))
    if kind is Usage:
        return Usage.of([make_full(get_args(hints["tasks"])[0])])
    return kind(**{field.name: make_full(hints[field.name]) for field in fields(kind)})


class Surface(NamedTuple):
    """Somewhere that shows answers, and what it leaves out of them on purpose."""

    show: Any
    left_out: frozenset[str] = frozenset()


def answer_over_http(answer: Answer) -> object:
    (route,) = (each for each in asking_router.routes if getattr(each, "path", "") == "/v1/ask")
    adapter = TypeAdapter(route.response_model)  # type: ignore[attr-defined]
    return adapter.dump_python(adapter.validate_python(answer), mode="json")


def answer_of_a_turn(answer: Answer) -> object:
    outcome = StoredTurn(answer.question, answer.text, answer.type, DAY, answer=answer.to_json())
    turn = TurnRecord("t1", answer.question, DAY, TurnState.FINISHED, outcome=outcome)
    return TurnJson.from_turn(turn, None).to_json()["whole"]


IN_THE_REPLY = {"question", "answer", "usage"}
"""What a reply of OpenAI's API has in its own fields."""
HOW = {"strategy", "attempts", "decisions"}
"""How an answer came about, which its readers in other programs are spared."""
SURFACES = {
    "ask --json": Surface(lambda answer: json.loads(json.dumps(answer, default=encode_shape))),
    "ask --stream --json": Surface(lambda answer: describe_event(Done(answer)).to_json()["answer"]),
    "POST /v1/ask": Surface(answer_over_http),
    "POST /v1/ask/stream, which the page reads": Surface(
        lambda answer: describe_stream_event(Done(answer))[1].to_json()
    ),
    "GET /v1/conversations, which the page reads": Surface(answer_of_a_turn),
    "what the answer cache and conversations give back": Surface(
        lambda answer: Answer.from_json(json.loads(json.dumps(answer.to_json()))).to_json()
    ),
    "POST /v1/chat/completions": Surface(
        lambda answer: describe_answer(answer).to_json(), frozenset(IN_THE_REPLY | HOW | {"computation"})
    ),
    "the tool ask of MCP": Surface(
        lambda answer: shapes.Answered.from_noun(answer).to_json(),
        frozenset(
            {"question", "standalone", "usage", "seconds", "groundedness", "id", "is_cached", "computation", *HOW}
        ),
    ),
}


@pytest.mark.parametrize("name", SURFACES)
def test_a_field_of_an_answer_shows_everywhere(name):
    answer = make_full(Answer)
    show, left_out = SURFACES[name]
    shown, whole = show(answer), answer.to_json()
    assert whole.keys() - shown.keys() == left_out
    if not name.startswith("the tool"):  # its sentences and citations are short
        assert {field: shown[field] for field in shown} == {field: whole[field] for field in shown}


@pytest.mark.parametrize("noun", [Answer, AnswerSentence, Citation])
def test_every_field_is_part_of_the_json(noun):
    full = make_full(noun)
    assert noun.from_json(json.loads(json.dumps(full.to_json()))) == full
    for field in fields(noun):
        if field.default is not MISSING:
            assert replace(full, **{field.name: field.default}).to_json() != full.to_json(), field.name
