"""Catching up: where graph and documents differ, after a kill between two writes or a time without the graph, the graph
is mended.

What differs is told by comparing a version for each document, in both directions; only what differs is read. Each batch
is durable by itself, so that a run that is interrupted is gone on with by the next one.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, cast

from ascertain.core.documents import DocumentRecord
from ascertain.core.passages import Filter
from ascertain.graph.maintenance import GraphUpkeep, all_records, graph_version, is_version_of, split_ids
from ascertain.stores.ports import CompleteStore, IndexedDocument

BATCH_CHUNKS = 512
"""Chunks read and written at a time: some megabytes of text, not too many transactions. One document may have more."""
BATCH_DOCUMENTS = 100


class CatchUpListener(Protocol):
    """Hears how far the graph has come."""

    def report_progress(self, done: int, total: int, chunks: int) -> None:
        """``done`` of ``total`` documents are dealt with, the last ``chunks`` chunks just now."""
        ...


@dataclass(frozen=True, slots=True)
class Difference:
    """Documents by what the graph lacks of them: all (``missing``), the present version (``outdated``), a reading by
    the present extractor (``otherwise_read``), or that they are gone (``gone``).
    """

    missing: tuple[str, ...] = ()
    outdated: tuple[str, ...] = ()
    otherwise_read: tuple[str, ...] = ()
    gone: tuple[str, ...] = ()

    @property
    def untrue(self) -> tuple[str, ...]:
        """Those whose graph is not what they say, whoever reads them."""
        return (*self.missing, *self.outdated)

    @property
    def behind(self) -> int:
        """How many documents are to be read."""
        return len(self.missing) + len(self.outdated) + len(self.otherwise_read)


@dataclass(frozen=True, slots=True)
class CatchUp:
    """What came of it: documents ``read`` and ``removed``, and those ``left`` as they were for want of a reading."""

    read: int = 0
    removed: int = 0
    left: int = 0


def find_difference(chunks: CompleteStore, graph: GraphUpkeep, tenant: str) -> Difference:
    """What the graph lacks of a tenant's documents; StoreError when either cannot be read."""
    known, held = chunks.known(tenant), graph.store.known(tenant)
    doubtful = [name for name in held if name not in known]
    # a document that failed is not known; it counts while an earlier version of it can be searched
    kept = {record.id: record.content_hash for record in all_records(chunks, tenant, doubtful)}
    known |= kept
    name = graph.extractor.name if graph.reads else None
    missing, outdated, otherwise = list[str](), list[str](), list[str]()
    for document, content_hash in sorted(known.items()):
        written = held.get(document)
        if written is None:
            missing.append(document)
        elif not is_version_of(written, content_hash):
            outdated.append(document)
        elif name is not None and written != graph_version(content_hash, name):
            otherwise.append(document)
    gone = sorted(document for document in doubtful if document not in kept)
    return Difference(tuple(missing), tuple(outdated), tuple(otherwise), tuple(gone))


def catch_up(
    chunks: CompleteStore, graph: GraphUpkeep, tenant: str, found: Difference, listener: CatchUpListener | None = None
) -> CatchUp:
    """Mend what ``found`` names, what is gone first; raises what a store raises, and ModelError."""
    for some in split_ids(found.gone):
        graph.read_again(chunks, tenant, some)
    wanted = (*found.missing, *found.outdated, *found.otherwise_read)
    outdated = set(found.outdated)
    done, left = 0, 0
    for records in batch_documents(chunks, tenant, wanted):
        unread = graph.read_again(chunks, tenant, list(records))
        graph.forget_documents(tenant, sorted(unread & outdated))
        done, left = done + len(records), left + len(unread)
        if listener:
            listener.report_progress(done, len(wanted), sum(record.chunks for record in records.values()))
    return CatchUp(done - left, len(found.gone), left)


def batch_documents(
    chunks: CompleteStore, tenant: str, documents: Sequence[str]
) -> Iterator[dict[str, DocumentRecord]]:
    """The documents that are there, in batches of bounded size."""
    batch: dict[str, DocumentRecord] = {}
    size = 0
    for record in all_records(chunks, tenant, documents):
        if batch and (size + record.chunks > BATCH_CHUNKS or len(batch) == BATCH_DOCUMENTS):
            yield batch
            batch, size = {}, 0
        batch[record.id] = record
        size += record.chunks
    if batch:
        yield batch


def follow_store(plain: CompleteStore, graph: GraphUpkeep) -> CompleteStore:
    """``plain``, with ``graph`` following what is written to it and deleted from it."""
    return cast(CompleteStore, FollowedStore(plain, graph))


class FollowedStore:
    """``plain``, whose chunks are written or deleted first, then what they say in the graph.

    Of a document that failed an earlier version stays, and with it what it says.
    """

    def __init__(self, plain: CompleteStore, graph: GraphUpkeep) -> None:
        self.plain = plain
        self._graph = graph

    def __getattr__(self, name: str) -> Any:
        """All else is the plain store's."""
        return getattr(self.plain, name)

    def upsert(self, documents: Sequence[IndexedDocument]) -> None:
        """See ``ChunkStore.upsert``."""
        self.plain.upsert(documents)
        # one that says when it was added comes back from this store with another link; what it says is the same
        fresh = [document for document in documents if document.added_at is None]
        self._graph.follow_documents(self.plain, fresh)

    def delete(self, filter: Filter) -> int:
        """See ``ChunkStore.delete``."""
        gone = [record.id for record in self.plain.documents(filter)]
        deleted = self.plain.delete(filter)
        self._graph.forget_documents(filter.tenant, gone)
        return deleted
