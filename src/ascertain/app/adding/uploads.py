"""Uploaded files: named, stored unchanged, read into the knowledge base, and deleted with their documents.

A document of an upload has the source ``upload:NAME``, so that a file of the same name takes its place. The file itself
is in ``ServiceStores.files`` under ``KEY.TIME-RANDOM``: the key stands for the source and the conversation, and of
several with one key the last one counts. It stays as long as there is a document of it, for pictures of its pages.
"""

from __future__ import annotations

import re
import time
import uuid
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, cast

from ascertain.app.adding.files import Adding, open_adding
from ascertain.app.asking.visibility import bind_tenant, describe_filter
from ascertain.app.graph.building import track_graph_upkeep
from ascertain.core.asking.passages import OWN, Filter
from ascertain.core.documents.documents import Document, DocumentRecord, DocumentState, document_id
from ascertain.core.documents.ingest import IngestReport
from ascertain.core.errors import UsageError
from ascertain.core.service.service import JobState
from ascertain.documents.formats.reader import ReadOptions
from ascertain.documents.ingest.files import read_files, stand_in
from ascertain.documents.ingest.preparing import Finished, Read, Unreadable
from ascertain.documents.ingest.report import IngestListener, SilentListener
from ascertain.stores.ports.service import FileStore, ServiceStores, StoredFile

if TYPE_CHECKING:
    from ascertain.app.access.viewers import Access
    from ascertain.app.container.container import Container
    from ascertain.stores.ports.chunks import CompleteStore


SCHEME = "upload:"
MAX_NAME = 400
"""Characters of a name with its folders; people cannot read a longer source."""

ALL_JOBS = 1_000_000
"""More than ever wait at once."""
NEEDS_FILES = (JobState.QUEUED, JobState.RUNNING, JobState.FAILED)
"""An accepted file is stored until it is read: a failed job can be retried."""
_ORPHAN_SECONDS = 86_400.0
"""Longer than any request with uploads takes."""
_SOURCES = 100
"""Sources in one request to the store; databases limit the length of a condition."""
_ROW = re.compile(r"#\d+$")
_ENDING = re.compile(r"(?<![\s*])[\s*]+$")
_UNPRINTABLE = re.compile(r"[^\S ]+|[\x00-\x1f\x7f-\x9f\ud800-\udfff]+")
_UNSEEN = re.compile("[\u00ad\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff]")
"""Controls of writing direction (Unicode, UAX 9), which show ``invoice-fdp.exe`` as ``invoice-exe.pdf``, and characters without a width, which
make two names look the same. Joiners stay: words of some scripts and emoji are spelt with them.
"""
_DRIVE = re.compile(r"^[A-Za-z]:")


@dataclass(frozen=True, slots=True)
class Upload:
    """A file in ``ServiceStores.files`` as a job names it."""

    file_id: str
    name: str
    size: int

    @property
    def source(self) -> str:
        """The source of its documents."""
        return SCHEME + self.name

    @property
    def key(self) -> str:
        """The prefix of the ids of all files of this source and conversation."""
        return _key_of(self.file_id)

    def as_json(self) -> dict[str, object]:
        """The inverse of ``upload_of``."""
        return {"id": self.file_id, "name": self.name, "size": self.size}


def upload_of(given: Mapping[str, object]) -> Upload:
    """The upload in the ``work`` of a job."""
    return Upload(str(given["id"]), str(given["name"]), cast("int", given["size"]))


