"""Embedding the chunks of several documents together, texts of like length side by side."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

import numpy as np

from ascertain.core.errors import AscertainError
from ascertain.ingest.preparing import Ready, describe
from ascertain.models.ports import Embedder, Vectors


class BatchEmbedding:
    """Embeds documents and keeps the time; ``seconds`` is what the model has taken so far."""

    def __init__(self, embedder: Embedder, batch: int) -> None:
        self._embedder = embedder
        self._batch = batch
        self.seconds = 0.0

    def embed_each(
        self, documents: Sequence[Ready], advanced: Callable[[str, int, int], None]
    ) -> list[Vectors | str]:
        """As ``embed``, but a document that the model cannot take costs only itself: in its place is the reason."""
        try:
            return [*self.embed(documents, advanced)]
        except AscertainError:
            raise
        except Exception as error:  # whatever a model raises at a text it was not made for
            if len(documents) == 1:
                return [f"could not be embedded ({describe(error)})"]
            return [
                found for ready in documents for found in self.embed_each([replace(ready, size=0)], advanced)
            ]

    def embed(self, documents: Sequence[Ready], advanced: Callable[[str, int, int], None]) -> list[Vectors]:
        """One array for each document, a row for each of its searchable chunks.

        Texts are sorted by length over all the documents, which saves the model padding (2-3 times faster). ``advanced`` is
        called with source, bytes and chunks after every batch.
        """
        texts = [chunk.indexed_text for ready in documents for chunk in ready.chunks]
        owners = [number for number, ready in enumerate(documents) for _ in ready.chunks]
        out = np.zeros((len(texts), self._embedder.dimension), np.float32)
        bytes_left = [ready.size for ready in documents]
        chunks_left = [len(ready.chunks) for ready in documents]
        for rows in self._batches(texts):
            started = time.perf_counter()
            out[rows] = self._embedder.embed_documents([texts[row] for row in rows])
            self.seconds += time.perf_counter() - started
            done = 0
            for owner in (owners[row] for row in rows):
                share = bytes_left[owner] // chunks_left[owner]
                bytes_left[owner] -= share
                chunks_left[owner] -= 1
                done += share
            advanced(documents[owners[rows[0]]].document.source, done, len(rows))
        edges = np.cumsum([len(ready.chunks) for ready in documents])[:-1]
        return list(np.split(out, edges))

    def _batches(self, texts: Sequence[str]) -> Iterator[list[int]]:
        order = sorted(range(len(texts)), key=lambda row: -len(texts[row]))
        for start in range(0, len(order), self._batch):
            yield order[start : start + self._batch]
