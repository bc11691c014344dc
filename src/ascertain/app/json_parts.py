"""The small pieces that the JSON of answers, results and documents share, and how they are read back."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from ascertain.core.documents import Place
from ascertain.core.spans import Span

JsonObject = dict[str, object]
DIGITS = 6
"""Decimals kept of scores and seconds."""


def place_json(place: Place) -> JsonObject:
    """Where in a document something stands."""
    return {
        "page": place.page,
        "section": list(place.section),
        "speaker": place.speaker,
        "start_time": place.start_time,
        "end_time": place.end_time,
        "label": place.label,
    }


def place_of(given: Mapping[str, Any]) -> Place:
    """The inverse of ``place_json``."""
    return Place(
        given["page"], tuple(given["section"]), given["speaker"], given["start_time"], given["end_time"]
    )


def span_json(span: Span) -> list[int]:
    """``[start, end)``."""
    return [span.start, span.end]


def date_json(moment: datetime | None) -> str | None:
    """ISO 8601."""
    return moment.isoformat() if moment else None


def date_of(given: str | None) -> datetime | None:
    """The inverse of ``date_json``."""
    return datetime.fromisoformat(given) if given else None


def rounded(number: float) -> float:
    """A score or seconds, without digits that mean nothing."""
    return round(float(number), DIGITS)
