"""Time as a dependency."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Protocol


class Clock(Protocol):
    """Tells the time; injected wherever "today" has a meaning."""

    def now(self) -> datetime:
        """The current moment, time-zone aware."""
        ...


class SystemClock:
    """The machine's clock, in its local time zone."""

    def now(self) -> datetime:
        """The current moment with the local UTC offset."""
        return datetime.now().astimezone()


@dataclass(frozen=True, slots=True)
class FixedClock:
    """Always the same moment, for the demo, for tests and for asking as of a past day."""

    moment: datetime

    def now(self) -> datetime:
        """The fixed moment; a naive one is taken as UTC."""
        return self.moment if self.moment.tzinfo else self.moment.replace(tzinfo=UTC)
