"""Fits the weights by which a sentence supports a claim, and measures the verdicts of ``ascertain check`` with each corpus left out.

    python -m bench.fit.verdicts [--homes DIR] [--write]

The claims lie in ``claims_check`` of the evaluation data, over the corpora of ``asked``; their homes are built in DIR where they are
missing (a few minutes). Weights are fitted to the sentences that decide a true claim, against all that may support a false one.
Figures in ``verdicts.json``: the verdicts by corpus, each with weights fitted to the other four; whether the deciding sentence was among
those compared; and which rule contradicted how many claims of each corpus, rightly and wrongly. ``--write`` also writes the
weights, fitted to all five.
"""

from __future__ import annotations

import argparse
import collections
import json
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from ascertain import Ascertain
from ascertain.app.researching.agents import build_agents
from ascertain.app.researching.outside import StoredOutside
from ascertain.core.asking.passages import Filter
from ascertain.core.asking.runs import Budget, Run
from ascertain.core.reports.research import ClaimOrigin, ClaimVerdict
from ascertain.language.languages import ENGLISH
from ascertain.models.logistic_model import LogisticModel
from ascertain.reports.research.claims import ClaimToCheck, Reading, decide_claim
from ascertain.reports.research.verdicts.judging import (
    READER_FEATURES,
    SUPPORT_FEATURES,
    add_reading,
    is_read_for,
    rate_support,
)
from bench.fit.logistic import fit_logistic, penalise_standardised
from bench.fit.weights_file import write_weights
from bench.setting import circumstances, data_folder, save, show_remark, show_status

PROFILES = {"news": "news", "papers": "papers", "podcasts": "podcasts"}
STRENGTH = 2.0
"""How far weights are held back: as many claims as would have to speak against one (1, 2 and 4 give the same verdicts but for two)."""
ALL = (*SUPPORT_FEATURES, *READER_FEATURES)


@dataclass(frozen=True, slots=True)
class Case:
    """A claim with its readings and which of them hold a deciding sentence."""

    item: dict[str, Any]
    readings: list[Reading]
    deciding: list[bool]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--homes", type=Path, default=Path(tempfile.gettempdir()) / "claimsets-homes")
    parser.add_argument("--write", action="store_true", help="also write the weights")
    given = parser.parse_args()
    cases = read_cases(given.homes)
    corpora = list(dict.fromkeys(case.item["corpus"] for case in cases))
    verdicts: dict[str, ClaimVerdict] = {}
    rules: dict[str, dict[str, dict[str, int]]] = {}
    for corpus in corpora:
        model = fit(cases, corpus, ALL)
        for case in (each for each in cases if each.item["corpus"] == corpus):
            conclusion = decide_claim([rate(each, model) for each in case.readings])
            verdicts[case.item["id"]] = conclusion.verdict
            if conclusion.verdict is ClaimVerdict.CONTRADICTED:
                conflict = case.readings[conclusion.evidence_against[0]].judgement.conflict
                count = rules.setdefault(conflict.kind if conflict else "", {}).setdefault(
                    corpus, {"right": 0, "wrong": 0}
                )
                count["right" if "contradicted" in case.item["accept"] else "wrong"] += 1
    results: dict[str, object] = {"circumstances": circumstances(), "all": measure(cases, verdicts)}
    results["corpora"] = {c: measure([case for case in cases if case.item["corpus"] == c], verdicts) for c in corpora}
    results["contradicted_by_rule"] = rules
    for name, value in results.items():
        show_remark(f"{name}: {value}")
    save("verdicts", results)
    if given.write:
        said = "claims_check dev, all five corpora; bench/results/verdicts.json"
        for name, columns in (("claim_support", ALL), ("claim_support_words_only", SUPPORT_FEATURES)):
            model = fit(cases, "", columns)
            weights = {f: float(f"{w:.5g}") for f, w in zip(model.features, model.weights, strict=True)}
            path = write_weights(
                name, weights, float(f"{model.bias:.5g}"), fitted_by="bench/fit/verdicts.py", fitted_from=said
            )
            show_remark(f"wrote {path}")


