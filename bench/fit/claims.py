"""Fits ``src/ascertain/models/weights/{claim_words,claims,claims_with_reader,claim_contradictions}.json``: how the
offline checker weighs a claim.

    python -m bench.fit.claims [--table FILE] [--reader FILE] [--write]

Four logistic models. ``claim_words``: is a plain word that the evidence lacks foreign to it, or said there in other words;
learned from the words that the annotators of summedits changed, by whether the change broke the claim. ``claims``: is the
claim supported; ``claims_with_reader``: the same with what the reader makes of it beside; from summedits, begin,
factcheck_gpt and lfqa_verification, each set alike in weight and balanced within, with the chances placed so that the best
threshold over sets and domains left out lies at ``LIKELY``. ``claim_contradictions``: is an unsupported claim denied by the
evidence; refuted claims of factcheck_gpt and negations and antonyms of summedits against what is merely not said. What was
changed in a claim is used for fitting only: the checker sees one claim and its evidence. Figures with documents and domains
left out are written by ``bench/claims/quality.py`` and, with the reader, by ``bench/answers/reader.py claims``.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable
from pathlib import Path

import numpy as np

from ascertain.models.reader import BUILT_IN_CLAIMS, Reader
from bench.claims.data import LFQA, SETS, Table, load_table
from bench.claims.models import (
    balanced_accuracy,
    fit_claims,
    fit_contradictions,
    fit_with_reader,
    fit_words,
    name_group,
    place_threshold,
)
from bench.claims.quality import rounded
from bench.claims.reader import predict_by_both, predict_by_rules, read_claims
from bench.fit.weights_file import write_weights
from bench.setting import show_remark

CLAIMS_FROM = "summedits (5), begin (1), factcheck_gpt (1), lfqa_verification (1), balanced within each"
FITTED_FROM = {
    "claim_words": "words that annotators of summedits changed, by whether the change broke the claim",
    "claims": CLAIMS_FROM,
    "claims_with_reader": CLAIMS_FROM,
    "claim_contradictions": "refuted claims of factcheck_gpt, negations and antonyms of summedits, against what is merely "
    "not said",
}


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--table", type=Path, default=Path("/tmp/claims_fit.pkl"), help="features, computed once")
    arguments.add_argument("--reader", type=Path, default=BUILT_IN_CLAIMS, help="ONNX file")
    arguments.add_argument("--write", action="store_true", help="replace the shipped weights")
    given = arguments.parse_args()
    fitted = fit_all(load_table(given.table, (*SETS, LFQA)), Reader.load(given.reader))
    for name, model in fitted.items():
        if given.write:
            write_weights(
                name,
                model["weights"],
                model["bias"],
                fitted_by="bench/fit/claims.py",
                fitted_from=FITTED_FROM[name] + "; bench/results/claims.json",
            )
    print(json.dumps(fitted, indent=1))


def fit_all(table: Table, reader: Reader) -> dict[str, dict]:
    """The four models by name."""
    read = read_claims(reader, table.cases)
    words = fit_words(table)
    ways: dict[str, tuple[dict, Callable[[np.ndarray], np.ndarray]]] = {
        "claims": (fit_claims(table, words), lambda fitted: predict_by_rules(table, fitted)),
        "claims_with_reader": (
            fit_with_reader(table, words, read),
            lambda fitted: predict_by_both(table, read, fitted),
        ),
    }
    fitted = {"claim_words": words, "claim_contradictions": fit_contradictions(table)}
    for name, (model, predict) in ways.items():
        unseen = predict_unseen(table, predict)
        fitted[name], threshold = place_threshold(model, unseen, table.cases)
        show_remark(f"{name}, sets and domains left out: {rate_threshold(unseen >= threshold, table)}")
    return fitted


def rate_threshold(called: np.ndarray, table: Table) -> dict[str, dict[str, float]]:
    """By set or domain: balanced accuracy, and how many of the claims that are called supported are."""
    group = np.array([name_group(case) for case in table.cases])
    labels = np.array([case.is_supported for case in table.cases])
    return {
        name: {
            "balanced_accuracy": rounded(balanced_accuracy(labels[group == name], called[group == name])),
            "precision": rounded(labels[(group == name) & called].mean()),
        }
        for name in map(str, sorted(set(group)))
    }


def predict_unseen(table: Table, predict: Callable[[np.ndarray], np.ndarray]) -> np.ndarray:
    """The chance of each claim by a model that was fitted without its set or domain."""
    group = np.array([name_group(case) for case in table.cases])
    scores = np.zeros(len(group))
    for name in sorted(set(group)):
        scores[group == name] = predict(group != name)[group == name]
    return scores


if __name__ == "__main__":
    main()
