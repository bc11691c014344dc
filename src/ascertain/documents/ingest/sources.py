"""Items of a source to documents: unchanged ones are skipped, an unreadable one is an item like any other."""

import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TypeVar

from ascertain.core.asking.runs import Clock
from ascertain.core.documents.documents import Document, DocumentRecord, DocumentState, document_id
from ascertain.core.errors import AscertainError
from ascertain.documents.formats.reader import ReadOptions
from ascertain.documents.formats.registry import known_suffixes, split_name
from ascertain.documents.ingest.addresses import Gathered
from ascertain.documents.ingest.files import read_files, stand_in
from ascertain.documents.ingest.preparing import Finished, Found, Read, Unchanged, Unreadable, describe_error
from ascertain.documents.ingest.report import describe_skipped
from ascertain.documents.reading.pool import ReadingStopped
from ascertain.documents.sources.connectors.ports import Content, ItemGone, Source, SourceItem, join_source
from ascertain.stores.ports.service import FetchState

_Done = TypeVar("_Done")
_LOOK_SECONDS = 0.2
_LISTING_SECONDS = 1800.0
"""For the next item of a list: some readers load everything first. Adapters have limits of their own for single requests."""
_SLOW_ITEMS = 3
"""Items that may take too long in one run; after that many it is the source that does not answer."""


class TooSlow(Exception):
    """A source did not answer in time, and may still be busy: it is not called any more."""