def upload_name(given: str) -> str:
    """``given`` as the name of a document's source: relative, printable, not mistakable for a row of another or for a
    pattern.

    Folders sent by a browser stay; an absolute path is reduced to its file name. Raises UsageError for a name
    without a file.
    """
    # the end goes first: "notes/*" is a folder once its star is gone, and "#7" has a space to lose once it is no row
    path = _ENDING.sub("", _UNPRINTABLE.sub(" ", _UNSEEN.sub("", given)).replace("\\", "/"))
    path = _ROW.sub(lambda row: row[0].replace("#", " "), path).strip()
    parts = [part.strip() for part in path.split("/")]
    if parts[-1] in ("", ".", ".."):
        raise UsageError(f"{given!r} is not a file name; give each file a name")
    named = [part for part in parts if part not in ("", ".", "..")]
    is_absolute = path.startswith("/") or _DRIVE.match(named[0])
    name = named[-1] if is_absolute else "/".join(named)
    if len(name) > MAX_NAME:
        raise UsageError(
            f"the name {name[:40]}… has {len(name):,} characters, over the limit of {MAX_NAME}; shorten it"
        )
    return name


def keep_upload(
    files: FileStore,
    tenant: str,
    name: str,
    pieces: Iterable[bytes],
    *,
    conversation_id: str | None,
    limit: int,
    user: str = "",
) -> Upload:
    """Write one file; it is complete when this returns. Raises UsageError when it has more than ``limit`` bytes."""
    key = _upload_key(SCHEME + name, tenant, conversation_id)
    file_id = f"{key}{time.time_ns():016x}-{uuid.uuid4().hex[:12]}"
    kept = files.put(file_id, name, _limit_size(name, pieces, limit), datetime.now(UTC), tenant, user=user)
    return Upload(file_id, name, kept.size)


def list_uploads(files: FileStore, tenant: str, name: str, conversation_id: str | None) -> list[StoredFile]:
    """The files of one name, the oldest first, which another of this name replaces."""
    return files.files(tenant, _upload_key(SCHEME + name, tenant, conversation_id))


def originals_of(files: FileStore, document: Document) -> list[StoredFile]:
    """The uploaded files that a document may have been read from, the likeliest first: later ones may still wait to be
    read.
    """
    source = source_of_upload(document.source)
    if source is None:
        return []
    kept = files.files(document.tenant, _upload_key(source, document.tenant, document.conversation_id))
    return sorted(kept, key=lambda file: file.id)


def drop_older(files: FileStore, upload: Upload, tenant: str) -> None:
    """Remove the files that this one replaced."""
    for file in files.files(tenant, upload.key):
        if file.id < upload.file_id:
            files.delete(file.id, tenant)


def find_upload_sources(records: Iterable[DocumentRecord]) -> set[tuple[str, str | None]]:
    """Source and conversation of each upload among documents."""
    return {
        (source, record.conversation_id)
        for record in records
        if (source := source_of_upload(record.source)) is not None
    }


def delete_with_files(service: Callable[[], ServiceStores], store: CompleteStore, filter: Filter) -> int:
    """Delete documents of the filter's tenant, and their uploaded files; return how many documents.

    ``service`` is opened only where there were uploads.
    """
    files = find_upload_sources(store.documents(filter))
    deleted = store.delete(filter)
    if files:
        forget_uploads(service(), filter.tenant, store.documents, files)
    return deleted


def delete_documents(container: Container, access: Access, filter: Filter) -> int:
    """See ``Ascertain.delete``."""
    own = bind_tenant(filter, access.tenant)
    with access.audited("delete_documents", describe_filter(filter)):
        store = container.store()
        if access.viewer.user is not None:
            for record in store.documents(own):
                if record.conversation_id is not None:
                    access.check_own(record.conversation_id)
        with container.changing(access.tenant):
            return delete_with_files(lambda: container.service, store, own)


def forget_uploads(
    service: ServiceStores,
    tenant: str,
    documents: Callable[[Filter], Sequence[DocumentRecord]],
    uploads: Iterable[tuple[str, str | None]],
) -> None:
    """Remove the files of uploads (source and conversation) that no document refers to, and no job that is queued, is running
    or can be retried.
    """
    gone = _without_documents(documents, tenant, set(uploads))
    waiting = waiting_files(service, tenant) if gone else set[str]()
    for source, conversation in gone:
        for file in service.files.files(tenant, _upload_key(source, tenant, conversation)):
            if file.id not in waiting:
                service.files.delete(file.id, tenant)


