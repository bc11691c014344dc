"""Fits ``src/ascertain/models/weights/search_confidence*.json``: does one of the passages found answer the
question?

Logistic regression of ``answerable`` on the best similarity and the coverage that each search records, on the
sets named (nomiracl_en and clapnq_dev by default), reported on those and on sets it has not seen.

    python -m bench.fit.search_confidence --data ../shared/bench --cache /tmp/embeddings [--write]
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import numpy as np

from ascertain.core.settings import Settings
from ascertain.evaluation.measures.calibration import compute_auroc
from ascertain.evaluation.sets.datasets import read_set
from ascertain.evaluation.sets.knowledge import Listener, open_knowledge
from ascertain.retrieval.search.searcher import SEARCH_FEATURES, WORDS_ONLY_FEATURES
from bench.fit.logistic import fit_logistic
from bench.fit.weights_file import write_weights

RIDGE = 2e-3
MODELS = {"search_confidence": SEARCH_FEATURES, "search_confidence_words_only": WORDS_ONLY_FEATURES}


def signs(folder: Path, cache: Path | None) -> tuple[np.ndarray, np.ndarray]:
    """Features, shape (questions, 2), and labels of the questions of a set that say whether they are
    answerable.
    """
    data = read_set(folder)
    rows, labels = [], []
    with open_knowledge(data, Settings(), cache, Listener(print, print)) as knowledge:
        for query in data.queries:
            if query.answerable is None:
                continue
            found = knowledge.app.search(query.text, filter=knowledge.limits(query))
            recorded = found.decisions[-1].scores
            rows.append([recorded.get("similarity", 0.0), recorded.get("coverage", 0.0)])
            labels.append(query.answerable)
    return np.array(rows), np.array(labels)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--cache", type=Path)
    parser.add_argument("--fit", nargs="+", default=["nomiracl_en", "clapnq_dev"])
    parser.add_argument("--check", nargs="*", default=["mtrag_un"])
    parser.add_argument("--write", action="store_true", help="replace the shipped weights")
    arguments = parser.parse_args()
    measured = {name: signs(arguments.data / name, arguments.cache) for name in [*arguments.fit, *arguments.check]}
    answerable = np.concatenate([measured[name][1] for name in arguments.fit])
    for model, features in MODELS.items():
        columns = [SEARCH_FEATURES.index(name) for name in features]
        fitted_on = np.vstack([measured[name][0][:, columns] for name in arguments.fit])
        weights, bias = fit_logistic(fitted_on, answerable, np.full(len(columns), RIDGE))
        areas: dict[str, float | None] = {}
        for name, (rows, known) in measured.items():
            scores = rows[:, columns] @ weights
            areas[name] = compute_auroc(list(scores[known]), list(scores[~known]))
        rounded = dict(zip((*features, "bias"), (round(float(w), 2) for w in (*weights, bias)), strict=True))
        print(json.dumps({"model": model, "weights": rounded, "auroc": areas}))
        if arguments.write:
            write_weights(
                model,
                {name: rounded[name] for name in features},
                rounded["bias"],
                fitted_by="bench/fit/search_confidence.py",
                fitted_from=f"{' and '.join(arguments.fit)}; AUROC {areas}",
            )


if __name__ == "__main__":
    main()
