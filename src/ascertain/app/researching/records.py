"""Stored runs, one file each in the knowledge base, rewritten after each step.

A file is complete or absent, in every store, so that a kill leaves the run as it was after its last step.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import datetime
from functools import cache
from typing import TYPE_CHECKING

from pydantic import TypeAdapter, ValidationError

from ascertain.app.adding.uploads import RESEARCH_RUNS as PREFIX
from ascertain.core.errors import StoreError, UsageError, did_you_mean
from ascertain.core.reports.research import ClaimVerdict, ResearchRun, ResearchSummary
from ascertain.core.serialisation import make_storage_adapter

if TYPE_CHECKING:
    from ascertain.stores.ports.service import FileStore, StoredFile


@cache
def _read_adapter() -> TypeAdapter[ResearchRun]:
    return make_storage_adapter(ResearchRun)


class RunRecords:
    """The runs of one tenant."""

    def __init__(self, files: Callable[[], FileStore], tenant: str) -> None:
        self._files = files
        self._tenant = tenant

    def keep(self, run: ResearchRun, moment: datetime) -> None:
        """Store the run, replacing the last state."""
        content = _read_adapter().dump_json(run)
        self._files().put(f"{PREFIX}{run.request.id}", f"{run.request.id}.json", [content], moment, self._tenant)

    def find(self, run_id: str) -> ResearchRun | None:
        """The run with this id."""
        file = self._files().get(f"{PREFIX}{run_id}", self._tenant)
        return self._read(file) if file else None

    def get(self, run_id: str) -> ResearchRun:
        """The run of this id; UsageError with the nearest id if it is unknown."""
        found = self.find(run_id)
        if found is None:
            known = [file.id.removeprefix(PREFIX) for file in self._files().files(self._tenant, PREFIX)]
            raise UsageError(f"there is no research run {run_id!r}{did_you_mean(run_id, known)}")
        return found

    def list_runs(self) -> list[ResearchSummary]:
        """All runs, the latest begun first."""
        return sorted(map(_summarise, self._read_all()), key=lambda each: (each.started_at, each.id), reverse=True)

    def delete(self, run_id: str) -> bool:
        """Delete a run; False when there is none."""
        return self._files().delete(f"{PREFIX}{run_id}", self._tenant)

    def _read_all(self) -> Iterator[ResearchRun]:
        for file in self._files().files(self._tenant, PREFIX):
            yield self._read(file)

    def _read(self, file: StoredFile) -> ResearchRun:
        with self._files().open(file.id, self._tenant) as path:
            content = path.read_bytes()
        try:
            return _read_adapter().validate_json(content)
        except ValidationError as error:
            name = file.id.removeprefix(PREFIX)
            raise StoreError(
                f"research run {name} cannot be read from its record; delete it and start again"
            ) from error


def _summarise(run: ResearchRun) -> ResearchSummary:
    claims = run.report.claims if run.report else ()
    return ResearchSummary(
        id=run.request.id,
        subject=run.request.subject,
        mode=run.request.mode,
        state=run.state,
        steps=len(run.steps),
        started_at=run.started_at,
        supported=sum(claim.verdict is ClaimVerdict.SUPPORTED for claim in claims),
        claims=len(claims),
    )
