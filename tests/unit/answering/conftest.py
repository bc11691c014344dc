import hashlib
from collections.abc import Callable, Sequence

import numpy as np
import pytest

from ascertain.core.asking.passages import Passage
from ascertain.core.documents.blocks import Block, Span
from ascertain.core.documents.documents import Chunk, Document, DocumentKind, chunk_id
from ascertain.language.languages import ENGLISH
from ascertain.language.tokens import content_terms


class BagOfWordsEmbedder:
    """Texts that share content words are similar; deterministic and without a model."""

    name = "bag-of-words"
    dimension = 256

    def embed_documents(self, texts: Sequence[str]) -> np.ndarray:
        return np.stack([self.embed_query(text) for text in texts])

    def embed_query(self, text: str) -> np.ndarray:
        vector = np.full(self.dimension, 0.01, dtype=np.float32)
        for term in content_terms(text, ENGLISH):
            vector[int(hashlib.md5(term.encode()).hexdigest(), 16) % self.dimension] += 1
        return vector / np.linalg.norm(vector)


@pytest.fixture(scope="session")
def embedder() -> BagOfWordsEmbedder:
    return BagOfWordsEmbedder()


@pytest.fixture(scope="session")
def a_document() -> Callable[..., Document]:
    def build(text: str, id: str = "d1", title: str = "A title", blocks: tuple[Block, ...] = ()) -> Document:
        return Document(id, text, title, DocumentKind.PROSE, f"{id}.md", blocks=blocks)

    return build


@pytest.fixture(scope="session")
def a_passage() -> Callable[..., Passage]:
    def build(document: Document, span: Span | None = None, score: float = 0.6) -> Passage:
        span = span or Span(0, len(document.text))
        chunk = Chunk(
            id=chunk_id(document.id, span),
            document_id=document.id,
            index=0,
            span=span,
            text=span.of(document.text),
            heading=document.title,
            title=document.title,
            kind=document.kind,
            source=document.source,
        )
        return Passage(chunk, score, {"dense": score, "lexical": 5 * score})

    return build
