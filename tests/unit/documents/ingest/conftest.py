from __future__ import annotations

import zlib
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import pytest

from ascertain.core.settings import StoreSettings
from ascertain.models.ports import Vectors
from ascertain.stores.ports.chunks import ChunkStore
from ascertain.stores.registry import open_store


class HashEmbedder:
    """Unit vectors that depend on nothing but the text; remembers what it embeds."""

    name = "hash"
    dimension = 8

    def __init__(self) -> None:
        self.embedded: list[str] = []

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        self.embedded.extend(texts)
        if any("POISON" in text for text in texts):
            raise ValueError("cannot embed this")
        return np.stack([self.embed_query(text) for text in texts])

    def embed_query(self, text: str) -> Vectors:
        seed = zlib.crc32(text.encode("utf-8", "surrogatepass"))
        vector = np.random.default_rng(seed).normal(size=self.dimension)
        return (vector / np.linalg.norm(vector)).astype(np.float32)


@pytest.fixture
def embedder() -> HashEmbedder:
    return HashEmbedder()


@pytest.fixture
def store(tmp_path: Path, embedder: HashEmbedder) -> Iterator[ChunkStore]:
    store = open_store(StoreSettings(), tmp_path / "home", embedder.name, embedder.dimension)
    yield store
    store.close()
