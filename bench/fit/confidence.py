"""Fits the confidence of answers and the quality of retrievals:
``src/ascertain/models/weights/{confidence,retrieval_quality}*.json``.

    python -m bench.fit.confidence [--cache DIR] [--cases DIR] [--write]
    python -m bench.fit.confidence --second READER.onnx ...    # confidence_with_{reader,both_readers}.json alone

Cases as ``bench/answers/answerability.py`` collects them. Logistic regression with an L2 penalty on standardised
features, every set with its weight below, answerable and not alike in weight within a set; then the bias is
moved to prior odds of ``PRIOR_ODDS``. The weight of ``unseen_specifics`` (names and numbers of the question
that no passage holds) is given, not fitted: these sets ask almost only about names that are there. AUROC is
reported out of fold (five folds by question) and with the whole set left out.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from ascertain.answering.evidence import EVIDENCE_FEATURES
from ascertain.answering.judging.reading import READER_EVIDENCE, SECOND_READER_EVIDENCE
from ascertain.retrieval.judging import QUALITY_FEATURES, WORDS_ONLY_FEATURES
from bench.answers.answerability import Case, auroc, open_own_readers, read_cases
from bench.fit.logistic import fit_logistic, penalise_standardised
from bench.fit.weights_file import write_weights
from bench.setting import save

SETS = {"nomiracl_en": 1.0, "clapnq_dev": 1.0, "xquad_en": 1.0, "mtrag_un": 0.7, "hotpot_train100": 0.3}
PRIOR_ODDS = 1.2
"""Answerable to unanswerable among the questions people ask of their own documents: an assumption, at which
the default threshold of 30 rejects about 3 % of the questions of xquad_en, all of which can be answered."""
QUALITY_ODDS = 2.2
"""The same for the quality of a retrieval: at it about nine of ten answerable questions reach the 60 from
which an answer is written at once."""
GIVEN = {"unseen_specifics": -1.0}
L2 = 0.1
"""Of 0.005 to 0.1 the best out of fold on clapnq_dev and xquad_en (+0.5 and +0.2 points over 0.02), half a
point worse on nomiracl_en."""
FOLDS = 5
MODELS = {"confidence": EVIDENCE_FEATURES}
READ_MODELS = {
    "confidence_with_reader": (*EVIDENCE_FEATURES, *READER_EVIDENCE),
    "confidence_with_both_readers": (*EVIDENCE_FEATURES, *READER_EVIDENCE, *SECOND_READER_EVIDENCE),
}
QUALITY_MODELS = {"retrieval_quality": QUALITY_FEATURES, "retrieval_quality_words_only": WORDS_ONLY_FEATURES}
BARS = (20, 25, 30, 35, 40, 45, 50, 60, 70)


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--cache", type=Path, default=Path("/tmp/evalcache"))
    arguments.add_argument("--cases", type=Path, default=Path("/tmp/answerability"))
    arguments.add_argument(
        "--second", type=Path, help="the large reader: the models for passages that readers have read"
    )
    arguments.add_argument("--write", action="store_true", help="replace the shipped weights")
    given = arguments.parse_args()
    if given.second:
        fit_with_readers(given.cache, given.cases, given.second, given.write)
        return
    cases = [case for name in SETS for case in read_cases(name, given.cache, given.cases)]
    results: dict[str, object] = {}
    for model, names in MODELS.items():
        rows = np.array([[case.evidence[name] for name in names] for case in cases])
        results[model] = measured(cases, rows, names)
        if given.write:
            write(model, names, *fit(cases, rows, names))
    judged = np.array([[case.quality_score / 100, float(case.is_sufficient)] for case in cases])
    names = (*MODELS["confidence"], "quality", "sufficient")
    rows = np.array([[case.evidence[name] for name in MODELS["confidence"]] for case in cases])
    results["with_quality_and_sufficiency"] = measured(cases, np.hstack([rows, judged]), names)
    for model, names in QUALITY_MODELS.items():
        rows = np.array([[case.quality[name] for name in names] for case in cases])
        results[model.removeprefix("retrieval_")] = measured(cases, rows, names, QUALITY_ODDS)
        if given.write:
            write(model, names, *fit(cases, rows, names, QUALITY_ODDS))
    print(json.dumps(results, indent=1))
    save("confidence_fit", results)


def fit_with_readers(cache: Path, folder: Path, second: Path, is_written: bool) -> None:
    """Fit and report the models for passages that the small reader has read, and both. The cases of both serve the small one too: what it
    says does not hang on what the large one does.
    """
    cases = [case for name in SETS for case in read_cases(name, cache, folder, open_own_readers(second))]
    cases = [case for case in cases if SECOND_READER_EVIDENCE[0] in case.evidence]
    results: dict[str, object] = {}
    for model, names in READ_MODELS.items():
        rows = np.array([[case.evidence[name] for name in names] for case in cases])
        results[model] = measured(cases, rows, names)
        if is_written:
            write(model, names, *fit(cases, rows, names))
    print(json.dumps(results, indent=1))
    save("confidence_with_reader_fit", results)


def measured(
    cases: Sequence[Case], rows: np.ndarray, names: Sequence[str], odds: float = PRIOR_ODDS
) -> dict[str, object]:
    """Weights on all cases, and how well weights that did not see a question, or its set, tell."""
    weights, bias = fit(cases, rows, names, odds)
    unseen = out_of_fold(cases, rows, names, odds)
    sets: dict[str, object] = {}
    for name, condition in groups(cases):
        chosen = np.array([case.set == name and belongs(case, condition) for case in cases])
        others = [i for i, case in enumerate(cases) if case.set != name]
        blind, start = fit([cases[i] for i in others], rows[others], names, odds)
        labels = np.array([case.answerable for case in cases])[chosen].astype(int)
        sets[f"{name}, {condition}"] = {
            "cases": len(labels),
            "answerable": int(labels.sum()),
            "auroc_out_of_fold": auroc(unseen[chosen], labels),
            "auroc_set_left_out": auroc((rows @ blind + start)[chosen], labels),
            "rejected_at": {
                str(bar): {
                    "answerable": float(np.mean(unseen[chosen][labels == 1] < logit(bar / 100))),
                    "unanswerable": float(np.mean(unseen[chosen][labels == 0] < logit(bar / 100))),
                }
                for bar in BARS
            },
        }
    shown = {name: float(weight) for name, weight in zip(names, weights, strict=True)}
    return {"weights": shown, "bias": bias, "sets": sets}


def groups(cases: Sequence[Case]) -> list[tuple[str, str]]:
    """What is measured of each set: the questions as marked, or those without a mark against themselves with
    the answer removed.
    """
    marked = {case.set for case in cases if case.condition == "given"}
    return [(name, "as marked" if name in marked else "answer removed") for name in SETS]


def belongs(case: Case, condition: str) -> bool:
    """Negatives made of marked questions serve the fit alone."""
    return (case.condition == "given") == (condition == "as marked")


def out_of_fold(cases: Sequence[Case], rows: np.ndarray, names: Sequence[str], odds: float = PRIOR_ODDS) -> np.ndarray:
    """Log-odds of each case by weights fitted without its question."""
    fold = folds(cases)
    unseen = np.zeros(len(cases))
    for k in range(FOLDS):
        seen = np.flatnonzero(fold != k)
        weights, bias = fit([cases[i] for i in seen], rows[seen], names, odds)
        unseen[fold == k] = rows[fold == k] @ weights + bias
    return unseen


def folds(cases: Sequence[Case]) -> np.ndarray:
    """A fold for each case, the same for all cases of one question."""
    random = np.random.default_rng(0)
    questions = sorted({(case.set, case.question) for case in cases})
    drawn = dict(zip(questions, random.permutation(len(questions)) % FOLDS, strict=True))
    return np.array([drawn[case.set, case.question] for case in cases])


def fit(
    cases: Sequence[Case], rows: np.ndarray, names: Sequence[str], odds: float = PRIOR_ODDS
) -> tuple[np.ndarray, float]:
    """Weights by feature, and the bias at prior ``odds``."""
    labels = np.array([case.answerable for case in cases], dtype=float)
    sets = np.array([case.set for case in cases])
    weight = np.zeros(len(cases))
    for name, total in SETS.items():
        for value in (0, 1):
            chosen = (sets == name) & (labels == value)
            weight[chosen] = total / max(int(chosen.sum()), 1)
    free = [i for i, name in enumerate(names) if name not in GIVEN]
    weights = np.array([GIVEN.get(name, 0.0) for name in names])
    offset = rows @ weights
    penalties = penalise_standardised(rows[:, free], L2)
    weights[free], bias = fit_logistic(rows[:, free], labels, penalties, weight, offset)
    return weights, bias + float(np.log(odds))


def write(model: str, names: Sequence[str], weights: np.ndarray, bias: float) -> None:
    write_weights(
        model,
        {name: round(float(weight), 3) for name, weight in zip(names, weights, strict=True)},
        round(bias, 3),
        fitted_by="bench/fit/confidence.py",
        fitted_from=", ".join(SETS) + "; bench/results/confidence_fit.json",
    )


def logit(share: float) -> float:
    return float(np.log(share / (1 - share)))


if __name__ == "__main__":
    main()
