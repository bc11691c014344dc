"""Working ahead: an iterator run in one thread, so that parsing goes on while the embedding model computes."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Iterator
from types import TracebackType
from typing import Generic, Self, TypeVar

Item = TypeVar("Item")

_CLOSE_SECONDS = 5.0
"""How long closing waits for the thread; it is a daemon, so a parser stuck in its work holds nobody up longer."""


class Prefetch(Generic[Item]):
    """Iterates over ``items``, which a thread takes ahead until what waits weighs ``limit``.

    Errors of ``items`` come out of the iteration at their place. Use it as a context manager: leaving it stops the thread and
    closes ``items``.
    """

    def __init__(self, items: Iterator[Item], weight: Callable[[Item], int], limit: int) -> None:
        self._items = items
        self._weight = weight
        self._limit = limit
        self._waiting: deque[Item] = deque()
        self._waiting_weight = 0
        self._error: BaseException | None = None
        self._is_done = False
        self._is_closed = False
        self._changed = threading.Condition()
        self._thread = threading.Thread(target=self._work, name="ascertain-prefetch", daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with self._changed:
            self._is_closed = True
            self._changed.notify_all()
        self._thread.join(_CLOSE_SECONDS)

    def __iter__(self) -> Iterator[Item]:
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._waiting or self._is_done)
                if not self._waiting:
                    if self._error is not None:
                        raise self._error
                    return
                item = self._waiting.popleft()
                self._waiting_weight -= self._weight(item)
                self._changed.notify_all()
            yield item

    def _work(self) -> None:
        try:
            for item in self._items:
                if not self._put(item):
                    break
        except BaseException as error:  # handed to the thread that iterates, which raises it
            self._error = error
        finally:
            close = getattr(self._items, "close", None)
            if close is not None:
                close()
            with self._changed:
                self._is_done = True
                self._changed.notify_all()

    def _put(self, item: Item) -> bool:
        """Hand an item over, once there is room; False when nobody wants it any more."""
        weight = self._weight(item)
        with self._changed:
            self._changed.wait_for(
                lambda: self._is_closed or not self._waiting or self._waiting_weight + weight <= self._limit
            )
            self._waiting.append(item)
            self._waiting_weight += weight
            self._changed.notify_all()
            return not self._is_closed
