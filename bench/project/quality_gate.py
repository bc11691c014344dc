"""Fails where quality on the demo corpus fell below the committed figures; part of ``.ci/run``.

    python -m bench.project.quality_gate            compare with bench/results/gate
    python -m bench.project.quality_gate --write    replace them with what is measured now

Retrieval and answers over the golden set that is shipped, question by question beside the committed run. A figure fails where it lies on the bad
side of the committed one's 95 % interval, or where the paired test calls it worse. Questions that only one of them has are left out; where
fewer than half are common, the committed run has to be written anew.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

from ascertain.core.settings import Settings
from ascertain.evaluation.commands import Order, make_listener, run_order
from ascertain.evaluation.comparison.differences import (
    LOWER_IS_BETTER,
    NEITHER_IS_BETTER,
    Comparison,
    MetricChange,
    compare_runs,
)
from ascertain.evaluation.golden.questions import DEMO
from ascertain.evaluation.runs import EvaluationRun, read_run
from bench.setting import RESULTS

COMMITTED = RESULTS / "gate"
KINDS = ("retrieval", "answers")
NOT_QUALITY = NEITHER_IS_BETTER | {"seconds", "dollars", "mean_sentences"}
"""Figures that are no gain or loss, or that say more about the machine than about the code."""
COMMON = 0.5
"""Share of the questions that must be in both runs for the comparison to say something."""
ROUNDING = 1e-9


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--write", action="store_true")
    given = arguments.parse_args()
    if given.write:
        for kind in KINDS:
            measure_golden(kind, COMMITTED)
        return
    with tempfile.TemporaryDirectory(prefix="quality-gate-") as folder:
        failed = [line for kind in KINDS for line in check_kind(kind, Path(folder))]
    if failed:
        sys.exit("\n".join(["quality fell below bench/results/gate:", *failed, "if it is meant: --write, and say why"]))


def measure_golden(kind: str, folder: Path) -> EvaluationRun:
    path = folder / f"{kind}.json"
    path.unlink(missing_ok=True)
    settings = Settings(home=folder / "no-home")
    order = Order(kind, golden=Path(DEMO))
    run_order(order, settings, lambda *_: settings, lambda _: None, listener=make_listener(remark=print), save=path)
    return read_run(path)


def check_kind(kind: str, folder: Path) -> list[str]:
    """What failed, a line each; the figures are printed."""
    committed = read_run(COMMITTED / f"{kind}.json")
    comparison = compare_runs(committed, measure_golden(kind, folder))
    if comparison.questions < COMMON * len(committed.results):
        return [f"{kind}: only {comparison.questions} of {len(committed.results)} questions are still there"]
    judged = [change for change in comparison.metrics if change.name not in NOT_QUALITY]
    for change in judged:
        low, high = change.before_interval
        print(f"{kind} {change.name}: {change.test.before:.4f} ({low:.4f} to {high:.4f}) -> {change.test.after:.4f}")
    failed = [
        f"{kind} {change.name}: {change.test.before:.4f} -> {change.test.after:.4f}"
        for change in judged
        if is_worse(change)
    ]
    return [*failed, *list_losses(kind, comparison)] if failed else []


def is_worse(change: MetricChange) -> bool:
    low, high = change.before_interval
    if change.name in LOWER_IS_BETTER:
        return change.test.after > high + ROUNDING or change.verdict == "worse"
    return change.test.after < low - ROUNDING or change.verdict == "worse"


def list_losses(kind: str, comparison: Comparison) -> list[str]:
    """The questions whose main score fell."""
    return [
        f"  {change.before.id}: {change.before.question} ({comparison.main} {change.before_score:g} -> {change.after_score:g})"
        for change in comparison.changed
        if change.after_score < change.before_score
    ]


if __name__ == "__main__":
    main()
