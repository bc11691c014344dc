"""Which of the answers that were reached is the one to give."""

from __future__ import annotations

from dataclasses import replace

from ascertain.answering.composition import Composition
from ascertain.core.answers import AnswerType
from ascertain.core.judgements import Evaluation
from ascertain.core.passages import Level
from ascertain.workflow.ask.state import Attempt


def better(earlier: Attempt | None, later: Attempt) -> Attempt:
    """The better of two; the earlier one when they are alike."""
    return later if earlier is None or _rank(later) > _rank(earlier) else earlier


def with_evaluation(best: Attempt | None, evaluated: Composition, evaluation: Evaluation) -> Attempt | None:
    """``best`` with its evaluation, where it is the answer that was evaluated."""
    if best is None or best.composition is not evaluated:
        return best
    return replace(best, evaluation=evaluation)


def _rank(attempt: Attempt) -> tuple[bool, bool, float, int]:
    """Answers before rejections, trusted before not, then grounded, then sure."""
    return (
        attempt.composition.type is not AnswerType.REJECTION and bool(attempt.composition.citations),
        attempt.confidence.level is not Level.NONE,
        round(attempt.groundedness.score, 2),
        attempt.confidence.score,
    )
