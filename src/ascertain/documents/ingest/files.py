"""Steps of every engine: find the files before its work, and sync the store with them after it."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from ascertain.core.asking.passages import OWN, Filter
from ascertain.core.documents.documents import Document, DocumentKind, DocumentRecord, DocumentState, document_id
from ascertain.core.errors import AscertainError
from ascertain.core.settings import IngestSettings
from ascertain.documents.formats.reader import ReadLimits, ReadOptions, SourceFile
from ascertain.documents.ingest.duplicates import SAME_STORY, prefer_versions_in_force, relink_duplicates
from ascertain.documents.ingest.preparing import Finished, Found, Read, Unreadable, describe_error
from ascertain.documents.ingest.report import Seen, Tally
from ascertain.documents.reading.pool import ReadingStopped
from ascertain.documents.sources.files import Discovery, Illustrated, discover_files, read_illustrated
from ascertain.stores.ports.chunks import CompleteStore

_BATCH = 500


def find_missing_files(
    store: CompleteStore, under: Filter, files: Collection[Path], skipped: Collection[Path], *, seen: Seen
) -> tuple[list[str], int]:
    """The documents that are no longer there, of those that ``under`` selects by the folders they came from, and how many these are.

    Not those of a file that could not be read this time, or is in one of ``skipped``: they may still exist.
    """
    present = {str(path) for path in files}
    passed_over = set(skipped)
    gone: list[str] = []
    total = 0
    for total, record in enumerate(_records_under(store, under), 1):  # noqa: B007
        file = _file_of(record, present)
        if file in present:
            was_read = seen.files.get(file, False)
            vanished = was_read and record.id not in seen.documents and record.id not in seen.failed
        else:
            vanished = passed_over.isdisjoint((Path(file), *Path(file).parents))
        if vanished:
            gone.append(record.id)
    return gone, total


_FEW_GONE = 10
"""Documents that are deleted whatever their share: in a folder of three files two may well be gone."""


def loses_most(gone: int, total: int, share: float) -> bool:
    """Whether so many are gone that the whole place seems to be missing."""
    return gone > share * total and (gone > _FEW_GONE or gone == total > 1)


def forget_old_failures(store: CompleteStore, under: Filter, seen: Seen) -> None:
    """Remove the records of failures that this run has resolved."""
    if not store.stats(under.tenant).by_state.get(DocumentState.FAILED):
        return
    over = [
        record.id
        for record in _records_under(store, under)
        if record.state is DocumentState.FAILED
        and not record.chunks
        and seen.files.get(_file_of(record, seen.files), False)
        and record.id not in seen.failed
        and record.id not in seen.documents
    ]
    delete_batches(store, under, over)


def delete_old_rows(store: CompleteStore, under: Filter, seen: Seen) -> int:
    """Delete what the sources of ``under`` gave before and, read to their end, give no more: how many rows, beside failures."""
    gone = [
        record
        for record in _records_under(store, under)
        if seen.files.get(_file_of(record, seen.files), False)
        and record.id not in seen.documents
        and record.id not in seen.failed
    ]
    delete_batches(store, under, [record.id for record in gone])
    return sum(record.chunks > 0 for record in gone)


def _records_under(store: CompleteStore, under: Filter) -> list[DocumentRecord]:
    return store.documents(under) if under.sources else []


def _file_of(record: DocumentRecord, files: Collection[str] | Mapping[str, bool]) -> str:
    """The file a record came from: its source, without the row where what is before ``#`` is the file."""
    if record.source in files:
        return record.source
    path, _, row = record.source.rpartition("#")
    # "C# for all.pdf" is no row of a file "C"
    return path if row.isdecimal() and (path in files or not Path(record.source).exists()) else record.source


def delete_batches(store: CompleteStore, under: Filter, document_ids: Sequence[str]) -> int:
    """Delete documents that ``under`` selects by their ids; how many there were."""
    return sum(
        store.delete(replace(under, document_ids=tuple(document_ids[start : start + _BATCH])))
        for start in range(0, len(document_ids), _BATCH)
    )


@dataclass(frozen=True, slots=True)
class Addition:
    """Files to be added and how they are read; ``roots`` are the paths that were named."""

    roots: tuple[Path, ...]
    found: Discovery
    options: ReadOptions
    sync_share: float

    @property
    def total_bytes(self) -> int:
        """How much there is to read."""
        return sum(map(_size_of, self.found.files))

    def bring_into_step(self, store: CompleteStore, tally: Tally, *, sync: bool) -> None:
        """Delete resolved failures and, with ``sync``, delete what is gone; once everything has been read."""
        options = self.options
        under = Filter(
            sources=tuple(map(str, self.roots)), tenant=options.tenant, within=(options.conversation_id or OWN,)
        )
        forget_old_failures(store, under, tally.seen)
        if sync:
            skipped = [path for path, _ in self.found.skipped]
            gone, total = find_missing_files(store, under, self.found.files, skipped, seen=tally.seen)
            if loses_most(len(gone), total, self.sync_share):
                tally.note(
                    f"nothing was deleted: the files of {len(gone):,} of {total:,} documents are gone, which looks like a folder that is "
                    "missing as a whole (an unmounted disk, an unfinished copy); to delete them, use --sync-all"
                )
            else:
                tally.deleted = delete_batches(store, under, gone)


