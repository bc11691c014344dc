"""Stored sources, one file each in the knowledge base: complete or absent, in every store."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from functools import cache
from typing import TYPE_CHECKING

from pydantic import TypeAdapter, ValidationError

from ascertain.app.adding.uploads import SOURCE_RECORDS as PREFIX
from ascertain.core.documents.sources import SourceRecord
from ascertain.core.errors import StoreError, UsageError, did_you_mean
from ascertain.core.serialisation import make_storage_adapter

if TYPE_CHECKING:
    from ascertain.stores.ports.service import FileStore


@cache
def _record_adapter() -> TypeAdapter[SourceRecord]:
    return make_storage_adapter(SourceRecord)


class SourceRecords:
    """The sources of one tenant."""

    def __init__(self, files: Callable[[], FileStore], tenant: str) -> None:
        self._files = files
        self._tenant = tenant

    def keep(self, record: SourceRecord, moment: datetime) -> None:
        """Store a source, replacing the last state."""
        content = _record_adapter().dump_json(record)
        self._files().put(f"{PREFIX}{record.name}", f"{record.name}.json", [content], moment, self._tenant)

    def get(self, name: str) -> SourceRecord:
        """The source with this name; UsageError with the nearest name if it is unknown."""
        if self._files().get(f"{PREFIX}{name}", self._tenant) is None:
            known = self.names()
            listed = did_you_mean(name, known) if known else "; add one: ascertain source add ADDRESS"
            raise UsageError(f"there is no source {name!r}{listed}")
        return self._read(name)

    def names(self) -> list[str]:
        """The names of all sources, sorted."""
        return sorted(file.id.removeprefix(PREFIX) for file in self._files().files(self._tenant, PREFIX))

    def list_all(self) -> list[SourceRecord]:
        """All sources, in order of name."""
        return [self._read(name) for name in self.names()]

    def delete(self, name: str) -> bool:
        """Delete a source; False when there is none."""
        return self._files().delete(f"{PREFIX}{name}", self._tenant)

    def _read(self, name: str) -> SourceRecord:
        with self._files().open(f"{PREFIX}{name}", self._tenant) as path:
            content = path.read_bytes()
        try:
            return _record_adapter().validate_json(content)
        except ValidationError as error:
            raise StoreError(f"the source {name} cannot be read from its record; remove it and add it again") from error
