"""Something made when it is first needed, by whichever thread comes first, and only once."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Generic, TypeVar

T = TypeVar("T")


class Once(Generic[T]):
    """Holds what ``make`` gives. Threads that come while it is being made wait for it; after an error the next one tries again."""

    def __init__(self, make: Callable[[], T]) -> None:
        self._make = make
        self._lock = threading.RLock()
        self._made: list[T] = []

    def get(self) -> T:
        """What was made, made now if it was not; raises what making it raises."""
        with self._lock:
            if not self._made:
                self._made.append(self._make())
            return self._made[0]

    def take(self) -> T | None:
        """Give up what was made, for the caller to close; the next ``get`` makes it anew."""
        with self._lock:
            return self._made.pop() if self._made else None