def find_files(paths: Sequence[Path], options: ReadOptions, settings: IngestSettings) -> Addition:
    """The files under ``paths``, read within the limits of ``settings``; raises UsageError for a path that does not exist."""
    return Addition(
        tuple(path.expanduser().resolve() for path in paths),
        discover_files(paths, describes=options.reads_pictures, follow_links=settings.follow_links),
        replace(options, max_bytes=settings.max_file_bytes, limits=ReadLimits.of(settings.reading)),
        settings.sync_share,
    )


def announce_documents(documents: Iterable[Document], tally: Tally) -> set[str]:
    """Report the total, if known beforehand; the tenants whose documents to compare with."""
    if not isinstance(documents, Sequence):
        tally.listener.found(None, 0)
        return {"default"}
    tally.listener.found(len(documents), sum(len(document.text) for document in documents))
    return {document.tenant for document in documents}


def known_hashes(store: CompleteStore, tenants: Collection[str]) -> dict[str, str]:
    """Content hash by document id of the tenants' stored documents."""
    return {identity: found for tenant in tenants for identity, found in store.known(tenant).items()}


def known_of(store: CompleteStore, documents: Sequence[Document]) -> dict[str, str]:
    """The same for these documents alone, which costs no more in a store of millions."""
    ids: dict[str, list[str]] = {}
    for document in documents:
        ids.setdefault(document.tenant, []).append(document.id)
    return {
        record.id: record.content_hash
        for tenant, own in ids.items()
        for record in store.documents(Filter(document_ids=tuple(own), tenant=tenant))
        if record.state is not DocumentState.FAILED
    }


def relink_after_changes(store: CompleteStore, tally: Tally, tenants: Collection[str]) -> None:
    """Check again the duplicates of documents that this run has changed, and the originals of new ones; ``tenants``
    are those they may belong to.
    """
    for tenant in sorted(tenants):
        relink_duplicates(store, tally.changed, SAME_STORY, tenant)
        prefer_versions_in_force(store, tally.links, tenant)


def _size_of(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0  # reading it will say what is wrong


LISTED_ROWS = 20
"""Bad rows of one file that are listed one by one; of more, only the number."""


def read_files(files: Sequence[Path], options: ReadOptions) -> Iterator[Read]:
    """What is in ``files``: their documents, what could not be read, and the end of each file.

    Of a file that changes or disappears meanwhile, the last document is dropped: it may be half the old text, half the new.
    Ends, without a result for the current file, once ``options.goes_on`` returns false.
    """
    for path in files:
        if not options.goes_on():
            return
        yield from _FileReading(path, options).items()


class _FileReading:
    def __init__(self, path: Path, options: ReadOptions) -> None:
        self._path = path
        self._bad_rows: list[tuple[str, str]] = []
        self._bad_row_count = 0
        self._options = replace(options, on_bad_row=self._bad_row)
        self._source = SourceFile(path, options).source

    def items(self) -> Iterator[Read]:
        before = _stat_stamp(self._path)
        rest = before[0] if before else 0
        held: Illustrated | None = None
        reason: str | None = None
        try:
            for illustrated in read_illustrated(self._path, self._options):
                yield from self._read_rows()
                if held is not None:
                    size = min(rest, len(held.document.text))
                    rest -= size
                    yield Found(held.document, size, held.pictures)
                held = illustrated
        except ReadingStopped:
            return
        except AscertainError as error:
            reason = str(error)
        except MemoryError:
            reason = "does not fit into memory"
        except Exception as error:  # one bad file never stops the run
            reason = f"could not be read ({describe_error(error)})"
        reason = reason or self._changed_since(before)
        yield from self._read_rows()
        if self._bad_row_count > LISTED_ROWS:
            yield self._build_unreadable(f"{self._bad_row_count - LISTED_ROWS:,} more rows could not be read")
        if reason is not None:
            yield self._build_unreadable(reason, rest)
        elif held is not None:
            yield Found(held.document, rest, held.pictures)
        finished_size = rest if reason is None and held is None else 0
        yield Finished(self._source, finished_size, is_whole=reason is None)

    def _changed_since(self, before: tuple[int, int] | None) -> str | None:
        after = _stat_stamp(self._path)
        if before is None or after is None:
            return "disappeared while it was being read"
        return None if before == after else "changed while it was being read; add it again"

    def _bad_row(self, source: str, reason: str) -> None:
        self._bad_row_count += 1
        if self._bad_row_count <= LISTED_ROWS:
            self._bad_rows.append((source, reason))

    def _read_rows(self) -> Iterator[Read]:
        for source, reason in self._bad_rows:
            yield Unreadable(stand_in(self._path, source, self._options), reason)
        self._bad_rows.clear()

    def _build_unreadable(self, reason: str, size: int = 0) -> Unreadable:
        path = self._path
        file = stand_in(path, self._source, self._options)
        return Unreadable(file, reason.removeprefix(f"{path.name}: "), size)


def stand_in(path: Path, source: str, options: ReadOptions) -> Document:
    """The record in the store for a file, or a row of it, that gave no document."""
    return Document(
        id=document_id(source, options.tenant, options.conversation_id),
        text="",
        title=path.name,
        kind=DocumentKind.PROSE,
        source=source,
        tags=options.tags,
        profile=options.profile,
        conversation_id=options.conversation_id,
        tenant=options.tenant,
    )


def _stat_stamp(path: Path) -> tuple[int, int] | None:
    """Size and time of change; None when the file cannot be accessed."""
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_size, status.st_mtime_ns
