"""The sources of one knowledge base: added, listed, synced, removed."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from ascertain.app.adding.files import open_adding
from ascertain.app.adding.uploads import delete_documents
from ascertain.app.graph.building import track_graph_upkeep
from ascertain.app.sources.records import SourceRecords
from ascertain.core.documents.ingest import IngestReport
from ascertain.core.documents.sources import (
    LISTED_FAILURES,
    SOURCE_NAME,
    SourceOutcome,
    SourceRecord,
    SourceState,
    parse_interval,
)
from ascertain.core.errors import AscertainError, ConfigurationError, UsageError
from ascertain.core.settings.profiles import load_profile

if TYPE_CHECKING:
    from datetime import datetime

    from ascertain.app.access.viewers import Access
    from ascertain.app.container.container import Container
    from ascertain.app.sources.syncing import SourceSync
    from ascertain.documents.ingest.report import IngestListener

_LEASE = "source:"
_UNNAMED = re.compile(r"[^a-z0-9]+")
_SSH_ADDRESS = re.compile(r"[\w.-]+@[\w.-]+:")


class SourceDesk:
    """The sources of a tenant, as one viewer may change them; any number of threads may use it."""

    def __init__(self, container: Container, access: Access) -> None:
        self._container = container
        self._access = access
        self._tenant = access.tenant
        self._records = SourceRecords(lambda: container.service.files, access.tenant)

    def add(
        self,
        address: str,
        *,
        name: str = "",
        kind: str = "",
        options: Mapping[str, str] = {},
        every: str = "1h",
        profile: str | None = None,
        tags: Sequence[str] = (),
        readers: Sequence[str] = (),
    ) -> SourceRecord:
        """Store a source; it is not read yet.

        Secrets in ``options`` are references (``env:NAME``, ``keyring:SERVICE/USER``), never values. Raises UsageError for a
        secret in the clear, a name that is taken, an address that is read already; SourceError for options that the kind
        does not know; MissingExtra.
        """
        from ascertain.app.sources.syncing import open_recorded
        from ascertain.documents.sources.connectors.ports import guess_kind
        from ascertain.documents.sources.connectors.secrets import check_no_secrets

        address = _make_absolute(address.strip())
        check_no_secrets(address, options)
        container = self._container
        record = SourceRecord(
            name=name or self._make_name(address),
            kind=kind or guess_kind(address),
            address=address,
            root="",
            added_at=self._now(),
            tenant=self._tenant,
            options=dict(options),
            profile=load_profile(profile or container.settings.profile, container.home / "profiles").name,
            tags=tuple(dict.fromkeys(tags)),
            readers=tuple(dict.fromkeys(readers)),
            interval_seconds=parse_interval(every),
        )
        if not re.fullmatch(SOURCE_NAME, record.name):
            raise UsageError(f"{record.name!r} is not a valid source name; use a-z, 0-9, - and _, at most 60")
        container.set_up()
        if record.name in self._records.names():
            raise UsageError(f"a source named {record.name} already exists; give another --name, or remove it first")
        source = open_recorded(record, open_adding(container, self._tenant))
        record = replace(record, root=source.root)
        source.close()
        other = next((each.name for each in self._records.list_all() if each.root == record.root), None)
        if other is not None:
            raise UsageError(f"{address} is read already, by the source {other}")
        self._records.keep(record, record.added_at)
        return record

    def list_all(self) -> list[SourceRecord]:
        """Every source with the result of its last sync, by name."""
        if not self._container.is_there:
            return []
        return [self._mark_interrupted(record) for record in self._records.list_all()]

    def get(self, name: str) -> SourceRecord:
        """One source; UsageError with the nearest name if it is unknown."""
        self._check_exists(name)
        return self._mark_interrupted(self._records.get(name))

    def sync(
        self, name: str, *, listener: IngestListener | None = None, goes_on: Callable[[], bool] = lambda: True
    ) -> tuple[SourceRecord, IngestReport]:
        """Read a source now: what is new or changed is added, what is gone is deleted.

        A source that cannot be read to its end has the state ``failed`` and a reason, and loses nothing. Raises
        UsageError while another process reads it, StoreError, and ReadingStopped once ``goes_on`` returns false.
        """
        from ascertain.documents.reading.pool import ReadingStopped

        container = self._container
        self._check_exists(name)
        record = self._records.get(name)
        leases = container.service.leases
        if not leases.take(_LEASE + name, self._tenant):
            raise UsageError(f"the source {name} is being read by another process; wait until it has finished")
        try:
            record = replace(record, state=SourceState.READING, started_at=self._now(), reason="")
            self._keep(record)
            try:
                report, failure = self._run(record, listener, goes_on)
            except ReadingStopped:
                self._keep(replace(record, state=SourceState.INTERRUPTED))
                raise
            except (UsageError, ConfigurationError) as error:
                report, failure = IngestReport(), str(error)
            except AscertainError as error:
                self._keep(self._make_outcome(record, IngestReport(), str(error)))
                raise
            record = self._make_outcome(record, report, failure)
            self._keep(record)
            return record, report
        finally:
            leases.give_back(_LEASE + name, self._tenant)

    def remove(self, name: str, *, keeps_documents: bool = False) -> int:
        """Remove a source and, unless they should stay, its documents; how many were deleted."""
        from ascertain.core.asking.passages import Filter

        self._check_exists(name)
        record = self._records.get(name)
        deleted = 0
        if not keeps_documents:
            ids = [each.id for each in self._make_sync(record).find_own()]
            deleted = sum(
                delete_documents(self._container, self._access, Filter(document_ids=tuple(ids[start : start + 500])))
                for start in range(0, len(ids), 500)
            )
        self._records.delete(name)
        return deleted

    def find_due(self) -> list[str]:
        """Names of the sources that are due."""
        now = self._now()
        return [
            record.name
            for record in self.list_all()
            if record.state is not SourceState.READING
            and record.next_at is not None
            and (record.next_at <= now or record.state is SourceState.INTERRUPTED)
        ]

    def _run(
        self, record: SourceRecord, listener: IngestListener | None, goes_on: Callable[[], bool]
    ) -> tuple[IngestReport, str]:
        from ascertain.core.errors import MissingExtra, SourceError
        from ascertain.documents.ingest.report import SilentListener

        container = self._container
        with track_graph_upkeep(container, self._tenant) as graph:
            try:
                report, failure = self._make_sync(record).run(listener or SilentListener(), goes_on)
            except (SourceError, MissingExtra) as error:
                return IngestReport(), str(error)
            return graph.complete_report(report, catches_up=True), failure

    def _make_sync(self, record: SourceRecord) -> SourceSync:
        from ascertain.app.sources.syncing import SourceSync

        container = self._container
        return SourceSync(open_adding(container, self._tenant), container.service.fetches, container.clock, record)

    def _make_outcome(self, record: SourceRecord, report: IngestReport, failure: str) -> SourceRecord:
        outcome = SourceOutcome(
            added=report.added,
            changed=report.changed,
            unchanged=report.unchanged,
            deleted=report.deleted,
            failed=len(report.failures),
            failures=report.failures[:LISTED_FAILURES],
            notes=report.notes,
        )
        now = self._now()
        if failure:
            in_a_row = record.failed_in_a_row + 1
            return replace(record, state=SourceState.FAILED, reason=failure, outcome=outcome, failed_in_a_row=in_a_row)
        return replace(record, state=SourceState.READ, read_at=now, outcome=outcome, failed_in_a_row=0)

    def _keep(self, record: SourceRecord) -> None:
        """Store it, unless it was removed meanwhile."""
        if record.name in self._records.names():
            self._records.keep(record, self._now())

    def _mark_interrupted(self, record: SourceRecord) -> SourceRecord:
        """A sync whose process has died."""
        if record.state is not SourceState.READING:
            return record
        leases = self._container.service.leases
        if not leases.take(_LEASE + record.name, record.tenant):
            return record
        leases.give_back(_LEASE + record.name, record.tenant)
        return replace(record, state=SourceState.INTERRUPTED)

    def _check_exists(self, name: str) -> None:
        if not self._container.is_there:
            raise UsageError(
                f"there is no source {name!r} in {self._container.place}; add one: ascertain source add ADDRESS"
            )

    def _make_name(self, address: str) -> str:
        """A name from what people know an address by, with a number where it is taken."""
        words = _UNNAMED.sub("-", address.partition("?")[0].lower()).strip("-").split("-")
        last = "-".join(words[-2:])[-40:].strip("-") or "source"
        taken = set(self._records.names()) if self._container.is_there else set[str]()
        return next(
            name for number in range(1, 10_000) if (name := last if number == 1 else f"{last}-{number}") not in taken
        )

    def _now(self) -> datetime:
        from datetime import UTC, datetime

        return datetime.now(UTC)


def _make_absolute(address: str) -> str:
    """An existing path, made absolute; an address stays as it is."""
    path = Path(address).expanduser()
    return str(path.resolve()) if "://" not in address and path.exists() else address


def names_this_machine(kind: str, address: str, options: Mapping[str, str]) -> bool:
    """Whether reading the source looks at files of the machine that does it: which clients may not request."""
    from ascertain.documents.sources.connectors.ports import guess_kind

    chosen = kind or guess_kind(address)
    parts = address.lower().split("::")
    is_local = "://" not in address or any(part.startswith(("file:", "local:")) for part in parts)
    if chosen == "git":
        return "issues" in options or (is_local and not _SSH_ADDRESS.match(address))
    return chosen == "folder" or (chosen == "files" and is_local)
