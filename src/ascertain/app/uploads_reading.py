"""Reading uploaded files into the knowledge base, each under the name it was uploaded with."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from ascertain.app.adding import Adding
from ascertain.app.uploads import Upload, within
from ascertain.core.errors import UsageError
from ascertain.core.filters import Filter
from ascertain.ingest.preparing import Finished, Read, Unreadable
from ascertain.ingest.reading import read_files, stand_in
from ascertain.ingest.report import IngestListener, IngestReport
from ascertain.sources.extraction import ReadOptions
from ascertain.stores.service.files import FileStore


@dataclass(frozen=True, slots=True)
class UploadReading:
    """Files of one conversation, or of none, and how they are read."""

    files: FileStore
    uploads: Sequence[Upload]
    profile: str
    tags: tuple[str, ...]
    conversation_id: str | None

    def add(
        self, adding: Adding, listener: IngestListener | None, goes_on: Callable[[], bool]
    ) -> IngestReport:
        """Put them into the store; files that cannot be read are in the report."""
        options = adding.options(self.profile, self.tags, self.conversation_id)
        under = Filter(
            sources=tuple(upload.source for upload in self.uploads),
            tenant=options.tenant,
            within=within(self.conversation_id),
        )
        size = sum(upload.size for upload in self.uploads)
        return adding.read(self._read(options), under, size, listener=listener, goes_on=goes_on)

    def _read(self, common: ReadOptions) -> Iterator[Read]:
        for upload in self.uploads:
            options = replace(common, source=upload.source)
            try:
                with self.files.open(upload.file_id, options.tenant) as path:
                    for item in read_files((path,), options):
                        yield _without(f"{path.parent}/", item)
            except UsageError:
                gone = stand_in(Path(upload.name), upload.source, options)
                yield Unreadable(gone, "the uploaded file is gone; upload it again", upload.size)
                yield Finished(upload.source, 0, is_whole=False)


def _without(folder: str, item: Read) -> Read:
    """The item with nothing in its reason that tells where the service keeps its files."""
    return replace(item, reason=item.reason.replace(folder, "")) if isinstance(item, Unreadable) else item
