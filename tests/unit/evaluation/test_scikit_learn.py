"""Measures of confidence, of abstention and of the check of claims are those of scikit-learn."""

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from sklearn.calibration import calibration_curve
from sklearn.metrics import (
    balanced_accuracy_score,
    brier_score_loss,
    f1_score,
    precision_score,
    recall_score,
    roc_auc_score,
)

from ascertain.evaluation.answers import AbstentionCase, abstention_metrics, measure_overlap
from ascertain.evaluation.claims import claim_metrics
from ascertain.evaluation.measures.calibration import BINS, Judged, brier_score, calibration_error, compute_auroc
from ascertain.evaluation.runs import Result

# between the edges of the bins, which the two put into different ones
CONFIDENCES = st.integers(0, 99).map(lambda number: (number + 0.5) / 100)
JUDGED = st.lists(st.tuples(CONFIDENCES, st.booleans()), min_size=2, max_size=60)
LABELS = st.lists(st.tuples(st.booleans(), st.booleans(), CONFIDENCES), min_size=2, max_size=60)


def both_kinds(truth):
    assume(len(set(truth)) == 2)
    return np.array(truth)


@given(JUDGED)
def test_auroc(pairs):
    scores, truth = zip(*pairs, strict=True)
    right = both_kinds(truth)
    ours = compute_auroc([s for s, r in pairs if r], [s for s, r in pairs if not r])
    assert ours == pytest.approx(roc_auc_score(right, scores))


@given(JUDGED)
def test_brier(pairs):
    scores, truth = zip(*pairs, strict=True)
    right = both_kinds(truth)
    assert brier_score([Judged(*pair) for pair in pairs]) == pytest.approx(brier_score_loss(right, scores))


@given(JUDGED)
def test_calibration_error_is_the_gap_of_the_calibration_curve_weighted_by_its_bins(pairs):
    scores, truth = zip(*pairs, strict=True)
    right = both_kinds(truth)
    accuracy, confidence = calibration_curve(right, scores, n_bins=BINS)
    sizes = np.histogram(scores, bins=BINS, range=(0, 1))[0]
    theirs = np.average(np.abs(accuracy - confidence), weights=sizes[sizes > 0])
    assert calibration_error([Judged(*pair) for pair in pairs]) == pytest.approx(theirs)


@given(LABELS)
def test_abstention(rows):
    answerable, declined, confidence = (np.array(column) for column in zip(*rows, strict=True))
    both_kinds(answerable.tolist())
    assume(declined.any())
    ours = abstention_metrics([AbstentionCase(bool(a), bool(d), float(c)) for a, d, c in rows])
    assert ours["abstention_recall"] == pytest.approx(recall_score(~answerable, declined))
    assert ours["abstention_precision"] == pytest.approx(precision_score(~answerable, declined))
    assert ours["false_abstention_rate"] == pytest.approx(1 - recall_score(answerable, ~declined))
    assert ours["auroc"] == pytest.approx(roc_auc_score(answerable, confidence))


@given(LABELS)
def test_check_of_claims(rows):
    supported, found, support = (np.array(column) for column in zip(*rows, strict=True))
    both_kinds(supported.tolist())
    assume((~found & ~supported).any())
    results = [
        Result("set", str(n), "claim", 0.0, {}, {"supported": bool(s), "found_supported": bool(f), "support": float(c)})
        for n, (s, f, c) in enumerate(rows)
    ]
    ours = claim_metrics(results)
    assert ours["right"] == pytest.approx((supported == found).mean())
    assert ours["balanced_accuracy"] == pytest.approx(balanced_accuracy_score(supported, found))
    assert ours["auroc"] == pytest.approx(roc_auc_score(supported, support))
    assert ours["alarm_precision"] == pytest.approx(precision_score(~supported, ~found))
    assert ours["alarm_recall"] == pytest.approx(recall_score(~supported, ~found))
    assert ours["alarm_f1"] == pytest.approx(f1_score(~supported, ~found))


WORDS = [f"word{number}" for number in range(8)]


@given(st.sets(st.sampled_from(WORDS), min_size=1), st.sets(st.sampled_from(WORDS), min_size=1))
def test_completeness_and_f1_of_words(said, wanted):
    """Of words that are each said once: whether a word is said is what is foretold, whether it is wanted what is true."""
    truth, foretold = [word in wanted for word in WORDS], [word in said for word in WORDS]
    share, f1 = measure_overlap(" ".join(sorted(said)), [" ".join(sorted(wanted))])
    assert share == pytest.approx(recall_score(truth, foretold))
    assert f1 == pytest.approx(f1_score(truth, foretold))
