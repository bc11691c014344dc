"""Counts from the indexes of the engine: over one tenant, and over all chunks, which are remembered a short while."""

import json
import time
from collections.abc import Callable
from typing import Any, Final

from ascertain.core.documents.profiling import CorpusProfile, DocumentType
from ascertain.core.service.status import StoreStats
from ascertain.stores.qdrant.collection import require_facts
from ascertain.stores.qdrant.payloads import text_of
from ascertain.stores.qdrant.points import Points
from ascertain.stores.qdrant.schema import IS_CHUNK, IS_DOCUMENT, AnyOf, Numbers, Phrase, Where
from ascertain.stores.records.encoding import escape_text, unescape_text


def count_chunks(points: Points, tenant: str) -> int:
    """Searchable chunks: what the documents say of themselves, so that parts on their way in or out do not count."""
    sizes = points.facet("chunks", _documents_where(tenant))
    return sum(int(size) * documents for size, documents in sizes.items())


def collect_stats(points: Points, tenant: str) -> StoreStats:
    """Counts over one tenant; documents, kinds and profiles of what can be searched, states of everything."""
    everything = _documents_where(tenant)
    searchable = everything.also(Numbers("chunks", first=0))
    sizes = points.facet("chunks", everything)
    active = require_facts(points).active
    earliest, latest = _fetch_period(points, searchable)
    return StoreStats(
        documents=sum(sizes.values()),
        chunks=sum(int(size) * documents for size, documents in sizes.items()),
        by_kind=_count_values(points, "kind", searchable),
        by_profile=_count_values(points, "profile", searchable),
        by_state=_count_values(points, "state", everything),
        embedding_model=active.model,
        dimension=active.dimension,
        bytes_on_disk=points.bytes_on_disk(),
        earliest=earliest,
        latest=latest,
        corpus=corpus_profile(points, tenant),
    )


def corpus_profile(points: Points, tenant: str) -> CorpusProfile:
    """From counts of types, densities and domains of the documents that have a profile."""
    documents = _documents_where(tenant)
    types = points.facet("type", documents)
    densities = points.facet("density", documents)
    return CorpusProfile.from_counts(
        sum(types.values()),
        sum(float(density) * number for density, number in densities.items()),
        {DocumentType(name): number for name, number in types.items()},
        _count_values(points, "domains", documents),
    )


def _documents_where(tenant: str) -> Where:
    return Where((IS_DOCUMENT, AnyOf("tenant", [escape_text(tenant)])))


def _count_values(points: Points, key: str, where: Where) -> dict[str, int]:
    return {text_of(name): number for name, number in sorted(points.facet(key, where).items(), key=str)}


def _fetch_period(points: Points, where: Where) -> tuple[str | None, str | None]:
    """The dates of the oldest and the newest document, as they were given."""
    ends = (points.extreme("published", where, newest) for newest in (False, True))
    earliest, latest = (end and _publication_date(end.payload["body"]) for end in ends)
    return earliest, latest


def _publication_date(body: object) -> str:
    columns: dict[str, Any] = json.loads(unescape_text(str(body)))
    return str(columns["published_at"])


# Another process's writes show in the rarity of words after so long at most; the results do not depend on it.
_SECONDS: Final = 30.0
_MOST: Final = 20_000

# Words in no more chunks are counted exactly, which is quick, and where a few deleted ones would weigh.
_ESTIMATED_FROM: Final = 1000


Key = tuple[str, tuple[str, ...]]


class RememberedCounts:
    """How many chunks there are, and how many have a word or phrase. Safe to use from several threads.

    The engine counts exactly by going through the points, and a question asks for dozens of counts. What it knows without
    that is how long the list of a word is: of 20 words in 100,000 chunks at most 0.4 % too long, for chunks deleted of
    late, in a fiftieth of the time.
    """

    def __init__(self, points: Points) -> None:
        self._points = points
        self._known: dict[Key, int] = {}
        self._since = time.monotonic()

    def chunks(self) -> int:
        """All chunks, those on their way in and out included."""
        return self._count_once(("", ()), lambda: self._points.count(Where((IS_CHUNK,))))

    def with_tokens(self, field: str, tokens: tuple[str, ...]) -> int:
        """Chunks in whose ``field`` the tokens stand next to each other; about how many, of a token in many chunks."""
        return self._count_once((field, tokens), lambda: self._with_tokens(field, tokens))

    def forget(self) -> None:
        """After a write."""
        # A new dict, so that a count begun before the write lands in the old one.
        self._known = {}
        self._since = time.monotonic()

    def _with_tokens(self, field: str, tokens: tuple[str, ...]) -> int:
        if len(tokens) == 1:
            # Chunks alone have these fields; a second condition would make it a guess.
            estimate = self._points.estimate(Where((Phrase(field, tokens),)))
            if estimate > _ESTIMATED_FROM:
                return estimate
        return self._points.count(Where((IS_CHUNK, Phrase(field, tokens))))

    def _count_once(self, key: Key, count: Callable[[], int]) -> int:
        if time.monotonic() - self._since > _SECONDS or len(self._known) >= _MOST:
            self.forget()
        known = self._known
        if key not in known:
            known[key] = count()
        return known[key]
