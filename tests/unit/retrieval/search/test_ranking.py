from __future__ import annotations

import numpy as np
import pytest

from ascertain.core.asking.passages import Strategy
from ascertain.core.documents.blocks import Span
from ascertain.core.documents.documents import Chunk, DocumentKind
from ascertain.core.settings import FusionSettings, RetrievalSettings
from ascertain.language.languages import ENGLISH
from ascertain.retrieval.search.ranking import Candidates, rank_candidates

NO_FEEDBACK = RetrievalSettings(fusion=FusionSettings(feedback_weight=0, title_weight=0))


def a_chunk(name, title=""):
    return Chunk(
        id=name,
        document_id=name,
        index=0,
        span=Span(0, 4),
        text="text",
        heading=title,
        title=title,
        kind=DocumentKind.PROSE,
        source=name,
    )


def some_candidates(angles, lexical=None, titles=None, question=(), idf=None):
    """Chunks whose vectors stand at the given angles, in degrees, from the question's."""
    names = sorted(angles)
    radians = np.radians([angles[name] for name in names])
    vectors = np.stack([np.cos(radians), np.sin(radians)], axis=1).astype(np.float32)
    lexical = lexical or {}
    dense_ranking = sorted(names, key=lambda name: angles[name])
    lexical_ranking = sorted(lexical, key=lambda name: -lexical[name])
    return Candidates(
        chunks=[a_chunk(name, (titles or {}).get(name, "")) for name in names],
        query=np.array([1, 0], dtype=np.float32),
        vectors=vectors,
        lexical=lexical,
        rankings=[ranking for ranking in (dense_ranking, lexical_ranking) if ranking],
        question_stems=tuple(question),
        idf=idf or {},
    )


def order(passages):
    return [passage.chunk.id for passage in passages]


def test_semantic_order_is_the_cosines():
    candidates = some_candidates({"a": 60, "b": 10, "c": 30}, lexical={"a": 9.0})
    ranked = rank_candidates(candidates, Strategy.SEMANTIC, NO_FEEDBACK, ENGLISH)
    assert order(ranked) == ["b", "c", "a"]
    assert ranked[0].score == pytest.approx(np.cos(np.radians(10)), abs=1e-5)


def test_keyword_order_is_bm25_scaled_to_the_best():
    candidates = some_candidates({"a": 60, "b": 10, "c": 30}, lexical={"a": 8.0, "c": 2.0})
    ranked = rank_candidates(candidates, Strategy.KEYWORD, NO_FEEDBACK, ENGLISH)
    assert order(ranked) == ["a", "c", "b"]
    assert [passage.score for passage in ranked] == pytest.approx([1.0, 0.25, 0.0])


def test_hybrid_lets_an_exact_word_match_beat_a_slightly_closer_meaning():
    candidates = some_candidates({"a": 50, "b": 40}, lexical={"a": 8.0})
    assert order(rank_candidates(candidates, Strategy.HYBRID, NO_FEEDBACK, ENGLISH)) == ["a", "b"]


def test_a_title_named_in_the_question_breaks_the_tie():
    candidates = some_candidates(
        {"a": 20, "b": 20},
        titles={"a": "Other things", "b": "Maroon 5"},
        question=("maroon", "5"),
        idf={"maroon": 5.0, "5": 2.0, "other": 1.0, "thing": 1.0},
    )
    settings = RetrievalSettings(fusion=FusionSettings(feedback_weight=0))
    assert order(rank_candidates(candidates, Strategy.HYBRID, settings, ENGLISH)) == ["b", "a"]


def test_feedback_pulls_up_the_companions_of_the_best_passage():
    candidates = some_candidates({"best": 20, "companion": 48, "lonely": -46})
    plain = rank_candidates(candidates, Strategy.HYBRID, NO_FEEDBACK, ENGLISH)
    settings = RetrievalSettings(fusion=FusionSettings(feedback_weight=0.25, title_weight=0))
    assert order(plain) == ["best", "lonely", "companion"]
    assert order(rank_candidates(candidates, Strategy.HYBRID, settings, ENGLISH)) == ["best", "companion", "lonely"]


def test_rank_fusion_by_setting():
    candidates = some_candidates({"a": 1, "b": 2, "c": 3}, lexical={"b": 9.0, "c": 8.0})
    settings = RetrievalSettings(fusion=FusionSettings(method="rrf"))
    assert order(rank_candidates(candidates, Strategy.HYBRID, settings, ENGLISH)) == ["b", "c", "a"]


def test_equal_scores_are_ordered_by_chunk_id_and_every_score_is_reported():
    candidates = some_candidates({"b": 30, "a": 30}, lexical={"a": 1.0, "b": 1.0})
    ranked = rank_candidates(candidates, Strategy.HYBRID, NO_FEEDBACK, ENGLISH)
    assert order(ranked) == ["a", "b"]
    assert set(ranked[0].scores) == {"fused", "title", "dense", "lexical"}
    assert all(0 <= passage.score <= 1 for passage in ranked)


def test_nothing_found_ranks_to_nothing():
    assert rank_candidates(some_candidates({}), Strategy.HYBRID, NO_FEEDBACK, ENGLISH) == []


@pytest.mark.parametrize("feedback", [0, 0.5])
def test_passages_that_differ_in_the_last_bits_of_their_cosine_tie_and_stand_in_the_order_of_their_ids(feedback):
    """A processor's kernel sums the rows of a matrix in different orders, and another processor's in others. Six decimals hide
    that, but where a cosine lies on the border of two of them, as other numbers than these may.
    """
    rng = np.random.default_rng(3)
    row = rng.normal(size=384)
    rows = np.stack([row * (1 + 1e-7 * rng.normal(size=384)) for _ in range(23)])
    query = rng.normal(size=384) + row
    names = [f"{number:02}" for number in range(23)]
    candidates = Candidates(
        chunks=[a_chunk(name) for name in names],
        query=(query / np.linalg.norm(query)).astype(np.float32),
        vectors=(rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32),
        lexical={},
        rankings=[names],
        question_stems=(),
        idf={},
    )
    settings = RetrievalSettings(fusion=FusionSettings(feedback_weight=feedback, title_weight=0))
    ranked = rank_candidates(candidates, Strategy.HYBRID, settings, ENGLISH)
    assert order(ranked) == names
    assert len({passage.score for passage in ranked}) == 1
