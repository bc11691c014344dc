"""The examination behind ``ascertain doctor``."""

from __future__ import annotations

from dataclasses import dataclass

from ascertain.core.status import HealthReport
from ascertain.stores.qdrant import facts, schema
from ascertain.stores.qdrant.points import Points
from ascertain.stores.qdrant.schema import INDEXES, AnyOf, HasVector, What, Where, dense_name
from ascertain.stores.qdrant.writes import Writer

_CHUNK = AnyOf("what", [What.CHUNK.value])
_DOCUMENT = AnyOf("what", [What.DOCUMENT.value])
_SLICE = 1_000


@dataclass(frozen=True, slots=True)
class _Inventory:
    """What the documents say that there is, and what there is beside."""

    documents: int
    chunks: int
    abandoned: list[str]
    """Versions that no document has any more, whose writers are gone."""
    incomplete: list[str]
    """Points of documents that lack chunks."""
    unfinished: int
    """Parts that are in no document, of writers that may be at work."""


class Examination:
    """Compares the points of one collection with each other."""

    def __init__(self, points: Points, writer: Writer) -> None:
        self._points = points
        self._writer = writer

    def report(self) -> HealthReport:
        """What is wrong now, and the facts."""
        problems, inform = self._points.condition()
        found = facts.require_facts(self._points)
        inventory = self._take_inventory()
        active = found.active
        inform |= {
            "collection": f"{inventory.documents} documents, {inventory.chunks} chunks",
            "format": f"version {found.format}",
            "embedding model": f"{active.model}, {active.dimension} dimensions",
        }
        if found.building is not None:
            inform["unfinished reindex"] = f"to {found.building.model}: run `ascertain reindex` to go on"
        if inventory.unfinished:
            inform["writes under way"] = f"{inventory.unfinished} parts, or of a writer that was just killed"
        return HealthReport((*problems, *self._find_problems(found, inventory)), inform)

    def repair_and_report(self) -> HealthReport:
        """Make the indexes that are missing, delete what was abandoned, and report again."""
        inventory = self._take_inventory()
        missing = sorted(INDEXES.keys() - self._points.indexes())
        for field in missing:
            self._points.add_index(field)
        for start in range(0, len(inventory.abandoned), _SLICE):
            versions = inventory.abandoned[start : start + _SLICE]
            self._points.delete(Where((AnyOf("version", versions),), must_not=(_DOCUMENT,)))
        self._points.settle()
        after = self.report()
        done = [
            f"indexes of {', '.join(missing)}" if missing else "",
            f"parts of {len(inventory.abandoned)} interrupted writes removed" if inventory.abandoned else "",
        ]
        told = "; ".join(filter(None, done))
        return HealthReport(after.problems, {**after.facts, "repaired": told} if told else after.facts)

    def _find_problems(self, found: facts.Facts, inventory: _Inventory) -> list[str]:
        problems: list[str] = []
        if found.format < schema.FORMAT:
            problems.append(f"the format is {found.format}, not {schema.FORMAT}: run `ascertain db upgrade`")
        missing = sorted(INDEXES.keys() - self._points.indexes())
        if missing:
            problems.append(f"fields have no index: {', '.join(missing)}: run `ascertain doctor --repair`")
        without = self._points.count(Where((_CHUNK,), must_not=(HasVector(dense_name(found.active.number)),)))
        if without:
            problems.append(f"{without} chunks have no vector: add their documents again")
        if inventory.incomplete:
            problems.append(f"{len(inventory.incomplete)} documents lack chunks: add them again")
        if inventory.abandoned:
            problems.append(
                f"{len(inventory.abandoned)} interrupted writes left parts behind: run `ascertain doctor --repair`"
            )
        return problems

    def _take_inventory(self) -> _Inventory:
        stale = self._writer.abandoned()
        parts = self._points.facet("version", Where((_CHUNK,)))
        old = self._points.facet("version", stale)
        # After the parts: what became current meanwhile is not taken for abandoned.
        documents = {
            str(point.payload["version"]): (point.id, int(str(point.payload.get("chunks", 0))))
            for point in self._points.scroll(Where((_DOCUMENT,)), ("version", "chunks"))
        }
        incomplete = [
            point for version, (point, chunks) in documents.items() if version in parts and parts[version] < chunks
        ]
        return _Inventory(
            len(documents),
            sum(chunks for _, chunks in documents.values()),
            [str(version) for version in old if version not in documents],
            incomplete,
            sum(number for version, number in parts.items() if version not in documents and version not in old),
        )
