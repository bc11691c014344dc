"""Links between near-duplicates that several workers have written, as one worker would have made them in order.

A worker links a document to what it finds in the store at that moment, which depends on what other workers have written. Once
all are done, the documents that look like others are gone through in the order of discovery, those that were in the store
before this run first, and those whose link is another than it should be are linked anew.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime

from ascertain.core.documents import DocumentRecord
from ascertain.core.filters import Filter
from ascertain.ingest.cluster.parcels import Alike
from ascertain.ingest.duplicates import Original, comparable
from ascertain.ingest.linking import rewrite_link
from ascertain.stores.ports import ChunkStore

_BATCH = 500

Order = tuple[int, int, int]
_ORIGINAL_BEFORE, _DUPLICATE_BEFORE, _NEW = range(3)


def settle(store: ChunkStore, alike: Iterable[Alike], resumed_since: datetime | None = None) -> int:
    """Link the documents of a run for good; how many of those it wrote are duplicates.

    ``alike`` is the last word of the workers on each document. Of documents that were only compared, those added after
    ``resumed_since`` count as of this run: an interrupted one has written them without coming to this.
    """
    latest = {one.signed.document_id: one for one in alike}
    tenants = {one.signed.tenant for one in latest.values()}
    return sum(
        _Settlement(
            store, [one for one in latest.values() if one.signed.tenant == tenant], tenant, resumed_since
        ).settle()
        for tenant in tenants
    )


class _Settlement:
    def __init__(
        self, store: ChunkStore, alike: Sequence[Alike], tenant: str, resumed_since: datetime | None
    ) -> None:
        self._store = store
        self._degrees = _symmetric(alike)
        self._records = _records(store, self._degrees, tenant)
        self._written = {one.signed.document_id for one in alike if one.is_written}
        self._order = {
            one.signed.document_id: order
            for one in alike
            if (order := _order(one, self._records.get(one.signed.document_id), resumed_since)) is not None
        }
        self._links: dict[str, Original | None] = {}

    def settle(self) -> int:
        for document_id in sorted(self._order, key=lambda known: self._order[known]):
            record = self._records.get(document_id)
            if record is None:
                continue
            original = self._original(record)
            self._links[document_id] = original
            if (original.id if original else None) != record.duplicate_of:
                rewrite_link(self._store, document_id, original)
        return sum(self._links.get(document_id) is not None for document_id in self._written)

    def _original(self, record: DocumentRecord) -> Original | None:
        """The most similar document before this one, or what that repeats; of equals the first by id."""
        similar = sorted(self._degrees[record.id].items(), key=lambda pair: (-pair[1], pair[0]))
        for other_id, degree in similar:
            other = self._records.get(other_id)
            if other is None or not self._is_before(other_id, record.id):
                continue
            found = self._records.get(self._link(other) or other_id)
            if found is not None and found.id != record.id and comparable(record, found):
                return Original(found.id, found.source, degree)
        return None

    def _is_before(self, other_id: str, document_id: str) -> bool:
        order = self._order.get(other_id)
        return order is None or order < self._order[document_id]

    def _link(self, record: DocumentRecord) -> str | None:
        if record.id in self._links:
            original = self._links[record.id]
            return original.id if original else None
        return record.duplicate_of


def _order(one: Alike, record: DocumentRecord | None, resumed_since: datetime | None) -> Order | None:
    """The place of a document whose link is this run's to make; None for others."""
    if one.is_written:
        ranks = {None: _NEW, True: _DUPLICATE_BEFORE, False: _ORIGINAL_BEFORE}
        return (ranks[one.was_duplicate], *one.signed.place)
    is_resumed = record is not None and resumed_since is not None and record.added_at >= resumed_since
    return (_NEW, *one.signed.place) if is_resumed else None


def _symmetric(alike: Sequence[Alike]) -> Mapping[str, dict[str, float]]:
    """Each pair from both sides, though the one that was written first has not seen the other."""
    degrees: dict[str, dict[str, float]] = {}
    for one in alike:
        for other, degree in one.similar:
            degrees.setdefault(one.signed.document_id, {})[other] = degree
            degrees.setdefault(other, {})[one.signed.document_id] = degree
    return degrees


def _records(store: ChunkStore, wanted: Iterable[str], tenant: str) -> dict[str, DocumentRecord]:
    """The documents named, and the originals that they are linked to."""
    found: dict[str, DocumentRecord] = {}
    for _ in range(2):
        missing = [known for known in wanted if known not in found]
        found |= {record.id: record for record in _fetched(store, missing, tenant)}
        wanted = [record.duplicate_of for record in found.values() if record.duplicate_of]
    return found


def _fetched(store: ChunkStore, document_ids: Sequence[str], tenant: str) -> Iterator[DocumentRecord]:
    for start in range(0, len(document_ids), _BATCH):
        ids = tuple(document_ids[start : start + _BATCH])
        yield from store.documents(Filter(document_ids=ids, tenant=tenant))
