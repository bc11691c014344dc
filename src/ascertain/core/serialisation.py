"""Nouns that serialise themselves: the JSON of the command line, the service, its page and the tools, and of what is stored.

The fields of a noun are the fields of its JSON, in their order: a field that is added to it is everywhere at once. Its docstrings and
its examples describe them in docs/json.md and in OpenAPI. Dates are ISO 8601, spans are ``[start, end)`` in code points of
the stored text, numbers have six decimals. Readers ignore fields they do not know: a later version may add some.
"""

from __future__ import annotations

import ast
import inspect
import re
import sys
from collections.abc import Iterator, Mapping
from contextvars import ContextVar
from dataclasses import MISSING, fields
from datetime import date
from enum import Enum
from functools import cache
from itertools import pairwise
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Self, TypeVar, cast, get_type_hints

if TYPE_CHECKING:
    from pydantic import GetCoreSchemaHandler, GetJsonSchemaHandler, TypeAdapter
    from pydantic.json_schema import JsonSchemaValue
    from pydantic_core import CoreSchema

T = TypeVar("T")
JsonObject = dict[str, object]
_IS_WHOLE: ContextVar[bool] = ContextVar("is_whole", default=False)
"""Whether what is being made writes nouns whole."""
DIGITS = 6
"""Decimals of numbers; more are meaningless."""


class FieldDescription(NamedTuple):
    """A field of the JSON of a noun: by which name the noun has it, its type, and what the reference says of it."""

    attribute: str
    name: str
    annotation: Any
    default: object
    """``MISSING`` without one."""
    description: str
    example: object
    """``MISSING`` without one."""


