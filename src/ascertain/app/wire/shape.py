"""The base of all shapes: JSON that is not that of one noun (``core.serialisation``), and the examples of both.

A shape reads the attributes of a noun that have the names of its fields; one whose names differ says so in
``read_noun``. Dates, spans and numbers are as in the JSON of nouns.
Readers of a shape ignore unknown fields: a later version may add some.
"""

import types
from collections.abc import Iterator, Sequence
from dataclasses import MISSING, is_dataclass
from datetime import datetime
from enum import Enum
from typing import Annotated, Any, Generic, Literal, Optional, Self, TypeVar, Union, cast, get_args, get_origin

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, create_model, model_validator
from pydantic_core import PydanticUndefined

from ascertain.core.serialisation import DIGITS, FieldDescription, JsonObject, Serialisable, write_json

Noun = TypeVar("Noun")


def _write_date(given: object) -> object:
    return given.isoformat() if isinstance(given, datetime) else given


def _round_number(number: float) -> float:
    return round(number, DIGITS)


Date = Annotated[str, BeforeValidator(_write_date)]
"""ISO 8601 with a time zone."""
Number = Annotated[float, AfterValidator(_round_number)]
"""A score or seconds."""
_WRITTEN: dict[Any, Any] = {datetime: Date, datetime | None: Optional[Date]}  # noqa: UP045  an annotated type has no `|`
"""The types of fields that are text in the JSON of a noun."""
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
        return noun.to_json() if isinstance(noun, Serialisable) else noun

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


def select_fields(whole: type[Any], *fields: str, **others: Any) -> type[NounShape[Any]]:
    """The base of a smaller shape, made of a whole one or of a noun: ``fields`` of it in this order, ``others`` with another
    type.
    """
    known = {each.name: each for each in list_fields(whole)}
    kinds = {name: _WRITTEN.get(each.annotation, each.annotation) for name, each in known.items()} | others
    chosen: dict[str, Any] = {name: (kinds[name], _make_info(known[name])) for name in fields}
    return create_model(f"{whole.__name__}Part", __base__=NounShape, **chosen)


def omit_fields(whole: type[Any], *fields: str, **others: Any) -> type[NounShape[Any]]:
    """As ``select_fields``, but of all fields except these: one that is added to the whole is in it too."""
    return select_fields(whole, *(each.name for each in list_fields(whole) if each.name not in fields), **others)


def _make_info(described: FieldDescription) -> Any:
    examples: Any = None if described.example is MISSING else [described.example]
    default = PydanticUndefined if described.default is MISSING else described.default
    return Field(default=default, description=described.description or None, examples=examples)


def list_fields(shape: type[Any]) -> Iterator[FieldDescription]:
    """The fields of the JSON of a shape or of a noun."""
    if issubclass(shape, Serialisable):
        yield from shape.describe_fields()
        return
    for name, info in cast("type[BaseModel]", shape).model_fields.items():
        yield FieldDescription(
            name,
            info.alias or name,
            info.annotation,
            MISSING if info.default is PydanticUndefined else info.default,
            info.description or "",
            info.examples[0] if info.examples else MISSING,
        )


def make_example(shape: type[Any]) -> dict[str, Any]:
    """An example of a shape or a noun, put together from those of its fields."""
    return {each.name: _make_field_example(each) for each in list_fields(shape)}


def find_nested_shapes(annotation: Any) -> list[type[Any]]:
    """The shapes and nouns that a type is made of."""
    if isinstance(annotation, type) and issubclass(annotation, (BaseModel, Serialisable)):
        return [annotation]
    return [shape for part in get_args(annotation) for shape in find_nested_shapes(part)]


def _make_field_example(field: FieldDescription) -> Any:
    if field.example is not MISSING:
        return field.example
    if isinstance(field.default, bool):
        return field.default
    field_example = _make_type_example(field.annotation)
    if field_example is not MISSING:
        return field_example
    if field.default is MISSING:
        raise TypeError(f"the field {field.name} of type {field.annotation} needs an example")
    return write_json(field.default)


def _make_type_example(annotation: Any) -> Any:
    origin, parts = get_origin(annotation), get_args(annotation)
    nested = find_nested_shapes(annotation)
    if origin in {Union, types.UnionType}:
        return make_example(nested[0]) if nested else None
    if origin in {list, tuple, Sequence}:
        return [make_example(shape) for shape in nested]
    if origin is Literal:
        return parts[0]
    if nested and not origin:
        return make_example(annotation)
    if isinstance(annotation, type) and issubclass(annotation, Enum):
        return next(iter(annotation)).value
    return False if annotation is bool else MISSING


def encode_shape(value: object) -> object:
    """``value`` for ``json.dumps(default=...)``, which knows no shapes and no nouns."""
    return value.to_json() if isinstance(value, Shape) else write_json(value)
