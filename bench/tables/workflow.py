"""The tables of ``docs/benchmarks.md`` about the workflow: abstention, claims, follow-ups, chat models in
roles.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

Results = Callable[[str], Mapping[str, Any]]
Table = tuple[list[str], list[list[str]]]
SINGLE_SCORES = {"top_similarity": "top similarity", "top_bm25": "top BM25", "sum": "their sum"}


def abstention_table(results: Results) -> Table:
    found = results("abstention")
    head = [
        "questions",
        *SINGLE_SCORES.values(),
        "confidence",
        "over the best",
        "answers / refuses at the default",
        "at 15 % refused",
    ]
    rows: list[list[str]] = []
    for name, row in {**found["sets"], "nomiracl_en and clapnq_dev": found["both_abstention_sets"]}.items():
        single = row["auroc_single_scores"]
        default, operating = row["at_default_threshold"], row["at_refused_share_of_answerable"]["0.15"]
        rows.append(
            [
                f"{name} ({row['cases']})",
                *(_percent(single[score]) if score in single else "" for score in SINGLE_SCORES),
                _percent(row["auroc"]),
                f"{100 * row['gain_over_best_single_score']:+.1f}",
                _point(default),
                _point(operating),
            ]
        )
    gpt = found["gpt_4_on_nomiracl"]
    rows.append(["GPT-4 on NoMIRACL, as published", "", "", "", "", "", _point(gpt), ""])
    return head, rows


def claims_table(results: Results) -> Table:
    found = results("claims")
    head = ["claims", "balanced accuracy", "AUROC", "what was held out"]
    summedits = found["summedits"]
    rows = [
        [
            "summedits",
            f"{summedits['balanced_accuracy']:.1f}",
            f"{summedits['auroc']:.1f}",
            "half of the documents, threshold from the other half",
        ]
    ]
    for domain, row in summedits["domain_left_out"].items():
        rows.append(
            [
                f"summedits: {domain}",
                f"{row['balanced_accuracy_at_one_half']:.1f}",
                f"{row['auroc']:.1f}",
                "the domain, threshold one half",
            ]
        )
    for name in ("begin", "factcheck_gpt"):
        row = found[name]["set_left_out"]
        rows.append([name, f"{row['balanced_accuracy_at_one_half']:.1f}", f"{row['auroc']:.1f}", "the whole set"])
    return head, rows


def follow_ups_table(results: Results) -> Table:
    head = ["questions of mtrag_un", "number", "last turn R@5 / nDCG@10", "rewritten R@5 / nDCG@10"]
    rows = [
        [kind, str(row["questions"]), _pair(row["last turn"]), _pair(row["rewrite"])]
        for kind, row in results("follow_ups")["kinds"].items()
    ]
    return head, rows


def scripted_models_table(results: Results) -> Table:
    """What is right with each role; roles with the same figures share a row."""
    head = ["model", "right", "declined", "wrong", "rightly declined", "inventions as supported", "better / worse"]
    names: dict[tuple[str, ...], list[str]] = {}
    for name, row in results("scripted_models")["models"].items():
        shares = (f"{row[key]:.1f}" for key in ("right", "declined", "wrong", "rightly_declined"))
        inventions, changes = row["unsupported_shown_as_supported"], f"{len(row['better'])} / {len(row['worse'])}"
        names.setdefault((*shares, str(inventions), changes), []).append(name.replace("_", " "))
    return head, [[", ".join(alike), *cells] for cells, alike in names.items()]


def _percent(share: float) -> str:
    return f"{100 * share:.1f}"


def _point(row: Mapping[str, float]) -> str:
    return f"{100 * row['answers_unanswerable']:.0f} / {100 * row['refuses_answerable']:.0f}"


def _pair(row: Mapping[str, float]) -> str:
    return f"{row['R@5']:.1f} / {row['nDCG@10']:.1f}"


def _measures(row: Mapping[str, float]) -> str:
    scale = 100 if row["R@5"] <= 1 else 1
    return f"{scale * row['R@5']:.1f} / {scale * row['nDCG@10']:.1f}"
