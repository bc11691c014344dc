"""What each route may answer, for its description: an example of its shape, and the problems."""

from __future__ import annotations

from typing import Any

from ascertain.server.problems import KINDS, MEDIA_TYPE, Problem
from ascertain.wire.shape import Shape, example_of

EVERYWHERE = (401, 403, 413, 422, 429, 500, 503)
"""Problems that any route but those of health may answer with."""
_RETRIED = {429, 503}


def describe_response(
    shape: type[Shape], *statuses: int, status: int = 200
) -> dict[int | str, dict[str, Any]]:
    """An example of a body of this shape with ``status``, or a problem with one of ``statuses``."""
    return {
        **describe_content(
            (shape.__doc__ or "").strip(), "application/json", example_of(shape), status=status
        ),
        **describe_problems(*statuses),
    }


def describe_content(
    description: str, media_type: str, example: object, schema: object = None, status: int = 200
) -> dict[int | str, dict[str, Any]]:
    """A body of any kind; without ``schema`` that of the route's return type."""
    content = {"example": example, **({} if schema is None else {"schema": schema})}
    return {status: {"description": description, "content": {media_type: content}}}


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
