"""Chunks to measure speed with: as many as wanted, the same on every machine.

Texts are real: chunks of about 800 characters, each of sentences that stand together in the corpora of ``../shared/bench``. Questions are
those of its dev sets, with their real vectors. Stored vectors are synthetic: mixtures of near pairs among 4,000 embedded sentences of
the corpora, so that they have neighbourhoods like real ones.
"""

from __future__ import annotations

import json
import os
import random
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from ascertain.core.documents.blocks import Span
from ascertain.core.documents.documents import Chunk, Document, DocumentKind, chunk_id, document_id
from ascertain.stores.ports.chunks import IndexedDocument, Vectors

DIMENSION = 384
MODEL = "all-MiniLM-L6-v2"
CHUNKS_PER_DOCUMENT = 10
BENCH = Path(os.environ.get("ASCERTAIN_BENCH", Path(__file__).parents[3] / "shared" / "bench"))
SETS = (
    "anthropic_docs",
    "clapnq_dev",
    "hotpot_train100",
    "mtrag_un",
    "musique_train100",
    "nomiracl_en",
    "trec_dl19_pool",
)


def sentences_of_corpora() -> list[list[str]]:
    """Sentences of each document of the dev corpora."""
    documents: list[list[str]] = []
    for name in SETS:
        for line in (BENCH / name / "corpus.jsonl").open():
            text = " ".join(json.loads(line)["text"].split())
            documents.append([s for s in re.split(r"(?<=[.!?])\s+", text) if 20 < len(s) < 400])
    return [document for document in documents if document]


def questions() -> list[str]:
    found = [
        json.loads(line)["text"].strip().splitlines()[-1]
        for name in SETS
        for line in (BENCH / name / "queries.jsonl").open()
    ]
    random.Random(7).shuffle(found)
    return found


def chunk_texts(count: int, documents: list[list[str]]) -> Iterator[str]:
    """Texts of 800 characters and a little more: runs of two to four sentences from random documents."""
    choose = random.Random(11)
    for _ in range(count):
        parts: list[str] = []
        length = 0
        while length < 800:
            document = choose.choice(documents)
            start = choose.randrange(len(document))
            run = document[start : start + choose.randint(2, 4)]
            parts.extend(run)
            length += sum(map(len, run)) + len(run)
        yield " ".join(parts)


class Points:
    """Synthetic vectors with the neighbourhoods of real ones: mixtures of near pairs of embedded sentences."""

    def __init__(self, anchors: Vectors) -> None:
        self._random = np.random.default_rng(1)
        self._anchors = anchors
        self._near = np.argsort(-(anchors @ anchors.T), axis=1)[:, 1:21]

    def take(self, count: int) -> Vectors:
        """Shape ``(count, DIMENSION)``, unit length."""
        first = self._random.integers(0, len(self._anchors), count)
        second = self._near[first, self._random.integers(0, self._near.shape[1], count)]
        share = self._random.uniform(0.1, 0.9, (count, 1)).astype(np.float32)
        points = share * self._anchors[first] + (1 - share) * self._anchors[second]
        points += 0.02 * self._random.standard_normal(points.shape, dtype=np.float32)
        return points / np.linalg.norm(points, axis=1, keepdims=True)


def embedded(folder: Path) -> tuple[Vectors, Vectors]:
    """Vectors of 4,000 sentences of the corpora and of 300 questions; kept in ``folder``."""
    path = folder / "embedded.npz"
    if not path.exists():
        from ascertain.models.onnx import OnnxEmbedder

        embedder = OnnxEmbedder.load(MODEL)
        sentences = [sentence for document in sentences_of_corpora() for sentence in document]
        sample = random.Random(5).sample(sentences, 4_000)
        np.savez(path, anchors=embedder.embed_documents(sample), questions=embedder.embed_documents(questions()[:300]))
    with np.load(path) as kept:
        return kept["anchors"], kept["questions"]


def a_document(
    number: int, texts: Sequence[str], vectors: Vectors, tags: tuple[str, ...] = (), signature: bytes | None = None
) -> IndexedDocument:
    source = f"/corpus/{number % 100}/{number}.txt"
    name = document_id(source)
    text = "\n".join(texts)
    document = Document(name, text, f"Document {number}", DocumentKind.PROSE, source, tags=tags)
    chunks: list[Chunk] = []
    start = 0
    for index, part in enumerate(texts):
        span = Span(start, start + len(part))
        start = span.end + 1
        identity = chunk_id(name, span)
        chunks.append(Chunk(identity, name, index, span, part, "", document.title, document.kind, source, tags=tags))
    return IndexedDocument(document, chunks, vectors, signature=signature)
