import math

import ir_measures
import pytest
from hypothesis import given
from hypothesis import strategies as st
from ir_measures import AP, RR, P, R, Success, nDCG

from ascertain.evaluation.measures.metrics import average_rows, find_percentile, ndcg_at, ranking_metrics

IDS = [f"d{number:02d}" for number in range(25)]

graded = st.dictionaries(st.sampled_from(IDS), st.integers(0, 3), min_size=1)
# few distinct scores, so that most rankings hold ties
scored = st.dictionaries(st.sampled_from(IDS), st.sampled_from([0.0, 0.25, 0.5, 1.0]), min_size=1)


def by_trec_eval(run):
    """trec_eval's order: best score first, equal scores by document id from the end of the alphabet."""
    return sorted(run, key=lambda document: (run[document], document), reverse=True)


def reference(measure, gains, run):
    return ir_measures.calc_aggregate([measure], {"q": gains}, {"q": run})[measure]


@given(gains=graded, run=scored)
def test_agrees_with_ir_measures_on_graded_relevance_and_ties(gains, run):
    ours = ranking_metrics(by_trec_eval(run), gains)
    names = {"R@2": R @ 2, "R@5": R @ 5, "R@10": R @ 10, "MAP@10": AP @ 10, "P@5": P @ 5, "P@10": P @ 10}
    names |= {f"Hit@{k}": Success @ k for k in (1, 5, 10)}
    theirs = {name: reference(measure, gains, run) for name, measure in names.items()}
    # ir-measures leaves RR with a cut-off to MS MARCO's script, which orders ties its own way
    theirs["MRR@10"] = reference(RR, gains, {document: run[document] for document in by_trec_eval(run)[:10]})
    assert {name: ours[name] for name in theirs} == pytest.approx(theirs)


@given(gains=graded, run=scored)
def test_f1_is_the_harmonic_mean_of_the_precision_and_recall_of_ir_measures(gains, run):
    ours = ranking_metrics(by_trec_eval(run), gains)
    for k in (5, 10):
        precision, recall = reference(P @ k, gains, run), reference(R @ k, gains, run)
        both = precision + recall
        assert ours[f"F1@{k}"] == pytest.approx(2 * precision * recall / both if both else 0.0)


@given(gains=graded, run=scored)
def test_ndcg_is_that_of_ir_measures_over_exponential_gains(gains, run):
    exponential = {document: 2**gain - 1 for document, gain in gains.items()}
    assert ndcg_at(by_trec_eval(run), gains, 10) == pytest.approx(reference(nDCG @ 10, exponential, run))


def test_ndcg_is_that_of_gdeval_which_ir_measures_calls_exp_log2():
    gains = {"1": {"a": 3, "b": 2, "c": 1, "d": 0}, "2": {"e": 1, "f": 2}}
    run = {"1": {"c": 0.9, "a": 0.8, "d": 0.7, "x": 0.6, "b": 0.5}, "2": {"x": 0.9, "f": 0.8, "e": 0.1}}
    measure = nDCG(dcg="exp-log2") @ 10
    theirs = {row.query_id: row.value for row in ir_measures.iter_calc([measure], gains, run)}
    ours = {query: ndcg_at(by_trec_eval(run[query]), gains[query], 10) for query in gains}
    assert ours == pytest.approx(theirs, abs=1e-5)  # gdeval prints five digits


def test_ndcg_of_a_small_case_by_hand():
    found = 3 / math.log2(2) + 7 / math.log2(4)
    best = 7 / math.log2(2) + 3 / math.log2(3)
    assert ndcg_at(["two", "none", "three"], {"two": 2, "three": 3}, 10) == pytest.approx(found / best)


@given(run=scored)
def test_every_measure_is_zero_when_nothing_is_relevant(run):
    assert set(ranking_metrics(by_trec_eval(run), {"d00": 0}).values()) == {0.0}


@given(gains=graded.filter(lambda gains: any(gains.values())))
def test_the_ideal_order_scores_one(gains):
    ideal = sorted(gains, key=lambda document: -gains[document])
    assert ndcg_at(ideal, gains, 10) == pytest.approx(1)


def test_means_average_each_measure():
    assert average_rows([{"R@2": 1.0, "R@5": 0.0}, {"R@2": 0.0, "R@5": 0.0}]) == {"R@2": 0.5, "R@5": 0.0}
    assert average_rows([]) == {}


@pytest.mark.parametrize(("share", "expected"), [(0.5, 2), (0.95, 4), (0.0, 1), (1.0, 4), (0.75, 3)])
def test_percentile_is_by_nearest_rank(share, expected):
    assert find_percentile([4, 1, 3, 2], share) == expected