def forget_unread(
    service: ServiceStores,
    tenant: str,
    documents: Callable[[Filter], Sequence[DocumentRecord]],
    work: Mapping[str, object],
) -> None:
    """Remove the files of a job's ``work`` that no document was read from, unless a job is to read them.

    Of several files of one name the oldest is the one that documents were read from: it goes when a later one is read.
    """
    waiting = waiting_files(service, tenant)
    given = [upload for upload in uploads_of(work) if upload.file_id not in waiting]
    conversation = cast("str | None", work.get("conversation_id"))

    def find_readable(chosen: Filter) -> list[DocumentRecord]:
        return [record for record in documents(chosen) if record.chunks or record.state is not DocumentState.FAILED]

    unread = _without_documents(find_readable, tenant, {(upload.source, conversation) for upload in given})
    for upload in given:
        first = min((file.id for file in service.files.files(tenant, upload.key)), default="")
        if (upload.source, conversation) in unread or first != upload.file_id:
            service.files.delete(upload.file_id, tenant)


def waiting_files(service: ServiceStores, tenant: str, states: Collection[JobState] = NEEDS_FILES) -> set[str]:
    """Ids of the files that jobs in one of ``states`` have to read, or could not read."""
    return {
        upload.file_id
        for job in service.jobs.jobs(tenant, ALL_JOBS)
        if job.state in states
        for upload in uploads_of(job.work)
    }


def uploads_of(work: Mapping[str, object]) -> Sequence[Upload]:
    """The files of a job's ``work``; empty for other kinds of job."""
    return [upload_of(given) for given in cast("list[Mapping[str, object]]", work.get("files", []))]


def source_of_upload(source: str) -> str | None:
    """The source of the uploaded file that a document or row came from; None for other documents."""
    return _ROW.sub("", source) if source.startswith(SCHEME) else None


def conversation_scope(conversation_id: str | None) -> tuple[str, ...]:
    """``Filter.within`` for the documents of a conversation, or of none."""
    return (conversation_id or OWN,)


def find_kept_files(files: FileStore, records: Iterable[DocumentRecord], tenant: str) -> list[StoredFile]:
    """The uploaded files that documents of ``tenant`` came from, or will come from when queued jobs have run."""
    keys = {_upload_key(source, tenant, conversation) for source, conversation in find_upload_sources(records)}
    return [file for file in files.files(tenant) if _key_of(file.id) in keys]


RESEARCH_RUNS = "research-run/"
SOURCE_RECORDS = "source/"
"""Prefixes of the ids of files that are not uploads: research runs and synced sources."""


def forget_orphans(
    service: ServiceStores, tenant: str, documents: Callable[[Filter], Sequence[DocumentRecord]]
) -> None:
    """Remove the files that a kill left without a job or document."""
    latest = datetime.now(UTC) - timedelta(seconds=_ORPHAN_SECONDS)
    old = [
        file
        for file in service.files.files(tenant)
        if file.created_at < latest and not file.id.startswith((RESEARCH_RUNS, SOURCE_RECORDS))
    ]
    if not old:
        return
    records = documents(Filter(sources=(f"{SCHEME}*",), tenant=tenant))
    read: dict[str, str] = {}
    for file in sorted(find_kept_files(service.files, records, tenant), key=lambda file: file.id):
        read.setdefault(_key_of(file.id), file.id)  # of one name the oldest, see forget_unread
    needed = {*read.values(), *waiting_files(service, tenant)}
    for file in old:
        if file.id not in needed:
            service.files.delete(file.id, tenant)


