"""The state of one question on its way through the workflow.

``messages`` are merged by id, ``passages`` and ``decisions`` grow, everything else is replaced by the node that sets
it.
"""

from __future__ import annotations

import operator
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Annotated, NamedTuple, TypedDict

from langchain_core.messages import AnyMessage
from langgraph.graph.message import add_messages  # pyright: ignore[reportMissingTypeStubs]

from ascertain.answering.composition import Composition
from ascertain.answering.overviews.global_answers import GlobalAnswer
from ascertain.core.asking.answers import Answer, AnswerType, Decision
from ascertain.core.asking.judgements import Evaluation, Groundedness, RetrievalQuality, Sufficiency
from ascertain.core.asking.passages import Confidence, Level, Passage, Strategy
from ascertain.core.asking.plans import Plan, Variant
from ascertain.core.asking.requests import AskRequest, SearchResult, Standalone
from ascertain.core.reports.overviews import EntityReport
from ascertain.language.languages import question_language
from ascertain.questions.conversation.acts import RequestedAct
from ascertain.questions.reading.question import Question


class Web(StrEnum):
    """What this question may do on the web."""

    OPEN = "open"
    """It may be searched, once."""
    SEARCHED = "searched"
    UNSET = "unset"
    """It would be searched, but no provider is set."""
    CLOSED = "closed"
    """The settings, or the filter of the question, keep to the stored documents."""


class Lookup(NamedTuple):
    """A follow-up as it is read, and the documents that it is looked up in; none are all."""

    standalone: Standalone
    documents: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Retrieval:
    """One search with what it found and how good that is."""

    found: SearchResult
    evidence: tuple[Passage, ...]
    quality: RetrievalQuality
    sufficiency: Sufficiency
    gathered: tuple[Passage, ...] = ()
    """As ``AskState.gathered``."""


@dataclass(frozen=True, slots=True)
class Attempt:
    """One answer with its evidence; the user gets the best of them.

    ``evaluation`` is None for one that was abandoned before it was evaluated.
    """

    found: SearchResult
    evidence: tuple[Passage, ...]
    quality: RetrievalQuality
    composition: Composition
    groundedness: Groundedness
    confidence: Confidence
    evaluation: Evaluation | None = None


def choose_attempt(attempts: Sequence[Attempt]) -> Attempt | None:
    """The best of ``attempts``, the earlier of two equal ones; None if there are none."""
    return max(attempts, key=rank_attempt, default=None)


class Rank(NamedTuple):
    """What makes one attempt better than another, the weightiest first."""

    is_answer: bool
    is_sure_enough: bool
    """Whether its confidence reaches the threshold."""
    is_sufficient: bool
    """Whether its evaluation is sufficient."""
    is_undoubted: bool
    """Whether the chat model that evaluated it, if any, does not find it wanting."""
    groundedness: float
    confidence: int


def rank_attempt(attempt: Attempt) -> Rank:
    """How good an attempt is."""
    evaluation = attempt.evaluation
    return Rank(
        attempt.composition.type is not AnswerType.REJECTION and bool(attempt.composition.citations),
        attempt.confidence.level is not Level.NONE,
        evaluation is not None and evaluation.is_sufficient(attempt.quality),
        evaluation is None or not evaluation.is_doubted(attempt.quality),
        round(attempt.groundedness.score, 2),
        attempt.confidence.score,
    )


