"""Vectors of texts embedded before, kept in memory (OP-3).

Answering embeds the sentences it may quote, and the same ones for every question, and every new try at a question, that
finds the same passages. Documents are not embedded through here: each passes once, and would push out what questions
come back to.
"""

import threading
from collections import OrderedDict
from collections.abc import Callable, Sequence
from hashlib import blake2b
from typing import Final, Generic, TypeVar

import numpy as np

from ascertain.models.ports import Embedder, TokenEmbedder, TokenVectors, Vectors

T = TypeVar("T")

MEGABYTE: Final = 1_000_000
MOST_BYTES: Final = 64 * MEGABYTE
"""About 40,000 vectors of 384 numbers; what they save is in docs/cache-and-feedback.md."""

_KEY_BYTES: Final = 16
# A span is a tuple of two integers in a tuple; as large as its objects are in CPython, about.
_SPAN_BYTES: Final = 120


class _Memory(Generic[T]):
    """What was computed for a text, the least recently used forgotten first. Safe to use from several threads."""

    def __init__(self, most_bytes: int, size: Callable[[T], int]) -> None:
        self._most = most_bytes
        self._size = size
        self._kept: OrderedDict[bytes, T] = OrderedDict()
        self._bytes = 0
        self._lock = threading.Lock()

    def all(self, texts: Sequence[str], compute: Callable[[list[str]], Sequence[T]]) -> list[T]:
        """One each, in order; those that are not known are computed together, each once."""
        keys = [blake2b(text.encode("utf-8", "surrogatepass"), digest_size=_KEY_BYTES).digest() for text in texts]
        found: dict[bytes, T] = {}
        with self._lock:
            for key in keys:
                if key in self._kept:
                    self._kept.move_to_end(key)
                    found[key] = self._kept[key]
        missing = {key: text for key, text in zip(keys, texts, strict=True) if key not in found}
        if missing:
            # outside of the lock: two threads may compute the same, and come to the same
            computed = dict(zip(missing, compute(list(missing.values())), strict=True))
            found |= computed
            self._keep_vectors(computed)
        return [found[key] for key in keys]

    def _keep_vectors(self, computed: dict[bytes, T]) -> None:
        with self._lock:
            for key, value in computed.items():
                if key not in self._kept:
                    self._bytes += self._size(value)
                    self._kept[key] = value
            while self._bytes > self._most and self._kept:
                self._bytes -= self._size(self._kept.popitem(last=False)[1])


class RememberingEmbedder:
    """An embedder that gives the same vectors as ``embedder``, keeping at most about ``most_bytes`` of them."""

    def __init__(self, embedder: Embedder, most_bytes: int) -> None:
        self._embedder = embedder
        self._documents = _Memory[Vectors](most_bytes // 4, _bytes_of_vector)
        self._queries = _Memory[Vectors](most_bytes // 4, _bytes_of_vector)

    @property
    def name(self) -> str:
        return self._embedder.name

    @property
    def dimension(self) -> int:
        return self._embedder.dimension

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        rows = self._documents.all(texts, lambda new: [row.copy() for row in self._embedder.embed_documents(new)])
        return np.array(rows, np.float32).reshape(len(texts), self.dimension)

    def embed_query(self, text: str) -> Vectors:
        return self._queries.all([text], lambda new: [self._embedder.embed_query(new[0])])[0].copy()


class RememberingTokenEmbedder(RememberingEmbedder):
    """The same for a model that tells tokens too."""

    def __init__(self, embedder: Embedder, tokens: TokenEmbedder, most_bytes: int) -> None:
        super().__init__(embedder, most_bytes)
        self._tokens = tokens
        self._read = _Memory[TokenVectors](most_bytes // 2, _bytes_of_tokens)

    def embed_tokens(self, texts: Sequence[str]) -> list[TokenVectors] | None:
        """Each text token by token. The arrays are shared: they must not be written to."""
        if not texts:
            return self._tokens.embed_tokens(texts)
        try:
            return self._read.all(texts, self._compute_missing)
        except _NoTokens:
            return None

    def _compute_missing(self, texts: list[str]) -> list[TokenVectors]:
        found = self._tokens.embed_tokens(texts)
        if found is None:
            raise _NoTokens
        return found


class _NoTokens(Exception):
    """The model cannot tell tokens after all."""


def remember_vectors(embedder: Embedder, most_bytes: int) -> Embedder:
    """``embedder`` with a memory of so many bytes; itself for 0."""
    if most_bytes <= 0:
        return embedder
    if isinstance(embedder, TokenEmbedder):
        return RememberingTokenEmbedder(embedder, embedder, most_bytes)
    return RememberingEmbedder(embedder, most_bytes)


def _bytes_of_vector(vector: Vectors) -> int:
    return vector.nbytes


def _bytes_of_tokens(tokens: TokenVectors) -> int:
    return tokens.vectors.nbytes + tokens.whole.nbytes + _SPAN_BYTES * len(tokens.spans)
