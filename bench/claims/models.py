"""Fitting of the three logistic models of the offline checker."""

from __future__ import annotations

import numpy as np

from ascertain.models.entail.rules import (
    CLAIM_FEATURES,
    CLAIM_READER_FEATURES,
    CONTRADICTION_FEATURES,
    LIKELY,
    WORD_FEATURES,
    measure_foreignness,
)
from bench.claims.data import Case, Table
from bench.fit.logistic import fit_logistic, penalise_standardised

WORD_C = 0.05
CLAIM_C = 0.01
"""Strength of the penalty on standardised columns (the reciprocal of L2's factor, at case weights that sum to
the number of cases)."""
READER_C = 0.05
"""Likewise with the reader's columns beside; weaker, since those say more than most."""
SET_WEIGHTS = {"summedits": 5.0}
"""1 for every other set. Its claims are the hardest to tell apart. At 1 it reaches 59.6 and begin an AUROC of 92.2; at 5 it
is 61.9 and 91.7."""


def fit_words(table: Table) -> dict:
    """From the words that were edited into claims of summedits."""
    picked = [i for i, case in enumerate(table.cases) if case.set == "summedits"]
    rows = np.concatenate([table.rows[i][table.edited[i]] for i in picked])
    broke = np.concatenate([[not table.cases[i].is_supported] * int(table.edited[i].sum()) for i in picked])
    return fit(rows, broke.astype(bool), WORD_FEATURES, balanced(broke), WORD_C)


def fit_claims(table: Table, words: dict) -> dict:
    labels = np.array([case.is_supported for case in table.cases])
    return fit(claim_columns(table, words), labels, CLAIM_FEATURES, set_weights(table, labels), CLAIM_C)


def fit_with_reader(table: Table, words: dict, read: np.ndarray) -> dict:
    """The same claims with the reader's columns beside, ``read`` of each case."""
    labels = np.array([case.is_supported for case in table.cases])
    columns = np.hstack([claim_columns(table, words), read])
    return fit(columns, labels, (*CLAIM_FEATURES, *CLAIM_READER_FEATURES), set_weights(table, labels), READER_C)


def fit_contradictions(table: Table, without: str = "") -> dict:
    known = np.array([i for i, c in enumerate(table.cases) if c.is_contradicted is not None and c.set != without])
    labels = np.array([bool(table.cases[i].is_contradicted) for i in known])
    rows = np.array([[table.features[i][name] for name in CONTRADICTION_FEATURES] for i in known])
    return fit(rows, labels, CONTRADICTION_FEATURES, balanced(labels), CLAIM_C)


def claim_columns(table: Table, words: dict) -> np.ndarray:
    weights = np.array(list(words["weights"].values()))
    columns = []
    for features, rows in zip(table.features, table.rows, strict=True):
        named = features | measure_foreignness(rows @ weights + words["bias"])
        columns.append([named[name] for name in CLAIM_FEATURES])
    return np.array(columns)


def name_group(case: Case) -> str:
    return f"{case.set} {case.domain}" if case.set == "summedits" else case.set


def place_threshold(model: dict, scores: np.ndarray, cases: list[Case]) -> tuple[dict, float]:
    """The model with its bias moved so that the best threshold of ``scores``, chances of the cases by models that were
    fitted without the set or domain of each, lies at ``LIKELY``; and that threshold.
    """
    labels = np.array([case.is_supported for case in cases])
    group = np.array([name_group(case) for case in cases])
    threshold = choose_threshold(scores, labels, group, np.ones(len(labels), dtype=bool))
    moved = np.log(LIKELY / (1 - LIKELY)) - np.log(threshold / (1 - threshold))
    return model | {"bias": float(f"{model['bias'] + moved:.5g}")}, threshold


def choose_threshold(scores: np.ndarray, labels: np.ndarray, group: np.ndarray, seen: np.ndarray) -> float:
    """The best for the mean balanced accuracy of the sets and domains that may be seen."""
    parts = [group == name for name in sorted(set(group[seen]))]
    tried = np.quantile(scores[seen], np.linspace(0.02, 0.98, 97))

    def mean_accuracy(threshold: float) -> float:
        return float(np.mean([balanced_accuracy(labels[part], scores[part] >= threshold) for part in parts]))

    return max(map(float, tried), key=mean_accuracy)


def balanced_accuracy(labels: np.ndarray, predicted: np.ndarray) -> float:
    return float((predicted[labels].mean() + (~predicted[~labels]).mean()) / 2)


def chances(model: dict, rows: np.ndarray) -> np.ndarray:
    return 1 / (1 + np.exp(-(rows @ np.array(list(model["weights"].values())) + model["bias"])))


def set_weights(table: Table, labels: np.ndarray) -> np.ndarray:
    sets = np.array([case.set for case in table.cases])
    weight = np.zeros(len(labels))
    for name in np.unique(sets):
        weight[sets == name] = SET_WEIGHTS.get(name, 1.0) * balanced(labels[sets == name])
    return weight / weight.mean()


def balanced(labels: np.ndarray) -> np.ndarray:
    """Weights that make both labels count alike and sum to 1."""
    share = np.where(labels, 0.5 / max(labels.sum(), 1), 0.5 / max((~labels.astype(bool)).sum(), 1))
    return share / share.sum()


def fit(rows: np.ndarray, labels: np.ndarray, names: tuple[str, ...], weight: np.ndarray, strength: float) -> dict:
    penalties = penalise_standardised(rows, 1 / (strength * len(labels)))
    weights, bias = fit_logistic(rows, labels, penalties, weight)
    return {
        "weights": {name: float(f"{value:.5g}") for name, value in zip(names, weights, strict=True)},
        "bias": float(f"{bias:.5g}"),
    }
