"""How well the confidence tells answerable questions from the others, against single scores, and what thresholds do.

    python -m bench.answers.abstention [--cache DIR] [--cases DIR]

Cases as ``bench/answers/answerability.py`` collects them; every confidence is out of fold (``bench/fit/confidence.py``), so that none was
fitted on its own question. Thresholds for a stated risk are chosen on the other folds too. Writes ``bench/results/abstention.json``
and the curve of ``docs/confidence.md``.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from ascertain.answering.confidence import choose_threshold, fit_calibration
from ascertain.evaluation.measures.calibration import (
    Judged,
    area_under_risk_coverage,
    brier_score,
    calibration_error,
    risk_coverage_curve,
    selective_accuracy,
)
from bench.answers.answerability import Case, auroc, read_cases
from bench.fit.confidence import MODELS, SETS, belongs, folds, groups, out_of_fold
from bench.setting import ROOT, circumstances, save

RISKS = (0.05, 0.1, 0.15, 0.2, 0.25, 0.3)
REFUSED = (0.05, 0.1, 0.15, 0.2)
CERTAINTY = 0.9
SINGLE = ("top_similarity", "top_bm25", "sum")
GPT4 = {"answers_unanswerable": 0.42, "refuses_answerable": 0.05}
"""On NoMIRACL's English part (Thakur et al., 2023), as told in the data's README."""
TARGETS = (("nomiracl_en", "as marked"), ("clapnq_dev", "as marked"))
PICTURE = ROOT / "docs" / "images" / "risk-coverage.svg"


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--cache", type=Path, default=Path("/tmp/evalcache"))
    arguments.add_argument("--cases", type=Path, default=Path("/tmp/answerability"))
    given = arguments.parse_args()
    cases = [case for name in SETS for case in read_cases(name, given.cache, given.cases)]
    names = MODELS["confidence"]
    rows = np.array([[case.evidence[name] for name in names] for case in cases])
    log_odds = out_of_fold(cases, rows, names)
    fold = folds(cases)
    results: dict[str, object] = {"setting": circumstances(), "gpt_4_on_nomiracl": GPT4, "sets": {}}
    curves: dict[str, list[Judged]] = {}
    for name, condition in groups(cases):
        chosen = [i for i, case in enumerate(cases) if case.set == name and belongs(case, condition)]
        label = f"{name}, {condition}"
        measured, judged = measure([cases[i] for i in chosen], log_odds[chosen], fold[chosen])
        results["sets"][label] = measured
        curves[label] = judged
    both = [i for i, c in enumerate(cases) if any(c.set == n and belongs(c, w) for n, w in TARGETS)]
    results["both_abstention_sets"], _ = measure([cases[i] for i in both], log_odds[both], fold[both])
    print(json.dumps(results, indent=1))
    save("abstention", results)
    draw(
        {
            label: curves[label]
            for label in ("nomiracl_en, as marked", "clapnq_dev, as marked", "xquad_en, answer removed")
        }
    )


def measure(cases: Sequence[Case], log_odds: np.ndarray, fold: np.ndarray) -> tuple[dict[str, object], list[Judged]]:
    """Everything about one set; and its questions with confidences calibrated on the other folds."""
    labels = np.array([case.answerable for case in cases])
    plain = 1 / (1 + np.exp(-log_odds))
    single = {score: auroc(single_score(cases, score), labels.astype(int)) for score in SINGLE}
    ours = auroc(log_odds, labels.astype(int))
    calibrated, decisions = with_thresholds(plain, labels, fold)
    shipped = [Judged(float(p), bool(ok)) for p, ok in zip(plain, labels, strict=True)]
    judged = [Judged(float(p), bool(ok)) for p, ok in zip(calibrated, labels, strict=True)]
    return {
        "cases": len(labels),
        "answerable": int(labels.sum()),
        "auroc": ours,
        "auroc_single_scores": single,
        "gain_over_best_single_score": ours - max(single.values()),
        "at_default_threshold": operating_point(plain >= 0.295, labels),
        "at_refused_share_of_answerable": {
            str(share): operating_point(plain >= np.quantile(plain[labels], share), labels) for share in REFUSED
        },
        "at_risk": {str(risk): operating_point(decisions[risk], labels) for risk in RISKS},
        "calibration_error": {"shipped": calibration_error(shipped), "tuned": calibration_error(judged)},
        "brier": {"shipped": brier_score(shipped), "tuned": brier_score(judged)},
        "area_under_risk_coverage": area_under_risk_coverage(shipped),
        "selective_accuracy_at_80_percent": selective_accuracy(shipped, 0.8),
        "accuracy_when_all_is_answered": float(labels.mean()),
    }, shipped


def single_score(cases: Sequence[Case], name: str) -> np.ndarray:
    similarity = np.array([case.top_similarity for case in cases])
    bm25 = np.array([case.top_bm25 for case in cases])
    # the raw sum would be BM25 alone: each is brought to unit spread first
    both = similarity / (similarity.std() + 1e-9) + bm25 / (bm25.std() + 1e-9)
    return {"top_similarity": similarity, "top_bm25": bm25, "sum": both}[name]


def with_thresholds(
    plain: np.ndarray, labels: np.ndarray, fold: np.ndarray
) -> tuple[np.ndarray, dict[float, np.ndarray]]:
    """Calibrated probabilities, and which questions are answered at each risk; both by what the other folds say."""
    calibrated = np.zeros(len(plain))
    answered = {risk: np.zeros(len(plain), dtype=bool) for risk in RISKS}
    for k in np.unique(fold):
        seen, held = fold != k, fold == k
        calibration = fit_calibration(plain[seen].tolist(), labels[seen].tolist())
        calibrated[held] = [calibration.apply(float(p)) for p in plain[held]]
        scores = [round(100 * calibration.apply(float(p))) for p in plain[seen]]
        for risk in RISKS:
            threshold = choose_threshold(scores, labels[seen].tolist(), risk, CERTAINTY)
            if threshold is not None:
                answered[risk][held] = np.round(100 * calibrated[held]) >= threshold.score
    return calibrated, answered


def operating_point(answered: np.ndarray, labels: np.ndarray) -> dict[str, float | None]:
    return {
        "answers_unanswerable": float(answered[~labels].mean()) if (~labels).any() else None,
        "refuses_answerable": float((~answered[labels]).mean()),
        "coverage": float(answered.mean()),
        "risk": float((~labels[answered]).mean()) if answered.any() else None,
    }


def draw(curves: dict[str, list[Judged]]) -> None:
    import matplotlib

    matplotlib.use("svg")
    matplotlib.rcParams["svg.hashsalt"] = "ascertain"  # the same picture from the same numbers
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(figsize=(7, 4))
    for (label, judged), colour in zip(curves.items(), ("#1b6ca8", "#c8553d", "#5b8c5a"), strict=True):
        points = [point for point in risk_coverage_curve(judged) if point.coverage >= 0.05]
        axes.plot([p.coverage for p in points], [p.risk for p in points], color=colour, label=label)
        axes.axhline(points[-1].risk, color=colour, linewidth=0.6, linestyle=":")
    axes.set(xlim=(0, 1), ylim=(0, 0.6), xlabel="questions answered", ylabel="wrong among them")
    axes.set_title("Answering less, erring less: surest questions first", loc="left", fontsize=11)
    axes.legend(frameon=False, fontsize=9, loc="upper left")
    axes.spines[["top", "right"]].set_visible(False)
    PICTURE.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(PICTURE, bbox_inches="tight", metadata={"Date": None})


if __name__ == "__main__":
    main()