def _without_documents(
    documents: Callable[[Filter], Sequence[DocumentRecord]], tenant: str, uploads: set[tuple[str, str | None]]
) -> set[tuple[str, str | None]]:
    """The uploads that no document came from."""
    left = set(uploads)
    for conversation in {conversation for _, conversation in uploads}:
        sources = [source for source, other in uploads if other == conversation]
        for start in range(0, len(sources), _SOURCES):
            some = tuple(sources[start : start + _SOURCES])
            chosen = Filter(sources=some, within=conversation_scope(conversation), tenant=tenant)
            # a source also selects the contents of a folder of its name
            left -= find_upload_sources(documents(chosen))
    return left


def _upload_key(source: str, tenant: str, conversation_id: str | None) -> str:
    return document_id(source, tenant, conversation_id) + "."


def _key_of(file_id: str) -> str:
    return file_id.partition(".")[0] + "."


def _limit_size(name: str, pieces: Iterable[bytes], limit: int) -> Iterator[bytes]:
    size = 0
    for piece in pieces:
        size += len(piece)
        if size > limit:
            raise UsageError(f"{name}: over the limit of {limit:,} bytes; split it or raise ingest.max_file_bytes")
        yield piece


@dataclass(frozen=True, slots=True)
class UploadReading:
    """Files of one conversation, or of none, and how they are read; ``begin`` is called before the first is opened."""

    files: FileStore
    uploads: Sequence[Upload]
    profile: str
    tags: tuple[str, ...]
    conversation_id: str | None
    begin: Callable[[], None] = lambda: None

    def add(self, adding: Adding, listener: IngestListener | None, goes_on: Callable[[], bool]) -> IngestReport:
        """Put them into the store; files that cannot be read are in the report."""
        options = replace(adding.options(self.profile, self.tags, self.conversation_id), goes_on=goes_on)
        under = Filter(
            sources=tuple(upload.source for upload in self.uploads),
            tenant=options.tenant,
            within=conversation_scope(self.conversation_id),
        )
        size = sum(upload.size for upload in self.uploads)
        read = self._read_uploads(options, listener or SilentListener())
        return adding.read(read, under, size, listener=listener, goes_on=goes_on)

    def _read_uploads(self, common: ReadOptions, listener: IngestListener) -> Iterator[Read]:
        self.begin()
        is_read = False
        for upload in self.uploads:
            options = replace(common, source=upload.source)
            try:
                with self.files.open(upload.file_id, options.tenant) as path:
                    for item in read_files((path,), options):
                        # one byte for the first text, so that what ends this process from now on is known to come after reading
                        if not is_read:
                            is_read = True
                            listener.report_progress(upload.source, 1, 0)
                        yield _hide_folder(f"{path.parent}/", item)
            except UsageError:
                gone = stand_in(Path(upload.name), upload.source, options)
                yield Unreadable(gone, "the uploaded file is gone; upload it again", upload.size)
                yield Finished(upload.source, 0, is_whole=False)


def _hide_folder(folder: str, item: Read) -> Read:
    """The item, with a reason that does not reveal where the service stores its files."""
    return replace(item, reason=item.reason.replace(folder, "")) if isinstance(item, Unreadable) else item


def add_uploads(
    container: Container,
    tenant: str,
    uploads: Sequence[Upload],
    *,
    profile: str,
    tags: Sequence[str] = (),
    conversation_id: str | None = None,
    listener: IngestListener | None = None,
    goes_on: Callable[[], bool] = lambda: True,
    begin: Callable[[], None] = lambda: None,
) -> IngestReport:
    """Read uploaded files into the knowledge base; in this process, whatever the engine.

    ``begin`` is called once everything needed is open. Once ``goes_on`` returns false, the documents in work are finished and the rest is
    left for another call.
    """
    reading = UploadReading(container.service.files, uploads, profile, tuple(tags), conversation_id, begin)
    with track_graph_upkeep(container, tenant) as graph:
        return graph.complete_report(reading.add(open_adding(container, tenant), listener, goes_on), catches_up=True)
