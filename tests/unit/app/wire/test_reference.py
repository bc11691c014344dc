"""docs/json.md and the examples that it is made of."""

from __future__ import annotations

import importlib
import json
import pkgutil
from pathlib import Path

import pytest

import ascertain.app.wire
from ascertain.app.wire.reference import SECTIONS, WIDTH, write_example, write_reference
from ascertain.app.wire.shape import Shape, make_example

PAGE = Path(__file__).parents[4] / "docs" / "json.md"
MODULES = [
    importlib.import_module(f"ascertain.app.wire.{module.name}")
    for module in pkgutil.iter_modules(ascertain.app.wire.__path__)
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


def test_page_in_docs_is_up_to_date() -> None:
    assert PAGE.read_text(encoding="utf-8") == write_reference(), "run: make docs"


@pytest.mark.parametrize("shape", SHAPES, ids=lambda each: each.__name__)
def test_every_shape_has_a_valid_example(shape: type[Shape]) -> None:
    example = make_example(shape)
    shown = shape.model_validate(example, extra="forbid").to_json()
    assert shown == {name: each for name, each in example.items() if each is not None or name in shown}
    assert json.loads(write_example(example)) == example


def test_every_field_that_is_printed_is_on_the_page() -> None:
    page = PAGE.read_text(encoding="utf-8")
    fields = [info.alias or name for each in printed() for name, info in each.model_fields.items()]
    assert [name for name in fields if f'"{name}"' not in page] == []


def test_examples_are_not_wider_than_a_page() -> None:
    lines = [line for line in write_reference().splitlines() if line.startswith(("{", " ", "["))]
    assert [line for line in lines if len(line) > WIDTH + 30] == []


def printed() -> list[type[Shape]]:
    return [each.shape for section in SECTIONS for each in section.printed]
