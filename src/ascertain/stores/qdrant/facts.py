"""What is known of the knowledge base itself: the format, the embedding model, and the lengths that words are weighted by.

One point holds it. It is changed over the revision that was read and no other, so that two processes cannot both change it.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from typing import Any

from ascertain.core.errors import StoreError
from ascertain.stores.encoding import escape_text, unescape_text
from ascertain.stores.preparation import Generation
from ascertain.stores.qdrant.points import Point, Points
from ascertain.stores.qdrant.schema import FACTS_POINT, FORMAT, AnyOf, What, Where, new_version


@dataclass(frozen=True, slots=True)
class Facts:
    """``averages`` are the mean lengths of texts and titles that BM25 uses, None before the first chunk is written."""

    active: Generation
    building: Generation | None = None
    averages: tuple[float, float] | None = None
    format: int = FORMAT
    revision: str = ""


def fetch_facts(points: Points) -> Facts | None:
    """The facts as they stand; None before there are any. Raises StoreError for those of a newer program."""
    for point in points.retrieve([FACTS_POINT], ("body", "version")):
        found = _read_facts(json.loads(unescape_text(str(point.payload["body"]))), str(point.payload["version"]))
        if found.format > FORMAT:
            raise StoreError(
                f"{points.place} was written by a newer Ascertain (format {found.format}, this one knows {FORMAT}): "
                "upgrade with `pip install -U ascertain`"
            )
        return found
    return None


def require_facts(points: Points) -> Facts:
    """The facts as they stand; StoreError where there are none."""
    found = fetch_facts(points)
    if found is None:
        raise StoreError(f"the knowledge base in {points.place} was removed: run `ascertain add` to begin anew")
    return found


def insert_facts(points: Points, facts: Facts) -> Facts:
    """Write the first facts; those of another process that was faster stand."""
    points.insert([_facts_point(replace(facts, revision=new_version()))])
    return require_facts(points)


def replace_facts(points: Points, before: Facts, after: Facts) -> bool:
    """Write ``after`` if ``before`` still stands; whether it did."""
    revised = replace(after, revision=new_version())
    points.replace([_facts_point(revised)], Where((AnyOf("version", [before.revision]),)))
    return require_facts(points).revision == revised.revision


def _facts_point(facts: Facts) -> Point:
    body = {
        "format": facts.format,
        "active": _generation_row(facts.active),
        "building": facts.building and _generation_row(facts.building),
        "averages": facts.averages,
    }
    text = escape_text(json.dumps(body, ensure_ascii=False))
    return Point(FACTS_POINT, {"what": What.FACTS.value, "version": facts.revision, "body": text})


def _generation_row(generation: Generation) -> list[object]:
    return [generation.number, generation.model, generation.dimension]


def _read_facts(body: dict[str, Any], revision: str) -> Facts:
    building, averages = body["building"], body["averages"]
    return Facts(
        Generation(*body["active"]),
        Generation(*building) if building else None,
        (averages[0], averages[1]) if averages else None,
        body["format"],
        revision,
    )