def read_cases(homes: Path) -> list[Case]:
    """Every claim with what its corpus has for and against it."""
    lines = (data_folder() / "claims_check" / "dev.jsonl").read_text("utf-8").splitlines()
    items = [json.loads(line) for line in lines]
    cases: list[Case] = []
    for corpus in dict.fromkeys(item["corpus"] for item in items):
        with Ascertain.open(str(build_home(homes, corpus))) as knowledge:
            outside = StoredOutside(knowledge, knowledge.tenant, knowledge.settings.web)
            checker = build_agents(knowledge.view, outside).claim_checker
            for item in (each for each in items if each["corpus"] == corpus):
                show_status(f"{item['id']}, {corpus}")
                run = Run(Budget(10**6, 10**9, 10.0**6, 10.0**6))
                readings = checker.read_evidence(
                    ClaimToCheck(item["claim"], ClaimOrigin.QUESTION), Filter(), run, ENGLISH
                )
                cases.append(Case(item, readings, [decides(item, each) for each in readings]))
    return cases


def build_home(homes: Path, corpus: str) -> Path:
    """The home of a corpus, made first where it is missing; named as ``claims_check/score.py`` names it."""
    home = homes / f"dev-{corpus}"
    if not home.exists():
        show_remark(f"building {home}")
        with Ascertain.open(str(home), profile=PROFILES.get(corpus, "docs")) as knowledge:
            knowledge.add([str(data_folder() / "asked" / "dev" / "corpora" / corpus)])
    return home


def decides(item: dict[str, Any], reading: Reading) -> bool:
    """Whether a reading holds a deciding sentence; of a row, its first two cells."""
    text = squash(reading.span.of(reading.candidate.document.text))
    plain = text.replace("`", "")
    for quote in (squash(each["quote"]) for each in item["deciding"]):
        cells = quote.split(" | ")[:2]
        if quote in text or text in quote or (reading.piece.row is not None and all(cell in plain for cell in cells)):
            return True
    return False


def squash(text: str) -> str:
    return " ".join(text.split())


def fit(cases: Sequence[Case], without: str, columns: Sequence[str]) -> LogisticModel:
    """Weights of ``columns`` from all claims but those of the corpus ``without``."""
    rows: list[list[float]] = []
    labels: list[bool] = []
    for case in (each for each in cases if each.item["corpus"] != without):
        is_true = case.item["verdict"] == "supported"
        for reading, is_deciding in zip(case.readings, case.deciding, strict=True):
            if reading.opinions and (is_deciding or not is_true):
                values = add_reading(reading.judgement.features, reading.opinions)
                rows.append([values[name] for name in columns])
                labels.append(is_true)
    table = np.array(rows)
    weights, bias = fit_logistic(table, np.array(labels), penalise_standardised(table, STRENGTH / len(table)))
    return LogisticModel(tuple(columns), weights, bias)


def rate(reading: Reading, model: LogisticModel) -> Reading:
    """The reading with its support by other weights than those that ship."""
    judgement = reading.judgement
    if judgement.row is not None:
        return replace(reading, support=rate_support(judgement, ()))
    if not reading.opinions or not is_read_for(judgement, reading.opinions):
        return replace(reading, support=0.0)
    return replace(reading, support=model.predict_chance(add_reading(judgement.features, reading.opinions)))


def measure(cases: Sequence[Case], verdicts: Mapping[str, ClaimVerdict]) -> dict[str, object]:
    """Shares in percent, as ``claims_check/score.py`` has them."""

    def count(label: str) -> list[dict[str, Any]]:
        return [case.item for case in cases if case.item["verdict"] == label]

    def share(items: Sequence[dict[str, Any]], *wanted: str) -> float:
        chosen = [item for item in items if verdicts[item["id"]] in (wanted or item["accept"])]
        return round(100 * len(chosen) / max(len(items), 1), 1)

    true, false, absent = (count(label) for label in ("supported", "contradicted", "not_established"))
    told = [case for case in cases if case.item["deciding"]]
    return {
        "claims": dict(collections.Counter(case.item["verdict"] for case in cases)),
        "true_supported": share(true),
        "true_contradicted": share(true, "contradicted"),
        "contradicted_found": share(false),
        "absent_left_open": share(absent),
        "false_supported": share([*false, *absent], "supported"),
        "deciding_compared": round(100 * sum(any(case.deciding) for case in told) / max(len(told), 1), 1),
    }


if __name__ == "__main__":
    main()
