"""Fits the confidence of a quoted answer: ``src/ascertain/models/weights/answer_confidence.json``.

    python -m bench.fit.answer_confidence [--cases FOLDER] [--write]

Cases as ``bench/answers/evaluator.py`` collects them, those that were withheld too: answers to the questions of ``asked`` and ``wild`` (dev) and
to every tenth of ``xquad_en``, the latter also with the answering text shut out. Three features: the log-odds of the evidence, the score of
the evaluation, and how far the first sentence stands out among all that were looked at. Reported is each collection by weights of the others.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from ascertain.answering.confidence import ANSWER_FEATURES, answer_features, predict_probability
from ascertain.answering.units.candidates import UNNAMED, find_missing_names
from ascertain.evaluation.measures.calibration import Judged, calibration_error
from ascertain.models.logistic_model import compute_sigmoid
from ascertain.questions.reading.question import read_question
from bench.answers.answerability import auroc
from bench.answers.evaluator import Case, evaluate_case, read_cases
from bench.fit.logistic import fit_logistic
from bench.fit.weights_file import write_weights
from bench.setting import save

SETS = ("asked", "wild")
L2 = 0.5
"""Of all cases together; weights are held back as they are, not by the spread of their features."""
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
    collections = np.array([case.group if case.set in SETS else "xquad_en" for case in cases])
    held = np.zeros(len(cases))
    for collection in sorted(set(collections)):
        seen = collections != collection
        own, its_bias = fit_weights(rows[seen], right[seen])
        held[~seen] = compute_sigmoid(rows[~seen] @ own + its_bias)
    shown = dict(zip(ANSWER_FEATURES, (round(float(weight), 2) for weight in weights), strict=True))
    results = {
        "answers": len(cases),
        "right": int(right.sum()),
        "weights": shown,
        "bias": round(bias, 2),
        "evidence_alone": measure(evidence, right),
        "collections_left_out": {
            name: measure(held[chosen], right[chosen]) for name, chosen in choose_sets([case.set for case in cases])
        },
    }
    print(json.dumps(results, indent=1))
    save("answer_confidence_fit", results)
    if given.write:
        write_weights(
            "answer_confidence",
            shown,
            round(bias, 2),
            fitted_by="bench/fit/answer_confidence.py",
            fitted_from="right and wrong answers of asked and wild, dev, and of every tenth question of xquad_en, with and without the answering text",
        )


def weigh_evidence(case: Case) -> float:
    """The chance by the evidence alone, as the product has it before the evaluation."""
    answer = case.assessment
    missing = find_missing_names(read_question(answer.question), answer.passages)
    likely = predict_probability(answer.composition.evidence) * answer.groundedness.score
    return likely * (UNNAMED if missing else 1.0)


def read_features(case: Case, chance: float) -> list[float]:
    """In the order of ``ANSWER_FEATURES``."""
    found = answer_features(chance, evaluate_case(case), case.assessment.composition.evidence)
    return [found[name] for name in ANSWER_FEATURES]


def fit_weights(rows: np.ndarray, right: np.ndarray) -> tuple[np.ndarray, float]:
    """Weights and bias."""
    return fit_logistic(rows, right, np.full(rows.shape[1], L2 / len(rows)))


def choose_sets(sets: Sequence[str]) -> Iterator[tuple[str, np.ndarray]]:
    """Each set, and those of people's questions together, with the cases that belong to it."""
    names = np.array(sets)
    yield "asked and wild", np.isin(names, SETS)
    for name in (*SETS, "xquad_en"):
        yield name, np.char.startswith(names, name)


def measure(chances: np.ndarray, right: np.ndarray) -> dict[str, float]:
    """How well chances tell right from wrong, and what the default threshold makes of them."""
    judged = [Judged(float(chance), bool(label)) for chance, label in zip(chances, right, strict=True)]
    return {
        "auroc": round(auroc(chances, right.astype(int)), 3),
        "calibration_error": round(calibration_error(judged) or 0.0, 3),
        "right_withheld": round(float((chances[right == 1] < THRESHOLD).mean()), 3),
        "wrong_shown": round(float((chances[right == 0] >= THRESHOLD).mean()), 3),
        "shown_at_90": int((chances >= 0.9).sum()),
        "right_at_90": round(float(right[chances >= 0.9].mean()), 3),
        "right_at_70_to_89": round(float(right[(chances >= 0.7) & (chances < 0.9)].mean()), 3),
        "right_shown_at_70": round(float((chances[right == 1] >= 0.7).mean()), 3),
    }


if __name__ == "__main__":
    main()
