"""How far the graph is behind the documents, and syncing it with them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

from ascertain.core.documents.documents import DocumentRecord
from ascertain.graph.synchronisation import GraphUpkeep, all_records, graph_version, is_version_of, split_ids
from ascertain.stores.ports.chunks import CompleteStore
from ascertain.stores.ports.graph import GraphStore

BATCH_CHUNKS = 512
"""Chunks read and written at a time: a few megabytes of text, not too many transactions. One document may have more."""
BATCH_DOCUMENTS = 100


class CatchUpListener(Protocol):
    """Follows the progress of the graph."""

    def report_progress(self, done: int, total: int, chunks: int) -> None:
        """``done`` of ``total`` documents are processed, the last ``chunks`` chunks just now."""
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
        """Those whose graph is outdated, with any extractor."""
        return (*self.missing, *self.outdated)

    @property
    def behind(self) -> int:
        """The number of documents whose graph is outdated, including deleted ones."""
        return len(self.missing) + len(self.outdated) + len(self.otherwise_read) + len(self.gone)

    @property
    def stale(self) -> tuple[str, ...]:
        """Those of which the graph has facts that no document states any more."""
        return (*self.gone, *self.outdated)


@dataclass(frozen=True, slots=True)
class CatchUp:
    """The result: documents ``read`` and ``removed``, and those ``left`` because they could not be read."""

    read: int = 0
    removed: int = 0
    left: int = 0


def find_difference(chunks: CompleteStore, graph: GraphUpkeep, tenant: str) -> Difference:
    """What the graph lacks of a tenant's documents; StoreError when either cannot be read."""
    return compare_versions(chunks, graph.store, tenant, graph.extractor.name if graph.reads else None)


def compare_versions(chunks: CompleteStore, graph: GraphStore, tenant: str, extractor: str | None) -> Difference:
    """The same for a graph store; ``otherwise_read`` are those that another than this extractor has read."""
    known, held = chunks.known(tenant), graph.known(tenant)
    doubtful = [name for name in held if name not in known]
    # a document that failed is not known; it counts while an earlier version of it can be searched
    kept = {record.id: record.content_hash for record in all_records(chunks, tenant, doubtful)}
    known |= kept
    missing, outdated, otherwise = list[str](), list[str](), list[str]()
    for document, content_hash in sorted(known.items()):
        written = held.get(document)
        if written is None:
            missing.append(document)
        elif not is_version_of(written, content_hash):
            outdated.append(document)
        elif extractor is not None and written != graph_version(content_hash, extractor):
            otherwise.append(document)
    gone = sorted(document for document in doubtful if document not in kept)
    return Difference(tuple(missing), tuple(outdated), tuple(otherwise), tuple(gone))


def catch_up(
    chunks: CompleteStore, graph: GraphUpkeep, tenant: str, found: Difference, listener: CatchUpListener | None = None
) -> CatchUp:
    """Fix what ``found`` lists, deleted documents first; raises what a store raises, and ModelError."""
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


def forget_stale(chunks: CompleteStore, graph: GraphUpkeep, tenant: str, found: Difference) -> int:
    """Remove facts that no document states any more; of how many. Existing documents wait to be read again."""
    for some in split_ids(found.gone):
        graph.read_again(chunks, tenant, some)
    for some in split_ids(found.outdated):
        graph.store.delete(tenant, some)
    return len(found.stale)


def batch_documents(
    chunks: CompleteStore, tenant: str, documents: Sequence[str]
) -> Iterator[dict[str, DocumentRecord]]:
    """The existing documents, in batches of bounded size."""
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
