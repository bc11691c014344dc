"""What each route may answer, for its description: an example of its shape, and the problems."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ascertain.server.problems import KINDS, MEDIA_TYPE, Problem
from ascertain.wire.shape import Shape, make_example

EVERYWHERE = (401, 403, 413, 422, 429, 500, 503)
"""Problems that any route but those of health may answer with."""
_RETRIED = {429, 503}


def describe_text(description: str, media_type: str, example: str) -> dict[int | str, dict[str, Any]]:
    """A body that is no JSON."""
    content = {"schema": {"type": "string"}, "example": example}
    return {200: {"description": description, "content": {media_type: content}}}


def describe_problems(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """Problems with these statuses, and those that come everywhere."""
    return {status: _describe_problem(status) for status in sorted({*statuses, *EVERYWHERE})}


def _describe_problem(status: int) -> dict[str, Any]:
    kinds = {kind: title for kind, (its, title) in KINDS.items() if its == status}
    example = (
        Problem(next(iter(kinds)), "What exactly, for people.").describe("/v1/ask", "9d1c5e2a").to_json()
    )
    schema = {"$ref": "#/components/schemas/ProblemJson"}
    described: dict[str, Any] = {
        "description": "; or ".join(kinds.values()) + ".",
        "content": {MEDIA_TYPE: {"schema": schema, "example": example}},
    }
    if status in _RETRIED:
        described["headers"] = {
            "Retry-After": {
                "description": "Seconds after which to try again.",
                "schema": {"type": "string", "pattern": "^[0-9]+$"},
            }
        }
    return described


def add_examples(described: dict[str, Any]) -> None:
    """Give each JSON response the example of its shape, which the framework would take all nulls out of."""
    shapes = {shape.__name__: shape for shape in _walk_shapes(Shape)}
    for methods in described["paths"].values():
        for operation in methods.values():
            for response in operation["responses"].values():
                for content in response.get("content", {}).values():
                    name = content.get("schema", {}).get("$ref", "").rpartition("/")[2]
                    if name in shapes and "example" not in content:
                        response["description"] = (shapes[name].__doc__ or "").strip()
                        content["example"] = make_example(shapes[name])


def _walk_shapes(shape: type[Shape]) -> Iterator[type[Shape]]:
    for each in shape.__subclasses__():
        yield each
        yield from _walk_shapes(each)
