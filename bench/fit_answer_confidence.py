"""Fits the confidence of a quoted answer: ``src/ascertain/models/weights/answer_confidence.json``.

    python bench/fit_answer_confidence.py [--cases FOLDER] [--write]

Cases as ``bench/evaluator_quality.py`` collects them, those that were withheld too: answers to the questions of ``asked`` (dev) and to every
tenth of ``xquad_en``, the latter also with the answering text shut out. Three features: the log-odds of the evidence, the score of
the evaluation, whose weight is given, and how far the first sentence stands out among all that were looked at. Reported is out of
fold, five folds by corpus or document.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import numpy as np

from answerability import auroc
from ascertain.answering.candidates import UNNAMED, find_missing_names
from ascertain.answering.confidence import ANSWER_FEATURES, answer_features, predict_probability
from ascertain.answering.question import analyse_question
from ascertain.evaluation.calibration import Judged, calibration_error
from ascertain.models.logistic_model import compute_sigmoid
from evaluator_quality import Case, evaluate_case, read_cases
from logistic import fit_logistic
from setting import save
from weights_file import write_weights

FOLDS = 5
L2 = 0.5
"""Of all cases together; weights are held back as they are, not by the spread of their features."""
EVALUATION = 6.0
"""Weight of the evaluation, given and not fitted: so that an answer evaluated at 41 is of medium confidence at most, and one that
only repeats the question is withheld, whatever the evidence. Fitted it is 3.1: the AUROC is the same, and more wrong answers are
shown (34 % for 29 %, as many right ones withheld).
"""
PRIOR_ODDS = 3.0
"""Right to wrong among the answers that are drafted for what people ask: of asked, dev, 186 to 64. Among all cases it is 1.7,
as many are asked with the answering text shut out.
"""
THRESHOLD = 0.3
"""The default of ``answers.rejection_threshold``."""


def main() -> None:
    """Fit, report and, where asked to, write."""
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--cases", type=Path, default=Path("/tmp/evaluator_cases"))
    arguments.add_argument("--homes", type=Path, default=Path("/tmp/asked-homes"))
    arguments.add_argument("--cache", type=Path, default=Path("/tmp/evalcache"))
    arguments.add_argument("--write", action="store_true", help="replace the shipped weights")
    given = arguments.parse_args()
    cases = [case for case in read_cases(given.cases, given.homes, given.cache) if case.assessment.composition.evidence]
    evidence = np.array([weigh_evidence(case) for case in cases])
    rows = np.array([read_features(case, chance) for case, chance in zip(cases, evidence, strict=True)])
    right = np.array([case.right for case in cases], dtype=float)
    weights, bias = fit_weights(rows, right)
    groups = sorted({case.group for case in cases})
    fold = np.array([groups.index(case.group) % FOLDS for case in cases])
    held = np.zeros(len(cases))
    for number in range(FOLDS):
        own, its_bias = fit_weights(rows[fold != number], right[fold != number])
        held[fold == number] = compute_sigmoid(rows[fold == number] @ own + its_bias)
    shown = dict(zip(ANSWER_FEATURES, (round(float(weight), 2) for weight in weights), strict=True))
    results = {
        "answers": len(cases),
        "right": int(right.sum()),
        "weights": shown,
        "bias": round(bias, 2),
        "evidence_alone": measure(evidence, right),
        "out_of_fold": measure(held, right),
    }
    print(json.dumps(results, indent=1))
    save("answer_confidence_fit", results)
    if given.write:
        write_weights(
            "answer_confidence",
            shown,
            round(bias, 2),
            fitted_by="bench/fit_answer_confidence.py",
            fitted_from="right and wrong answers of asked, dev, and of every tenth question of xquad_en, with and without the answering text",
        )


def weigh_evidence(case: Case) -> float:
    """The chance by the evidence alone, as the product has it before the evaluation."""
    answer = case.assessment
    missing = find_missing_names(analyse_question(answer.question), answer.passages)
    likely = predict_probability(answer.composition.evidence) * answer.groundedness.score
    return likely * (UNNAMED if missing else 1.0)


def read_features(case: Case, chance: float) -> list[float]:
    """In the order of ``ANSWER_FEATURES``."""
    found = answer_features(chance, evaluate_case(case), case.assessment.composition.evidence)
    return [found[name] for name in ANSWER_FEATURES]


def fit_weights(rows: np.ndarray, right: np.ndarray) -> tuple[np.ndarray, float]:
    """Weights, and the bias at prior odds of ``PRIOR_ODDS``."""
    evaluation = ANSWER_FEATURES.index("evaluation")
    others = np.delete(rows, evaluation, axis=1)
    given = EVALUATION * rows[:, evaluation]
    weights, bias = fit_logistic(others, right, np.full(others.shape[1], L2 / len(rows)), given=given)
    odds = right.mean() / (1 - right.mean())
    return np.insert(weights, evaluation, EVALUATION), bias + float(np.log(PRIOR_ODDS / odds))


def measure(chances: np.ndarray, right: np.ndarray) -> dict[str, float]:
    """How well chances tell right from wrong, and what the default threshold makes of them."""
    judged = [Judged(float(chance), bool(label)) for chance, label in zip(chances, right, strict=True)]
    return {
        "auroc": round(auroc(chances, right.astype(int)), 3),
        "calibration_error": round(calibration_error(judged) or 0.0, 3),
        "right_withheld": round(float((chances[right == 1] < THRESHOLD).mean()), 3),
        "wrong_shown": round(float((chances[right == 0] >= THRESHOLD).mean()), 3),
    }


if __name__ == "__main__":
    main()