class AskState(TypedDict):
    """What the nodes read and write; each reads only what those before it have set.

    ``act`` is what the message asks of the last answer or the conversation, None where it is a question. ``language`` is the question's, as its ISO 639-1 code; ``asked`` is the question to answer, ``query`` how it is worded for the search. Counters: ``rewrites`` of the
    question, ``regenerations`` of the answer. ``tried`` holds each search made, as (query, strategy). ``evidence`` is
    what an answer is written from; ``gathered`` what the rules found worth reading, before a chat model chose among it.
    ``had_dated``: the period asked about held passages, only no answer. ``attempts`` are the answers reached,
    ``quotations`` the quoted ones behind written ones, and ``withheld`` the confidence of those for the current question
    that were not confident enough to be shown. ``read`` are the chunks that a chat model has judged, ``finds_new``: the last search brought
    something that it had not, and, where it judged, something relevant. ``refusals`` counts how often it found no answer since it
    was last shown something new. ``is_fresh``: nothing was written yet from what was found last. ``unused`` are the
    retrievals since an answer was written last: the best of them is written from. ``is_initial``: the question opens a
    subject in news mode. ``fetched`` are the documents that a search of the web brought, ``web_report`` what it
    did in words; searches before number ``first_search`` of ``tried`` were made without them. ``report`` is what was
    gathered last for an entity question, None once the question is searched for; likewise ``global_answer``, for a
    question about the documents as a whole or for news; ``is_of_document``: it presents documents one by one. ``is_part``: it was asked with others. ``has_parts``: it asks several
    things, each of which is answered by itself, by ``part_answers``. ``documents`` are those that a follow-up is looked up in first, and
    ``lookups`` what comes after where that is not sure. ``may_be_computed``: the
    tables of the documents are asked first. ``missed`` is what was found in place of a report, for the words of a
    rejection.
    """

    request: AskRequest
    act: RequestedAct | None
    language: str
    messages: Annotated[list[AnyMessage], add_messages]
    passages: Annotated[list[Passage], operator.add]
    decisions: Annotated[list[Decision], operator.add]
    standalone: Standalone
    plan: Plan
    asked: Question
    query: str
    strategy: Strategy
    variants: tuple[Variant, ...]
    tried: tuple[tuple[str, Strategy], ...]
    found: SearchResult
    evidence: tuple[Passage, ...]
    gathered: tuple[Passage, ...]
    quality: RetrievalQuality
    sufficiency: Sufficiency
    unused: tuple[Retrieval, ...]
    report: EntityReport | None
    missed: str
    may_be_computed: bool
    is_part: bool
    has_parts: bool
    part_answers: tuple[Answer, ...]
    documents: tuple[str, ...]
    lookups: tuple[Lookup, ...]
    global_answer: GlobalAnswer | None
    is_of_document: bool
    composition: Composition
    groundedness: Groundedness
    confidence: Confidence
    evaluation: Evaluation
    attempts: tuple[Attempt, ...]
    quotations: tuple[Attempt, ...]
    withheld: tuple[int, ...]
    rewrites: int
    regenerations: int
    read: tuple[str, ...]
    finds_new: bool
    refusals: int
    is_fresh: bool
    is_undated: bool
    had_dated: bool
    is_out_of_time: bool
    is_initial: bool
    web: Web
    web_report: str
    fetched: tuple[str, ...]
    first_search: int
    answer: Answer


Update = dict[str, object]
"""Keys of ``AskState`` with new values: what a node returns."""


def first_state(
    request: AskRequest, messages: list[AnyMessage], web: Web = Web.CLOSED, act: RequestedAct | None = None
) -> Update:
    """The state before the first node."""
    return {
        "request": request,
        "act": act,
        "language": question_language(request.question),
        "messages": messages,
        "tried": (),
        "unused": (),
        "report": None,
        "missed": "",
        "may_be_computed": False,
        "is_part": False,
        "has_parts": False,
        "part_answers": (),
        "documents": (),
        "lookups": (),
        "global_answer": None,
        "is_of_document": False,
        "gathered": (),
        "attempts": (),
        "quotations": (),
        "withheld": (),
        "read": (),
        "finds_new": True,
        "refusals": 0,
        "rewrites": 0,
        "regenerations": 0,
        "is_undated": False,
        "had_dated": False,
        "is_out_of_time": False,
        "is_initial": False,
        "web": web,
        "web_report": "",
        "fetched": (),
        "first_search": 0,
    }
