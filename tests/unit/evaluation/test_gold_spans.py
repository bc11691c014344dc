from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ascertain.core.documents.blocks import Span
from ascertain.evaluation.retrieval import GoldCount, count_gold, gold_metrics, merge_spans

spans = st.lists(
    st.tuples(st.integers(0, 60), st.integers(1, 20)).map(lambda ends: Span(ends[0], ends[0] + ends[1])), max_size=8
)


def characters(some):
    return {position for span in some for position in range(span.start, span.end)}


@given(gold=spans, retrieved=spans)
def test_counts_each_gold_character_once(gold, retrieved):
    count = count_gold(gold, retrieved)
    assert count == GoldCount(len(characters(gold) & characters(retrieved)), len(characters(gold)))


@given(some=spans)
def test_merging_keeps_the_characters_and_leaves_gaps_between_spans(some):
    merged = merge_spans(some)
    assert characters(merged) == characters(some)
    assert all(one.end < other.start for one, other in pairwise(merged))


def test_pools_characters_and_averages_questions():
    counts = [GoldCount(90, 100), GoldCount(0, 20), GoldCount(0, 0)]
    assert gold_metrics(counts) == pytest.approx({"gold_characters@5": 90 / 120, "gold_recall@5": 0.45})


def test_gives_no_measure_without_gold_text():
    assert gold_metrics([GoldCount(0, 0)]) == {}
