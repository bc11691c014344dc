"""Questions with their options, their conversations, and the events on the way to an answer."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any, Literal, Self, TypedDict, Unpack, cast

from ascertain.core.asking.answers import Answer, AnswerType, Decision, Usage
from ascertain.core.asking.passages import Confidence, Filter, Passage, Strategy, read_strategy
from ascertain.core.asking.plans import Plan
from ascertain.core.documents.documents import DocumentKind
from ascertain.core.reports.analysis import Analysis
from ascertain.core.serialisation import Serialisable

HISTORY_TURNS = 10
"""Latest turns of a conversation that a question sees: what it points at was said in the last two or three, and each costs tokens."""


@dataclass(frozen=True, slots=True)
class Turn:
    """One message of a conversation.

    ``standalone`` is a question as it was looked up, empty where that is not stored or is the question itself.
    """

    role: Literal["user", "assistant"]
    text: str
    standalone: str = ""


@dataclass(frozen=True, slots=True)
class Standalone:
    """A question that can be understood without the conversation.

    ``text`` is the question itself when it already stands alone; ``added`` are the words that the conversation gave.
    """

    text: str
    is_follow_up: bool
    added: tuple[str, ...] = ()
    reason: str = ""


class TurnState(StrEnum):
    """The state of a turn."""

    RUNNING = "running"
    FINISHED = "finished"
    FAILED = "failed"
    INTERRUPTED = "interrupted"
    """Its process ended before the turn did."""


@dataclass(frozen=True, slots=True)
class StoredTurn:
    """What is stored of a finished turn.

    ``standalone`` is the question as it was looked up, None when that is the question itself. ``answer`` is the whole
    answer in the shape of ``ask --json``; None where it was pruned.
    """

    question: str
    text: str
    type: AnswerType
    finished_at: datetime
    standalone: str | None = None
    answer: Mapping[str, object] | None = None


@dataclass(frozen=True, slots=True)
class TurnRecord:
    """A stored turn. ``reason`` says why it failed or was interrupted; ``outcome`` is set once finished."""

    turn_id: str
    question: str
    asked_at: datetime
    state: TurnState
    reason: str = ""
    outcome: StoredTurn | None = None


@dataclass(frozen=True, slots=True)
class AnsweredQuestion:
    """A question of a conversation and the reply; ``answer`` is the full answer, None where it is not stored. ``stands``: the
    documents still contain what it quotes.
    """

    question: str
    text: str
    answer: Answer | None = None
    stands: bool = True


@dataclass(frozen=True, slots=True)
class ConversationLabel:
    """The name of a conversation, empty without one, whether it is pinned to the top, and its owner.

    ``owner`` is the user that began it, empty without a key. A shared one can be read by the whole tenant.
    """

    name: str = ""
    is_pinned: bool = False
    owner: str = ""
    is_shared: bool = False


@dataclass(frozen=True, slots=True)
class ConversationSummary:
    """One line of a list of conversations; ``turns`` counts the finished ones, ``label`` is its name for people."""

    id: str
    first_question: str
    turns: int
    last_used: datetime
    label: ConversationLabel = ConversationLabel()


@dataclass(frozen=True, slots=True)
class FollowUp(
    Serialisable,
    examples={"document_id": "2b5c5f3e0e9d4f1c8a77", "title": "Refunds", "kind": "prose", "section": "How it is paid"},
):
    """A document, or a section of one, that an answer leads on to."""

    document_id: str
    title: str
    kind: DocumentKind
    section: str = ""
    """Empty for the document as a whole."""


Mode = Literal["documents", "news"]


class AskOptions(TypedDict, total=False):
    """The options of a question, by name; the fields of ``AskRequest`` say what each means."""

    strategy: Strategy | str | None
    filter: Filter
    days_back: int | None
    conversation_id: str | None
    history: Sequence[Turn] | None
    mode: Mode
    time_range: str | None
    max_articles: int | None
    max_chunks: int | None
    use_cache: bool
    answer_id: str
    drafts: bool


@dataclass(frozen=True, slots=True)
class AskRequest:
    """One question with all its options.

    ``days_back`` (1 to 365) restricts the dates, over what the words of the question say. With a ``conversation_id``
    the question is a turn of that conversation: it is understood with the turns before it, and stored. ``history``
    (oldest first) replaces the stored turns; then nothing is stored if ``keep`` is false, as ``of`` has it.

    ``previous`` is the last answer of the conversation, whole, where it is on record and still stands; ``answered`` are its latest
    questions, the oldest first, where they are asked for and on record. ``shown`` are the ids of the documents that were quoted last.

    In mode ``news`` it is answered from articles fetched for its conversation, which is started if none is given:
    ``max_articles`` (1 to 100) of the ``time_range`` (any, day, week, month, year), both override the settings.
    ``strategy`` may be given by its name; an unknown name raises UsageError.
    ``max_chunks`` (1 to 50) is the number of passages an answer is written from. Without ``use_cache`` the answer is
    computed again even if it is cached. ``answer_id`` is the id of the answer, generated if empty. With ``drafts`` the
    events have the drafts of a chat model as it writes them. ``user`` is who asks, as the app knows it.
    """

    question: str
    strategy: Strategy | None = None
    filter: Filter = Filter()
    days_back: int | None = None
    conversation_id: str | None = None
    history: tuple[Turn, ...] = ()
    mode: Mode = "documents"
    time_range: str | None = None
    max_articles: int | None = None
    max_chunks: int | None = None
    use_cache: bool = True
    answer_id: str = ""
    keep: bool = True
    drafts: bool = False
    previous: Answer | None = None
    answered: tuple[AnsweredQuestion, ...] = ()
    shown: tuple[str, ...] = ()
    user: str = ""

    def __post_init__(self) -> None:
        # a bare string would not equal the strategies that the search compares with
        object.__setattr__(self, "strategy", read_strategy(self.strategy))

    @classmethod
    def of(cls, question: str, **options: Unpack[AskOptions]) -> Self:
        """The request of a question with options by name; a given ``history`` keeps it out of the conversation."""
        rest = cast("dict[str, Any]", options)
        history: Sequence[Turn] | None = rest.pop("history", None)
        return cls(question, history=tuple(history or ()), keep=history is None, **rest)

    @property
    def sets_dates(self) -> bool:
        """Whether the user restricted the dates beside the question."""
        return self.days_back is not None or self.filter.has_dates

    @property
    def material_id(self) -> str:
        """For which conversation fetched articles are stored; a question outside any has its own."""
        return self.conversation_id or self.answer_id


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
class DraftText(Serialisable, examples={"text": "Gas fees are"}):
    """`draft`: a piece of a draft as a chat model writes it, in Markdown; it is not checked yet."""

    text: str
    is_new: bool = False
    """Whether another draft begins; it replaces what was shown of an earlier one."""


@dataclass(frozen=True, slots=True)
class AnswerText(Serialisable, examples={"text": "Gas fees are what a transaction pays ..."}):
    """`text`: a piece of the checked answer."""

    text: str


@dataclass(frozen=True, slots=True)
class Done:
    """The end, with the whole answer and the plan it was looked up by."""

    answer: Answer
    plan: Plan | None = None


StepEvent = NodeStarted | NodeFinished | AnswerText | Done
"""The events of every question."""
Event = StepEvent | DraftText


@dataclass(frozen=True, slots=True)
class AnalysisDone:
    """The end of an analysis, with the whole of it."""

    analysis: Analysis


AnalysisEvent = NodeStarted | NodeFinished | AnswerText | AnalysisDone
