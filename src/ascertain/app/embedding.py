"""The embedding model of a knowledge base for programs that ask for vectors themselves."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ascertain.models.servers.server import count_tokens

if TYPE_CHECKING:
    from ascertain.models.ports import Embedder, Vectors


@dataclass(frozen=True, slots=True)
class Embedded:
    """``vectors`` has one row a text; ``tokens`` is about how many were read."""

    model: str
    vectors: Vectors
    tokens: int


def embed_texts(embedder: Embedder, texts: Sequence[str]) -> Embedded:
    """The vectors of ``texts`` as those of documents are made. Raises ModelError when the model cannot run."""
    return Embedded(embedder.name, embedder.embed_documents(texts), sum(map(count_tokens, texts)))
