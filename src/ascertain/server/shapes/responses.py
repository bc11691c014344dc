"""What each route may answer, for its description."""

from __future__ import annotations

from typing import Any

from ascertain.server.problems import KINDS, MEDIA_TYPE
from ascertain.server.shapes.answers import Shape

EVERYWHERE = (401, 403, 413, 422, 429, 500, 503)
"""Problems that any route but those of health may answer with."""
_RETRIED = {429, 503}


def gives(shape: type[Shape], *statuses: int, status: int = 200) -> dict[int | str, dict[str, Any]]:
    """A body of this shape with ``status``, or a problem with one of ``statuses``."""
    return {status: {"model": shape, "description": (shape.__doc__ or "").strip()}, **problems(*statuses)}


def problems(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """Problems with these statuses, and those that come everywhere."""
    return {status: _problem(status) for status in sorted({*statuses, *EVERYWHERE})}


def _problem(status: int) -> dict[str, Any]:
    titles = [title for its, title in KINDS.values() if its == status]
    described: dict[str, Any] = {
        "description": "; or ".join(titles) + ".",
        "content": {MEDIA_TYPE: {"schema": {"$ref": "#/components/schemas/ProblemJson"}}},
    }
    if status in _RETRIED:
        described["headers"] = {
            "Retry-After": {
                "description": "Seconds after which to try again.",
                "schema": {"type": "string", "pattern": "^[0-9]+$"},
            }
        }
    return described
