"""The check of claims measured on claims that people judged.

A set is a folder with ``claims.jsonl``: ``_id``, ``claim``, ``evidence`` and ``label``; where there is a ``docs.jsonl`` (``_id``, ``text``),
``evidence`` is an id of it. A claim is called supported when its support reaches ``verification.support``, as in an answer. Balanced
accuracy is the mean of the shares of supported and of other claims that are classified correctly, as SummEdits reports it.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from time import perf_counter
from typing import TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from ascertain.app.ascertain import Ascertain
from ascertain.app.wire.evaluation import MeasuredJson, TimingsJson
from ascertain.core.asking.runs import Budget, Run
from ascertain.core.errors import SourceError
from ascertain.evaluation.measures.calibration import compute_auroc
from ascertain.evaluation.measures.metrics import find_percentile
from ascertain.evaluation.measures.significance import estimate_interval_of
from ascertain.evaluation.runs import Journal, Result, choose_every, measure_intervals
from ascertain.evaluation.sets.knowledge import Listener
from ascertain.models.ports import ClaimPair

SUPPORTED = frozenset(
    {"1", "true", "supported", "supports", "entailment", "entailed", "consistent", "fully attributable"}
    | {"completely-support"}
)
"""Labels that say supported, in the words of the public sets; every other label says that it is not, or not wholly."""
LEFT_OUT = frozenset({"generic"})
"""Labels of claims that no evidence could support or deny (BEGIN, Dziri et al., 2022)."""


@dataclass(frozen=True, slots=True)
class JudgedClaim:
    """A claim with its evidence, and whether people found that it supports the claim."""

    id: str
    claim: str
    evidence: str
    is_supported: bool


class _Row(BaseModel):
    model_config = ConfigDict(extra="ignore")

    id: str = Field(alias="_id")


class _ClaimRow(_Row):
    claim: str
    evidence: str
    label: str | bool | int

    @property
    def name_of_label(self) -> str:
        return str(self.label).strip().lower()


class _TextRow(_Row):
    text: str


R = TypeVar("R", bound=_Row)


def read_claims(folder: Path) -> list[JudgedClaim]:
    """The claims of a set; SourceError with file and line for a malformed one."""
    path, texts = folder / "claims.jsonl", folder / "docs.jsonl"
    documents = {row.id: row.text for row in _read_rows(texts, _TextRow)} if texts.is_file() else {}
    return [
        JudgedClaim(row.id, row.claim, documents.get(row.evidence, row.evidence), row.name_of_label in SUPPORTED)
        for row in _read_rows(path, _ClaimRow)
        if row.name_of_label not in LEFT_OUT
    ]


def _read_rows(path: Path, shape: type[R]) -> list[R]:
    rows: list[R] = []
    for number, line in enumerate(path.read_text("utf-8").split("\n"), start=1):
        if not line.strip():
            continue
        try:
            rows.append(shape.model_validate_json(line))
        except ValidationError as error:
            first = error.errors()[0]
            raise SourceError(f"{path}:{number}: {'.'.join(map(str, first['loc']))}: {first['msg']}") from None
    return rows


def measure_claims(
    name: str, claims: Sequence[JudgedClaim], app: Ascertain, journal: Journal, listener: Listener, *, every: int = 1
) -> MeasuredJson:
    """The row of a set: every ``every``-th claim is checked by the entailment model of the settings of ``app``."""
    chosen = choose_every(claims, every)
    results: list[Result] = []
    for done, claim in enumerate(chosen):
        if done % 10 == 0:
            listener.progress(f"{name}: checking {done:,} of {len(chosen):,}")
        results.append(journal.measure(name, claim.id, partial(_check_claim, name, claim, app)))
    metrics = claim_metrics(results)
    figures: dict[str, Callable[[Sequence[Result]], float | None]] = {
        figure: partial(_find_metric, figure) for figure in metrics if figure != "right"
    }
    intervals = measure_intervals(results, {"right": None})
    intervals |= {n: found for n, f in figures.items() if (found := estimate_interval_of(results, f)) is not None}
    seconds = [result.seconds for result in results]
    timings = TimingsJson(
        index=0, query_p50=round(find_percentile(seconds, 0.5), 4), query_p95=round(find_percentile(seconds, 0.95), 4)
    )
    return MeasuredJson(
        set=name, documents=0, queries=len(results), metrics=metrics, intervals=intervals, seconds=timings
    )


def claim_metrics(results: Sequence[Result]) -> dict[str, float | None]:
    """Shares classified correctly, of all and balanced; precision, recall and F1 of alarms; AUROC of the support found."""
    supported = [result for result in results if result.facts["supported"]]
    others = [result for result in results if not result.facts["supported"]]
    alarms = [result for result in results if not result.facts["found_supported"]]
    caught = [result for result in others if not result.facts["found_supported"]]
    passed = [result for result in supported if result.facts["found_supported"]]
    recall = len(caught) / len(others) if others else None
    kept = len(passed) / len(supported) if supported else None
    precision = len(caught) / len(alarms) if alarms else None
    return {
        "right": (len(caught) + len(passed)) / len(results) if results else None,
        "balanced_accuracy": None if recall is None or kept is None else (recall + kept) / 2,
        "auroc": compute_auroc([_support_of(r) for r in supported], [_support_of(r) for r in others]),
        "alarm_precision": precision,
        "alarm_recall": recall,
        "alarm_f1": 2 * precision * recall / (precision + recall) if precision and recall else None,
    }


def _find_metric(name: str, results: Sequence[Result]) -> float | None:
    return claim_metrics(results)[name]


def _check_claim(name: str, claim: JudgedClaim, app: Ascertain) -> Result:
    settings = app.settings
    limits = settings.budget
    run = Run(Budget(limits.calls, limits.tokens, limits.seconds, limits.usd))
    started = perf_counter()
    (support,) = app.container.models.entailment.check([ClaimPair(claim.claim, claim.evidence)], run)
    seconds = perf_counter() - started
    found = support.entailed >= settings.verification.support
    facts: dict[str, object] = {
        "supported": claim.is_supported,
        "found_supported": found,
        "support": round(support.entailed, 6),
        "contradicted": round(support.contradicted, 6),
        "reason": support.reason,
    }
    return Result(name, claim.id, claim.claim, seconds, {"right": float(found is claim.is_supported)}, facts)


def _support_of(result: Result) -> float:
    return result.read_number("support") or 0.0
