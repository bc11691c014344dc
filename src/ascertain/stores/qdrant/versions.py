"""Whole documents without transactions.

Every part of a document (chunks, parents, pieces of its text) carries the version of the write it belongs to, and the
one point of the document names the version that counts. A write puts the new parts beside the old ones, then changes
that point, then deletes the old parts. What a search finds is shown only when its version is the current one.

Between finding parts and looking at their document, the document may have changed: then parts of the new version may be
missing from what was found. A reading is therefore repeated until it began after the versions it shows were seen to be
current.
"""

import time
from collections.abc import Callable, Iterable, Mapping
from typing import Final, TypeVar

from ascertain.core.errors import StoreError
from ascertain.stores.qdrant.points import Points

# A version that became current so long ago was complete before any search that is still under way began; longer than an
# operation may take by default, and clocks of machines differ by less.
_RECENT_MICROSECONDS: Final = 60_000_000
# A reading is repeated only while its very documents are being rewritten.
_ATTEMPTS: Final = 50
# What is remembered of recent versions, so that most searches need no second reading; 100 bytes each.
_REMEMBERED: Final = 100_000

_Result = TypeVar("_Result")
_Key = TypeVar("_Key")


def now_microseconds() -> int:
    """Microseconds since 1970."""
    return time.time_ns() // 1000


class Sight:
    """One reading: separates current parts from others, and notes the documents that it cannot be sure of."""

    def __init__(self, points: Points, confirmed: Mapping[str, str | None]) -> None:
        self._points = points
        self._confirmed = confirmed
        self.unsure: dict[str, str | None] = {}

    def visible(self, parts: Mapping[_Key, tuple[str, str]]) -> set[_Key]:
        """The keys of those (owner, version) whose version is current now."""
        owners = {owner for owner, _ in parts.values()}
        current = current_versions(self._points, owners)
        for owner, version in set(parts.values()):
            latest, written = current.get(owner, (None, 0))
            is_recent = now_microseconds() - written < _RECENT_MICROSECONDS
            if (latest != version or is_recent) and self._confirmed.get(owner, "") != latest:
                self.unsure[owner] = latest
        return {key for key, (owner, version) in parts.items() if current.get(owner, ("", 0))[0] == version}


class Versions:
    """Readings of whole documents over one collection. Safe to use from several threads."""

    def __init__(self, points: Points) -> None:
        self._points = points
        self._confirmed: dict[str, str | None] = {}

    def read_consistently(self, read: Callable[[Sight], _Result]) -> _Result:
        """The result of ``read`` once it is sure of every document; raises StoreError when they never stop changing."""
        for _ in range(_ATTEMPTS):
            sight = Sight(self._points, self._confirmed)
            result = read(sight)
            if not sight.unsure:
                return result
            if len(self._confirmed) > _REMEMBERED:
                self._confirmed = {}
            # A new mapping: other threads go on with the one they began with.
            self._confirmed = {**self._confirmed, **sight.unsure}
        raise rewriting_error(self._points)

    def stable(self, owners: Iterable[str], read: Callable[[Mapping[str, str]], _Result]) -> _Result:
        """The result of ``read`` for documents by (owner, version), once none of them changed meanwhile."""
        wanted = list(owners)
        before = self._fetch_current(wanted)
        for _ in range(_ATTEMPTS):
            result = read(before)
            after = self._fetch_current(wanted)
            if before == after:
                return result
            before = after
        raise rewriting_error(self._points)

    def _fetch_current(self, owners: Iterable[str]) -> dict[str, str]:
        return {owner: version for owner, (version, _) in current_versions(self._points, owners).items()}


def current_versions(points: Points, owners: Iterable[str]) -> dict[str, tuple[str, int]]:
    """The version of each document that exists, and when it became current."""
    wanted = list(owners)
    if not wanted:
        return {}
    return {
        point.id: (str(point.payload["version"]), int(str(point.payload["written"])))
        for point in points.retrieve(wanted, ("version", "written"))
    }


def rewriting_error(points: Points) -> StoreError:
    """The error for documents that are rewritten all the time."""
    return StoreError(f"documents in {points.place} are being rewritten without pause: try again in a while")
