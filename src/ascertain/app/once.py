"""Something made when it is first needed, by whichever thread comes first, and only once."""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import suppress
from typing import Generic, TypeVar

from ascertain.core.errors import AscertainError

T = TypeVar("T")


class Once(Generic[T]):
    """Holds what ``make`` gives. Threads that come while it is being made wait for it; after an error the next one tries again."""

    def __init__(self, make: Callable[[], T]) -> None:
        self._make = make
        self._lock = threading.RLock()
        self._made: list[T] = []
        self._is_begun = False

    def begin_making(self) -> None:
        """Make it in another thread, the first time this is called; an error is left to ``get``, which tries again."""
        if not self._is_begun:
            self._is_begun = True
            # the program waits for it at its end: a library in the midst of loading must not be torn down
            threading.Thread(target=self._make_quietly).start()

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

    def _make_quietly(self) -> None:
        with suppress(AscertainError):
            self.get()
