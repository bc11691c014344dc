"""Counts over one tenant, from the indexes of the engine."""

from __future__ import annotations

import json
from typing import Any

from ascertain.core.profiling import CorpusProfile, DocumentType
from ascertain.stores.escaping import escaped, unescaped
from ascertain.stores.ports import StoreStats
from ascertain.stores.qdrant import facts
from ascertain.stores.qdrant.conditions import AnyOf, Numbers, Where
from ascertain.stores.qdrant.payloads import text_of
from ascertain.stores.qdrant.points import Points
from ascertain.stores.qdrant.schema import What


def count(points: Points, tenant: str) -> int:
    """Searchable chunks: what the documents say of themselves, so that parts on their way in or out do not count."""
    sizes = points.facet("chunks", _documents(tenant))
    return sum(int(size) * documents for size, documents in sizes.items())


def stats(points: Points, tenant: str) -> StoreStats:
    """Counts over one tenant; documents, kinds and profiles of what can be searched, states of everything."""
    everything = _documents(tenant)
    searchable = everything.also(Numbers("chunks", first=0))
    sizes = points.facet("chunks", everything)
    active = facts.present(points).active
    earliest, latest = _period(points, searchable)
    return StoreStats(
        documents=sum(sizes.values()),
        chunks=sum(int(size) * documents for size, documents in sizes.items()),
        by_kind=_named(points, "kind", searchable),
        by_profile=_named(points, "profile", searchable),
        by_state=_named(points, "state", everything),
        embedding_model=active.model,
        dimension=active.dimension,
        bytes_on_disk=points.bytes_on_disk(),
        earliest=earliest,
        latest=latest,
        corpus=corpus_profile(points, tenant),
    )


def corpus_profile(points: Points, tenant: str) -> CorpusProfile:
    """From counts of types, densities and domains of the documents that have a profile."""
    documents = _documents(tenant)
    types = points.facet("type", documents)
    densities = points.facet("density", documents)
    return CorpusProfile.counted(
        sum(types.values()),
        sum(float(density) * number for density, number in densities.items()),
        {DocumentType(name): number for name, number in types.items()},
        _named(points, "domains", documents),
    )


def _documents(tenant: str) -> Where:
    return Where((AnyOf("what", [What.DOCUMENT.value]), AnyOf("tenant", [escaped(tenant)])))


def _named(points: Points, key: str, where: Where) -> dict[str, int]:
    return {text_of(name): number for name, number in sorted(points.facet(key, where).items(), key=str)}


def _period(points: Points, where: Where) -> tuple[str | None, str | None]:
    """The dates of the oldest and the newest document, as they were given."""
    ends = (points.extreme("published", where, newest) for newest in (False, True))
    earliest, latest = (end and _published(end.payload["body"]) for end in ends)
    return earliest, latest


def _published(body: object) -> str:
    columns: dict[str, Any] = json.loads(unescaped(str(body)))
    return str(columns["published_at"])
