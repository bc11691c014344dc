"""The settings as a flat list: one leaf for every value that can be set, under its dotted key."""

from __future__ import annotations

import types
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any, Literal, Union, get_args, get_origin

from pydantic.fields import FieldInfo

from ascertain.core.settings import Section, Settings

LIST = "list of "


@dataclass(frozen=True, slots=True)
class Leaf:
    """One setting. ``key`` is dotted (``retrieval.top_k``); ``allowed`` is a phrase for people."""

    key: str
    type: str
    default: object
    allowed: str
    description: str

    @property
    def is_list(self) -> bool:
        """Whether it holds several values."""
        return self.type.startswith(LIST)


@cache
def leaves() -> dict[str, Leaf]:
    """Every setting by its dotted key, in the order of the models."""
    return {leaf.key: leaf for leaf in _leaves(Settings, "")}


@cache
def sections() -> dict[str, type[Section]]:
    """Every section by its dotted key."""
    return dict(_sections(Settings, ""))


def _leaves(section: type[Section], prefix: str) -> Iterator[Leaf]:
    for name, field in section.model_fields.items():
        inner = _section_of(field)
        if inner is not None:
            yield from _leaves(inner, f"{prefix}{name}.")
            continue
        yield Leaf(
            key=prefix + name,
            type=_type_name(field.annotation),
            default=field.default,
            allowed=_allowed(field),
            description=field.description or "",
        )


def _sections(section: type[Section], prefix: str) -> Iterator[tuple[str, type[Section]]]:
    for name, field in section.model_fields.items():
        inner = _section_of(field)
        if inner is not None:
            yield prefix + name, inner
            yield from _sections(inner, f"{prefix}{name}.")


def _section_of(field: FieldInfo) -> type[Section] | None:
    kind = field.annotation
    return kind if isinstance(kind, type) and issubclass(kind, Section) else None


def _type_name(annotation: Any) -> str:
    if get_origin(annotation) is Literal:
        return "choice"
    if get_origin(annotation) is tuple:
        return f"{LIST}{_type_name(get_args(annotation)[0])}s"
    if get_origin(annotation) in (Union, types.UnionType):
        return " or ".join(_type_name(part) for part in get_args(annotation) if part is not type(None))
    names = {"str": "text", "int": "whole number", "float": "number", "bool": "true or false", "Path": "path"}
    names["datetime"] = "date and time"
    return names.get(getattr(annotation, "__name__", ""), str(annotation))


def _allowed(field: FieldInfo) -> str:
    if get_origin(field.annotation) is Literal:
        return " | ".join(str(choice) for choice in get_args(field.annotation))
    names = ("ge", "gt", "le", "lt")
    bounds = {name: getattr(mark, name) for mark in field.metadata for name in names if hasattr(mark, name)}
    if "ge" in bounds and "le" in bounds:
        return f"{bounds['ge']:,} to {bounds['le']:,}"
    words = {"ge": "{:,} or more", "gt": "more than {:,}", "le": "{:,} or less", "lt": "less than {:,}"}
    return ", ".join(words[name].format(bounds[name]) for name in names if name in bounds)
