"""The base of all shapes: how one is made from a noun, how it becomes JSON, and its example.

A shape reads the attributes of a noun that have the names of its fields; one whose names differ says so in
``read_noun``. Dates are ISO 8601, spans are ``[start, end)`` in code points of the stored text, scores and
seconds have six decimals.
Readers of a shape ignore unknown fields: a later version may add some.
"""

import types
from dataclasses import is_dataclass
from datetime import datetime
from enum import Enum
from typing import Annotated, Any, Generic, Literal, Self, TypeVar, Union, get_args, get_origin

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, create_model, model_validator
from pydantic.fields import FieldInfo

from ascertain.core.documents.blocks import Figure, Place

Noun = TypeVar("Noun")
Whole = TypeVar("Whole", bound="Shape")
JsonObject = dict[str, object]
DIGITS = 6
"""Decimals of scores and seconds; more are meaningless."""


def _write_date(given: object) -> object:
    return given.isoformat() if isinstance(given, datetime) else given


def _round_number(number: float) -> float:
    return round(number, DIGITS)


Date = Annotated[str, BeforeValidator(_write_date)]
"""ISO 8601 with a time zone."""
Number = Annotated[float, AfterValidator(_round_number)]
"""A score or seconds."""
SpanJson = tuple[int, int]
"""``[start, end)`` in code points."""


class Shape(BaseModel):
    """Something sent or received; fields may be added to it."""

    model_config = ConfigDict(
        from_attributes=True,
        validate_by_name=True,
        validate_by_alias=True,
        serialize_by_alias=True,
        defer_build=True,
        json_schema_serialization_defaults_required=True,
    )

    @classmethod
    def read_noun(cls, noun: Any) -> object:
        """What the fields are made of: an object with attributes of their names, or a mapping."""
        return noun

    @classmethod
    def read_attributes(cls, noun: object, **others: object) -> dict[str, object]:
        """The fields that ``noun`` has under the same names, and ``others``."""
        names = (name for name in cls.model_fields if name not in others and hasattr(noun, name))
        return {**{name: getattr(noun, name) for name in names}, **others}

    def to_json(self) -> JsonObject:
        """The JSON object."""
        return self.model_dump(mode="json")

    @model_validator(mode="before")
    @classmethod
    def _read_dataclass(cls, given: object) -> object:
        return cls.read_noun(given) if is_dataclass(given) else given


class NounShape(Shape, Generic[Noun]):
    """A shape that is made of one kind of noun."""

    def __class_getitem__(cls, noun: object) -> type[Self]:
        """The class itself: the kind of noun is for type checkers, and a class for each would take time at the start."""
        return cls

    @classmethod
    def from_noun(cls, noun: Noun) -> Self:
        """The shape of a noun."""
        return cls.model_validate(noun)


class FigureJson(Shape):
    """A picture of a document that a chat model described."""

    digest: str = Field(
        description="SHA-256 of the picture; `/v1/documents/{document_id}/figures/{digest}` gives it.",
        examples=["9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"],
    )
    model: str = Field(description="The chat model that described it.", examples=["openai:gpt-5-mini"])

    def to_figure(self) -> Figure:
        """The inverse of ``from_noun``."""
        return Figure(self.digest, self.model)


class PlaceJson(Shape):
    """Where in a document, in the reader's terms; unknown values are null (`section`: empty)."""

    page: int | None = Field(examples=[3])
    section: list[str] = Field(
        description="The headings above it, the outermost first.", examples=[["Results", "Ablation"]]
    )
    speaker: str | None
    start_time: float | None = Field(description="Seconds from the start of the recording.")
    end_time: float | None
    part: str | None = Field(
        default=None,
        description="What the format counts by: a slide, cells of a sheet, a cell of a notebook, a chapter, a line, a message.",
        examples=[None],
    )
    label: str = Field(description="The place in words.", examples=["p. 3, Results › Ablation"])

    def to_place(self) -> Place:
        """The inverse of ``from_noun``."""
        return Place(self.page, tuple(self.section), self.speaker, self.start_time, self.end_time, self.part)


def select_fields(shape: type[Whole], *fields: str, **others: Any) -> type[NounShape[Whole]]:
    """The base of a smaller shape, made of the whole one: ``fields`` of ``shape`` in this order, ``others`` with another
    type.
    """
    known = shape.model_fields
    chosen: dict[str, Any] = {name: (others.get(name, known[name].annotation), known[name]) for name in fields}
    return create_model(f"{shape.__name__}Part", __base__=NounShape, **chosen)


def make_example(shape: type[BaseModel]) -> dict[str, Any]:
    """An example of a shape, put together from those of its fields."""
    return {info.alias or name: _make_field_example(info) for name, info in shape.model_fields.items()}


def find_nested_shapes(annotation: Any) -> list[type[BaseModel]]:
    """The shapes that a type is made of."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return [annotation]
    return [shape for part in get_args(annotation) for shape in find_nested_shapes(part)]


def _make_field_example(info: FieldInfo) -> Any:
    return info.examples[0] if info.examples else _make_type_example(info.annotation)


def _make_type_example(annotation: Any) -> Any:
    origin, parts = get_origin(annotation), get_args(annotation)
    if origin in {Union, types.UnionType}:
        nested = find_nested_shapes(annotation)
        return make_example(nested[0]) if nested else None
    if origin is list:
        return [make_example(shape) for shape in find_nested_shapes(annotation)]
    if origin is Literal:
        return parts[0]
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return make_example(annotation)
    if isinstance(annotation, type) and issubclass(annotation, Enum):
        return next(iter(annotation)).value
    if annotation is bool:
        return False
    raise TypeError(f"a field of type {annotation} needs an example")


def encode_shape(value: object) -> object:
    """``value`` for ``json.dumps(default=...)``, which knows no shapes."""
    if isinstance(value, Shape):
        return value.to_json()
    raise TypeError(f"{type(value).__name__} is no JSON")
