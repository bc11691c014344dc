"""The chunks of ``synthetic_chunks`` with tags that select known shares of them, and what a search of them must find."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from ascertain.core.asking.passages import Filter
from ascertain.stores.ports.chunks import IndexedDocument, Vectors
from ascertain.stores.records.vectors import scale_to_unit, stored_form
from bench.speed.synthetic_chunks import (
    CHUNKS_PER_DOCUMENT,
    Points,
    a_document,
    chunk_texts,
    embedded,
    questions,
    sentences_of_corpora,
)

SHARES: Mapping[str, float] = {"100 %": 1.0, "50 %": 0.5, "5 %": 0.05, "0.1 %": 0.001}
"""Shares of the chunks that a filter leaves; documents are drawn for each, so that what is left is spread over everything."""
_TIE = 1e-6
"""Scores of stores are rounded to six decimals: chunks that close to the k-th best are as good as it."""


@dataclass(frozen=True, slots=True)
class Question:
    """A question with its vector, as the embedding model gave it."""

    text: str
    vector: Vectors


@dataclass(frozen=True, slots=True)
class SpeedCorpus:
    """``vectors`` are what stores keep, in the order of ``places``: chunk id → row. ``chosen`` has a mask a share."""

    documents: Sequence[IndexedDocument]
    vectors: Vectors
    places: Mapping[str, int]
    chosen: Mapping[str, np.ndarray]
    questions: Sequence[Question]

    def filter(self, share: str) -> Filter:
        """Selects that share of the chunks."""
        return Filter() if SHARES[share] == 1 else Filter(tags=(_tag(share),))

    def recall(self, question: Question, share: str, k: int, found: Sequence[str]) -> float:
        """Of the ``k`` nearest chunks that the filter leaves, the share among ``found``."""
        scores = np.where(self.chosen[share], self.vectors @ scale_to_unit(question.vector), -2)
        wanted = min(k, int(self.chosen[share].sum()))
        least = np.partition(scores, -wanted)[-wanted] - _TIE
        return sum(bool(scores[self.places[name]] >= least) for name in found[:k]) / wanted


def read_corpus(count: int, vectors_folder: Path) -> SpeedCorpus:
    """``count`` chunks, the same each time; the few vectors they are made from are kept in ``vectors_folder``."""
    anchors, asked = embedded(vectors_folder)
    texts, points = chunk_texts(count, sentences_of_corpora()), Points(anchors)
    number_of_documents = count // CHUNKS_PER_DOCUMENT
    choose = np.random.default_rng(3)
    drawn = {
        share: choose.permutation(number_of_documents)[: max(1, round(part * number_of_documents))]
        for share, part in SHARES.items()
    }
    tags = _tags(drawn, number_of_documents)
    documents = [
        a_document(
            number,
            [next(texts) for _ in range(CHUNKS_PER_DOCUMENT)],
            points.take(CHUNKS_PER_DOCUMENT),
            tags[number],
            choose.bytes(_SIGNATURE_BYTES),
        )
        for number in range(number_of_documents)
    ]
    ids = [chunk.id for document in documents for chunk in document.chunks]
    return SpeedCorpus(
        documents,
        stored_form(np.concatenate([document.vectors for document in documents])).astype(np.float32),
        {name: place for place, name in enumerate(ids)},
        {share: _mask(numbers, len(ids)) for share, numbers in drawn.items()},
        [Question(text, vector) for text, vector in zip(questions(), asked, strict=False)],
    )


_SIGNATURE_BYTES = 512
"""128 MinHash values of four bytes; random ones, so that no two documents are near-duplicates."""


def _tag(share: str) -> str:
    return f"share-{SHARES[share]:g}"


def _tags(drawn: Mapping[str, np.ndarray], count: int) -> list[tuple[str, ...]]:
    found: list[tuple[str, ...]] = [()] * count
    for share, numbers in drawn.items():
        for number in numbers.tolist():
            found[number] = (*found[number], _tag(share))
    return found


def _mask(numbers: np.ndarray, chunks: int) -> np.ndarray:
    mask = np.zeros(chunks // CHUNKS_PER_DOCUMENT, bool)
    mask[numbers] = True
    return np.repeat(mask, CHUNKS_PER_DOCUMENT)
