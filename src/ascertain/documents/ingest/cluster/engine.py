"""The driver of an ingest on a cluster: distributes sources, records the results, and settles what only it can see."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path
from typing import Protocol

from ascertain.core.asking.passages import Filter
from ascertain.core.documents.documents import Document, DocumentRecord
from ascertain.core.documents.ingest import IngestReport
from ascertain.documents.formats.reader import ReadOptions
from ascertain.documents.ingest.cluster.batches import Alike, Outcome, Source, SourceBatch
from ascertain.documents.ingest.cluster.stages import Workplace
from ascertain.documents.ingest.duplicates import (
    SAME_STORY,
    Original,
    are_comparable,
    estimate_similarity,
    minhash_signature,
    rewrite_link,
    wanted_similarity,
)
from ascertain.documents.ingest.files import (
    announce_documents,
    find_files,
    known_hashes,
    relink_after_changes,
    stand_in,
)
from ascertain.documents.ingest.report import IngestListener, SilentListener, Tally
from ascertain.stores.ports.chunks import CompleteStore


class Degrees:
    """Pairs of similar documents as several writers have seen them. ``replaced`` are those written over an earlier version.

    A writer sees what is in the store at that moment: of two documents written at once at least one sees the other, and one
    that was replaced meanwhile may have been seen as it was before.
    """

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
        of_first, of_second = minhash_signature(first.text), minhash_signature(second.text)
        if of_first is None or of_second is None:
            return False
        return estimate_similarity(of_first, of_second) >= wanted_similarity(first, self._threshold)


@dataclass(slots=True)
class _Entry:
    source: Source
    done: set[str] = field(default_factory=set[str])
    given: Mapping[str, str] | None = None
    """Once the source was read to its end: the id of each document it gave, and where that is from."""

    @property
    def is_complete(self) -> bool:
        return self.given is not None and self.done.issuperset(self.given)


class Ledger:
    """What was sent out and what has come back; records outcomes in a tally, each document once however often it was tried.

    Work that did not come back (a killed process, a lost machine, a crashing parser) is open and sent out again source by
    source and document by document, so that what crashes a worker takes nothing with it.
    """

    def __init__(self, sources: Iterable[Source], tally: Tally) -> None:
        self._open = {source.number: _Entry(source) for source in sources}
        self._tally = tally

    def book(self, outcome: Outcome) -> None:
        """Take in the result of a batch."""
        for end in outcome.ends:
            entry = self._open.get(end.number)
            if entry is not None and entry.given is None:
                entry.given = end.documents
                finished = end.finished
                self._tally.finished(finished.path, finished.size, is_whole=finished.is_whole)
                self._close_entry(entry)
        for failed in outcome.failed:
            if self._is_first(failed.number, failed.document_id):
                self._tally.failed(failed.document_id, failed.source, failed.reason, failed.size)
        for number, item in outcome.unchanged:
            if self._is_first(number, item.document_id):
                self._tally.unchanged(item.document_id, item.source, item.size)
        for written in outcome.written:
            if self._is_first(written.number, written.document_id):
                self._tally.seen.documents.add(written.document_id)
                self._tally.written(
                    written.document_id, written.source, written.completeness, written.chunks, is_known=written.is_known
                )
                self._tally.listener.report_progress(written.source, written.size, written.chunks)
        self._tally.embedding_seconds += outcome.embedding_seconds
        self._tally.graph.join(outcome.graph)

    def list_owed_sources(self) -> list[Source]:
        """Sources with work that has not come back, with what has, in the order of discovery."""
        return [replace(entry.source, done=frozenset(entry.done)) for entry in self._open.values()]

    def lost(self, options: ReadOptions) -> Iterator[Document]:
        """A record for each file or document that is still open."""
        for entry in self._open.values():
            content = entry.source.content
            if isinstance(content, Document):
                yield replace(content, text="", blocks=())
            elif entry.given is None:
                yield stand_in(content, str(content.resolve()), options)
            else:
                for identity, source in entry.given.items():
                    if identity not in entry.done:
                        yield replace(stand_in(content, source, options), id=identity)

    def _is_first(self, number: int, document_id: str) -> bool:
        entry = self._open.get(number)
        if entry is None or document_id in entry.done:
            return False
        entry.done.add(document_id)
        self._close_entry(entry)
        return True

    def _close_entry(self, entry: _Entry) -> None:
        if entry.is_complete:
            del self._open[entry.source.number]


def batch_sources(sources: Iterable[tuple[Source, int]], largest: int, most: int) -> Iterator[tuple[Source, ...]]:
    """Neighbouring sources, given with their sizes, in batches of at most ``most`` and of about ``largest`` bytes."""
    batch: list[Source] = []
    size = 0
    for source, bytes_ in sources:
        if batch and (size + bytes_ > largest or len(batch) >= most):
            yield tuple(batch)
            batch, size = [], 0
        batch.append(source)
        size += bytes_
    if batch:
        yield tuple(batch)


def size_of(content: Path | Document) -> int:
    """Bytes of a file, characters of a document."""
    if isinstance(content, Document):
        return len(content.text)
    try:
        return content.stat().st_size
    except OSError:
        return 0  # reading it will say what is wrong


_BATCH = 500

Order = tuple[int, int, int]
_ORIGINAL_BEFORE, _DUPLICATE_BEFORE, _NEW = range(3)


class Likeness:
    """What workers have reported of documents that are at least ``threshold`` similar to others, in one tenant or several."""

    def __init__(self, threshold: float) -> None:
        self.threshold = threshold
        self.replaced: set[str] = set()
        self.tenants: set[str] = set()
        self.pairs: dict[str, Alike] = {}
        self.written: dict[str, Order] = {}
        self.compared: dict[str, Order] = {}

    def add(self, outcome: Outcome) -> None:
        """Take in the final report of the workers on each document."""
        ranks = {None: _NEW, True: _DUPLICATE_BEFORE, False: _ORIGINAL_BEFORE}
        self.replaced.update(written.document_id for written in outcome.written if written.is_known)
        for one in outcome.alike:
            orders = self.written if one.is_written else self.compared
            orders[one.document_id] = (ranks[one.was_duplicate], *one.place)
            if one.similar:
                self.pairs[one.document_id] = one
                self.tenants.add(one.tenant)


def settle_links(store: CompleteStore, likeness: Likeness, resumed_since: datetime | None = None) -> dict[str, str]:
    """Link the documents of a run for good, as one worker would have; the duplicates among those it wrote with their originals.

    A worker links a document to what it finds in the store at that moment, which depends on the others. So the documents that
    look alike are gone through in the order of discovery, those from before this run first, and wrong links are replaced.
    Of documents that were only compared, those added after ``resumed_since`` count as of this run: an interrupted one has
    written them without coming to this.
    """
    links: dict[str, str] = {}
    for tenant in likeness.tenants:
        links |= _Settlement(store, likeness, tenant, resumed_since).settle()
    return links


class _Settlement:
    def __init__(self, store: CompleteStore, likeness: Likeness, tenant: str, resumed_since: datetime | None) -> None:
        self._store = store
        self._written = likeness.written
        pairs = [one for one in likeness.pairs.values() if one.tenant == tenant]
        self._degrees = Degrees(store, pairs, likeness.replaced, likeness.threshold)
        involved = self._degrees.documents
        self._records = _fetch_records(store, involved, tenant)
        self._order = {known: likeness.written[known] for known in involved if known in likeness.written}
        if resumed_since is not None:
            self._order |= {
                known: likeness.compared[known]
                for known in involved
                if known in likeness.compared and self._is_since(known, resumed_since)
            }
        self._links: dict[str, Original | None] = {}

    def settle(self) -> dict[str, str]:
        for document_id in sorted(self._order, key=lambda known: self._order[known]):
            record = self._records.get(document_id)
            if record is None:
                continue
            original = self._find_original(record)
            self._links[document_id] = original
            if (original.id if original else None) != record.duplicate_of:
                rewrite_link(self._store, document_id, original)
        return {
            document_id: original.id
            for document_id, original in self._links.items()
            if original is not None and document_id in self._written
        }

    def _is_since(self, document_id: str, moment: datetime) -> bool:
        record = self._records.get(document_id)
        return record is not None and record.added_at >= moment

    def _find_original(self, record: DocumentRecord) -> Original | None:
        """The most similar document before this one, or what that repeats; of equals the first by id."""
        for other_id, degree in self._degrees.of(record.id):
            other = self._records.get(other_id)
            if other is None or not self._is_before(other_id, record.id):
                continue
            found = self._records.get(self._settle_link(other) or other_id)
            if found is not None and found.id != record.id and are_comparable(record, found):
                return Original(found.id, found.source, degree)
        return None

    def _is_before(self, other_id: str, document_id: str) -> bool:
        order = self._order.get(other_id)
        return order is None or order < self._order[document_id]

    def _settle_link(self, record: DocumentRecord) -> str | None:
        if record.id in self._links:
            original = self._links[record.id]
            return original.id if original else None
        return record.duplicate_of


def _fetch_records(store: CompleteStore, wanted: Iterable[str], tenant: str) -> dict[str, DocumentRecord]:
    """The documents named, and the originals that they are linked to."""
    records: dict[str, DocumentRecord] = {}
    for _ in range(2):
        missing = [known for known in wanted if known not in records]
        records |= {record.id: record for record in _fetch_in_batches(store, missing, tenant)}
        wanted = [record.duplicate_of for record in records.values() if record.duplicate_of]
    return records


def _fetch_in_batches(store: CompleteStore, document_ids: Sequence[str], tenant: str) -> Iterator[DocumentRecord]:
    for start in range(0, len(document_ids), _BATCH):
        ids = tuple(document_ids[start : start + _BATCH])
        yield from store.documents(Filter(document_ids=ids, tenant=tenant))


ATTEMPTS = 3
"""How often a file or document is tried whose worker dies; from the second time on it is by itself."""
_BATCH_BYTES = 1_000_000
_BATCH_SOURCES = 64
_BATCHES_PER_WORKER = 4
"""At least so many for each worker where there is enough to do, so that all finish at about the same time."""
_WAVE_CHARACTERS = 200_000_000
"""Documents made by the caller that are sent out at a time; bounds what the driver and the cluster hold of them."""


class Crew(Protocol):
    """Workers at hand, on however many machines."""

    @property
    def workers(self) -> int:
        """How many batches are embedded at a time."""
        ...

    def outcomes(
        self, batches: Sequence[SourceBatch], known: Mapping[str, str], workplace: Workplace
    ) -> Iterator[Outcome]:
        """Read, embed and write the sources; the result of each batch of documents, in any order.

        What was in work on a worker that died is missing from it.
        """
        ...


class Cluster(Protocol):
    """Where workers can be had."""

    def crew(self) -> AbstractContextManager[Crew]:
        """Workers until the context ends. Raises MissingExtra or ConfigurationError if there cannot be any."""
        ...


class ClusterIngestor:
    """Puts documents into a store that several machines can write to."""

    def __init__(self, store: CompleteStore, cluster: Cluster, workplace: Workplace) -> None:
        self._store = store
        self._cluster = cluster
        self._workplace = workplace

    def add_paths(
        self,
        paths: Sequence[Path],
        *,
        profile: str,
        tags: Sequence[str] = (),
        tenant: str = "default",
        conversation_id: str | None = None,
        sync: bool = False,
        listener: IngestListener | None = None,
        resumed_since: datetime | None = None,
    ) -> IngestReport:
        """As ``Ingestor.add_paths``. Every machine must see the files under the same paths.

        ``resumed_since`` is when an earlier run of the same began that was interrupted, after which its links are settled too.
        """
        settings = self._workplace.settings
        options = ReadOptions(profile, tuple(tags), tenant, conversation_id)
        tally = Tally(listener or SilentListener())
        addition = find_files(paths, options, settings)
        tally.found_files(len(addition.found.files), addition.total_bytes)
        tally.passed_over(addition.found.skipped)
        workplace = replace(self._workplace, options=addition.options, compares_unchanged=resumed_since is not None)
        sources = [Source(number, path) for number, path in enumerate(addition.found.files)]
        run = _Run(self._store, workplace, tally, self._store.known(tenant))
        if sources:
            with self._cluster.crew() as crew:
                run.work(crew, sources)
        run.settle({tenant}, resumed_since)
        addition.bring_into_step(self._store, tally, sync=sync)
        return tally.report()

    def add_documents(self, documents: Iterable[Document], listener: IngestListener | None = None) -> IngestReport:
        """As ``Ingestor.add_documents``."""
        tally = Tally(listener or SilentListener())
        tenants = announce_documents(documents, tally)
        run = _Run(self._store, self._workplace, tally, known_hashes(self._store, tenants))
        with self._cluster.crew() as crew:
            for wave in _split_waves(documents, tally):
                run.work(crew, wave)
        run.settle(tenants)
        return tally.report()


class _Run:
    """One ingest, from the first source sent out to the last link settled."""

    def __init__(self, store: CompleteStore, workplace: Workplace, tally: Tally, known: Mapping[str, str]) -> None:
        self._store = store
        self._workplace = workplace
        self._tally = tally
        self._known = known
        self._likeness = Likeness(SAME_STORY)

    def work(self, crew: Crew, sources: Sequence[Source]) -> None:
        """Process the sources; what is open after the last attempt is recorded as failed."""
        ledger = Ledger(sources, self._tally)
        for batches in self._try_sources(ledger, sources, crew.workers):
            for outcome in crew.outcomes(batches, self._known, self._workplace):
                if outcome.trouble is not None:
                    raise outcome.trouble.error()
                ledger.book(outcome)
                self._likeness.add(outcome)
        reason = (
            f"the worker that had it died, {ATTEMPTS} times in a row: it may need more memory than a worker has, "
            "or crash the program that reads it"
        )
        for document in ledger.lost(self._workplace.options):
            self._store.mark_failed(document, reason)
            self._tally.failed(document.id, document.source, reason)

    def settle(self, tenants: Collection[str], resumed_since: datetime | None = None) -> None:
        """Make the links between near-duplicates what they would be had one worker done it all."""
        self._tally.links = settle_links(self._store, self._likeness, resumed_since)
        relink_after_changes(self._store, self._tally, tenants)

    def _try_sources(self, ledger: Ledger, sources: Sequence[Source], workers: int) -> Iterator[list[SourceBatch]]:
        sized = [(source, size_of(source.content)) for source in sources]
        largest = min(_BATCH_BYTES, sum(size for _, size in sized) // (workers * _BATCHES_PER_WORKER))
        most = min(_BATCH_SOURCES, -(-len(sources) // (workers * _BATCHES_PER_WORKER)))
        yield [SourceBatch(batch) for batch in batch_sources(sized, largest, most)]
        for _ in range(ATTEMPTS - 1):
            owed = ledger.list_owed_sources()
            if not owed:
                return
            yield [SourceBatch((source,), is_careful=True) for source in owed]


def _split_waves(documents: Iterable[Document], tally: Tally) -> Iterator[list[Source]]:
    """The documents in waves, in order; of those with one id in a wave the last."""
    wave: dict[str, Source] = {}
    size = 0
    for number, document in enumerate(documents):
        replaced = wave.pop(document.id, None)
        if replaced is not None or document.id in tally.seen.documents:
            tally.note_repeat(document.source)
        if replaced is not None:
            tally.listener.report_progress(document.source, size_of(replaced.content), 0)
        wave[document.id] = Source(number, document)
        size += len(document.text)
        if size >= _WAVE_CHARACTERS:
            yield list(wave.values())
            wave, size = {}, 0
    if wave:
        yield list(wave.values())
