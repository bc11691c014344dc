"""Fits ``src/ascertain/answering/data/confidence.json``: how sure an answer is, from its evidence.

    python bench/fit_confidence.py [--cache DIR] [--write]

Every question of the sets below is asked as a user would, with nothing rejected; the evidence that the composer put in its
decision is what is fitted. Positive: questions marked answerable, and all of xquad_en. Negative: questions marked
unanswerable, and those of xquad_en asked again with the one paragraph that answers them shut out, which leaves its
neighbours from the same article to be fooled by. Logistic regression, every set with its weight below, answerable and not alike
in weight within a set; then the bias is moved to prior odds of ``PRIOR_ODDS``. The weight of ``unseen_specifics`` (names and numbers of
the question that no passage holds) is given, not fitted: these sets ask almost only about names that are there.
AUROC is reported with all sets and with the set itself left out.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import numpy as np
from scipy.optimize import minimize
from scipy.stats import rankdata

from ascertain.answering.evidence import EVIDENCE_FEATURES
from ascertain.core.filters import Filter
from ascertain.core.settings import AnswerSettings, Settings
from ascertain.evaluation.datasets import EvaluationSet, read_set
from ascertain.evaluation.knowledge import Knowledge, Listener, open_knowledge
from setting import ROOT, data_folder, save, show_remark, show_status

SETS = {"nomiracl_en": 1.0, "clapnq_dev": 1.0, "xquad_en": 1.0, "mtrag_un": 0.7}
PRIOR_ODDS = 2.2
"""Answerable to unanswerable among the questions people ask of their own documents: an assumption, at which the default
threshold of 30 rejects about 3 % of the questions of xquad_en, all of which can be answered."""
GIVEN = {"unseen_specifics": -1.0}
L2 = 0.005
TARGET = ROOT / "src" / "ascertain" / "answering" / "data" / "confidence.json"

Cases = tuple[np.ndarray, np.ndarray]


def main() -> None:
    arguments = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    arguments.add_argument("--cache", type=Path, default=Path("/tmp/evalcache"))
    arguments.add_argument("--write", action="store_true", help="replace the shipped weights")
    given = arguments.parse_args()
    cases = {name: collect(name, given.cache) for name in SETS}
    weights, bias = fit(cases)
    results: dict[str, object] = {"weights": weights, "bias": bias, "sets": {}}
    for name, (rows, labels) in cases.items():
        others = {other: case for other, case in cases.items() if other != name}
        log_odds = rows @ np.array(list(weights.values())) + bias
        blind, _ = fit(others)
        results["sets"][name] = {
            "questions": len(labels),
            "answerable": int(labels.sum()),
            "auroc": auroc(log_odds, labels),
            "auroc_set_left_out": auroc(rows @ np.array(list(blind.values())), labels),
            "rejected_at": {
                str(score): {
                    "answerable": float(np.mean(log_odds[labels == 1] < logit(score / 100))),
                    "unanswerable": float(np.mean(log_odds[labels == 0] < logit(score / 100))),
                }
                for score in (20, 25, 30, 35, 40, 45, 50, 60, 70)
            },
        }
    print(json.dumps(results, indent=1))
    save("confidence_fit", results)
    if given.write:
        model = {
            "fitted": "bench/fit_confidence.py on " + ", ".join(SETS) + "; bench/results/confidence_fit.json",
            "bias": round(bias, 3),
            "weights": {name: round(weight, 3) for name, weight in weights.items()},
        }
        TARGET.write_text(json.dumps(model, indent=2) + "\n", "utf-8")


def collect(name: str, cache: Path) -> Cases:
    """Evidence and label (1 = answerable) of each question of a set."""
    data = read_set(data_folder() / name)
    settings = Settings(answers=AnswerSettings(rejection_threshold=0))
    rows: list[list[float]] = []
    labels: list[int] = []
    with open_knowledge(data, settings, cache, Listener(show_status, show_remark)) as knowledge:
        for query in data.queries:
            limits = knowledge.limits(query)
            asked = [(limits, 1), (without_gold(data, knowledge, query.id), 0)]
            if name != "xquad_en":
                asked = [(limits, int(query.answerable))] if query.answerable is not None else []
            for filter, label in asked:
                answer = knowledge.app.ask(query.text, filter=filter, history=query.history)
                scores = answer.decisions[-1].scores
                if scores:
                    rows.append([scores[feature] for feature in EVIDENCE_FEATURES])
                    labels.append(label)
    return np.array(rows), np.array(labels)


def without_gold(data: EvaluationSet, knowledge: Knowledge, query: str) -> Filter:
    gold = data.judgements.get(query, {})
    return Filter(document_ids=tuple(i for text, i in knowledge.document_ids.items() if text not in gold))


def fit(cases: dict[str, Cases]) -> tuple[dict[str, float], float]:
    """Weights by feature, and the bias at ``PRIOR_ODDS``."""
    rows = np.vstack([rows for rows, _ in cases.values()])
    labels = np.concatenate([labels for _, labels in cases.values()])
    weight = np.concatenate([balanced(labels, SETS[name]) for name, (_, labels) in cases.items()])
    weight /= weight.sum()
    free = [i for i, name in enumerate(EVIDENCE_FEATURES) if name not in GIVEN]
    offset = sum(value * rows[:, EVIDENCE_FEATURES.index(name)] for name, value in GIVEN.items())
    columns, spread = rows[:, free], rows[:, free].var(axis=0)

    def loss(point: np.ndarray) -> tuple[float, np.ndarray]:
        z = columns @ point[:-1] + point[-1] + offset
        misfit = weight @ (np.logaddexp(0, -z) * labels + np.logaddexp(0, z) * (1 - labels))
        slope = weight * (1 / (1 + np.exp(-z)) - labels)
        penalty = L2 * spread * point[:-1]
        return misfit + penalty @ point[:-1] / 2, np.r_[columns.T @ slope + penalty, slope.sum()]

    point = minimize(loss, np.zeros(len(free) + 1), jac=True, method="L-BFGS-B").x
    fitted = dict(GIVEN) | {
        EVIDENCE_FEATURES[i]: float(value) for i, value in zip(free, point[:-1], strict=True)
    }
    return {name: fitted[name] for name in EVIDENCE_FEATURES}, float(point[-1] + np.log(PRIOR_ODDS))


def balanced(labels: np.ndarray, total: float) -> np.ndarray:
    share = np.where(labels == 1, 1 / max(labels.sum(), 1), 1 / max((1 - labels).sum(), 1))
    return total * share / share.sum()


def auroc(scores: np.ndarray, labels: np.ndarray) -> float:
    positive, negative = labels.sum(), (1 - labels).sum()
    ranks = rankdata(scores)[labels == 1].sum()
    return float((ranks - positive * (positive + 1) / 2) / (positive * negative))


def logit(share: float) -> float:
    return float(np.log(share / (1 - share)))


if __name__ == "__main__":
    main()
