"""Deleting documents, and what becomes of those that repeated them."""

from __future__ import annotations

from ascertain.core.documents import DocumentState
from ascertain.core.filters import Filter
from ascertain.stores.qdrant import reads
from ascertain.stores.qdrant.conditions import AnyOf, Where
from ascertain.stores.qdrant.conditions import Points as PointIds
from ascertain.stores.qdrant.points import Points, Stored
from ascertain.stores.qdrant.schema import What
from ascertain.stores.qdrant.versions import Versions
from ascertain.stores.qdrant.writes import Writer

# Documents rewritten by another process while they are deleted are looked at again so many times.
_ROUNDS = 5

_DOCUMENT = AnyOf("what", [What.DOCUMENT.value])


def delete_documents(points: Points, versions: Versions, writer: Writer, filter: Filter) -> int:
    """Delete the documents that ``filter`` selects; how many there were."""
    deleted = 0
    for _ in range(_ROUNDS):
        found = reads.selected(points, versions, filter, ("id", "version"))
        if not found:
            break
        _promote_duplicates(points, found)
        deleted += writer.delete({each.id: str(each.payload["version"]) for each in found})
    return deleted


def _promote_duplicates(points: Points, leaving: list[Stored]) -> None:
    """Make the oldest duplicate of each leaving document the original of the others, before it goes."""
    ids = {each.id: each for each in leaving}
    for start in range(0, len(leaving), reads.SLICE):
        originals = [each.id for each in leaving[start : start + reads.SLICE]]
        where = Where((_DOCUMENT, AnyOf("original", originals)))
        heirs: dict[str, list[Stored]] = {}
        for point in points.scroll(where, ("id", "original", "written", "state")):
            if point.id not in ids:
                heirs.setdefault(str(point.payload["original"]), []).append(point)
        for duplicates in heirs.values():
            _promote(points, sorted(duplicates, key=lambda point: int(str(point.payload["written"]))))


def _promote(points: Points, duplicates: list[Stored]) -> None:
    heir, *others = duplicates
    # The others first: interrupted here, the next deletion still finds the heir by what it repeats.
    if others:
        now = {"duplicate_of": heir.payload["id"], "original": heir.id}
        points.set_payload(Where((PointIds([point.id for point in others]),)), now)
    cleared: dict[str, object] = {"duplicate_of": None, "original": None, "reason": ""}
    if heir.payload["state"] == DocumentState.DUPLICATE.value:
        cleared["state"] = DocumentState.INDEXED.value
    points.set_payload(Where((PointIds([heir.id]),)), cleared)
