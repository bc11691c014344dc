"""What searches and questions give back: the result of a search, and what a run tells while it works."""

from __future__ import annotations

from dataclasses import dataclass

from ascertain.core.answers import Answer, Decision, Usage
from ascertain.core.filters import Filter
from ascertain.core.passages import Confidence, Passage, Strategy
from ascertain.core.plans import Plan


@dataclass(frozen=True, slots=True)
class SearchResult:
    """What a search found, best first.

    ``filter`` is what was applied in the end, dates read from the question included.
    """

    query: str
    strategy: Strategy
    passages: tuple[Passage, ...]
    confidence: Confidence
    filter: Filter
    decisions: tuple[Decision, ...]
    seconds: float


@dataclass(frozen=True, slots=True)
class NodeStarted:
    """A step has begun."""

    node: str


@dataclass(frozen=True, slots=True)
class NodeFinished:
    """A step is done; the last of ``decisions`` is its own, with reason and scores.

    ``passages`` are what a search found, best first; ``usage`` are the model calls this step made.
    """

    node: str
    decisions: tuple[Decision, ...]
    passages: tuple[Passage, ...] = ()
    usage: Usage = Usage()


@dataclass(frozen=True, slots=True)
class AnswerText:
    """A piece of the checked answer, in order; the pieces make up its text."""

    text: str


@dataclass(frozen=True, slots=True)
class Done:
    """The end, with the whole answer and the plan it was looked up by."""

    answer: Answer
    plan: Plan | None = None


Event = NodeStarted | NodeFinished | AnswerText | Done
