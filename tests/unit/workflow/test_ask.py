"""The straight line from a question to an answer, with doubles for the two steps it drives."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime

import pytest

from ascertain.answering.composition import Composition
from ascertain.core.answers import AnswerSentence, AnswerType, Citation, Decision, Verdict, VerdictLabel
from ascertain.core.chunks import Chunk
from ascertain.core.conversations import Turn
from ascertain.core.documents import DocumentKind, Place
from ascertain.core.errors import UsageError
from ascertain.core.filters import Filter
from ascertain.core.passages import Confidence, Level, Passage, Strategy
from ascertain.core.spans import Span
from ascertain.retrieval.search import SearchResult
from ascertain.retrieval.timeframe import Timeframe
from ascertain.workflow.ask import Request, Steps, ask

TODAY = Timeframe(
    datetime(2024, 12, 5, tzinfo=UTC), datetime(2024, 12, 6, tzinfo=UTC), "today", "today is 5 December 2024"
)
OLDER = datetime(2024, 12, 2, tzinfo=UTC)
HIGH = Confidence(Level.HIGH, 90)
HISTORY = (Turn("user", "What is proof of stake?"), Turn("assistant", "A way to agree."))


def a_passage() -> Passage:
    chunk = Chunk("d:0-5", "d", 0, Span(0, 5), "Fees.", "", "T", DocumentKind.PROSE, "a.md")
    return Passage(chunk, 0.9)


@dataclass
class RecordingSearch:
    """Finds one passage; reads "today" as a date as the real search does, unless ``widens``."""

    dated_passages: int = 1
    widens: bool = False
    queries: list[str] = field(default_factory=list)
    filters: list[Filter] = field(default_factory=list)

    def search(
        self,
        query: str,
        *,
        strategy: Strategy | None = None,
        k: int | None = None,
        filter: Filter = Filter(),
        days_back: int | None = None,
    ) -> SearchResult:
        self.queries.append(query)
        self.filters.append(filter)
        is_dated = "today" in query and not self.widens
        if is_dated:
            filter = Filter(published_from=TODAY.start, published_before=TODAY.end)
        found = (a_passage(),) * (self.dated_passages if is_dated else 1)
        decisions = (Decision("search", f"{len(found)} passages", "hybrid search"),)
        return SearchResult(query, strategy or Strategy.HYBRID, found, HIGH, filter, decisions, 0.01)


@dataclass
class ScriptedComposer:
    """Answers all questions but those of which it was told to reject a part."""

    rejects: tuple[str, ...] = ()
    confidence: Confidence = HIGH
    questions: list[str] = field(default_factory=list)
    searched: list[str] = field(default_factory=list)

    def compose_or_reject(
        self, question: str, passages: Sequence[Passage], confidence: Confidence, *, searched: str = ""
    ) -> Composition:
        self.questions.append(question)
        self.searched.append(searched)
        if not passages or any(part in question for part in self.rejects):
            none = Confidence(Level.NONE, 5, "Nothing fits.")
            decision = Decision("compose", "rejected", "nothing fits")
            return Composition("I could not find that.", (), (), none, (decision,), AnswerType.REJECTION)
        sentence = AnswerSentence("Fees.", Verdict(VerdictLabel.SUPPORTED, 1.0), (1,))
        citation = Citation(1, "d", "T", None, OLDER, "Fees.", Span(0, 5), Place())
        decision = Decision("compose", "answered", "1 sentence")
        return Composition(
            "Fees.", (sentence,), (citation,), self.confidence, (decision,), AnswerType.SUMMARY
        )


def steps(search: RecordingSearch, composer: ScriptedComposer) -> Steps:
    return Steps(
        search=search,
        evidence=list,
        composer=composer,
        timeframe=lambda question: TODAY if "today" in question else None,
        canonical=lambda question: question.replace("btc", "Bitcoin"),
        searched=lambda filter: "3 documents",
        depth=8,
        max_characters=1000,
    )


def test_an_answer_carries_what_the_steps_found() -> None:
    answer = ask(
        Request("what are btc fees?", conversation_id="c1"), steps(RecordingSearch(), ScriptedComposer())
    )
    assert (answer.text, answer.type, answer.confidence) == ("Fees.", AnswerType.SUMMARY, HIGH)
    assert (answer.conversation_id, answer.attempts, answer.strategy) == ("c1", 1, Strategy.HYBRID)
    assert [decision.node for decision in answer.decisions] == ["search", "compose"]
    assert answer.decisions[-1].seconds > 0


def test_the_composer_gets_the_question_in_canonical_words_and_what_was_searched() -> None:
    composer = ScriptedComposer()
    ask(Request("what are btc fees?"), steps(RecordingSearch(), composer))
    assert composer.questions == ["what are Bitcoin fees?"]
    assert composer.searched == ["3 documents"]


def test_a_date_in_the_question_that_leaves_no_answer_is_dropped_and_said() -> None:
    search = RecordingSearch()
    answer = ask(Request("how are fees today?"), steps(search, ScriptedComposer(rejects=("today",))))
    assert search.queries == ["how are fees today?", "how are fees?"]
    assert answer.text == "Fees."
    assert answer.attempts == 2
    assert answer.confidence.level is Level.MEDIUM
    assert (
        answer.confidence.caveat
        == "Nothing dated 5 December 2024 answers this; the newest found is from 2 December 2024."
    )


def test_a_date_that_the_search_itself_dropped_is_said_too() -> None:
    answer = ask(Request("how are fees today?"), steps(RecordingSearch(widens=True), ScriptedComposer()))
    assert answer.attempts == 1
    assert (
        answer.confidence.caveat == "Nothing dated 5 December 2024; the newest found is from 2 December 2024."
    )


def test_a_caveat_of_the_composer_is_kept() -> None:
    composer = ScriptedComposer(confidence=Confidence(Level.LOW, 35, "Few words match."))
    answer = ask(Request("how are fees today?"), steps(RecordingSearch(widens=True), composer))
    assert answer.confidence.level is Level.LOW
    assert answer.confidence.caveat is not None
    assert answer.confidence.caveat.startswith("Nothing dated")
    assert answer.confidence.caveat.endswith("Few words match.")


@pytest.mark.parametrize(
    "request_",
    [
        Request("how are fees today?", days_back=3),
        Request("how are fees today?", filter=Filter(published_from=TODAY.start)),
    ],
)
def test_a_date_that_the_user_set_is_never_dropped(request_: Request) -> None:
    search = RecordingSearch()
    answer = ask(request_, steps(search, ScriptedComposer(rejects=("today",))))
    assert answer.type is AnswerType.REJECTION
    assert search.queries == ["how are fees today?"]


def test_when_nothing_answers_even_without_the_date_the_first_rejection_stays() -> None:
    answer = ask(
        Request("how are fees today?"), steps(RecordingSearch(), ScriptedComposer(rejects=("fees",)))
    )
    assert answer.type is AnswerType.REJECTION
    assert answer.confidence.caveat == "Nothing fits."
    assert [d.outcome for d in answer.decisions].count("again without the date") == 1


def test_a_follow_up_is_looked_up_with_the_words_of_the_conversation() -> None:
    search = RecordingSearch()
    answer = ask(Request("How does it work?", history=HISTORY), steps(search, ScriptedComposer()))
    assert search.queries == ["How does it work? proof stake"]
    assert answer.question == "How does it work?"
    assert answer.type is AnswerType.FOLLOWUP_ANSWER
    assert answer.decisions[0].node == "resolve"
    assert "proof, stake" in answer.decisions[0].reason


@pytest.mark.parametrize(
    ("question", "message"),
    [("", "empty"), ("  \n", "empty"), ("?!", "no words"), ("a" * 1001, "1,001 characters")],
)
def test_what_cannot_be_asked_is_refused(question: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        ask(Request(question), steps(RecordingSearch(), ScriptedComposer()))


def test_a_filter_of_the_user_reaches_the_search() -> None:
    search = RecordingSearch()
    ask(Request("fees?", filter=Filter(tags=("a",))), steps(search, ScriptedComposer()))
    assert search.filters == [Filter(tags=("a",))]
