"""How similar documents are, as several writers have seen them.

A writer sees what is in the store at that moment: of two documents written at once at least one sees the other, and one that
was replaced meanwhile may have been seen as it was before.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable

from ascertain.ingest.cluster.parcels import Alike
from ascertain.ingest.duplicates import wanted_similarity
from ascertain.ingest.minhash import signature, similarity
from ascertain.stores.ports import CompleteStore


class Degrees:
    """Pairs of similar documents from both sides. ``replaced`` are the documents written over an earlier version."""

    def __init__(
        self, store: CompleteStore, alike: Iterable[Alike], replaced: Collection[str], threshold: float
    ) -> None:
        self._store = store
        self._threshold = threshold
        self._degrees: dict[str, dict[str, float]] = {}
        seen = {(one.document_id, other): degree for one in alike for other, degree in one.similar}
        for (one, other), degree in seen.items():
            of_one, of_other = self._degrees.setdefault(one, {}), self._degrees.setdefault(other, {})
            if other not in replaced or (other, one) in seen or self._are_similar(one, other):
                of_one[other] = of_other[one] = degree

    @property
    def documents(self) -> Collection[str]:
        """All that were ever seen to be similar to another, though they may not be any more."""
        return self._degrees.keys()

    def of(self, document_id: str) -> list[tuple[str, float]]:
        """Id and degree of those similar to one of ``documents``, best first, then by id."""
        return sorted(self._degrees[document_id].items(), key=lambda pair: (-pair[1], pair[0]))

    def _are_similar(self, one: str, other: str) -> bool:
        """Whether two documents are as they stand now."""
        first, second = self._store.document(one), self._store.document(other)
        if first is None or second is None:
            return False
        of_first, of_second = signature(first.text), signature(second.text)
        if of_first is None or of_second is None:
            return False
        return similarity(of_first, of_second) >= wanted_similarity(first, self._threshold)
