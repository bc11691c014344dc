"""Moving a knowledge base to another embedding model while it stays searchable."""

from __future__ import annotations

from typing import Protocol

from ascertain.models.ports import Embedder
from ascertain.stores.ports import CompleteStore


class ReindexListener(Protocol):
    """Hears how far a reindex has come."""

    def advanced(self, done: int, total: int) -> None:
        """``done`` of ``total`` chunks have their new vector."""
        ...


def reindex(
    store: CompleteStore, embedder: Embedder, batch: int, listener: ReindexListener | None = None
) -> int:
    """Give every chunk a vector of ``embedder``; how many were computed. An interrupted run is taken up again."""
    done = 0
    with store.writing(), store.reembed(embedder.name, embedder.dimension) as vectors:
        total = vectors.total
        for chunks in vectors.pending(batch):
            texts = [chunk.indexed_text for chunk in chunks]
            vectors.put([chunk.id for chunk in chunks], embedder.embed_documents(texts))
            done += len(chunks)
            if listener:
                listener.advanced(done, total)
    return done
