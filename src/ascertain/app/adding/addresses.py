"""Adding addresses: fetched here whatever the engine, then passed to it in groups.

Nothing is fetched while the store is held for writing: a slow server does not block other processes.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from ascertain.app.adding.files import open_adding, tell_resumption
from ascertain.app.graph.building import track_graph_upkeep
from ascertain.core.asking.passages import OWN, Filter
from ascertain.core.asking.runs import Clock
from ascertain.core.documents.ingest import Failure, IngestReport
from ascertain.core.errors import UsageError
from ascertain.core.settings import WebSettings
from ascertain.documents.formats.reader import ReadOptions
from ascertain.documents.ingest.addresses import ADDRESS_SIZE, AddressReader, Gathered
from ascertain.documents.ingest.files import delete_old_rows
from ascertain.documents.ingest.preparing import Finished, Found, Read, Unchanged, Unreadable
from ascertain.documents.ingest.report import IngestListener, Seen, SilentListener, merge_reports, tell_files
from ascertain.documents.sources.web.arxiv import ARXIV_SECONDS, ArxivClient, Spacing
from ascertain.documents.sources.web.guarded_client import GuardedClient
from ascertain.documents.sources.web.urls import Address, address_of

if TYPE_CHECKING:
    from ascertain.app.adding.files import Adding
    from ascertain.app.container.container import Container
    from ascertain.stores.ports.chunks import CompleteStore
    from ascertain.stores.ports.service import FetchState, FetchStates, ServiceStores


class Portion:
    """Forwards the progress of one part of a run.

    The first part is reported with ``more``, the bytes of the parts after it; those have none, since the total is known.
    """

    def __init__(self, listener: IngestListener, *, more: int | None = None, counts_bytes: bool = True) -> None:
        self._listener = listener
        self._more = more
        self._counts_bytes = counts_bytes

    def found(self, total_documents: int | None, total_bytes: int) -> None:
        """Forward the total of all parts, reported by the first."""
        if self._more is not None:
            self._listener.found(None, total_bytes + self._more)

    def report_progress(self, source: str, bytes_done: int, chunks: int) -> None:
        """Forward it."""
        self._listener.report_progress(source, bytes_done if self._counts_bytes else 0, chunks)

    def failed(self, source: str, reason: str) -> None:
        """Forward it."""
        self._listener.failed(source, reason)

    def count_files(self, done: int, total: int) -> None:
        """Forward how many files have been read, from the part that has files."""
        if total:
            tell_files(self._listener, done, total)


FOR_CONVERSATION = "what a conversation asked for"
"""The name in the run log, which the whole tenant may read, of what is fetched for one user."""
_GROUP_CHARACTERS = 4_000_000
"""Size of the documents that wait to be embedded together; bounds memory."""
_GROUP_SOURCES = 100
"""Databases limit the length of a condition."""
_GROUP_SECONDS = 30.0
"""A kill loses at most what was fetched in this time."""


class AddressAdding:
    """Adds addresses to one tenant's share of a knowledge base; ``service`` gives what was stored of them, once there is
    a knowledge base.
    """

    def __init__(self, adding: Adding, service: Callable[[], ServiceStores], clock: Clock) -> None:
        self._adding = adding
        self._service = service
        self._clock = clock

    def add(self, addresses: Sequence[Address], options: ReadOptions, listener: IngestListener | None) -> IngestReport:
        """Fetch and add ``addresses``, each once; what fails is in the report and never stops the run."""
        unique = list(dict.fromkeys(addresses))
        store = self._adding.store()
        # Documents of a conversation are private: their addresses leave no trace that others could find.
        states = self._service().fetches if options.conversation_id is None else None
        report = IngestReport()
        names = [address.shown for address in unique]
        since = None if states is None else self._adding.unfinished_since(names)
        recorded = [FOR_CONVERSATION] if states is None else names
        with self._adding.record_run(recorded, listener) as heard:
            heard.found(None, size_of(unique))
            fetched = self._fetch_addresses(unique, self._make_reader(store, options, states), heard)
            for put in write_gathered(self._adding, fetched, options, states, heard=heard):
                report = merge_reports(report, put)
        return tell_resumption(report, since)

    def _make_reader(self, store: CompleteStore, options: ReadOptions, states: FetchStates | None) -> AddressReader:
        web = self._adding.settings.web
        # arXiv's client takes a turn for every try, so the fetcher under it makes one only.
        once = GuardedClient(web.model_copy(update={"retries": 0}))

        is_arxiv = web.arxiv_url == WebSettings().arxiv_url

        def state_of(url: str) -> FetchState | None:
            return states.get(url, options.tenant) if states is not None else None

        return AddressReader(
            fetcher=GuardedClient(web),
            arxiv=ArxivClient(once, web.arxiv_url, Spacing("arxiv", ARXIV_SECONDS if is_arxiv else 0)),
            options=options,
            known=lambda source: store.documents(source_filter((source,), options)),
            state_of=state_of,
            clock=self._clock,
            fetches_feed_pages=web.fetch_pages,
        )

    def _fetch_addresses(
        self, addresses: Sequence[Address], reader: AddressReader, heard: IngestListener
    ) -> Iterator[Gathered]:
        for address in addresses:
            gathered = reader.read(address)
            heard.report_progress(address.shown, ADDRESS_SIZE, 0)
            yield gathered


def write_gathered(
    adding: Adding,
    gathered: Iterator[Gathered],
    options: ReadOptions,
    states: FetchStates | None,
    *,
    heard: IngestListener,
) -> Iterator[IngestReport]:
    """Store what was fetched, a group at a time, with a report for each; ``states`` remember what is in it."""
    store = adding.store()
    for group in _batch_gathered(gathered):
        report = _write_group(adding, group, store, options, heard=heard)
        if states is not None:
            _keep_states(states, group, report, options.tenant)
        yield report


def _write_group(
    adding: Adding, group: Sequence[Gathered], store: CompleteStore, options: ReadOptions, *, heard: IngestListener
) -> IngestReport:
    """Store them with the configured engine."""
    items = [item for gathered in group for item in gathered.items]
    under = source_filter(tuple(gathered.source for gathered in group), options)
    if adding.is_on_cluster:
        report = _put_by_cluster(adding, items, under, store, heard=heard)
    else:
        report = adding.local_ingestor().add_read(iter(items), under, 0, listener=Portion(heard))
    over = tuple(identity for gathered in group for identity in gathered.over)
    if over:
        store.delete(replace(under, sources=(), document_ids=over))
    return replace(report, notes=(*report.notes, *(note for gathered in group for note in gathered.notes)))


def _put_by_cluster(
    adding: Adding, items: Sequence[Read | Unchanged], under: Filter, store: CompleteStore, *, heard: IngestListener
) -> IngestReport:
    """Workers get whole documents; problems with the others are reported here."""
    found = [item.document for item in items if isinstance(item, Found)]
    portion = Portion(heard, counts_bytes=False)
    report = adding.cluster_ingestor().add_documents(found, portion) if found else IngestReport()
    unread = [item for item in items if isinstance(item, Unreadable)]
    for item in unread:
        store.mark_failed(item.document, item.reason)
        heard.failed(item.document.source, item.reason)
    same = [item.document_id for item in items if isinstance(item, Unchanged)]
    ends = [item for item in items if isinstance(item, Finished)]
    heard.report_progress("", len(ends) * ADDRESS_SIZE, 0)
    seen = Seen(
        documents={*same, *(document.id for document in found)},
        failed={item.document.id for item in unread},
        files={end.path: end.is_whole for end in ends},
    )
    rest = IngestReport(
        unchanged=len(same),
        deleted=delete_old_rows(store, under, seen),
        failures=tuple(Failure(item.document.source, item.reason) for item in unread),
    )
    return merge_reports(report, rest)


def size_of(addresses: Sequence[Address]) -> int:
    """What addresses count for in the bytes of a run: each once when it is fetched and once when it is stored."""
    return 2 * ADDRESS_SIZE * len(set(addresses))


def _batch_gathered(fetched: Iterator[Gathered]) -> Iterator[list[Gathered]]:
    """What is put into the store together."""
    group: list[Gathered] = []
    size, began = 0, time.monotonic()
    for gathered in fetched:
        group.append(gathered)
        size += sum(len(item.document.text) for item in gathered.items if isinstance(item, Found))
        if size >= _GROUP_CHARACTERS or len(group) == _GROUP_SOURCES or time.monotonic() - began > _GROUP_SECONDS:
            yield group
            group, size, began = [], 0, time.monotonic()
    if group:
        yield group


def _keep_states(states: FetchStates, group: Sequence[Gathered], report: IngestReport, tenant: str) -> None:
    """Remember what makes the next request conditional, for addresses that are stored completely."""
    failed = {failure.source for failure in report.failures}
    stored: list[FetchState] = []
    for gathered in group:
        sources = {item.document.source for item in gathered.items if isinstance(item, Found | Unreadable)}
        if gathered.state is not None and failed.isdisjoint(sources):
            stored.append(gathered.state)
    if stored:
        states.put_all(stored, tenant)


def source_filter(sources: tuple[str, ...], options: ReadOptions) -> Filter:
    """The documents of these sources, of the tenant and the conversation of ``options``."""
    return Filter(sources=sources, tenant=options.tenant, within=(options.conversation_id or OWN,))


class MixedAdding:
    """Adds paths by one run and addresses by another after it."""

    def __init__(self, adding: Adding, service: Callable[[], ServiceStores], clock: Clock) -> None:
        self._adding = adding
        self._service = service
        self._clock = clock

    def add(
        self,
        named: Sequence[Path | str],
        options: ReadOptions,
        *,
        sync: bool,
        listener: IngestListener | None,
        defer_figures: bool = False,
    ) -> IngestReport:
        """See ``Ascertain.add``."""
        paths, addresses = separate_addresses(named)
        if not addresses:
            return self._add_paths(paths, options, sync, listener, defer_figures=defer_figures)

        adding = AddressAdding(self._adding, self._service, self._clock)
        if not paths:
            return adding.add(addresses, options, listener)
        heard = listener or SilentListener()
        report = self._add_paths(
            paths, options, sync, Portion(heard, more=size_of(addresses)), defer_figures=defer_figures
        )
        return merge_reports(report, adding.add(addresses, options, Portion(heard)))

    def _add_paths(
        self,
        paths: Sequence[Path],
        options: ReadOptions,
        sync: bool,
        listener: IngestListener | None,
        *,
        defer_figures: bool,
    ) -> IngestReport:
        return self._adding.paths(
            paths,
            profile=options.profile,
            tags=options.tags,
            sync=sync,
            listener=listener,
            conversation_id=options.conversation_id,
            defer_figures=defer_figures,
        )


def separate_addresses(named: Sequence[Path | str]) -> tuple[list[Path], list[Address]]:
    """The paths and the addresses.

    Raises UsageError for a path that does not exist and an address of an unsupported kind.
    """
    paths: list[Path] = []
    addresses: list[Address] = []
    for each in named:
        address = address_of(each) if isinstance(each, str) else None
        if address is not None:
            addresses.append(address)
        elif Path(each).exists():
            paths.append(Path(each))
        else:
            raise UsageError(f"{each}: no such file or folder; nothing was added")
    return paths, addresses


def add_address(
    container: Container,
    tenant: str,
    address: str,
    *,
    profile: str,
    tags: Sequence[str] = (),
    conversation_id: str | None = None,
    goes_on: Callable[[], bool] = lambda: True,
) -> IngestReport:
    """Fetch one address into the knowledge base. Raises ReadingStopped once ``goes_on`` returns false during reading."""
    _, addresses = separate_addresses([address])
    adding = open_adding(container, tenant)
    options = replace(adding.options(profile, tuple(tags), conversation_id), goes_on=goes_on)
    with track_graph_upkeep(container, tenant) as graph:
        fetched = AddressAdding(adding, lambda: container.service, container.clock).add(addresses, options, None)
        return graph.complete_report(fetched, catches_up=True)
