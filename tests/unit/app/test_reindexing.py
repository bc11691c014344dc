from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from types import SimpleNamespace
from typing import Any

import numpy as np

from ascertain.app.container.reindexing import reindex_store


class FewChunks:
    """A store with five chunks, of which some already have a new vector."""

    def __init__(self, done: int) -> None:
        self.chunks = [SimpleNamespace(id=f"c{n}", indexed_text=f"text {n}") for n in range(done, 5)]
        self.stored: dict[str, np.ndarray] = {}
        self.model: tuple[str, int] | None = None

    @contextmanager
    def writing(self) -> Iterator[None]:
        yield

    @contextmanager
    def reembed(self, embedder_name: str, dimension: int) -> Iterator[FewChunks]:
        yield self
        self.model = (embedder_name, dimension)

    @property
    def total(self) -> int:
        return len(self.chunks)

    def pending(self, batch: int) -> Iterator[list[Any]]:
        for start in range(0, len(self.chunks), batch):
            yield self.chunks[start : start + batch]

    def put(self, chunk_ids: Sequence[str], vectors: np.ndarray) -> None:
        self.stored.update(zip(chunk_ids, vectors, strict=True))


class Lengths:
    name = "lengths"
    dimension = 1

    def embed_documents(self, texts: Sequence[str]) -> np.ndarray:
        return np.array([[len(text)] for text in texts], np.float32)


class Heard:
    def __init__(self) -> None:
        self.calls: list[tuple[int, int]] = []

    def report_progress(self, done: int, total: int) -> None:
        self.calls.append((done, total))


def test_every_chunk_gets_a_vector_of_the_new_model_in_batches() -> None:
    store, heard = FewChunks(done=0), Heard()
    assert reindex_store(store, Lengths(), 2, heard) == 5
    assert list(store.stored) == ["c0", "c1", "c2", "c3", "c4"]
    assert store.model == ("lengths", 1)
    assert heard.calls == [(2, 5), (4, 5), (5, 5)]


def test_an_interrupted_reindex_computes_only_the_rest() -> None:
    store = FewChunks(done=3)
    assert reindex_store(store, Lengths(), 2) == 2
    assert list(store.stored) == ["c3", "c4"]
