"""How well the offline checker tells supported claims from others, and how fast.

    python -m bench.claims.quality [--table FILE] [--no-speed]

The protocol for summedits is that of the project's target: documents are drawn into two halves; weights and the threshold are fixed on
one half (with all of the other sets), balanced accuracy is read off the other, both ways, over ``SPLITS`` draws. No document is on both sides.
``domain left out`` fits on three domains of summedits and measures the fourth at 0.5. begin and factcheck_gpt are measured by
five folds, no evidence (begin) or claim (factcheck_gpt) in two of them, and with the whole set left out. ``likely_claims`` says
what an alarm, which the checker caps, is worth: five folds over all sets.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

import numpy as np
from scipy.stats import rankdata

from ascertain.core.asking.runs import Budget, Run
from ascertain.core.settings import Settings
from ascertain.models.entail.rules import RuleEntailment
from ascertain.models.onnx import BUILT_IN, OnnxEmbedder
from bench.claims.data import SETS, Table, cases, load_table
from bench.claims.models import balanced_accuracy, chances, claim_columns, fit_claims, fit_contradictions, fit_words
from bench.setting import circumstances, save, show_remark

SPLITS = 10
FOLDS = 5
TIMED = 400


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--table", type=Path, default=Path("/tmp/claims_table.pkl"), help="features, computed once")
    arguments.add_argument("--no-speed", action="store_true")
    given = arguments.parse_args()
    table = load_table(given.table)
    results: dict[str, object] = {"circumstances": circumstances(), "claims": counts(table)}
    results["summedits"] = halves(table) | {"domain_left_out": domains(table)}
    for name in ("begin", "factcheck_gpt"):
        results[name] = folds(table, name) | {"set_left_out": left_out(table, name)}
    results["refuted_or_irrelevant_auroc"] = refutations(table)
    results["likely_claims"] = alarms(table)
    if not given.no_speed:
        results["speed"] = speed()
    for name, value in results.items():
        show_remark(f"{name}: {value}")
    save("claims", results)


def counts(table: Table) -> dict[str, dict[str, int]]:
    return {
        name: {
            "claims": sum(case.set == name for case in table.cases),
            "supported": sum(case.set == name and case.is_supported for case in table.cases),
        }
        for name in SETS
    }


def halves(table: Table) -> dict[str, float]:
    sets = np.array([case.set for case in table.cases])
    groups = np.array([case.group for case in table.cases])
    labels = np.array([case.is_supported for case in table.cases])
    documents = sorted(set(groups[sets == "summedits"]))
    found: list[tuple[float, float, float]] = []
    for seed in range(SPLITS):
        first = set(np.random.default_rng(seed).permutation(documents)[: len(documents) // 2])
        inside = np.array([group in first for group in groups])
        for half in (inside, ~inside):
            fixed = (sets == "summedits") & half
            measured = (sets == "summedits") & ~half
            scores, threshold = predict(table, (sets != "summedits") | fixed, fixed, measured)
            truth = labels[measured]
            found.append(
                (
                    balanced_accuracy(truth, scores >= threshold),
                    balanced_accuracy(truth, scores >= 0.5),
                    auroc(scores, truth),
                )
            )
    mean, spread = np.mean(found, axis=0), np.std(found, axis=0)
    return {
        "balanced_accuracy": rounded(mean[0]),
        "balanced_accuracy_spread": rounded(spread[0]),
        "balanced_accuracy_at_one_half": rounded(mean[1]),
        "auroc": rounded(mean[2]),
    }


def domains(table: Table) -> dict[str, dict[str, float]]:
    of = np.array([case.domain if case.set == "summedits" else "" for case in table.cases])
    return {name: at_one_half(table, of != name, of == name) for name in map(str, sorted(set(of) - {""}))}


def folds(table: Table, name: str) -> dict[str, float]:
    groups = np.array([case.group if case.set == name else "" for case in table.cases])
    drawn = np.random.default_rng(0).permutation(sorted(set(groups) - {""}))
    fold_of = {group: i % FOLDS for i, group in enumerate(drawn)}
    fold = np.array([fold_of.get(group, -1) for group in groups])
    scores = np.zeros(len(fold))
    for number in range(FOLDS):
        scores[fold == number] = predict(table, fold != number, None, fold == number)[0]
    measured = fold >= 0
    return summary(scores[measured], np.array([case.is_supported for case in table.cases])[measured])


def alarms(table: Table) -> dict[str, dict[str, float]]:
    """Of the claims whose chance is at least that of support by default: how many are supported, with an alarm and without."""
    groups = np.array([f"{case.set} {case.group}" for case in table.cases])
    drawn = np.random.default_rng(0).permutation(sorted(set(groups)))
    fold_of = {group: i % FOLDS for i, group in enumerate(drawn)}
    fold = np.array([fold_of[group] for group in groups])
    scores = np.zeros(len(fold))
    for number in range(FOLDS):
        scores[fold == number] = predict(table, fold != number, None, fold == number)[0]
    likely = scores >= Settings().verification.support
    labels = np.array([case.is_supported for case in table.cases])
    alarmed = np.array([has_alarm(features) for features in table.features])
    return {
        name: {"claims": int(chosen.sum()), "supported": rounded(labels[chosen].mean())}
        for name, chosen in (("with_alarm", likely & alarmed), ("without_alarm", likely & ~alarmed))
    }


def has_alarm(features: dict[str, float]) -> bool:
    """Whether the checker would cap the claim: see ``CEILING``."""
    return (
        features["other_quantities"] > 0
        or features["opposites"] > 0
        or features["negated_otherwise"] > features["negated_in_both"]
    )


def left_out(table: Table, name: str) -> dict[str, float]:
    of = np.array([case.set for case in table.cases])
    return at_one_half(table, of != name, of == name)


def at_one_half(table: Table, fitted: np.ndarray, measured: np.ndarray) -> dict[str, float]:
    labels = np.array([case.is_supported for case in table.cases])
    return summary(predict(table, fitted, None, measured)[0], labels[measured])


def refutations(table: Table) -> float:
    """Refuted against irrelevant claims of factcheck_gpt by the chance of a contradiction, its weights fitted without that set."""
    of = np.array([case.set for case in table.cases])
    model = fit_contradictions(table, without="factcheck_gpt")
    known = [i for i in np.flatnonzero(of == "factcheck_gpt") if table.cases[i].is_contradicted is not None]
    rows = np.array([[table.features[i][name] for name in model["weights"]] for i in known])
    return rounded(auroc(chances(model, rows), np.array([bool(table.cases[i].is_contradicted) for i in known])))


def predict(
    table: Table, fitted: np.ndarray, tuned: np.ndarray | None, measured: np.ndarray
) -> tuple[np.ndarray, float]:
    """Chances of the measured claims, and the threshold that is best on the tuned ones."""
    part = table.part(np.flatnonzero(fitted))
    words = fit_words(part)
    model = fit_claims(part, words)
    scores = chances(model, claim_columns(table.part(np.flatnonzero(measured)), words))
    if tuned is None:
        return scores, 0.5
    own = table.part(np.flatnonzero(tuned))
    return scores, best_threshold(
        chances(model, claim_columns(own, words)), np.array([case.is_supported for case in own.cases])
    )


def best_threshold(scores: np.ndarray, labels: np.ndarray) -> float:
    tried = np.quantile(scores, np.linspace(0.02, 0.98, 97))
    return float(max(tried, key=lambda t: balanced_accuracy(labels, scores >= t)))


def summary(scores: np.ndarray, labels: np.ndarray) -> dict[str, float]:
    return {
        "balanced_accuracy_at_one_half": rounded(balanced_accuracy(labels, scores >= 0.5)),
        "auroc": rounded(auroc(scores, labels)),
    }


def speed() -> dict[str, object]:
    """Claims a minute of the checker itself, model open and lexicon read, evidence new in each call of 50."""
    embedder = OnnxEmbedder.load(BUILT_IN, Settings().models.threads)
    checker, run = RuleEntailment(embedder), Run(Budget(0, 0, 3600, 0))
    found: dict[str, object] = {}
    for name in SETS:
        pairs = [case.pair for case in cases(name)[:TIMED]]
        checker.check(pairs[:5], run)
        start = time.perf_counter()
        for at in range(0, len(pairs), 50):
            checker.check(pairs[at : at + 50], run)
        found[name] = round(60 * len(pairs) / (time.perf_counter() - start))
    return {"claims_a_minute": found}


def auroc(scores: np.ndarray, labels: np.ndarray) -> float:
    positive, negative = labels.sum(), (~labels).sum()
    return float((rankdata(scores)[labels].sum() - positive * (positive + 1) / 2) / (positive * negative))


def rounded(share: float) -> float:
    """Percent."""
    return round(100 * float(share), 1)


if __name__ == "__main__":
    main()
