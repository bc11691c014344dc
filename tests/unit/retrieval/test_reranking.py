from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from ascertain.core.asking.passages import Passage
from ascertain.core.documents.blocks import Span
from ascertain.core.documents.documents import Chunk, DocumentKind
from ascertain.core.errors import ModelError
from ascertain.core.settings import RetrievalSettings
from ascertain.language.languages import ENGLISH
from ascertain.retrieval.reranking import measure_coverage, measure_diversity, rerank_passages


def a_passage(text: str, **scores: float) -> Passage:
    chunk = Chunk(
        id=text,
        document_id="d",
        index=0,
        span=Span(0, len(text)),
        text=text,
        heading="",
        title="",
        kind=DocumentKind.PROSE,
        source="d.md",
    )
    return Passage(chunk, 0.5, dict(scores))


class ByLength:
    """Longer texts are more relevant: 0.1 a character."""

    name = "by length"

    def scores(self, question, texts):
        return [min(1.0, len(text) / 10) for text in texts]


class Broken:
    name = "broken"

    def scores(self, question, texts):
        raise ModelError("no model")


SETTINGS = RetrievalSettings()


def texts(passages):
    return [p.chunk.text for p in passages]


def test_passages_come_in_the_order_of_the_model_with_its_score():
    done = rerank_passages("q", ENGLISH, [a_passage("whale"), a_passage("elephants")], ByLength(), settings=SETTINGS)
    assert texts(done.passages) == ["elephants", "whale"]
    assert done.passages[0].score == done.passages[0].scores["rerank"] == 0.9


def test_strays_are_dropped_but_never_all():
    assert texts(
        rerank_passages(
            "q", ENGLISH, [a_passage("cat"), a_passage("elephants")], ByLength(), settings=SETTINGS
        ).passages
    ) == ["elephants"]
    assert texts(rerank_passages("q", ENGLISH, [a_passage("cat")], ByLength(), settings=SETTINGS).passages) == ["cat"]


def test_without_calibrated_relevance_nothing_is_a_stray():
    assert (
        len(rerank_passages("q", ENGLISH, [a_passage("cat"), a_passage("dog")], None, settings=SETTINGS).passages) == 2
    )


def test_a_judges_relevance_counts_as_calibrated():
    done = rerank_passages(
        "q", ENGLISH, [a_passage("cat", judge=0.9), a_passage("dog", judge=0.2)], None, settings=SETTINGS
    )
    assert texts(done.passages) == ["cat"]


def test_near_duplicates_of_a_better_passage_are_dropped():
    same = ["red apples grow in orchards", "red apples grow in orchards here too", "blue whales swim far away"]
    done = rerank_passages("q", ENGLISH, [a_passage(text) for text in same], None, settings=SETTINGS)
    assert len(done.passages) == 2
    assert "1 near-duplicates" in done.decision.reason


def versions(*made):
    """Passages of documents of their own: (text, year or None)."""
    passages = []
    for number, (text, year) in enumerate(made):
        passage = a_passage(text)
        day = datetime(year, 1, 1, tzinfo=UTC) if year else None
        chunk = replace(
            passage.chunk, id=f"{number}:0-1", document_id=str(number), kind=DocumentKind.PROSE, published_at=day
        )
        passages.append(replace(passage, chunk=chunk))
    return passages


TWO, FIVE = (
    f"canteen floor {floor}, reception ground, visitors sign book desk, bicycles behind house, boats beside quay, keys inside drawer"
    for floor in ("two", "five")
)
OVER = f"Superseded by version 3.\n\n{FIVE}"


@pytest.mark.parametrize(
    ("made", "kept"),
    [
        # of versions that say other things the one in force stands beside the best, wherever it was found
        ([(TWO, 2025), ("whales", 2025), (FIVE, 2026)], [0, 1, 2]),
        ([(FIVE, 2026), (TWO, 2025)], [0]),
        ([(TWO, 2024), (FIVE.replace("five", "six"), 2025), (FIVE, 2026)], [0, 2]),
        ([(TWO, 2025), (FIVE, None)], [0]),
        ([(TWO, None), (FIVE, 2026)], [0, 1]),
        ([(TWO, 2025), (OVER, 2026)], [0]),
        ([(OVER, 2026), (TWO, 2025)], [0, 1]),
    ],
)
def test_the_version_in_force_is_never_dropped_for_a_near_equal_one(made, kept):
    passages = versions(*made)
    assert list(rerank_passages("q", ENGLISH, passages, None, settings=SETTINGS).passages) == [
        passages[place] for place in kept
    ]


