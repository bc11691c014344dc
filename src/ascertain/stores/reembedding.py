"""Moving a store to another embedding model, for stores that cannot keep the vectors of two models at a time."""

import sqlite3
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path

import numpy as np

from ascertain.core.asking.passages import Filter
from ascertain.core.documents.documents import Chunk
from ascertain.core.errors import StoreError
from ascertain.stores.ports.chunks import ChunkStore, IndexedDocument, Vectors
from ascertain.stores.records.vectors import stored_form

Switch = Callable[[Iterator[IndexedDocument]], None]
"""Writes all documents, with vectors of the new model, replacing what is stored, and notes the model: in one step."""


class SpooledVectors:
    """A ``Reembedding`` that keeps new vectors in an SQLite file until there is one for every chunk of ``store``."""

    def __init__(self, store: ChunkStore, db: sqlite3.Connection, model: str, dimension: int) -> None:
        self._store = store
        self._db = db
        self._model = model
        self._dimension = dimension
        db.execute("CREATE TABLE IF NOT EXISTS vectors (model, dimension, chunk, vector, PRIMARY KEY (chunk))")
        db.execute("DELETE FROM vectors WHERE (model, dimension) IS NOT (?, ?)", (model, dimension))
        db.commit()

    def pending(self, batch: int) -> Iterator[list[Chunk]]:
        waiting: list[Chunk] = []
        for document in self._read_documents():
            for chunk in document.chunks:
                if not chunk.is_parent and self._find_vector(chunk.id) is None:
                    waiting.append(chunk)
                if len(waiting) == batch:
                    yield waiting
                    waiting = []
        if waiting:
            yield waiting

    def put(self, chunk_ids: Sequence[str], vectors: Vectors) -> None:
        if vectors.shape != (len(chunk_ids), self._dimension):
            raise StoreError(
                f"{self._model}: vectors of shape {vectors.shape} for {len(chunk_ids)} chunks "
                f"of dimension {self._dimension}"
            )
        rows = zip(chunk_ids, stored_form(vectors), strict=True)
        with self._db:
            self._db.executemany(
                "INSERT OR REPLACE INTO vectors VALUES (?, ?, ?, ?)",
                [(self._model, self._dimension, chunk_id, row.tobytes()) for chunk_id, row in rows],
            )

    @property
    def total(self) -> int:
        return sum(len(batch) for batch in self.pending(1000))

    def read_moved_documents(self) -> Iterator[IndexedDocument]:
        """All documents with their new vectors."""
        for document in self._read_documents():
            blobs = [self._find_vector(chunk.id) or b"" for chunk in document.chunks if not chunk.is_parent]
            halves = np.frombuffer(b"".join(blobs), np.float16)
            yield replace(document, vectors=halves.astype(np.float32).reshape(len(blobs), self._dimension))

    def _find_vector(self, chunk_id: str) -> bytes | None:
        row = self._db.execute("SELECT vector FROM vectors WHERE chunk = ?", (chunk_id,)).fetchone()
        return row[0] if row else None

    def _read_documents(self) -> Iterator[IndexedDocument]:
        for tenant in self._store.tenants():
            for record in self._store.documents(Filter(tenant=tenant)):
                yield from self._store.export([record.id])


@contextmanager
def spool_vectors(
    store: ChunkStore, file: Path, model: str, dimension: int, switch: Switch
) -> Generator[SpooledVectors]:
    """A result for ``ChunkStore.reembed``: ``switch`` is called at the end, when every chunk has its new vector.

    ``file`` holds the new vectors meanwhile, so that interrupted work can be resumed.
    """
    with closing(sqlite3.connect(file, check_same_thread=False)) as db:
        spool = SpooledVectors(store, db, model, dimension)
        yield spool
        if missing := spool.total:
            raise StoreError(
                f"{missing} chunks have no vector of {model} yet: run `ascertain reindex` again to continue"
            )
        switch(spool.read_moved_documents())
    file.unlink(missing_ok=True)
