"""Requests under way: which of those that came before a moment are not answered yet."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from itertools import count


class UnderWay:
    """Belongs to the event loop."""

    def __init__(self) -> None:
        self._numbers = count()
        self._open: set[int] = set()

    @contextmanager
    def request(self) -> Generator[None]:
        """A request is under way in the context."""
        number = next(self._numbers)
        self._open.add(number)
        try:
            yield
        finally:
            self._open.discard(number)

    def now(self) -> frozenset[int]:
        """Those under way at this moment."""
        return frozenset(self._open)

    def any_of(self, before: frozenset[int]) -> bool:
        """Whether one of them still is."""
        return not before.isdisjoint(self._open)
