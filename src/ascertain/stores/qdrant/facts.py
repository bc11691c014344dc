"""What is known of the knowledge base itself: the format, the embedding model, and the lengths that words are weighted by.

One point holds it. It is changed over the revision that was read and no other, so that two processes cannot both change it.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from typing import Any

from ascertain.core.errors import StoreError
from ascertain.stores.escaping import escaped, unescaped
from ascertain.stores.generations import Generation
from ascertain.stores.qdrant.conditions import AnyOf, Where
from ascertain.stores.qdrant.names import FACTS_POINT, new_version
from ascertain.stores.qdrant.points import Point, Points
from ascertain.stores.qdrant.schema import FORMAT, What


@dataclass(frozen=True, slots=True)
class Facts:
    """``averages`` are the mean lengths of texts and titles that BM25 uses, None before the first chunk is written."""

    active: Generation
    building: Generation | None = None
    averages: tuple[float, float] | None = None
    format: int = FORMAT
    revision: str = ""


def read(points: Points) -> Facts | None:
    """The facts as they stand; None before there are any. Raises StoreError for those of a newer program."""
    for point in points.retrieve([FACTS_POINT], ("body", "version")):
        found = _facts(json.loads(unescaped(str(point.payload["body"]))), str(point.payload["version"]))
        if found.format > FORMAT:
            raise StoreError(
                f"{points.place} was written by a newer Ascertain (format {found.format}, this one knows {FORMAT}): "
                "upgrade with `pip install -U ascertain`"
            )
        return found
    return None


def present(points: Points) -> Facts:
    """The facts as they stand; StoreError where there are none."""
    found = read(points)
    if found is None:
        raise StoreError(
            f"the knowledge base in {points.place} was removed: run `ascertain add` to begin anew"
        )
    return found


def begin(points: Points, facts: Facts) -> Facts:
    """Write the first facts; those of another process that was faster stand."""
    points.insert([_point(replace(facts, revision=new_version()))])
    return present(points)


def change(points: Points, before: Facts, after: Facts) -> bool:
    """Write ``after`` if ``before`` still stands; whether it did."""
    revised = replace(after, revision=new_version())
    points.replace([_point(revised)], Where((AnyOf("version", [before.revision]),)))
    return present(points).revision == revised.revision


def _point(facts: Facts) -> Point:
    body = {
        "format": facts.format,
        "active": _row(facts.active),
        "building": facts.building and _row(facts.building),
        "averages": facts.averages,
    }
    text = escaped(json.dumps(body, ensure_ascii=False))
    return Point(FACTS_POINT, {"what": What.FACTS.value, "version": facts.revision, "body": text})


def _row(generation: Generation) -> list[object]:
    return [generation.number, generation.model, generation.dimension]


def _facts(body: dict[str, Any], revision: str) -> Facts:
    building, averages = body["building"], body["averages"]
    return Facts(
        Generation(*body["active"]),
        Generation(*building) if building else None,
        (averages[0], averages[1]) if averages else None,
        body["format"],
        revision,
    )
