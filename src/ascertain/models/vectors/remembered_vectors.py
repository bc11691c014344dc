"""Vectors of texts embedded before, cached in memory, and those of sentences on disk too (OP-3).

Answering embeds the sentences it may quote, and the same ones for every question, and every new try at a question, that
finds the same passages. Documents are not embedded through here: each passes once, and would push out what questions
come back to.

Vectors of sentences are stored as whole numbers from -127 to 127 with a scale for each row, a quarter of the size. They are
returned rounded whether they were cached or are new: an answer does not depend on earlier questions.
"""

import threading
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from hashlib import blake2b
from typing import Final, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from ascertain.core.documents.documents import Document
from ascertain.models.ports import Embedder, TokenEmbedder, TokenVectors, Vectors
from ascertain.models.vectors.vector_file import VectorFile, identify_document

T = TypeVar("T")

MEGABYTE: Final = 1_000_000
MOST_BYTES: Final = 8 * MEGABYTE
"""For questions, names and claims: about 1,200 vectors of 384 numbers each, and 90 texts word by word."""
MOST_SENTENCE_BYTES: Final = 8 * MEGABYTE
"""For sentences: about 20,000 vectors of 384 numbers; there are more in the file."""

_KEY_BYTES: Final = 16
# A span is a tuple of two integers in a tuple; as large as its objects are in CPython, about.
_SPAN_BYTES: Final = 120
_ROW_BYTES: Final = 120
"""What an entry takes beside its vector: two objects of bytes, and its place in the dictionary."""


def _identify_text(text: str) -> bytes:
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=_KEY_BYTES).digest()


class _Memory(Generic[T]):
    """What was computed for a text, the least recently used dropped first. Safe to use from several threads."""

    def __init__(self, most_bytes: int, size: Callable[[T], int]) -> None:
        self._most = most_bytes
        self._size = size
        self._kept: OrderedDict[bytes, T] = OrderedDict()
        self._bytes = 0
        self._lock = threading.Lock()

    def all(
        self,
        texts: Sequence[str],
        compute: Callable[[list[str]], Sequence[T]],
        identify: Callable[[str], bytes] = _identify_text,
    ) -> list[T]:
        """One each, in order; unknown ones are computed together, each once."""
        keys = [identify(text) for text in texts]
        found: dict[bytes, T] = {}
        with self._lock:
            for key in keys:
                if key in self._kept:
                    self._kept.move_to_end(key)
                    found[key] = self._kept[key]
        missing = {key: text for key, text in zip(keys, texts, strict=True) if key not in found}
        if missing:
            # outside of the lock: two threads may compute the same, with the same result
            computed = dict(zip(missing, compute(list(missing.values())), strict=True))
            found |= computed
            self._keep_vectors(computed)
        return [found[key] for key in keys]

    def _keep_vectors(self, computed: Mapping[bytes, T]) -> None:
        with self._lock:
            for key, value in computed.items():
                if key not in self._kept:
                    self._bytes += self._size(value)
                    self._kept[key] = value
            while self._bytes > self._most and self._kept:
                self._bytes -= self._size(self._kept.popitem(last=False)[1])


class RememberingEmbedder:
    """An embedder that gives the same vectors as ``embedder``, caching at most about ``most_bytes`` of them."""

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
    """The same for a model that also gives tokens."""

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


class KeptSentences:
    """Vectors of sentences as ``asking`` gives them, rounded; kept in ``most_bytes`` of memory and in ``file``, if any."""

    def __init__(self, asking: Embedder, file: VectorFile | None, most_bytes: int = MOST_SENTENCE_BYTES) -> None:
        self._asking = asking
        self._file = file
        self._whole = _Memory[bytes](most_bytes, _bytes_of_row)

    def embed_sentences(self, texts: Sequence[str], documents: Sequence[Document]) -> Vectors:
        """See the port; of unit length, in directions that the rounding moves by less than half a degree."""

        def compute(new: list[str]) -> list[bytes]:
            return [row.tobytes() for row in round_rows(self._asking.embed_documents(new))]

        found = self._recall(texts, documents, compute)
        return restore_rows(np.frombuffer(b"".join(found), np.int8).reshape(len(texts), self._asking.dimension))

    def _recall(
        self, texts: Sequence[str], documents: Sequence[Document], compute: Callable[[list[str]], list[bytes]]
    ) -> list[bytes]:
        document_of = dict(zip(texts, documents, strict=True))

        def identify(text: str) -> bytes:
            return _identify_text(f"sentence\0{self._asking.name}\0{text}")

        def look_up(new: list[str]) -> list[bytes]:
            keys = [identify(text) for text in new]
            found = self._file.read(keys) if self._file else {}
            missing = {key: text for key, text in zip(keys, new, strict=True) if key not in found}
            if missing:
                computed = dict(zip(missing, compute(list(missing.values())), strict=True))
                found |= computed
                if self._file:
                    owners = {key: document_of[text] for key, text in missing.items()}
                    self._file.write(computed, {key: identify_document(of.tenant, of.id) for key, of in owners.items()})
            return [found[key] for key in keys]

        return self._whole.all(texts, look_up, identify)


_STEPS: Final = 127


def round_rows(vectors: Vectors) -> NDArray[np.int8]:
    """Rows of ``vectors`` as whole numbers, the largest of each row -127 or 127: their directions, nearly."""
    largest = np.abs(vectors).max(axis=1, initial=0.0, keepdims=True)
    return np.rint(vectors * (_STEPS / np.maximum(largest, 1e-12))).astype(np.int8)


def restore_rows(rounded: NDArray[np.int8]) -> Vectors:
    """Unit vectors in the directions of ``rounded``; rows of nothing but zeros stay."""
    rows = rounded.astype(np.float32)
    return rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-12)


class _NoTokens(Exception):
    """The model cannot give tokens after all."""


def remember_vectors(embedder: Embedder, most_bytes: int) -> Embedder:
    """``embedder`` with a memory of so many bytes; itself for 0."""
    if most_bytes <= 0:
        return embedder
    if isinstance(embedder, TokenEmbedder):
        return RememberingTokenEmbedder(embedder, embedder, most_bytes)
    return RememberingEmbedder(embedder, most_bytes)


def _bytes_of_row(row: bytes) -> int:
    return len(row) + _ROW_BYTES


def _bytes_of_vector(vector: Vectors) -> int:
    return vector.nbytes


def _bytes_of_tokens(tokens: TokenVectors) -> int:
    return tokens.vectors.nbytes + tokens.whole.nbytes + _SPAN_BYTES * len(tokens.spans)
