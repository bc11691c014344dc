"""A knowledge base over the real embedded store, with an embedder that hashes words instead of a model."""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

import numpy as np

from ascertain import Ascertain, Document, Settings
from ascertain.core.asking.runs import FixedClock
from ascertain.core.documents.documents import DocumentKind, document_id

NOW = FixedClock(datetime(2024, 12, 5, 18, tzinfo=UTC))


class WordHashes:
    """Vectors that are alike when texts share words; counts how often it was asked."""

    def __init__(self, name: str = "hashes", dimension: int = 64) -> None:
        self.name = name
        self.dimension = dimension
        self.calls = 0

    def embed_documents(self, texts: Sequence[str]) -> np.ndarray:
        self.calls += 1
        return np.stack([self._vector(text) for text in texts])

    def embed_query(self, text: str) -> np.ndarray:
        self.calls += 1
        return self._vector(text)

    def _vector(self, text: str) -> np.ndarray:
        vector = np.full(self.dimension, 1e-3, np.float32)
        for word in text.lower().split():
            vector[zlib.crc32(word.strip(".,?").encode()) % self.dimension] += 1
        return vector / np.linalg.norm(vector)


def a_document(name: str, text: str, tenant: str = "default", **details) -> Document:
    conversation = details.get("conversation_id")
    identity = document_id(name, tenant, conversation)
    return Document(identity, text, name, DocumentKind.PROSE, name, tenant=tenant, **details)


def opened(home: Path, embedder: WordHashes | None = None, **settings) -> Ascertain:
    return Ascertain(Settings(home=home, **settings), clock=NOW, embedder=embedder or WordHashes())