def test_the_version_of_a_year_that_the_question_names_is_kept():
    passages = versions((FIVE, 2026), (TWO, 2025))
    assert rerank_passages(
        "Where was the canteen in 2025?", ENGLISH, passages, None, settings=SETTINGS
    ).passages == tuple(passages)


def test_of_the_same_words_those_of_the_version_in_force_are_kept_where_the_best_stood():
    older, other, newer = versions((TWO, 2025), ("whales", 2025), (TWO, 2026))
    older = replace(older, score=0.9)
    first, second = rerank_passages("q", ENGLISH, [older, other, newer], None, settings=SETTINGS).passages
    assert (first.chunk, first.score, second) == (newer.chunk, 0.9, other)


def test_articles_that_repeat_each_other_are_dropped_whatever_their_days():
    passages = [
        replace(p, chunk=replace(p.chunk, kind=DocumentKind.ARTICLE)) for p in versions((TWO, 2025), (FIVE, 2026))
    ]
    assert len(rerank_passages("q", ENGLISH, passages, None, settings=SETTINGS).passages) == 1


def test_only_so_many_are_kept():
    words = (
        "apple bear cat dog eagle frog goat horse iguana jackal koala lion mouse newt owl panda quail rabbit".split()
    )
    assert (
        len(rerank_passages("q", ENGLISH, [a_passage(word) for word in words], None, settings=SETTINGS).passages) == 15
    )


def test_diversity_and_coverage_are_reported():
    done = rerank_passages(
        "apples whales", ENGLISH, [a_passage("red apples"), a_passage("blue sky")], None, settings=SETTINGS
    )
    assert done.decision.scores == {"diversity": 1.0, "coverage": 0.5}


def test_one_passage_is_as_diverse_as_can_be_and_a_question_without_terms_is_covered():
    assert measure_diversity([a_passage("cat")], ENGLISH) == 1
    assert measure_coverage("who is it?", ENGLISH, []) == 1


@pytest.mark.parametrize("passages", [[], [a_passage("cat"), a_passage("dog")]])
def test_a_failing_model_leaves_the_order_and_the_decision_says_so(passages):
    done = rerank_passages("q", ENGLISH, passages, Broken(), settings=SETTINGS)
    assert done.passages == tuple(passages)
    assert ("fell back to the order found, no model" in done.decision.reason) is bool(passages)


def fused_by(strategy, passages):
    return rerank_passages(
        "q", ENGLISH, passages, None, settings=RetrievalSettings(reranking_strategy=strategy)
    ).passages


# Found best first. In rank "second" is ahead: first in one leg and second in the other.
FOUND = (
    a_passage("first", dense=0.9, lexical=1.0),
    a_passage("second", dense=0.8, lexical=9.0),
    a_passage("third", dense=0.7, lexical=8.0),
)


@pytest.mark.parametrize(
    ("strategy", "order"),
    [
        ("none", ["first", "second", "third"]),
        ("mmr", ["first", "second", "third"]),
        ("rrf", ["second", "first", "third"]),
        ("rrf_mmr", ["second", "first", "third"]),
    ],
)
def test_reciprocal_rank_fusion_goes_by_the_ranks_of_every_leg(strategy, order):
    assert texts(fused_by(strategy, FOUND)) == order


def test_what_stands_first_in_every_ranking_has_the_score_1():
    best = fused_by("rrf", [a_passage("near", dense=0.9, lexical=3.0), a_passage("far", dense=0.1)])[0]
    assert (best.chunk.text, best.score, best.scores["rrf"]) == ("near", 1.0, 1.0)


def test_other_wordings_and_the_graph_have_a_ranking_of_their_own():
    found = [a_passage("leg", dense=0.9), a_passage("part", dense=0.8, sub_query=0.7), a_passage("walk", graph=1.0)]
    assert texts(fused_by("rrf", found))[0] == "part"


def test_passages_that_no_leg_scored_stay_as_they_were_found():
    assert texts(fused_by("rrf", [a_passage("one"), a_passage("two")])) == ["one", "two"]


def test_a_reranker_has_the_last_word_after_the_fusion():
    settings = RetrievalSettings(reranking_strategy="rrf")
    done = rerank_passages(
        "q", ENGLISH, [a_passage("whale", dense=0.9), a_passage("elephants", dense=0.1)], ByLength(), settings=settings
    )
    assert texts(done.passages) == ["elephants", "whale"]
