"""What workers do: read sources into batches of documents, embed a batch, write it. Nothing here knows how they are run.

Every write replaces what was there of the same documents, so that a batch written twice, after a worker died between its write
and its answer, is the same as one written once.
"""

import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import cast

from ascertain.core.asking.passages import Filter
from ascertain.core.documents.documents import Document, DocumentState
from ascertain.core.errors import AscertainError, EmbeddingMismatch, StoreError
from ascertain.core.settings import IngestSettings
from ascertain.core.settings.profiles import Profile
from ascertain.documents.formats.reader import ReadOptions
from ascertain.documents.ingest.cluster.batches import (
    Alike,
    DocumentBatch,
    Failed,
    Outcome,
    Placed,
    Signed,
    Source,
    SourceBatch,
    SourceEnd,
    Trouble,
    Written,
)
from ascertain.documents.ingest.duplicates import (
    SAME_STORY,
    link_document,
    minhash_signature,
    stored_original,
    wanted_similarity,
)
from ascertain.documents.ingest.files import read_files
from ascertain.documents.ingest.preparing import (
    BatchEmbedding,
    Finished,
    Found,
    Item,
    Read,
    Ready,
    Unchanged,
    Unreadable,
    prepare_documents,
)
from ascertain.graph.synchronisation import FollowedStore, GraphUpkeep
from ascertain.models.ports import Embedder, Vectors
from ascertain.stores.ports.chunks import CompleteStore, IndexedDocument


@dataclass(frozen=True, slots=True)
class Workplace:
    """What a worker needs; it travels to each, and the two functions open a store and a model there.

    With ``compares_unchanged`` the links of documents that are in the store already are looked at too.
    """

    settings: IngestSettings
    options: ReadOptions
    open_store: Callable[[], CompleteStore]
    open_embedder: Callable[[], Embedder]
    compares_unchanged: bool = False
    open_graph: Callable[[], GraphUpkeep] | None = None
    """The upkeep of the graph for a worker's writes; None where there is none, as when a chat model reads it."""
    profiles: Mapping[str, Profile] = field(default_factory=dict[str, Profile])
    """By name, with the vocabulary that documents are tagged with."""


def read_sources(given: SourceBatch, known: Mapping[str, str], workplace: Workplace) -> Iterator[DocumentBatch]:
    """What is in the sources; ``known`` is the content hash of each document that was stored when the run began."""
    limit = 1 if given.is_careful else workplace.settings.write_batch
    batch = DocumentBatch()
    for source in given.sources:
        reading = _Reading(source, known, workplace)
        for position, item in enumerate(reading.items()):
            reading.put(batch, position, item)
            if batch.chunks >= limit or batch.is_long:
                yield batch
                batch = DocumentBatch()
    yield batch


class _Reading:
    """One source on its way into batches."""

    def __init__(self, source: Source, known: Mapping[str, str], workplace: Workplace) -> None:
        self._source = source
        self._known = known
        self._workplace = workplace
        self._documents: dict[str, str] = {}
        self._latest: Document | None = None

    def items(self) -> Iterator[Item]:
        """What the source gives, cut into chunks where that is needed."""
        place = self._workplace
        return prepare_documents(self._read_wanted(), self._known, place.settings, place.profiles)

    def put(self, batch: DocumentBatch, position: int, item: Item) -> None:
        """Put an item, at ``position`` in the source, into a batch; before the next one is asked for."""
        number = self._source.number
        if isinstance(item, Ready):
            is_known = item.document.id in self._known
            batch.documents.append(Placed(item, (number, position), is_known))
        elif isinstance(item, Unreadable):
            batch.unreadable.append((number, item))
        elif isinstance(item, Unchanged):
            batch.unchanged.append((number, item))
            if self._workplace.compares_unchanged and self._latest is not None:
                batch.compared.extend(sign_document(self._latest, (number, position)))
        else:
            batch.ends.append(SourceEnd(number, item, self._documents))

    def _read_wanted(self) -> Iterator[Read]:
        """What was read, except what is done already."""
        for item in self._read_source():
            if not isinstance(item, Finished):
                self._documents[item.document.id] = item.document.source
                if item.document.id in self._source.done:
                    continue
                self._latest = item.document
            yield item

    def _read_source(self) -> Iterator[Read]:
        content = self._source.content
        if isinstance(content, Path):
            yield from read_files((content,), self._workplace.options)
        else:
            yield Found(content, len(content.text))
            yield Finished(content.source, 0, is_whole=True)


def sign_document(document: Document, place: tuple[int, int], signature_: bytes | None = None) -> Iterator[Signed]:
    """The document's signature for comparing, when it is long enough to have one."""
    made = signature_ or minhash_signature(document.text)
    if made is not None:
        wanted = wanted_similarity(document, SAME_STORY)
        yield Signed(document.id, document.tenant, place, made, wanted)


