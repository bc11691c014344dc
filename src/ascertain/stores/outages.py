"""A store that is away costs one wait, not one for each question that it is asked."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

from ascertain.core.errors import StoreBusy, StoreError

AWAY_SECONDS = 10.0
"""For so long a store that did not answer is not asked again: one question asks it several times."""
_Result = TypeVar("_Result")


class Outage:
    """Remembers that a store is away, so that only the first who asks waits for it."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._said = ""
        self._until = 0.0

    def ask(self, read: Callable[[], _Result]) -> _Result:
        """What ``read`` gives; StoreError at once where it raised one a moment ago."""
        if self._said and self._clock() < self._until:
            raise StoreError(self._said)
        try:
            found = read()
        except StoreBusy:
            raise
        except StoreError as error:
            self._said, self._until = str(error), self._clock() + AWAY_SECONDS
            raise
        self._said = ""
        return found
