"""What workers do last: write a parcel, and say which documents of it look like others.

Every write replaces what was there of the same documents, so that a parcel written twice, after a worker died between its
write and its answer, is the same as one written once.
"""

from __future__ import annotations

import time
from collections.abc import Callable

from ascertain.core.documents import DocumentState
from ascertain.core.errors import AscertainError, EmbeddingMismatch, StoreError
from ascertain.core.filters import Filter
from ascertain.graph.following import FollowedStore, follow_store
from ascertain.graph.upkeep import GraphUpkeep
from ascertain.ingest.cluster.parcels import Alike, Failed, Outcome, Parcel, Placed, Signed, Trouble, Written
from ascertain.ingest.cluster.stages import Workplace, signed
from ascertain.ingest.duplicates import stored_original
from ascertain.ingest.linking import linked
from ascertain.models.ports import Vectors
from ascertain.stores.ports import CompleteStore, IndexedDocument

_FIRST_PAUSE = 0.25
_LONGEST_PAUSE = 8.0


class WritingStage:
    """Writes parcels through one connection to the store, opened for the first of them."""

    def __init__(self, workplace: Workplace) -> None:
        self._workplace = workplace
        self._store: CompleteStore | None = None
        self._graph: GraphUpkeep | None = None

    def __call__(self, parcel: Parcel) -> Outcome:
        """Write what is in the parcel; durable when this returns without trouble."""
        started = time.perf_counter()
        if parcel.trouble is not None:
            return Outcome(trouble=parcel.trouble)
        try:
            outcome = patiently(
                lambda: self._tallied(parcel), self._workplace.settings.ray.store_wait_seconds, time.sleep
            )
        except AscertainError as error:
            return Outcome(trouble=Trouble.of(error))
        outcome.embedding_seconds = parcel.embedding_seconds
        outcome.writing_seconds = time.perf_counter() - started
        return outcome

    def _tallied(self, parcel: Parcel) -> Outcome:
        """Write, and count what that did to the graph."""
        outcome = Outcome(unchanged=parcel.unchanged, ends=parcel.ends)
        if not (parcel.documents or parcel.unreadable or parcel.compared):
            return outcome
        if self._store is None:
            self._store = self._opened()
        if self._graph is None:
            self._write(parcel, self._store, outcome)
        else:
            with self._graph.tallied() as outcome.graph:
                self._write(parcel, self._store, outcome)
        return outcome

    def _opened(self) -> CompleteStore:
        workplace = self._workplace
        store = workplace.open_store()
        if workplace.open_graph is None:
            return store
        self._graph = self._graph or workplace.open_graph()
        return follow_store(store, self._graph)

    def _write(self, parcel: Parcel, store: CompleteStore, outcome: Outcome) -> None:
        for number, item in parcel.unreadable:
            document = item.document
            store.mark_failed(document, item.reason)
            outcome.failed.append(Failed(number, document.id, document.source, item.reason, item.size))
        earlier_duplicates = _duplicates_among(store, parcel.documents)
        documents = [
            _indexed(placed, vectors)
            for placed, vectors in zip(parcel.documents, parcel.vectors, strict=True)
        ]
        store.upsert(documents)
        # another link changes nothing of what a document says, which has just been read
        plain = store.plain if isinstance(store, FollowedStore) else store
        outcome.alike += self._linked(plain, parcel, documents, earlier_duplicates)
        outcome.alike += [
            Alike(one.document_id, one.tenant, one.place, _similar(store, one), is_written=False)
            for one in parcel.compared
        ]
        outcome.written += [_written(placed) for placed in parcel.documents]

    def _linked(
        self,
        store: CompleteStore,
        parcel: Parcel,
        documents: list[IndexedDocument],
        earlier_duplicates: set[str],
    ) -> list[Alike]:
        """Link each document to one it repeats, as far as can be told from here; the driver settles the rest.

        Looking after the write, not before, is what lets at least one of two writers see a pair they write at once.
        """
        found: list[Alike] = []
        later = {indexed.document.id for indexed in documents}
        for placed, indexed in zip(parcel.documents, documents, strict=True):
            document = indexed.document
            later.discard(document.id)
            for one in signed(document, placed.place, indexed.signature):
                similar = _similar(store, one)
                found.append(
                    Alike(
                        one.document_id,
                        one.tenant,
                        one.place,
                        similar,
                        is_written=True,
                        was_duplicate=document.id in earlier_duplicates if placed.is_known else None,
                    )
                )
                earlier = [pair for pair in similar if pair[0] not in later]
                original = stored_original(store, document, earlier)
                if original is not None:
                    store.upsert([linked(indexed, original)])
        return found


def patiently(work: Callable[[], Outcome], wait_seconds: float, pause: Callable[[float], None]) -> Outcome:
    """Do ``work``, again after a growing pause while the store is away; its error once that has lasted too long."""
    waited, next_pause = 0.0, _FIRST_PAUSE
    while True:
        try:
            return work()
        except EmbeddingMismatch:
            raise
        except StoreError:
            if waited >= wait_seconds:
                raise
        pause(next_pause)
        waited += next_pause
        next_pause = min(2 * next_pause, _LONGEST_PAUSE)


def _similar(store: CompleteStore, one: Signed) -> tuple[tuple[str, float], ...]:
    found = store.near_duplicates(one.signature, one.wanted, one.tenant)
    return tuple(pair for pair in found if pair[0] != one.document_id)


def _duplicates_among(store: CompleteStore, documents: list[Placed]) -> set[str]:
    """Which of the documents are in the store as duplicates, from before."""
    by_tenant: dict[str, list[str]] = {}
    for placed in documents:
        if placed.is_known:
            by_tenant.setdefault(placed.ready.document.tenant, []).append(placed.ready.document.id)
    return {
        record.id
        for tenant, ids in by_tenant.items()
        for record in store.documents(Filter(document_ids=tuple(ids), tenant=tenant))
        if record.state is DocumentState.DUPLICATE
    }


def _indexed(placed: Placed, vectors: Vectors) -> IndexedDocument:
    ready = placed.ready
    return IndexedDocument(
        ready.document, (*ready.chunks, *ready.parents), vectors, signature=ready.signature
    )


def _written(placed: Placed) -> Written:
    ready = placed.ready
    document = ready.document
    return Written(
        placed.place[0], document.id, document.source, ready.size, len(ready.chunks), placed.is_known
    )
