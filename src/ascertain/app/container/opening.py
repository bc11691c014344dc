"""Attributes that are opened when they are first needed, once for all threads, and released together."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any, Generic, Self, TypeVar, cast, overload

T = TypeVar("T")


class opened_once(Generic[T]):
    """``functools.cached_property`` for threads: while one opens the attribute the others wait; after an error the next one tries again.

    What was opened is found in the object's own dictionary, without a call.
    """

    def __init__(self, open: Callable[[Any], T]) -> None:
        self._open = open
        self.__doc__ = open.__doc__
        self._name = open.__name__

    @overload
    def __get__(self, owner: None, kind: type) -> Self: ...
    @overload
    def __get__(self, owner: object, kind: type) -> T: ...
    def __get__(self, owner: object | None, kind: type) -> T | Self:
        if owner is None:
            return self
        attributes = vars(owner)
        with self._lock(owner):
            if self._name not in attributes:
                attributes[self._name] = self._open(owner)
            return cast("T", attributes[self._name])

    def take(self, owner: object) -> list[object]:
        """Release it where it was opened, for the caller to close; when it is needed next it is opened again."""
        with self._lock(owner):
            return [vars(owner).pop(self._name)] if self._name in vars(owner) else []

    def _lock(self, owner: object) -> threading.RLock:
        # to set a default is atomic
        return vars(owner).setdefault(f"{self._name} is being opened", threading.RLock())


def release_opened(owner: object, *names: str) -> list[object]:
    """Release what was opened of ``owner``, all of it or ``names``, in the order in which it was opened; for the caller to close."""
    kind = type(owner)
    known = [name for name in dir(kind) if isinstance(getattr(kind, name), opened_once)]
    in_order = [name for name in list(vars(owner)) if name in known]
    rest = [name for name in known if name not in in_order]  # one may be opened at this moment
    return [
        each for name in (*in_order, *rest) if not names or name in names for each in getattr(kind, name).take(owner)
    ]
