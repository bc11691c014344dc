"""Links between near-duplicates that several workers have written, as one worker would have made them in order.

A worker links a document to what it finds in the store at that moment, which depends on what other workers have written. Once
all are done, the documents that look like others are gone through in the order of discovery, those that were in the store
before this run first, and those whose link is another than it should be are linked anew.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime

from ascertain.core.documents import DocumentRecord
from ascertain.core.filters import Filter
from ascertain.ingest.cluster.degrees import Degrees
from ascertain.ingest.cluster.parcels import Alike, Outcome
from ascertain.ingest.duplicates import Original, comparable
from ascertain.ingest.linking import rewrite_link
from ascertain.stores.ports import CompleteStore

_BATCH = 500

Order = tuple[int, int, int]
_ORIGINAL_BEFORE, _DUPLICATE_BEFORE, _NEW = range(3)


class Likeness:
    """What workers have told of documents that look like others: at least ``threshold`` similar, in one tenant or several."""

    def __init__(self, threshold: float) -> None:
        self.threshold = threshold
        self.replaced: set[str] = set()
        self.tenants: set[str] = set()
        self.pairs: dict[str, Alike] = {}
        self.written: dict[str, Order] = {}
        self.compared: dict[str, Order] = {}

    def add(self, outcome: Outcome) -> None:
        """Take in the last word of the workers on each document."""
        ranks = {None: _NEW, True: _DUPLICATE_BEFORE, False: _ORIGINAL_BEFORE}
        self.replaced.update(written.document_id for written in outcome.written if written.is_known)
        for one in outcome.alike:
            orders = self.written if one.is_written else self.compared
            orders[one.document_id] = (ranks[one.was_duplicate], *one.place)
            if one.similar:
                self.pairs[one.document_id] = one
                self.tenants.add(one.tenant)


def settle(store: CompleteStore, likeness: Likeness, resumed_since: datetime | None = None) -> int:
    """Link the documents of a run for good; how many of those it wrote are duplicates.

    Of documents that were only compared, those added after ``resumed_since`` count as of this run: an interrupted one has
    written them without coming to this.
    """
    return sum(_Settlement(store, likeness, tenant, resumed_since).settle() for tenant in likeness.tenants)


class _Settlement:
    def __init__(
        self, store: CompleteStore, likeness: Likeness, tenant: str, resumed_since: datetime | None
    ) -> None:
        self._store = store
        self._written = likeness.written
        pairs = [one for one in likeness.pairs.values() if one.tenant == tenant]
        self._degrees = Degrees(store, pairs, likeness.replaced, likeness.threshold)
        involved = self._degrees.documents
        self._records = _records(store, involved, tenant)
        self._order = {known: likeness.written[known] for known in involved if known in likeness.written}
        if resumed_since is not None:
            self._order |= {
                known: likeness.compared[known]
                for known in involved
                if known in likeness.compared and self._is_since(known, resumed_since)
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
        return sum(
            original is not None and document_id in self._written
            for document_id, original in self._links.items()
        )

    def _is_since(self, document_id: str, moment: datetime) -> bool:
        record = self._records.get(document_id)
        return record is not None and record.added_at >= moment

    def _original(self, record: DocumentRecord) -> Original | None:
        """The most similar document before this one, or what that repeats; of equals the first by id."""
        for other_id, degree in self._degrees.of(record.id):
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


def _records(store: CompleteStore, wanted: Iterable[str], tenant: str) -> dict[str, DocumentRecord]:
    """The documents named, and the originals that they are linked to."""
    found: dict[str, DocumentRecord] = {}
    for _ in range(2):
        missing = [known for known in wanted if known not in found]
        found |= {record.id: record for record in _fetched(store, missing, tenant)}
        wanted = [record.duplicate_of for record in found.values() if record.duplicate_of]
    return found


def _fetched(store: CompleteStore, document_ids: Sequence[str], tenant: str) -> Iterator[DocumentRecord]:
    for start in range(0, len(document_ids), _BATCH):
        ids = tuple(document_ids[start : start + _BATCH])
        yield from store.documents(Filter(document_ids=ids, tenant=tenant))
