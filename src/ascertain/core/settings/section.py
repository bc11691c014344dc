"""What every group of settings has in common, and the list of all settings in one."""

import types
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal, Union, get_args, get_origin

from pydantic import BaseModel, ConfigDict
from pydantic.fields import FieldInfo

LIST = "list of "
TABLE = "table of "


class Section(BaseModel):
    """A group of settings."""

    model_config = ConfigDict(extra="forbid", frozen=True, validate_default=True)


class Table(Section):
    """One setting that has a value for each of a few names, all of one kind."""


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


def list_leaves(section: type[Section], prefix: str = "") -> Iterator[Leaf]:
    """Every value that can be set in ``section``, in the order of its fields; those of a table one by one."""
    for name, field in section.model_fields.items():
        inner = section_of(field)
        if inner is not None:
            yield from list_leaves(inner, f"{prefix}{name}.")
        else:
            yield Leaf(
                key=prefix + name,
                type=_name_type(field.annotation),
                default=field.default,
                allowed=_phrase_bounds(field),
                description=field.description or "",
            )


def list_sections(section: type[Section], prefix: str = "") -> Iterator[tuple[str, type[Section]]]:
    """Every section inside ``section`` with its dotted key, tables among them."""
    for name, field in section.model_fields.items():
        inner = section_of(field)
        if inner is not None:
            yield prefix + name, inner
            yield from list_sections(inner, f"{prefix}{name}.")


def section_of(field: FieldInfo) -> type[Section] | None:
    """The section that a field holds, if it holds one."""
    kind = field.annotation
    return kind if isinstance(kind, type) and issubclass(kind, Section) else None


def table_leaf(key: str, table: type[Table]) -> Leaf:
    """The table at ``key`` as the one setting that it is."""
    entries = list(list_leaves(table))
    bounds = {entry.allowed for entry in entries}
    names = [entry.key if len(bounds) == 1 else f"{entry.key} {entry.allowed}" for entry in entries]
    each = f", each {entries[0].allowed}" if len(bounds) == 1 and entries[0].allowed else ""
    return Leaf(
        key=key,
        type=f"{TABLE}{entries[0].type}s",
        default={entry.key: entry.default for entry in entries if entry.default != ""},
        allowed=", ".join(names) + each,
        description=" ".join((table.__doc__ or "").split()),
    )


def _name_type(annotation: Any) -> str:
    if get_origin(annotation) is Literal:
        return "choice"
    if get_origin(annotation) is tuple:
        return f"{LIST}{_name_type(get_args(annotation)[0])}s"
    if get_origin(annotation) in (Union, types.UnionType):
        return " or ".join(_name_type(part) for part in get_args(annotation) if part is not type(None))
    names = {"str": "text", "int": "whole number", "float": "number", "bool": "true or false", "Path": "path"}
    names["datetime"] = "date and time"
    return names.get(getattr(annotation, "__name__", ""), str(annotation))


def _phrase_bounds(field: FieldInfo) -> str:
    if get_origin(field.annotation) is Literal:
        return " | ".join(str(choice) for choice in get_args(field.annotation))
    if field.examples:
        return f"such as {', '.join(map(str, field.examples))}"
    names = ("ge", "gt", "le", "lt")
    bounds = {name: getattr(mark, name) for mark in field.metadata for name in names if hasattr(mark, name)}
    if "ge" in bounds and "le" in bounds:
        return f"{bounds['ge']:,} to {bounds['le']:,}"
    words = {"ge": "{:,} or more", "gt": "more than {:,}", "le": "{:,} or less", "lt": "less than {:,}"}
    return ", ".join(words[name].format(bounds[name]) for name in names if name in bounds)
