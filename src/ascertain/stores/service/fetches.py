"""The port of fetch states: what makes the next request for an address a conditional one (RFC 9110, section 13)."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Protocol


@dataclass(frozen=True, slots=True)
class FetchState:
    """What the last answer of an address said of itself."""

    url: str
    fetched_at: datetime
    etag: str | None = None
    last_modified: str | None = None
    """As the header had it."""


class FetchStates(Protocol):
    """States by tenant and address."""

    def get(self, url: str, tenant: str = "default") -> FetchState | None:
        """What is known of an address."""
        ...

    def put(self, state: FetchState, tenant: str = "default") -> None:
        """Keep what is known now."""
        ...
