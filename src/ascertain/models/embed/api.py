"""Embedding models on servers that speak OpenAI's API: ``openai:NAME``, on OpenAI's server or, with ``base_url``, on any other.

vLLM, llama.cpp, Ollama, LM Studio, Text Embeddings Inference, Jina, Mistral and many more answer ``POST /embeddings``. Texts are sent in
batches by tokens, several at a time; a batch that the server refuses is halved until the refused text is found.
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Iterator, Sequence
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from ascertain.core.errors import ModelError, TextRefused
from ascertain.core.settings import ModelSettings
from ascertain.models.embed.cards import ModelCard, read_card, read_key
from ascertain.models.embed.libraries import finish_vectors
from ascertain.models.ports import Spent, Vectors
from ascertain.models.servers.breaker import EMBEDDING
from ascertain.models.servers.failures import CallFailed
from ascertain.models.servers.server import (
    BYTES_PER_TOKEN,
    PATIENCE,
    QUESTION_PATIENCE,
    REFUSED,
    ModelServer,
    ask_by_batches,
    count_tokens,
)

OPENAI = "https://api.openai.com/v1"
TEXTS, TOKENS = 256, 50_000
"""Of one request: OpenAI takes 2,048 texts and 300,000 tokens, your own servers often 32 to 512 texts; a refused batch is halved."""
_SHORTEST = 400
"""Characters up to which a refused text is not cut: about 100 tokens, which every model takes, so that something else is wrong with it."""
_QUERY, _DOCUMENT = "query", "document"
PROBE = "The quick brown fox jumps over the lazy dog."
"""Embedded to find the dimension, and to check that a server still has the same model."""


class ApiEmbedder:
    """A model on a server; see the port."""

    def __init__(self, card: ModelCard, server: ModelServer, setting: str = "models.embedder") -> None:
        self._card = card
        self._server = server
        self._setting = setting
        self._served = ""
        self._dimension = card.options.dimensions

    @property
    def name(self) -> str:
        return self._card.stored_name

    @property
    def dimension(self) -> int:
        if not self._dimension:
            self.probe()
        return self._dimension

    @property
    def spent(self) -> Spent:
        """What its requests have cost so far."""
        return self._server.spent

    @property
    def batch_texts(self) -> int:
        """Texts that keep all its requests busy."""
        return (self._card.options.texts or TEXTS) * self._card.options.requests

    def probe(self) -> Vectors:
        """The vector of a fixed text, which identifies a model."""
        return self._embed_texts([PROBE], QUESTION_PATIENCE, _DOCUMENT)[0]

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        """See the port. Raises TextRefused for a text that the server will not take."""
        return self._embed_texts([self._card.options.passage + text for text in texts], PATIENCE, _DOCUMENT)

    def embed_query(self, text: str) -> Vectors:
        """See the port. Raises ModelLeftAlone at once while the server is skipped."""
        with self._server.admit_call():
            return self._embed_texts([self._card.options.query + text], QUESTION_PATIENCE, _QUERY)[0]

    def _embed_texts(self, texts: Sequence[str], patience: float, role: str) -> Vectors:
        if not texts:
            return np.zeros((0, self.dimension), np.float32)
        cut = [_cut_text(text, self._card.options.window) for text in texts]
        batches = list(_split_batches(cut, self._card.options.texts or TEXTS, self._card.options.tokens or TOKENS))
        found = ask_by_batches(
            lambda rows: self._embed_batch([cut[row] for row in rows], patience, role),
            batches,
            self._card.options.requests,
        )
        out = np.zeros((len(texts), self._dimension), np.float32)
        for rows, vectors in zip(batches, found, strict=True):
            out[rows] = vectors
        return out

    def _embed_batch(self, texts: list[str], patience: float, role: str) -> Vectors:
        """The vectors of a batch; halves of it where the server refuses it, and once more what it left out."""
        try:
            content = self._server.post("/embeddings", self._make_body(texts, role), patience)
        except CallFailed as failure:
            if failure.status not in REFUSED:
                raise
            return self._embed_halves(texts, patience, role, failure)
        self._book_usage(content, texts)
        self._check_model(content)
        rows = self._read_rows(content, len(texts))
        missing = [row for row in range(len(texts)) if row not in rows]
        if len(missing) == len(texts):
            raise ModelError(f"{self._setting}: {self._server} gave no vectors; its address may be that of another API")
        if missing:
            again = self._embed_batch([texts[row] for row in missing], patience, role)
            rows |= {row: again[place] for place, row in enumerate(missing)}
        vectors = np.stack([rows[row] for row in range(len(texts))])
        return finish_vectors(vectors, self._card, self._setting)

    def _embed_halves(self, texts: list[str], patience: float, role: str, failure: CallFailed) -> Vectors:
        if len(texts) > 1:
            middle = len(texts) // 2
            return np.concatenate(
                [self._embed_batch(part, patience, role) for part in (texts[:middle], texts[middle:])]
            )
        text = texts[0]
        if len(text) <= _SHORTEST:
            start = " ".join(text[:40].split())
            raise TextRefused(f"{failure}" if text == PROBE else f"{failure} (the text begins “{start}”)") from failure
        # too long for the model, most likely: what it reads of it tells as much as a window does
        return self._embed_batch([text[: len(text) // 2]], patience, role)

    def _make_body(self, texts: list[str], role: str) -> dict[str, Any]:
        body: dict[str, Any] = {"model": self._card.model, "input": texts, "encoding_format": "float"}
        if self._card.options.input_type:
            body["input_type"] = role
        if "dimensions" in self._card.given:
            body["dimensions"] = self._card.options.dimensions
        return body

    def _book_usage(self, content: dict[str, Any], texts: Sequence[str]) -> None:
        usage = content.get("usage")
        counted = cast("dict[str, Any]", usage).get("prompt_tokens") if isinstance(usage, dict) else None
        self._server.book(int(counted) if isinstance(counted, int) else sum(map(count_tokens, texts)))

    def _check_model(self, content: dict[str, Any]) -> None:
        """Raise ModelError when the server answers with another model than before."""
        served = content.get("model")
        if isinstance(served, str) and served:
            if self._served and served != self._served:
                raise ModelError(
                    f"{self._setting}: {self._server} answered with the model {served!r} after {self._served!r}; "
                    "their vectors cannot be mixed"
                )
            self._served = served

    def _read_rows(self, content: dict[str, Any], count: int) -> dict[int, Vectors]:
        """The vectors of a reply by their place; raises ModelError for an invalid one, or another dimension."""
        data = content.get("data")
        if not isinstance(data, list):
            raise ModelError(f"{self._setting}: {self._server} gave no vectors; its address may be that of another API")
        rows: dict[int, Vectors] = {}
        for place, entry in enumerate(cast("list[Any]", data)):
            loose = cast("dict[str, Any]", entry) if isinstance(entry, dict) else {}
            row = loose.get("index", place)
            vector = _read_vector(loose.get("embedding"))
            if vector is None or not isinstance(row, int) or not 0 <= row < count:
                continue
            self._check_dimension(len(vector))
            rows[row] = vector
        return rows

    def _check_dimension(self, found: int) -> None:
        """The dimension of every vector is that of the first; Matryoshka vectors may be cut by us."""
        wanted = self._dimension
        if not wanted:
            self._dimension = found
        elif found < wanted or (found > wanted and "dimensions" not in self._card.given):
            raise ModelError(
                f"{self._setting}: {self._server} gave vectors of {found} dimensions, not {wanted}: it has another model now, or knows "
                "no other dimensions; see models.embedder"
            )


def open_api_embedder(name: str, settings: ModelSettings) -> ApiEmbedder:
    """``openai:NAME``; see the registry."""
    setting = "models.embedder"
    card = read_card("openai", name, setting)
    key = read_key(card, "OPENAI_API_KEY", setting)
    return ApiEmbedder(card, ModelServer(card, card.options.base_url or OPENAI, key, setting, EMBEDDING))


def _cut_text(text: str, window: int) -> str:
    """What the model reads of ``text``; never empty, which servers refuse, and without what JSON cannot hold."""
    clean = text.encode("utf-8", "replace").decode("utf-8").replace("\0", " ")
    if window and count_tokens(clean) > window:
        clean = clean.encode("utf-8")[: window * BYTES_PER_TOKEN].decode("utf-8", "ignore")
    return clean if clean.strip() else "."


def _split_batches(texts: Sequence[str], most_texts: int, most_tokens: int) -> Iterator[list[int]]:
    """Rows of ``texts`` in their order, as many as one request may hold."""
    batch: list[int] = []
    tokens = 0
    for row, text in enumerate(texts):
        count = count_tokens(text)
        if batch and (len(batch) == most_texts or tokens + count > most_tokens):
            yield batch
            batch, tokens = [], 0
        batch.append(row)
        tokens += count
    if batch:
        yield batch


def _read_vector(found: object) -> Vectors | None:
    """A vector as numbers, or as base64 of them, which some servers give whatever is asked for."""
    try:
        if isinstance(found, str):
            return np.frombuffer(base64.b64decode(found, validate=True), "<f4").astype(np.float32)
        vector: NDArray[np.float32] = np.asarray(found, np.float32)
    except (ValueError, TypeError, binascii.Error):
        return None
    return vector if vector.ndim == 1 and vector.size else None