class Serialisable:
    """A noun that is JSON as it is, but for what its class says.

    ``computed`` are properties that are fields of the JSON too, each with the field that it stands behind, ``hidden`` are fields that
    are not, ``names`` those that the JSON calls otherwise, ``examples`` is what the reference shows.
    """

    __slots__ = ()
    __pydantic_config__: ClassVar[Mapping[str, bool]] = {"json_schema_serialization_defaults_required": True}
    _computed: ClassVar[Mapping[str, str]] = {}
    _hidden: ClassVar[tuple[str, ...]] = ()
    _names: ClassVar[Mapping[str, str]] = {}
    _examples: ClassVar[Mapping[str, object]] = {}

    def __init_subclass__(cls, **given: Any) -> None:
        super().__init_subclass__()
        # a data class with slots is made twice, the second time without these
        for name in {"computed", "hidden", "names", "examples"} & given.keys():
            setattr(cls, f"_{name}", given.pop(name))
        if given:
            raise TypeError(f"{cls.__name__}: {', '.join(given)} is no part of serialising")

    def to_json(self) -> JsonObject:
        """The JSON object."""
        return {name: write_json(getattr(self, attribute)) for attribute, name in self._lay_out()}

    @classmethod
    def from_json(cls, given: Mapping[str, object]) -> Self:
        """The inverse of ``to_json``; what that leaves out has its default, or is None."""
        return _make_adapter(cls).validate_python(given)

    @classmethod
    @cache
    def describe_fields(cls) -> tuple[FieldDescription, ...]:
        """The fields of the JSON, in their order."""
        docs, kinds = _read_field_docs(cls), {**get_type_hints(cls), **dict(cls._list_computed())}
        defaults = {each.name: each.default for each in fields(cast("Any", cls))}
        return tuple(
            FieldDescription(
                attribute,
                name,
                kinds[attribute],
                defaults.get(attribute, MISSING),
                docs.get(attribute, ""),
                cls._examples.get(attribute, MISSING),
            )
            for attribute, name in cls._lay_out()
        )

    @classmethod
    @cache
    def _lay_out(cls) -> tuple[tuple[str, str], ...]:
        """Where each field of the JSON comes from, with its name there."""
        attributes: list[str] = []
        for field in fields(cast("Any", cls)):
            attributes += [] if field.name in cls._hidden else [field.name]
            attributes += [each for each, before in cls._computed.items() if before == field.name]
        return tuple((each, cls._names.get(each, each)) for each in attributes)

    @classmethod
    def _list_computed(cls) -> Iterator[tuple[str, Any]]:
        for each in cls._computed:
            yield each, get_type_hints(getattr(cls, each).fget)["return"]

    @classmethod
    def _arrange_json(cls, given: Mapping[str, object]) -> Mapping[str, object]:
        """A JSON object with the fields as the noun has them."""
        return given

    @classmethod
    def __get_pydantic_core_schema__(cls, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        from pydantic_core import core_schema

        if _IS_WHOLE.get():
            return handler(source)
        noun = cast("Any", handler.resolve_ref_schema(handler(source)))
        reference = noun.pop("ref")
        for field in noun["schema"]["fields"]:
            name = cls._names.get(field["name"])
            if name is not None:
                field |= {"validation_alias": [[name], [field["name"]]], "serialization_alias": name}
            if field["name"] in cls._hidden and field["schema"]["type"] != "default":
                field["schema"] = core_schema.with_default_schema(field["schema"], default=None)
        noun["schema"]["computed_fields"] = [
            core_schema.computed_field(each, handler.generate_schema(kind), alias=cls._names.get(each, each))
            for each, kind in cls._list_computed()
        ]
        noun["serialization"] = core_schema.plain_serializer_function_ser_schema(write_json)

        only_written = {cls._names.get(each, each) for each in cls._computed} - {each.name for each in fields(source)}

        def arrange(given: object) -> object:
            if not isinstance(given, Mapping):
                return given
            arranged = cls._arrange_json(cast("Mapping[str, object]", given))
            return {name: value for name, value in arranged.items() if name not in only_written}

        return core_schema.no_info_before_validator_function(arrange, noun, ref=reference)

    @classmethod
    def __get_pydantic_json_schema__(cls, schema: CoreSchema, handler: GetJsonSchemaHandler) -> JsonSchemaValue:
        written = handler(schema)
        whole = handler.resolve_ref_schema(written)
        whole["description"] = read_docstring(cls)
        # the same whether it is sent or read: what is computed has its place, what is hidden has none
        computed = cast("Any", schema)["schema"]["schema"]["computed_fields"]
        properties = whole["properties"] | {each["alias"]: handler(each["return_schema"]) for each in computed}
        whole["properties"] = {field.name: properties[field.name] for field in cls.describe_fields()}
        # each once (JSON Schema 2020-12, 6.5.3): what is computed may have the name of what is hidden
        whole["required"] = [name for name in dict.fromkeys(whole.get("required", [])) if name in whole["properties"]]
        for field in cls.describe_fields():
            _add_description(properties[field.name], field)
        return written


def make_storage_adapter(noun: type[T]) -> TypeAdapter[T]:
    """What writes and reads a noun whole, every field under its own name: for stores, whose readers are not people."""
    from pydantic import TypeAdapter

    before = _IS_WHOLE.set(True)
    try:
        return TypeAdapter(noun)
    finally:
        _IS_WHOLE.reset(before)


def write_json(value: object) -> object:
    """A value of a noun as JSON."""
    match value:
        case Serialisable():
            return value.to_json()
        case Enum():
            return value.value
        case float():
            return round(value, DIGITS)
        case None | str() | int():
            return value
        case date():
            return value.isoformat()
        case Mapping():
            return {str(key): write_json(each) for key, each in cast("Mapping[object, object]", value).items()}
        case tuple() | list():
            return [write_json(each) for each in cast("list[object]", value)]
        case _:
            raise TypeError(f"{type(value).__name__} is no JSON")


def _add_description(schema: JsonObject, field: FieldDescription) -> None:
    """Complete the schema of a field."""
    if field.description:
        schema["description"] = field.description
    if field.example is not MISSING:
        schema["examples"] = [field.example]


def read_docstring(noun: type) -> str:
    """What its docstring says, as Markdown."""
    return _as_markdown(noun.__doc__ or "")


def _as_markdown(docstring: str) -> str:
    return re.sub(r"(?<!\n)\n(?!\n)", " ", inspect.cleandoc(docstring)).replace("``", "`")


@cache
def _make_adapter(noun: type[Any]) -> TypeAdapter[Any]:
    from pydantic import TypeAdapter

    return TypeAdapter(noun)


def _read_field_docs(noun: type) -> dict[str, str]:
    """The docstrings behind fields and in properties, which Python itself does not keep."""
    docs: dict[str, str] = {}
    for each in reversed(noun.__mro__[:-1]):
        for statement, behind in pairwise([*_read_classes(each.__module__)[each.__name__].body, ast.Pass()]):
            if isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name):
                match behind:
                    case ast.Expr(ast.Constant(str(doc))):
                        docs[statement.target.id] = _as_markdown(doc)
                    case _:
                        pass
            elif isinstance(statement, ast.FunctionDef) and (doc := ast.get_docstring(statement)):
                docs[statement.name] = _as_markdown(doc)
    return docs


@cache
def _read_classes(module: str) -> dict[str, ast.ClassDef]:
    body = ast.parse(inspect.getsource(sys.modules[module])).body
    return {each.name: each for each in body if isinstance(each, ast.ClassDef)}
