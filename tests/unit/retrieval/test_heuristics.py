from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ascertain.core.asking.passages import Passage
from ascertain.core.documents.blocks import Span
from ascertain.core.documents.documents import Chunk, DocumentKind
from ascertain.language.languages import ENGLISH
from ascertain.retrieval.reranking import heuristic_rerank, score_recency

NOW = datetime(2024, 2, 29, 0, 0, tzinfo=UTC)


def a_passage(name="a", text="some words", title="", score=0.5, hours_old=None):
    published = None if hours_old is None else NOW - timedelta(hours=hours_old)
    chunk = Chunk(
        id=name,
        document_id=name,
        index=0,
        span=Span(0, len(text)),
        text=text,
        heading=title,
        title=title,
        kind=DocumentKind.ARTICLE,
        source=name,
        published_at=published,
    )
    return Passage(chunk, score)


@pytest.mark.parametrize(
    ("hours", "expected"), [(-5, 1.0), (0, 1.0), (24, 1.0), (25, 0.5), (72, 0.5), (73, 0.0), (None, 0.0)]
)
def test_recency_steps_at_one_and_three_days(hours, expected):
    published = None if hours is None else NOW - timedelta(hours=hours)
    assert score_recency(published, NOW) == expected


def test_a_fresh_article_named_in_the_question_wins_over_a_slightly_closer_old_one():
    old = a_passage("old", "Bitcoin price moves", score=0.82, hours_old=5000)
    fresh = a_passage("fresh", "The price rose", title="Bitcoin price today", score=0.78, hours_old=2)
    ranked = heuristic_rerank([old, fresh], "bitcoin price", ENGLISH, NOW)
    assert [passage.chunk.id for passage in ranked] == ["fresh", "old"]
    assert "recency 100%" in ranked[0].explanation


@given(st.lists(st.floats(0, 1), min_size=1, max_size=8))
def test_scores_stay_within_0_and_1_and_the_fused_score_is_kept(scores):
    passages = [a_passage(str(i), score=score) for i, score in enumerate(scores)]
    ranked = heuristic_rerank(passages, "some words", ENGLISH, NOW)
    assert all(0 <= passage.score <= 1 for passage in ranked)
    assert sorted(passage.scores["fused"] for passage in ranked) == sorted(scores)
