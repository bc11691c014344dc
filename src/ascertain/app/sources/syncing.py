"""One sync of one source: new and changed items are added, and missing ones deleted once all were listed."""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from ascertain.app.adding.addresses import source_filter, write_gathered
from ascertain.core.documents.documents import DocumentRecord, DocumentState
from ascertain.core.documents.ingest import IngestReport
from ascertain.core.documents.sources import SourceRecord
from ascertain.documents.ingest.files import delete_batches, loses_most
from ascertain.documents.ingest.report import IngestListener, merge_reports
from ascertain.documents.ingest.sources import SourceReading, make_mark
from ascertain.documents.sources.connectors.ports import Source, SourceGiven, open_source
from ascertain.documents.sources.connectors.secrets import hide_values, resolve_secrets
from ascertain.documents.sources.web.guarded_client import GuardedClient

if TYPE_CHECKING:
    from ascertain.app.adding.files import Adding
    from ascertain.core.asking.runs import Clock
    from ascertain.stores.ports.service import FetchState, FetchStates


def open_recorded(record: SourceRecord, adding: Adding) -> Source:
    """The source of a record. Raises what opening raises."""
    resolved = resolve_secrets(record.options, os.environ)
    web = adding.settings.web
    options = adding.options(record.profile, record.tags, None)
    given = SourceGiven(record.name, record.address, resolved, web, options, GuardedClient(web))
    return open_source(record.kind, given)


@dataclass(frozen=True, slots=True)
class SourceSync:
    """Reads one source into one tenant's share of a knowledge base."""

    adding: Adding
    states: FetchStates
    clock: Clock
    record: SourceRecord

    def run(self, heard: IngestListener, goes_on: Callable[[], bool]) -> tuple[IngestReport, str]:
        """Its report, and why it was not read to its end, if so. Raises ReadingStopped, and StoreError."""
        record = self.record
        options = replace(self.adding.options(record.profile, record.tags, None), goes_on=goes_on)
        resolved = resolve_secrets(record.options, os.environ)
        under = source_filter((record.root,), options)
        reading = SourceReading(
            open=lambda: open_recorded(record, self.adding),
            name=record.name,
            options=options,
            readers=frozenset(record.readers),
            known=_group_records(self.adding.store().documents(under)),
            version_of=self._find_version,
            clock=self.clock,
            hide=lambda text: hide_values(text, record.options, resolved),
        )
        report = IngestReport()
        with self.adding.record_run([f"source {record.name}: {record.root}"], heard) as listener:
            listener.found(None, 0)
            for put in write_gathered(self.adding, reading.read_items(), options, self.states, heard=listener):
                report = merge_reports(report, put)
            if reading.is_complete:
                report = merge_reports(report, self._delete_gone(reading))
        return replace(report, notes=(*report.notes, *reading.notes)), reading.failure

    def find_own(self) -> list[DocumentRecord]:
        """The documents that this source gave, failed ones included."""
        under = source_filter((self.record.root,), self.adding.options(self.record.profile, (), None))
        return [
            each
            for each in self.adding.store().documents(under)
            if any(self._find_state(name) for name in _item_names(each.source))
            or (each.state is DocumentState.FAILED and not each.chunks)
        ]

    def _delete_gone(self, reading: SourceReading) -> IngestReport:
        own = self.find_own()
        gone = [each for each in own if reading.listed.isdisjoint(_item_names(each.source))]
        if loses_most(len(gone), len(own), self.adding.settings.ingest.sync_share):
            note = (
                f"nothing was deleted: {len(gone):,} of {len(own):,} documents are missing, which looks like a source that is "
                "unavailable as a whole; to delete them, use --sync-all"
            )
            return IngestReport(notes=(note,))
        under = source_filter((), self.adding.options(self.record.profile, (), None))
        deleted = delete_batches(self.adding.store(), under, [each.id for each in gone])
        return IngestReport(deleted=deleted)

    def _find_version(self, name: str) -> str | None:
        state = self._find_state(name)
        return state.etag if state else None

    def _find_state(self, name: str) -> FetchState | None:
        return self.states.get(make_mark(self.record.name, name), self.record.tenant)


def _item_names(source: str) -> tuple[str, ...]:
    """The items that a document may belong to: its source, and the part before a row number."""
    name, _, row = source.rpartition("#")
    return (source, name) if name and row else (source,)


def _group_records(records: list[DocumentRecord]) -> dict[str, list[DocumentRecord]]:
    grouped: defaultdict[str, list[DocumentRecord]] = defaultdict(list)
    for record in records:
        for name in _item_names(record.source):
            grouped[name].append(record)
    return grouped
