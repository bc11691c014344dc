"""Fits how an answer's relevance is judged: ``src/ascertain/models/weights/answer_relevance.json``.

    python -m bench.fit.evaluation [--cases FOLDER] [--write]

Cases as ``bench/answers/evaluator.py`` collects them: answers that were shown, right or wrong, of ``asked`` (dev) and, with
the weight below, of ``xquad_en``. Logistic regression with an L2 penalty on standardised features. Then the bias is moved
so that ``PASSED`` of the right answers of ``asked`` reach the score that the workflow wants after such a retrieval.
Reported is out of fold, ten folds by the document that is quoted first, the bias of each found on the others.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from ascertain.answering.checking.evaluation import RELEVANCE_FEATURES, limit_relevance, read_answer
from ascertain.core.asking.judgements import wanted_score
from bench.answers.answerability import auroc
from bench.answers.evaluator import Case, make_nonsense, read_cases
from bench.fit.logistic import fit_logistic, penalise_standardised
from bench.fit.weights_file import write_weights
from bench.setting import save

XQUAD = 0.3
"""Weight of a case of xquad_en: one in four of them is made by shutting the answer out, which asked never is."""
STRANGE = "answer of another document"
WEIGHTS = {"asked": 1.0, STRANGE: 0.1}
"""Of the other sets; the answer of another document beside the title of the right one teaches not to trust in titles."""
PASSED = 0.97
"""Share of the right answers that shall pass."""
L2 = 0.03
FOLDS = 10


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--cases", type=Path, default=Path("/tmp/evaluator_cases"))
    arguments.add_argument("--homes", type=Path, default=Path("/tmp/asked-homes"))
    arguments.add_argument("--cache", type=Path, default=Path("/tmp/evalcache"))
    arguments.add_argument("--write", action="store_true", help="replace the shipped weights")
    given = arguments.parse_args()
    cases = [case for case in read_cases(given.cases, given.homes, given.cache) if case.shown]
    cases += [replace(made, set=STRANGE) for made in make_nonsense([c for c in cases if c.set == "asked"], STRANGE)]
    readings = [read_answer(case.assessment) for case in cases]
    rows = np.array([[reading.signals[name] for name in RELEVANCE_FEATURES] for reading in readings])
    limits = np.array([limit_relevance(reading) for reading in readings])
    weights, bias = fit_weights(cases, rows)
    shown = dict(zip(RELEVANCE_FEATURES, (round(float(weight), 2) for weight in weights), strict=True))
    results = {"weights": shown, "bias": round(bias, 2), "out_of_fold": measure_folds(cases, rows, limits)}
    print(json.dumps(results, indent=1))
    save("evaluator_fit", results)
    if given.write:
        write_weights(
            "answer_relevance",
            shown,
            round(bias, 2),
            fitted_by="bench/fit/evaluation.py",
            fitted_from=f"right and wrong answers of asked, dev, and of xquad_en ({XQUAD:g})",
        )


def fit_weights(cases: Sequence[Case], rows: np.ndarray) -> tuple[np.ndarray, float]:
    """Weights, and the bias at which ``PASSED`` of the right answers of asked pass."""
    labels = np.array([case.right for case in cases], dtype=float)
    amounts = np.array([WEIGHTS.get(case.set, XQUAD) for case in cases])
    weights, _ = fit_logistic(rows, labels, penalise_standardised(rows, L2), amounts)
    return weights, find_bias(cases, rows @ weights)


def find_bias(cases: Sequence[Case], odds: np.ndarray) -> float:
    """What has to be added to ``odds`` for ``PASSED`` of the right answers of asked to pass."""
    lacking = [
        needed_odds(case) - value for case, value in zip(cases, odds, strict=True) if case.right and case.set == "asked"
    ]
    return float(np.quantile(lacking, PASSED))


def needed_odds(case: Case) -> float:
    """Of the relevance, for an answer whose completeness and accuracy are 100, as those of nearly all are."""
    wanted = (wanted_score(case.assessment.quality) - 0.5) / 100
    return float(np.log(wanted / (1 - wanted)))


def measure_folds(cases: Sequence[Case], rows: np.ndarray, limits: np.ndarray) -> dict[str, object]:
    """How weights that did not see a document judge the answers that quote it first."""
    sources = sorted({find_source(case) for case in cases})
    np.random.default_rng(0).shuffle(sources)
    fold = np.array([sources.index(find_source(case)) % FOLDS for case in cases])
    margins = np.zeros(len(cases))
    for number in range(FOLDS):
        others = [i for i in range(len(cases)) if fold[i] != number]
        weights, bias = fit_weights([cases[i] for i in others], rows[others])
        for i in np.flatnonzero(fold == number):
            needed = needed_odds(cases[i])
            is_limited = limits[i] < 1 / (1 + np.exp(-needed))
            margins[i] = min(rows[i] @ weights + bias - needed, -1.0 if is_limited else np.inf)
    found: dict[str, object] = {}
    for name in dict.fromkeys(case.set for case in cases):
        chosen = np.array([case.set == name for case in cases])
        right = np.array([case.right for case in cases])[chosen].astype(int)
        failed = margins[chosen] < 0
        found[name] = {
            "failed_of_right": f"{failed[right == 1].sum()} of {right.sum()}",
            "failed_of_wrong": f"{failed[right == 0].sum()} of {(1 - right).sum()}",
            "auroc": auroc(margins[chosen], right) if right.any() else None,
        }
    return found


def find_source(case: Case) -> str:
    return case.assessment.composition.citations[0].document_id


if __name__ == "__main__":
    main()
