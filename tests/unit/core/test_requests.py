"""What may be asked along with a question, by name and in a request."""

from dataclasses import fields
from typing import get_type_hints

from ascertain.core.asking.requests import AskOptions, AskRequest, Turn

NOT_OPTIONS = {"shown", "question", "user", "keep", "previous", "answered"}
OTHERWISE_BY_NAME = {"strategy", "history"}
"""A strategy may be given by its name, a history as any sequence."""


def test_every_field_of_a_request_is_an_option_of_the_same_type():
    options, request = get_type_hints(AskOptions), get_type_hints(AskRequest)
    assert set(options) == {field.name for field in fields(AskRequest)} - NOT_OPTIONS
    alike = set(options) - OTHERWISE_BY_NAME
    assert {name: options[name] for name in alike} == {name: request[name] for name in alike}


def test_a_given_history_keeps_the_question_out_of_its_conversation():
    turns = [Turn("user", "What are gas fees?")]
    asked = AskRequest.of("And today?", conversation_id="c", history=turns)
    assert (asked.history, asked.keep) == (tuple(turns), False)
    assert AskRequest.of("And today?", conversation_id="c").keep
