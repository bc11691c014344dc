"""An unreachable store costs one wait, not one for each query."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

from ascertain.core.errors import StoreBusy, StoreError

AWAY_SECONDS = 10.0
"""How long a store that did not answer is not queried again: one question queries it several times."""
_Result = TypeVar("_Result")


class Outage:
    """Remembers that a store is unreachable, so that only the first caller waits for it."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._said = ""
        self._until = 0.0

    def ask(self, read: Callable[[], _Result]) -> _Result:
        """The result of ``read``; StoreError at once if it raised one a moment ago."""
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
