"""The port of rate limits, counted for all replicas together."""

from __future__ import annotations

from datetime import datetime
from typing import Protocol


class RateLimits(Protocol):
    """Requests by what they are counted for (a key's id)."""

    def take(self, name: str, limit: int, seconds: float, moment: datetime) -> float:
        """Count one request and return 0.0, or, when it would be more than ``limit`` in ``seconds``, count nothing and return how many
        seconds to wait before the next one is allowed.

        A token bucket of ``limit`` tokens that is refilled evenly in ``seconds``. A clock that goes backwards refills nothing.
        """
        ...