class EmbeddingStage:
    """Embeds batches with one model, opened for the first of them."""

    def __init__(self, workplace: Workplace) -> None:
        self._workplace = workplace
        self._embedding: BatchEmbedding | None = None

    def __call__(self, batch: DocumentBatch) -> DocumentBatch:
        """The batch with its vectors; a document that the model cannot take is moved to the unreadable ones."""
        if not batch.documents:
            return batch
        try:
            self._embed_batch(batch)
        except AscertainError as error:
            batch.trouble = Trouble.of(error)
        return batch

    def _embed_batch(self, batch: DocumentBatch) -> None:
        if self._embedding is None:
            self._embedding = BatchEmbedding(self._workplace.open_embedder(), self._workplace.settings.embed_batch)
        before = self._embedding.seconds
        embedded = self._embedding.embed_each([placed.ready for placed in batch.documents], _say_nothing)
        batch.embedding_seconds = self._embedding.seconds - before
        taken: list[Placed] = []
        for placed, found in zip(batch.documents, embedded, strict=True):
            if isinstance(found, str):
                failed = Unreadable(placed.ready.document, found, placed.ready.size)
                batch.unreadable.append((placed.place[0], failed))
            else:
                taken.append(placed)
                batch.vectors.append(found)
        batch.documents = taken


def _say_nothing(source: str, bytes_done: int, chunks: int) -> None:
    """Progress is reported by the driver, once a document is written."""


_FIRST_PAUSE = 0.25
_LONGEST_PAUSE = 8.0


class WritingStage:
    """Writes batches through one connection to the store, opened for the first of them."""

    def __init__(self, workplace: Workplace) -> None:
        self._workplace = workplace
        self._store: CompleteStore | None = None
        self._graph: GraphUpkeep | None = None

    def __call__(self, batch: DocumentBatch) -> Outcome:
        """Write what is in the batch; durable when this returns without trouble."""
        started = time.perf_counter()
        if batch.trouble is not None:
            return Outcome(trouble=batch.trouble)
        try:
            outcome = retry_patiently(
                lambda: self._write_counting(batch), self._workplace.settings.ray.store_wait_seconds, time.sleep
            )
        except AscertainError as error:
            return Outcome(trouble=Trouble.of(error))
        outcome.embedding_seconds = batch.embedding_seconds
        outcome.writing_seconds = time.perf_counter() - started
        return outcome

    def _write_counting(self, batch: DocumentBatch) -> Outcome:
        """Write, and count what that did to the graph."""
        outcome = Outcome(unchanged=batch.unchanged, ends=batch.ends)
        if not (batch.documents or batch.unreadable or batch.compared):
            return outcome
        if self._store is None:
            self._store = self._open_store()
        if self._graph is None:
            self._write_batch(batch, self._store, outcome)
        else:
            with self._graph.open_tally() as outcome.graph:
                self._write_batch(batch, self._store, outcome)
        return outcome

    def _open_store(self) -> CompleteStore:
        workplace = self._workplace
        store = workplace.open_store()
        if workplace.open_graph is None:
            return store
        self._graph = self._graph or workplace.open_graph()
        return cast(CompleteStore, FollowedStore(store, self._graph))

    def _write_batch(self, batch: DocumentBatch, store: CompleteStore, outcome: Outcome) -> None:
        for number, item in batch.unreadable:
            document = item.document
            store.mark_failed(document, item.reason)
            outcome.failed.append(Failed(number, document.id, document.source, item.reason, item.size))
        earlier_duplicates = _duplicates_among(store, batch.documents)
        documents = [
            _build_indexed(placed, vectors) for placed, vectors in zip(batch.documents, batch.vectors, strict=True)
        ]
        store.upsert(documents)
        # another link does not change the graph of a document, which has just been read
        plain = store.plain if isinstance(store, FollowedStore) else store
        outcome.alike += self._link_documents(plain, batch, documents, earlier_duplicates)
        outcome.alike += [
            Alike(one.document_id, one.tenant, one.place, _find_similar(store, one), is_written=False)
            for one in batch.compared
        ]
        outcome.written += [_build_written(placed) for placed in batch.documents]

    def _link_documents(
        self, store: CompleteStore, batch: DocumentBatch, documents: list[IndexedDocument], earlier_duplicates: set[str]
    ) -> list[Alike]:
        """Link each document to one it repeats, as far as can be seen from here; the driver settles the rest.

        Checking after the write, not before, lets at least one of two writers see a pair they write at once.
        """
        found: list[Alike] = []
        later = {indexed.document.id for indexed in documents}
        for placed, indexed in zip(batch.documents, documents, strict=True):
            document = indexed.document
            later.discard(document.id)
            for one in sign_document(document, placed.place, indexed.signature):
                similar = _find_similar(store, one)
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
                    store.upsert([link_document(indexed, original)])
        return found


def retry_patiently(work: Callable[[], Outcome], wait_seconds: float, pause: Callable[[float], None]) -> Outcome:
    """Do ``work``, retrying after a growing pause while the store is unavailable; its error once that has lasted too long."""
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


def _find_similar(store: CompleteStore, one: Signed) -> tuple[tuple[str, float], ...]:
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


def _build_indexed(placed: Placed, vectors: Vectors) -> IndexedDocument:
    ready = placed.ready
    return IndexedDocument(ready.document, (*ready.chunks, *ready.parents), vectors, signature=ready.signature)


def _build_written(placed: Placed) -> Written:
    ready = placed.ready
    document = ready.document
    return Written(
        placed.place[0],
        document.id,
        document.source,
        ready.size,
        len(ready.chunks),
        placed.is_known,
        document.completeness,
    )
