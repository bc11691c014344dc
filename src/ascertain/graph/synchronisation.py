"""Keeping the graph in sync with the documents: new text is read, deleted facts are removed; and catching up,
where graph and documents differ after a kill between two writes or a time without the graph.

Errors of the graph never fail a change of the documents; they are reported, and catching up makes
up for it. Two processes may write one document at the same time, each first its chunks and then its graph. So the writer of
a graph checks again whether the chunks are still those it was read from, and reads them again where they are
not; the last one to check leaves the right one.

Differences are found by comparing a version for each document, in both directions; only what differs is read. Each batch
is durable by itself, so that the next run resumes an interrupted one.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any

from ascertain.core.asking.passages import Filter
from ascertain.core.documents.documents import Chunk, DocumentRecord, DocumentState
from ascertain.core.errors import AscertainError, TooMuchWork
from ascertain.core.graph.nouns import DocumentGraph
from ascertain.core.system.processor_time import limit_document_work
from ascertain.graph.extraction.ports import CostlyExtractor, Extractor
from ascertain.stores.ports.chunks import CompleteStore, IndexedDocument
from ascertain.stores.ports.graph import GraphStore

_ASKED = 500
"""Documents requested at once by their ids; databases limit the length of a condition."""
_Forgetting = Callable[[str, Sequence[str]], AbstractContextManager[None]]
"""Held while these documents of a tenant are deleted."""
_logger = logging.getLogger("ascertain.graph")
REMEDY = "'ascertain graph build' makes up for it"
LOOKS = 5
"""How often documents are checked again that another writer keeps changing; catching up later does the rest."""


@dataclass(frozen=True, slots=True)
class Given:
    """A document to be read: its searchable chunks, in order."""

    document_id: str
    content_hash: str
    chunks: Sequence[Chunk]
    conversation_id: str | None
    tenant: str

    def empty_graph(self, extractor: str) -> DocumentGraph:
        """The graph of a document without chunks."""
        return DocumentGraph(
            self.document_id,
            graph_version(self.content_hash, extractor),
            (),
            conversation_id=self.conversation_id,
            tenant=self.tenant,
        )


def graph_version(content_hash: str, extractor: str) -> str:
    """``DocumentGraph.version`` of a document that the extractor of this name has read."""
    return f"{content_hash}:{extractor}"


def is_version_of(written: str, content_hash: str) -> bool:
    """Whether some extractor has read the document of this content hash for it."""
    return written.startswith(f"{content_hash}:")


def stored_records(chunks: CompleteStore, tenant: str, document_ids: Sequence[str]) -> dict[str, DocumentRecord]:
    """The documents named that can be searched; a failed one counts while an earlier version exists."""
    if not document_ids:
        return {}
    found = chunks.documents(Filter(document_ids=tuple(document_ids), tenant=tenant))
    return {record.id: record for record in found if record.chunks or record.state is not DocumentState.FAILED}


def all_records(chunks: CompleteStore, tenant: str, document_ids: Sequence[str]) -> Iterator[DocumentRecord]:
    """The same, for any number of documents."""
    for some in split_ids(document_ids):
        yield from stored_records(chunks, tenant, some).values()


def split_ids(document_ids: Sequence[str]) -> Iterator[Sequence[str]]:
    """The documents in turns, few enough to be asked for by their ids."""
    for start in range(0, len(document_ids), _ASKED):
        yield document_ids[start : start + _ASKED]


def stored_chunks(chunks: CompleteStore, tenant: str, records: Mapping[str, DocumentRecord]) -> list[Given]:
    """The documents with all their searchable chunks, in the order of ``records``."""
    own: dict[str, list[Chunk]] = {name: [] for name in records}
    if own:
        for chunk in chunks.iterate_chunks(Filter(document_ids=tuple(records), tenant=tenant)):
            own.setdefault(chunk.document_id, []).append(chunk)
    return [
        Given(name, record.content_hash, own[name], record.conversation_id, tenant) for name, record in records.items()
    ]


@dataclass(slots=True)
class GraphTally:
    """The changes of one run to the graph.

    ``names`` are the different keys found. ``problems`` counts documents by why the graph does not have them as
    they are.
    """

    documents: int = 0
    mentions: int = 0
    relations: int = 0
    names: set[str] = field(default_factory=set[str])
    problems: dict[str, int] = field(default_factory=dict[str, int])

    def count_read(self, graph: DocumentGraph) -> None:
        """Count one document."""
        self.documents += 1
        self.mentions += len(graph.mentions)
        self.relations += len(graph.relations)
        self.names.update(mention.name.key for mention in graph.mentions)

    def count_missed(self, reason: str, documents: int) -> None:
        """Count documents that the graph does not have as they are."""
        self.problems[reason] = self.problems.get(reason, 0) + documents

    def join(self, other: GraphTally) -> None:
        """Add the changes of another part of the run."""
        self.documents += other.documents
        self.mentions += other.mentions
        self.relations += other.relations
        self.names |= other.names
        for reason, documents in other.problems.items():
            self.count_missed(reason, documents)

    @property
    def notes(self) -> tuple[str, ...]:
        """The problems, a line each."""
        return tuple(
            f"{count:,} document{'' if count == 1 else 's'} not followed by the graph: {reason}; {REMEDY}"
            for reason, count in self.problems.items()
        )


@dataclass(slots=True)
class _Run:
    tally: GraphTally
    extractor: Extractor | None = None


class GraphUpkeep:
    """Keeps a graph store in sync with the documents of a chunk store. Any number of threads may use it.

    Both parts are opened when first needed, the extractor once for each run, and once for all that is written outside
    of one. ``open_extractor`` is None where documents are not read: then replaced documents are removed like
    deleted ones, so that the graph never has stale facts. ``on_deletion`` is called with the tenant whose documents were
    deleted: copies of the graph are dropped then.
    """

    def __init__(
        self,
        open_store: Callable[[], GraphStore],
        open_extractor: Callable[[], Extractor] | None,
        on_deletion: Callable[[str], None] = lambda tenant: None,
    ) -> None:
        self._open_store = open_store
        self._open_extractor = open_extractor
        self._on_deletion = on_deletion
        self._run: ContextVar[_Run | None] = ContextVar("graph_run", default=None)
        self._outside = _Run(GraphTally())
        self._lock = threading.Lock()

    @property
    def reads(self) -> bool:
        """Whether documents are read as they are written."""
        return self._open_extractor is not None

    @property
    def store(self) -> GraphStore:
        """The graph store; StoreError when it cannot be used."""
        return self._open_store()

    @property
    def extractor(self) -> Extractor:
        """The extractor; raises what opening it raises."""
        if self._open_extractor is None:
            raise AscertainError("no document is read while graph.build is false")
        run = self._run.get() or self._outside
        with self._lock:
            run.extractor = run.extractor or self._open_extractor()
            return run.extractor

    @property
    def remarks(self) -> tuple[str, ...]:
        """The remarks of the extractor of this run, a line each."""
        run = self._run.get()
        extractor = run.extractor if run else None
        return extractor.notes if isinstance(extractor, CostlyExtractor) else ()

    @contextmanager
    def open_tally(self) -> Generator[GraphTally]:
        """A run: the work of this thread in the context is counted, and its problems are collected instead of logged."""
        run = _Run(GraphTally())
        token = self._run.set(run)
        try:
            yield run.tally
        finally:
            self._run.reset(token)

    def follow_documents(self, chunks: CompleteStore, documents: Sequence[IndexedDocument]) -> None:
        """Documents have been written to ``chunks``. Problems are reported, never raised."""
        for tenant, own in _by_tenant(documents).items():
            ids = [document.document.id for document in own]
            try:
                if self.reads:
                    self._follow_changes(chunks, tenant, own)
                else:
                    self.store.delete(tenant, ids)
            except Exception as error:  # whatever a driver or a model raises: the documents are in and stay in
                self._note_missed(_first_line(error), len(ids))

    def drop_copies(self, tenant: str) -> None:
        """Documents are about to be deleted: no copy of the graph may outlive them, however the deletion ends."""
        try:
            self._on_deletion(tenant)
        except Exception as error:  # as above; a copy of another generation is never read
            _logger.debug("copies of the graph stay: %s", error)

    def forget_documents(self, tenant: str, document_ids: Sequence[str]) -> None:
        """Documents have been deleted. Problems are reported, never raised."""
        if not document_ids:
            return
        try:
            self.store.delete(tenant, document_ids)
            self._on_deletion(tenant)
        except Exception as error:  # as above
            self._note_missed(_first_line(error), len(document_ids))

    def read_again(self, chunks: CompleteStore, tenant: str, document_ids: Sequence[str]) -> set[str]:
        """Update the graph of these documents to what ``chunks`` has now; returns those that could not be read.

        Raises what a store raises, and ModelError where a model cannot be used at all.
        """
        wanted, unread = list(document_ids), set[str]()
        for _ in range(LOOKS):
            if not wanted:
                break
            records = stored_records(chunks, tenant, wanted)
            self.store.delete(tenant, [name for name in wanted if name not in records])
            given = stored_chunks(chunks, tenant, records)
            unread |= self._write_graphs(given, tenant)
            now = stored_records(chunks, tenant, wanted)
            wanted = [
                name
                for name in wanted
                if (now[name].content_hash if name in now else None)
                != (records[name].content_hash if name in records else None)
            ]
        return unread.union(wanted)

    def _follow_changes(self, chunks: CompleteStore, tenant: str, documents: Sequence[IndexedDocument]) -> None:
        given = [_given_document(document) for document in documents]
        unread = self._write_graphs(given, tenant)
        if unread:
            self.store.delete(tenant, sorted(unread))  # it would keep the facts of an earlier version
        now = stored_records(chunks, tenant, [each.document_id for each in given])
        changed = [
            each.document_id
            for each in given
            if each.document_id not in now or now[each.document_id].content_hash != each.content_hash
        ]
        if changed:
            self.read_again(chunks, tenant, changed)

    def _write_graphs(self, given: Sequence[Given], tenant: str) -> set[str]:
        """Read documents and write their graph; the ids of those that could not be read."""
        if not given:
            return set()  # nothing is read, so that nothing need be opened that reads
        graphs = self._read_graphs(given)
        self.store.upsert(graphs)
        if (run := self._run.get()) is not None:
            for graph in graphs:
                run.tally.count_read(graph)
        return {each.document_id for each in given} - {graph.document_id for graph in graphs}

    def _read_graphs(self, given: Sequence[Given]) -> list[DocumentGraph]:
        """The graphs of documents; those that could not be read are left out and reported."""
        extractor = self.extractor
        silent = [each for each in given if not each.chunks]
        graphs = [each.empty_graph(extractor.name) for each in silent]
        spoken = [(each.content_hash, each.chunks) for each in given if each.chunks]
        try:
            with _limit_reading(spoken):
                found = list(extractor.extract(spoken))
        except AscertainError as error:
            if not isinstance(error, TooMuchWork):
                raise
            found = [graph for one in spoken for graph in self._read_one(extractor, one)]
        except Exception:  # a text that the extractor stumbles over; the others are read without it
            found = [graph for one in spoken for graph in self._read_one(extractor, one)]
        else:
            left = len(spoken) - len(found)
            if left:
                self._note_missed(f"{extractor.name} has stopped reading", left)
        return graphs + found

    def _read_one(self, extractor: Extractor, one: tuple[str, Sequence[Chunk]]) -> list[DocumentGraph]:
        try:
            with _limit_reading([one]):
                return list(extractor.extract([one]))
        except TooMuchWork as error:
            self._note_missed(f"{one[1][0].source} {error}", 1)
            return []
        except AscertainError:
            raise
        except Exception as error:  # as above
            self._note_missed(f"{one[1][0].source} could not be read ({_first_line(error)})", 1)
            return []

    def _note_missed(self, reason: str, documents: int) -> None:
        run = self._run.get()
        if run is not None:
            run.tally.count_missed(reason, documents)
        else:
            _logger.warning("%s", *GraphTally(problems={reason: documents}).notes)


def _by_tenant(documents: Sequence[IndexedDocument]) -> dict[str, list[IndexedDocument]]:
    found: dict[str, list[IndexedDocument]] = {}
    for document in documents:
        found.setdefault(document.document.tenant, []).append(document)
    return found


def _given_document(indexed: IndexedDocument) -> Given:
    document = indexed.document
    return Given(
        document.id,
        document.content_hash,
        [chunk for chunk in indexed.chunks if not chunk.is_parent],
        document.conversation_id,
        document.tenant,
    )


def _limit_reading(spoken: Sequence[tuple[str, Sequence[Chunk]]]) -> AbstractContextManager[None]:
    return limit_document_work(sum(len(chunk.text) for _, chunks in spoken for chunk in chunks), "for the graph")


def _first_line(error: Exception) -> str:
    text = str(error) if isinstance(error, AscertainError) else f"{type(error).__name__}: {error}"
    return text.split("\n", 1)[0]


class FollowedStore:
    """``plain``, whose chunks are written or deleted first, then their graph; ``forgetting`` is held while
    documents go, so that nothing computed from them outlives them.

    The earlier version of a failed document stays, and with it its graph.
    """

    def __init__(self, plain: CompleteStore, graph: GraphUpkeep, forgetting: _Forgetting | None = None) -> None:
        self.plain = plain
        self._graph = graph
        self._forgetting = forgetting

    def __getattr__(self, name: str) -> Any:
        """Everything else is the plain store's."""
        return getattr(self.plain, name)

    def upsert(self, documents: Sequence[IndexedDocument]) -> None:
        """See ``ChunkStore.upsert``."""
        with ExitStack() as held:
            for tenant, own in _by_tenant(documents).items():
                replaced = stored_records(self.plain, tenant, [each.document.id for each in own])
                held.enter_context(self._hold_forgetting(tenant, list(replaced)))
            self.plain.upsert(documents)
        # one that says when it was added comes back from this store with another link; what it says is the same
        fresh = [document for document in documents if document.added_at is None]
        self._graph.follow_documents(self.plain, fresh)

    def delete(self, filter: Filter) -> int:
        """See ``ChunkStore.delete``."""
        gone = [record.id for record in self.plain.documents(filter)]
        if gone:
            self._graph.drop_copies(filter.tenant)
        with self._hold_forgetting(filter.tenant, gone):
            deleted = self.plain.delete(filter)
        self._graph.forget_documents(filter.tenant, gone)
        return deleted

    def _hold_forgetting(self, tenant: str, document_ids: Sequence[str]) -> AbstractContextManager[None]:
        if self._forgetting is None or not document_ids:
            return nullcontext()
        return self._forgetting(tenant, document_ids)
