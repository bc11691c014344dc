"""From a question to a checked answer, in a straight line: check, resolve, search, compose.

A date taken from the question that leaves nothing to answer from is dropped, and the answer says so. A date that the
user set is never dropped.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Protocol

from ascertain.core.answers import Answer, AnswerType, Decision
from ascertain.core.conversations import Turn
from ascertain.core.errors import UsageError
from ascertain.core.filters import Filter
from ascertain.core.passages import Confidence, Level, Passage, Strategy
from ascertain.workflow.conversation import Resolved, resolve_follow_up
from ascertain.workflow.dates import period, undated_caveat, without

if TYPE_CHECKING:
    from ascertain.answering.composition import Composition
    from ascertain.retrieval.search import SearchResult
    from ascertain.retrieval.timeframe import Timeframe


BELOW_HIGH = 69
"""The highest score of medium confidence."""


class Search(Protocol):
    """``retrieval.search.Searcher``, as far as it is used here."""

    def search(
        self,
        query: str,
        *,
        strategy: Strategy | None = None,
        k: int | None = None,
        filter: Filter = Filter(),
        days_back: int | None = None,
    ) -> SearchResult:
        """Ranked passages for ``query``."""
        ...


class Compose(Protocol):
    """``answering.extractive.ExtractiveComposer``, as far as it is used here."""

    def compose_or_reject(
        self, question: str, passages: Sequence[Passage], confidence: Confidence, *, searched: str = ""
    ) -> Composition:
        """Cited sentences that answer, or a rejection."""
        ...


@dataclass(frozen=True, slots=True)
class Steps:
    """What the workflow asks of the packages below it.

    ``evidence`` turns the ranked passages into those an answer is written from. ``timeframe`` gives the dates that the words of a question ask for; ``canonical`` gives the question with slang and
    abbreviations written out; ``searched`` says in words what a filter leaves to search.
    """

    search: Search
    evidence: Callable[[Sequence[Passage]], Sequence[Passage]]
    composer: Compose
    timeframe: Callable[[str], Timeframe | None]
    canonical: Callable[[str], str]
    searched: Callable[[Filter], str]
    depth: int
    """Passages asked of a search; ``evidence`` picks from them."""
    max_characters: int


@dataclass(frozen=True, slots=True)
class Request:
    """One question with everything that was asked along with it."""

    question: str
    strategy: Strategy | None = None
    filter: Filter = Filter()
    days_back: int | None = None
    conversation_id: str | None = None
    history: tuple[Turn, ...] = ()

    @property
    def sets_dates(self) -> bool:
        """Whether the user restricted the dates beside the question."""
        return self.days_back is not None or _has_dates(self.filter)


@dataclass(frozen=True, slots=True)
class _Attempt:
    found: SearchResult
    composition: Composition
    decisions: tuple[Decision, ...]

    @property
    def is_rejection(self) -> bool:
        return self.composition.type is AnswerType.REJECTION


def ask(request: Request, steps: Steps) -> Answer:
    """Answer one question; raises UsageError when it is empty or longer than the settings allow."""
    started = time.perf_counter()
    question = check_question(request.question, steps.max_characters)
    resolved = resolve_follow_up(question, request.history)
    frame = None if request.sets_dates else steps.timeframe(resolved.text)
    attempts = [_attempt(resolved.text, request, steps)]
    dropped: tuple[Decision, ...] = ()
    if frame and attempts[0].is_rejection and _has_dates(attempts[0].found.filter):
        attempts.append(_attempt(without(frame.phrase, resolved.text), request, steps))
        dropped = (_dropped_date(attempts[0].found),)
    best = max(attempts, key=lambda attempt: (not attempt.is_rejection, attempt.composition.confidence.score))
    composition = best.composition
    caveat = None
    if frame and not best.is_rejection and not _has_dates(best.found.filter):
        # the date was dropped, here or by the search itself
        were_any = bool(dropped) and bool(attempts[0].found.passages)
        caveat = undated_caveat(_dated(request.filter, frame), were_any, composition.citations)
    return Answer(
        question=request.question,
        text=composition.text,
        type=_type_of(composition, request),
        confidence=_with_caveat(composition.confidence, caveat),
        sentences=composition.sentences,
        citations=composition.citations,
        strategy=best.found.strategy,
        attempts=len(attempts),
        decisions=(
            *_resolution(resolved, request),
            *attempts[0].decisions,
            *dropped,
            *(decision for attempt in attempts[1:] for decision in attempt.decisions),
        ),
        conversation_id=request.conversation_id,
        seconds=time.perf_counter() - started,
    )


def check_question(question: str, max_characters: int) -> str:
    """The question without surrounding space; UsageError when nothing can be looked up by it."""
    text = question.strip()
    if not text:
        raise UsageError(
            'the question is empty; ask something, for example: ascertain ask "What is a stablecoin?"'
        )
    if len(text) > max_characters:
        raise UsageError(
            f"the question has {len(text):,} characters and the limit is {max_characters:,} "
            "(answers.max_question_characters); shorten it, or add the text as a document and ask about it"
        )
    if not any(character.isalnum() for character in text):
        raise UsageError(f"the question {text[:40]!r} has no words to look up; ask in words")
    return text


def _attempt(text: str, request: Request, steps: Steps) -> _Attempt:
    found = steps.search.search(
        text,
        strategy=request.strategy,
        k=steps.depth,
        filter=request.filter,
        days_back=request.days_back,
    )
    composing = time.perf_counter()
    composition = steps.composer.compose_or_reject(
        steps.canonical(text),
        steps.evidence(found.passages),
        found.confidence,
        searched=steps.searched(found.filter),
    )
    seconds = time.perf_counter() - composing
    decisions = [*found.decisions, *composition.decisions]
    if composition.decisions:
        decisions[-1] = replace(decisions[-1], seconds=seconds)
    return _Attempt(found, composition, tuple(decisions))


def _dropped_date(found: SearchResult) -> Decision:
    what = "no answer in" if found.passages else "nothing found among"
    return Decision("search", "again without the date", f"{what} documents {period(found.filter)}")


def _has_dates(filter: Filter) -> bool:
    return filter.published_from is not None or filter.published_before is not None


def _dated(filter: Filter, frame: Timeframe) -> Filter:
    return replace(filter, published_from=frame.start, published_before=frame.end)


def _resolution(resolved: Resolved, request: Request) -> tuple[Decision, ...]:
    if not request.history:
        return ()
    if not resolved.borrowed:
        return (Decision("resolve", "as asked", "the question stands on its own"),)
    words = ", ".join(resolved.borrowed)
    return (
        Decision(
            "resolve", resolved.text, f"continues the conversation; added from the last question: {words}"
        ),
    )


def _type_of(composition: Composition, request: Request) -> AnswerType:
    if composition.type is AnswerType.SUMMARY and request.history:
        return AnswerType.FOLLOWUP_ANSWER
    return composition.type


def _with_caveat(confidence: Confidence, caveat: str | None) -> Confidence:
    """The confidence with one more reservation; none is high with a reservation."""
    if caveat is None:
        return confidence
    both = " ".join(filter(None, (caveat, confidence.caveat)))
    if confidence.level is not Level.HIGH:
        return replace(confidence, caveat=both)
    return Confidence(Level.MEDIUM, min(confidence.score, BELOW_HIGH), both)