@dataclass(slots=True)
class SourceReading:
    """Reads one source once. ``known`` are the documents below its root, ``version_of`` the version that an item was stored in.

    ``hide`` takes secrets out of a message. Results are in the fields that start empty.
    """

    open: Callable[[], Source]
    name: str
    options: ReadOptions
    readers: frozenset[str]
    known: Mapping[str, Sequence[DocumentRecord]]
    version_of: Callable[[str], str | None]
    clock: Clock
    hide: Callable[[str], str]
    listed: set[str] = field(default_factory=set[str])
    """Sources of stored documents."""
    is_complete: bool = False
    """Whether what is not in ``listed`` is gone."""
    failure: str = ""
    """Why the list ended before its end."""
    notes: list[str] = field(default_factory=list[str])
    _skipped: Counter[str] = field(default_factory=Counter[str])
    _restricted: int = 0
    _too_slow: set[str] = field(default_factory=set[str])

    def read_items(self) -> Iterator[Gathered]:
        """The results of each item. Raises ReadingStopped as the options say."""
        for _ in range(_SLOW_ITEMS):
            try:
                yield from self._read_through()
            except TooSlow:
                self.failure = (
                    f"{self.name}: no answer within {self.options.limits.seconds:g} s (ingest.reading.seconds)"
                )
                continue
            break
        if self._skipped:
            self.notes.append(describe_skipped(self._skipped))
        if self._restricted:
            self.notes.append(
                f"{self._restricted:,} items were left out, which only others may read; --reader NAME sets whose view it is"
            )

    def _read_through(self) -> Iterator[Gathered]:
        """Raises TooSlow for an item that is then a failure, and skipped the next time."""
        self.failure = ""
        source: Source | None = None
        try:
            source = self.open()
            items = source.list_items()
            while (item := self._call(lambda: next(items, None), _LISTING_SECONDS, source)) is not None:
                through = self._take_item(source, item)
                if through is not None:
                    yield through
                    self._check_answers(through.source)
            self.is_complete = source.is_complete
            self.notes += map(self.hide, source.notes)
        except TooSlow:
            source = None  # it is closed by the abandoned thread, once that ends
            raise
        except ReadingStopped:
            raise
        except Exception as error:  # an adapter may raise anything while it lists
            self.failure = self._explain(error)
        finally:
            if source is not None:
                with suppress(Exception):
                    source.close()

    def _check_answers(self, name: str) -> None:
        if name in self._too_slow:
            raise TooSlow(self._describe_slowness())

    def _take_item(self, source: Source, item: SourceItem) -> Gathered | None:
        if item.readers and self.readers.isdisjoint(item.readers):
            self._restricted += 1
            return None
        name = join_source(source.root, item.id)
        if name in self.listed:
            return None
        self.listed.add(name)
        records = self._keep_current(self.known.get(name, ()))
        if records and item.version and self.version_of(name) == item.version:
            return Gathered(
                name, [*(Unchanged(each.id, each.source, 0) for each in records), Finished(name, 0, is_whole=True)]
            )
        suffix = split_name(item.file_name)[1]
        if suffix and f".{suffix}" not in known_suffixes(describes=self.options.reads_pictures):
            self._skipped[f".{suffix}"] += 1
            return None
        return self._read_item(source, item, name)

    def _read_item(self, source: Source, item: SourceItem, name: str) -> Gathered | None:
        gathered = Gathered(name)
        try:
            content = self._call(lambda: source.read(item), self.options.limits.seconds, source)
            gathered.items += self._make_documents(content, item, name)
        except ItemGone:
            self.listed.discard(name)
            return None
        except ReadingStopped:
            raise
        except Exception as error:  # an adapter may raise anything for one item
            if isinstance(error, TooSlow):
                self._too_slow.add(name)
            gathered.items += self._fail(item, name, self._explain(error))
        if all(not isinstance(each, Unreadable) for each in gathered.items):
            gathered.state = FetchState(make_mark(self.name, name), self.clock.now(), etag=item.version or None)
        return gathered

    def _make_documents(self, content: Content, item: SourceItem, name: str) -> Iterator[Read]:
        options = replace(self.options, source=name)
        if isinstance(content, Path):
            yield from self._complete_all(read_files((content,), options), item, name)
        elif isinstance(content, bytes | str):
            with tempfile.TemporaryDirectory(prefix="ascertain-") as folder:
                path = Path(folder) / _safe_name(item, is_text=isinstance(content, str))
                path.write_bytes(content.encode("utf-8", "replace") if isinstance(content, str) else content)
                yield from self._complete_all(read_files((path,), options), item, name)
        else:
            found = (Found(self._adopt(document, name), 0) for document in content)
            yield from self._complete_all(found, item, name)
            yield Finished(name, 0, is_whole=True)

    def _complete_all(self, read: Iterator[Read], item: SourceItem, name: str) -> Iterator[Read]:
        for each in read:
            yield replace(each, document=_complete(each.document, item, name)) if isinstance(each, Found) else each

    def _adopt(self, document: Document, name: str) -> Document:
        """A document from the source, as one of this tenant; a row of a table keeps its number."""
        options = self.options
        source = document.source if document.source.startswith(f"{name}#") else name
        return replace(
            document,
            id=document_id(source, options.tenant, options.conversation_id),
            source=source,
            profile=options.profile,
            tags=tuple(dict.fromkeys((*options.tags, *document.tags))),
            tenant=options.tenant,
            conversation_id=options.conversation_id,
        )

    def _keep_current(self, records: Sequence[DocumentRecord]) -> list[DocumentRecord]:
        """The stored documents that would be the same now; empty if part of them failed."""
        wanted = set(self.options.tags)
        is_current = all(
            record.state is not DocumentState.FAILED
            and record.profile == self.options.profile
            and wanted <= set(record.tags)
            for record in records
        )
        return list(records) if is_current else []

    def _fail(self, item: SourceItem, name: str, reason: str) -> list[Read]:
        title = Path(item.title or item.file_name or item.id)
        return [Unreadable(stand_in(title, name, self.options), reason), Finished(name, 0, is_whole=False)]

    def _explain(self, error: Exception) -> str:
        if isinstance(error, TooSlow):
            return self._describe_slowness()
        return self.hide(str(error) if isinstance(error, AscertainError) else describe_error(error))

    def _describe_slowness(self) -> str:
        return f"no answer within {self.options.limits.seconds:g} s (ingest.reading.seconds)"

    def _call(self, work: Callable[[], _Done], seconds: float, source: Source) -> _Done:
        """Run it in a thread that is abandoned if it takes too long. Raises TooSlow, or ReadingStopped."""
        if not self.options.goes_on():
            raise ReadingStopped
        outcome: Future[_Done] = Future()

        def run() -> None:
            try:
                outcome.set_result(work())
            except BaseException as error:
                outcome.set_exception(error)

        threading.Thread(target=run, name="ascertain-source", daemon=True).start()
        until = time.monotonic() + seconds
        while not _is_done(outcome):
            is_stopped = not self.options.goes_on()
            if is_stopped or time.monotonic() > until:
                outcome.add_done_callback(lambda _: source.close())
                raise ReadingStopped if is_stopped else TooSlow
        return outcome.result()


def make_mark(source_name: str, item: str) -> str:
    """The key of the stored version of an item: of this source, which alone may delete it."""
    return f"source:{source_name}:{item}"


def _is_done(outcome: Future[_Done]) -> bool:
    try:
        outcome.exception(_LOOK_SECONDS)
    except TimeoutError:
        return False
    return True


def _safe_name(item: SourceItem, *, is_text: bool) -> str:
    """A name for a copy, with the suffix of its format."""
    stem, suffix = split_name(item.file_name)
    suffix = suffix or ("md" if is_text else "")
    shown = "".join(character if character.isalnum() or character in " -_.()" else " " for character in stem).strip(
        " ."
    )
    return f"{shown[:100] or 'item'}{f'.{suffix}' if suffix else ''}"


def _complete(document: Document, item: SourceItem, name: str) -> Document:
    """With the source's metadata of the item; a row of a table keeps its own title, date and author."""
    tags = tuple(dict.fromkeys((*document.tags, *item.tags)))
    url = document.url or item.address
    if document.source != name:
        return replace(document, tags=tags, url=url)
    return replace(
        document,
        title=item.title or document.title,
        author=item.author or document.author,
        published_at=item.published_at or document.published_at,
        url=item.address or document.url,
        tags=tags,
    )
