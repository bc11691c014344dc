"""A chunk store whose graph follows: whoever writes to it or deletes from it, by whatever way, has the graph do the same."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

from ascertain.core.filters import Filter
from ascertain.graph.upkeep import GraphUpkeep
from ascertain.stores.ports import CompleteStore, IndexedDocument


def follow_store(plain: CompleteStore, graph: GraphUpkeep) -> CompleteStore:
    """``plain``, with ``graph`` following what is written to it and deleted from it."""
    return cast(CompleteStore, FollowedStore(plain, graph))


class FollowedStore:
    """The methods of ``plain``, but that chunks are written first, then what they say; deleted first, then what they said.

    Of a document that failed an earlier version stays, and with it what it says.
    """

    def __init__(self, plain: CompleteStore, graph: GraphUpkeep) -> None:
        self.plain = plain
        self._graph = graph

    def __getattr__(self, name: str) -> Any:
        """All else is the plain store's."""
        return getattr(self.plain, name)

    def upsert(self, documents: Sequence[IndexedDocument]) -> None:
        """See ``ChunkStore.upsert``."""
        self.plain.upsert(documents)
        # one that says when it was added comes back from this store with another link; what it says is the same
        fresh = [document for document in documents if document.added_at is None]
        self._graph.written(self.plain, fresh)

    def delete(self, filter: Filter) -> int:
        """See ``ChunkStore.delete``."""
        gone = [record.id for record in self.plain.documents(filter)]
        deleted = self.plain.delete(filter)
        self._graph.forgotten(filter.tenant, gone)
        return deleted
