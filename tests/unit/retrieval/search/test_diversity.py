from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ascertain.core.asking.passages import Passage
from ascertain.core.documents.blocks import Block, BlockKind, Place, Span
from ascertain.core.documents.documents import Chunk, Document, DocumentKind
from ascertain.core.settings import RetrievalSettings
from ascertain.language.languages import ENGLISH
from ascertain.retrieval.reranking import rerank_passages
from ascertain.retrieval.search.evidence import gather_evidence, maximal_marginal_relevance, with_openings


def unit(*rows):
    array = np.asarray(rows, dtype=np.float32)
    return array / np.linalg.norm(array, axis=1, keepdims=True)


def test_passes_over_a_repeat_for_something_new():
    vectors = unit([1, 0], [1, 0.01], [0, 1])
    assert maximal_marginal_relevance([0.9, 0.89, 0.6], vectors, 2, 0.5) == [0, 2]


def test_is_plain_relevance_order_at_lambda_1():
    vectors = unit([1, 0], [1, 0.01], [0, 1])
    assert maximal_marginal_relevance([0.2, 0.9, 0.6], vectors, 3, 1.0) == [1, 2, 0]


@given(st.lists(st.floats(0, 1), min_size=1, max_size=12), st.integers(0, 15), st.floats(0, 1))
def test_picks_each_item_at_most_once_and_the_best_first(relevance, k, trade_off):
    vectors = unit(*np.random.default_rng(0).normal(size=(len(relevance), 4)))
    picked = maximal_marginal_relevance(relevance, vectors, k, trade_off)
    assert len(picked) == len(set(picked)) == min(k, len(relevance))
    if picked and trade_off > 0:
        assert relevance[picked[0]] * trade_off == max(relevance) * trade_off


class StoredVectors:
    """Knows the vector of each passage; no document is a near-duplicate of another."""

    def __init__(self, vectors):
        self._vectors = vectors

    def documents(self, filter):
        return []

    def vectors(self, chunk_ids):
        return np.stack([self._vectors[chunk_id] for chunk_id in chunk_ids])


@pytest.mark.parametrize(
    ("strategy", "order"),
    [
        ("none", ["first", "twin", "other"]),
        ("rrf", ["twin", "first", "other"]),
        ("mmr", ["first", "other", "twin"]),
        ("rrf_mmr", ["twin", "other", "first"]),
    ],
)
def test_each_reranking_strategy_does_what_it_is_named_for(a_found_passage, strategy, order):
    """ "twin" says what "first" says and leads by words; by the ranks of both legs it is the best."""
    store = StoredVectors(dict(zip(("first", "twin", "other"), unit([1, 0], [1, 0.01], [0, 1]), strict=True)))
    legs = {"first": (0.9, 1.0), "twin": (0.88, 9.0), "other": (0.5, 8.0)}
    found = [
        replace(a_found_passage(f"text {id}", id=id, score=dense), scores={"dense": dense, "lexical": lexical})
        for id, (dense, lexical) in legs.items()
    ]
    settings = RetrievalSettings(reranking_strategy=strategy)
    ranked = rerank_passages("q", ENGLISH, found, None, settings=settings)
    assert [p.chunk.id for p in gather_evidence(store, ranked.passages, 3, settings)] == order


def test_what_a_reranker_says_counts_more_for_diversity_than_nearness(a_found_passage):
    store = StoredVectors(dict(zip(("near", "right"), unit([1, 0], [0, 1]), strict=True)))
    found = [
        replace(a_found_passage("a", id="right", score=0.9), scores={"dense": 0.2, "rerank": 0.9}),
        replace(a_found_passage("b", id="near", score=0.1), scores={"dense": 0.8, "rerank": 0.1}),
    ]
    evidence = gather_evidence(store, found, 2, RetrievalSettings(reranking_strategy="mmr"))
    assert [p.chunk.id for p in evidence] == ["right", "near"]


class StoredFaq(StoredVectors):
    """One document of questions and answers."""

    def __init__(self, document):
        super().__init__({})
        self._document = document

    def document(self, document_id):
        return self._document if document_id == self._document.id else None


def test_a_passage_under_a_question_is_read_from_where_its_answer_begins():
    text = "Can I row at night?\n\nNo.\n\nLong answer: nobody sees a boat at night, and the lock is shut from ten on."
    place = Place(section=("Can I row at night?",))
    document = Document(
        "d1",
        text,
        "FAQ",
        DocumentKind.PROSE,
        "faq.md",
        blocks=(Block(BlockKind.SECTION, Span(0, len(text)), place=place),),
    )
    span = Span(text.index("Long"), len(text))
    chunk = Chunk(
        "c", "d1", 1, span, span.of(text), "FAQ › Can I row at night?", "FAQ", DocumentKind.PROSE, "faq.md", place=place
    )

    widened = with_openings(StoredFaq(document), [Passage(chunk, 0.9)])

    assert widened[0].chunk.text == text
    assert widened[0].chunk.span.of(text) == widened[0].chunk.text
