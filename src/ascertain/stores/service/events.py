"""The port of event logs: what a streamed answer told its listener, so that any replica can tell it again from any event on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

KEPT_SECONDS = 3600.0
"""How long a log is kept after its last event."""


@dataclass(frozen=True, slots=True)
class LoggedEvent:
    """One event. ``number`` counts from 1; the last one of a log has ``is_last``."""

    number: int
    kind: str
    data: Mapping[str, object]
    is_last: bool = False


class EventLog(Protocol):
    """Events by tenant and stream."""

    def append(
        self, stream_id: str, events: Sequence[LoggedEvent], moment: datetime, tenant: str = "default"
    ) -> None:
        """Add events in order; those of a number that is there already are left out. Logs older than KEPT_SECONDS are forgotten."""
        ...

    def after(self, stream_id: str, number: int, tenant: str = "default") -> list[LoggedEvent] | None:
        """The events after the numbered one, as far as there are any; None when there is no such log."""
        ...
