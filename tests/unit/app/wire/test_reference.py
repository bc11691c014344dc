"""docs/json.md and the examples that it is made of."""

from __future__ import annotations

import importlib
import json
import pkgutil
from pathlib import Path

import pytest
from pydantic import TypeAdapter

import ascertain.app.wire
from ascertain.app.wire.reference import SECTIONS, WIDTH, write_example, write_reference
from ascertain.app.wire.shape import Shape, find_nested_shapes, list_fields, make_example
from ascertain.core.serialisation import Serialisable

PAGE = Path(__file__).parents[4] / "docs" / "json.md"
MODULES = [
    importlib.import_module(module.name)
    for module in pkgutil.walk_packages(ascertain.app.wire.__path__, "ascertain.app.wire.")
]
SHAPES = sorted(
    {
        each
        for module in MODULES
        for each in vars(module).values()
        if isinstance(each, type) and issubclass(each, Shape) and each is not Shape
    },
    key=lambda each: each.__name__,
)


def printed() -> list[type]:
    return [each.shape for section in SECTIONS for each in section.printed]


def test_page_in_docs_is_up_to_date() -> None:
    assert PAGE.read_text(encoding="utf-8") == write_reference(), "run: make docs"


def list_nouns(shapes) -> list[type[Serialisable]]:
    """The nouns in these shapes and in one another."""
    listed: dict[type, None] = {}
    waiting = list(shapes)
    while waiting:
        shape = waiting.pop()
        nested = [each for field in list_fields(shape) for each in find_nested_shapes(field.annotation)]
        waiting += [each for each in nested if each not in listed]
        listed |= dict.fromkeys(nested)
    return [each for each in listed if issubclass(each, Serialisable)]


@pytest.mark.parametrize("noun", list_nouns([*SHAPES, *printed()]), ids=lambda each: each.__name__)
def test_every_noun_has_a_valid_example(noun: type[Serialisable]) -> None:
    example = make_example(noun)
    written = TypeAdapter(noun).json_schema(mode="serialization")
    assert noun.from_json(example).to_json() == example
    assert list(written["properties"]) == list(example)
    assert set(written["required"]) == set(example)


@pytest.mark.parametrize("shape", SHAPES, ids=lambda each: each.__name__)
def test_every_shape_has_a_valid_example(shape: type[Shape]) -> None:
    example = make_example(shape)
    shown = shape.model_validate(example, extra="forbid").to_json()
    assert shown == {name: each for name, each in example.items() if each is not None or name in shown}
    assert json.loads(write_example(example)) == example


def test_every_field_that_is_printed_is_on_the_page() -> None:
    page = PAGE.read_text(encoding="utf-8")
    fields = [field.name for each in printed() for field in list_fields(each)]
    assert [name for name in fields if f'"{name}"' not in page] == []


def test_examples_are_not_wider_than_a_page() -> None:
    lines = [line for line in write_reference().splitlines() if line.startswith(("{", " ", "["))]
    assert [line for line in lines if len(line) > WIDTH + 30] == []
