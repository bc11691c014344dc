"""How well an answerer knows when not to answer.

Over questions marked answerable or not. "Abstaining" is the positive class, as in NoMIRACL (Thakur et al., 2023):
recall over the unanswerable questions, precision over the abstentions. AUROC asks only of the confidence score
whether it is higher for answerable questions: the chance that a random answerable question scores above a random
unanswerable one, ties counting half (the Mann-Whitney U statistic over n·m).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class AbstentionCase:
    """One question: whether the documents answer it, whether the system declined, and the confidence it gave."""

    answerable: bool
    abstained: bool
    confidence: float


def abstention_metrics(cases: Sequence[AbstentionCase]) -> dict[str, float | None]:
    """The four measures, each in 0..1, or None where it is undefined (nothing to divide by)."""
    unanswerable = [case for case in cases if not case.answerable]
    answerable = [case for case in cases if case.answerable]
    right = sum(case.abstained for case in unanswerable)
    wrong = sum(case.abstained for case in answerable)
    return {
        "abstention_recall": _share(right, len(unanswerable)),
        "abstention_precision": _share(right, right + wrong),
        "false_abstention_rate": _share(wrong, len(answerable)),
        "auroc": auroc([case.confidence for case in answerable], [case.confidence for case in unanswerable]),
    }


def auroc(positive: Sequence[float], negative: Sequence[float]) -> float | None:
    """Area under the ROC curve of a score that should be higher for ``positive``; None when either is empty."""
    if not positive or not negative:
        return None
    scored = sorted([(score, True) for score in positive] + [(score, False) for score in negative])
    below = 0
    wins = 0.0
    start = 0
    while start < len(scored):
        end = start
        while end < len(scored) and scored[end][0] == scored[start][0]:
            end += 1
        ups = sum(is_positive for _, is_positive in scored[start:end])
        downs = end - start - ups
        wins += ups * (below + downs / 2)
        below += downs
        start = end
    return wins / (len(positive) * len(negative))


def _share(part: int, whole: int) -> float | None:
    return part / whole if whole else None
