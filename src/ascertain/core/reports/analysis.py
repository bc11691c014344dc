"""Analysis: what is stored of each document of a period, and what they say together (AZ-1 to AZ-3)."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime
from enum import StrEnum

from ascertain.core.asking.answers import Answer, Citation, Verdict
from ascertain.core.asking.passages import Confidence, Filter
from ascertain.core.documents.blocks import Span
from ascertain.core.errors import UsageError
from ascertain.core.serialisation import Serialisable


class AnalysisKind(StrEnum):
    """What an analytical question wants first; everything else is shown after it."""

    OVERVIEW = "overview"
    MOOD = "mood"
    TREND = "trend"
    DISAGREEMENT = "disagreement"
    PREDICTION = "prediction"


class Pattern(StrEnum):
    """How the documents are read: all at once, each (or a few) by themselves and then together, or a few after the
    others with what is known so far.
    """

    SINGLE_PASS = "single_pass"
    MAP_REDUCE = "map_reduce"
    REFINE = "refine"


def read_pattern(name: str | None) -> Pattern | None:
    """The pattern with this name, None for None; raises UsageError for an unknown name."""
    if name is None:
        return None
    try:
        return Pattern(name.replace("-", "_"))
    except ValueError:
        raise UsageError(f"no pattern {name!r}; choose from {', '.join(Pattern)}") from None


class Mood(StrEnum):
    """Whether a text speaks well or ill of what it is about."""

    POSITIVE = "positive"
    NEUTRAL = "neutral"
    NEGATIVE = "negative"


@dataclass(frozen=True, slots=True)
class AnalysisQuestion:
    """``focus`` is what is asked about, as the question says it; empty for everything. ``side`` is the mood that it asks for alone:
    what worries people.
    """

    kind: AnalysisKind
    focus: str = ""
    side: Mood | None = None


class Direction(StrEnum):
    """Where something goes."""

    UP = "up"
    DOWN = "down"


class Horizon(StrEnum):
    """By when something is expected."""

    MONTH = "month"
    YEAR = "year"
    OPEN = "open"
    """Later, or without a time."""


@dataclass(frozen=True, slots=True)
class Quote(
    Serialisable,
    examples={
        "document_id": "2b5c5f3e0e9d4f1c8a77",
        "span": [0, 44],
        "text": "Bitcoin fell 4 % to $92,000 on 12 May 2025.",
    },
):
    """Exact characters of a document."""

    document_id: str
    span: Span
    text: str


@dataclass(frozen=True, slots=True)
class Statement(Serialisable, hidden=("names", "terms", "is_event"), examples={"mood": -0.4}):
    """A sentence with its mood."""

    quote: Quote
    mood: float
    names: tuple[str, ...]
    terms: frozenset[str]
    """The stems of its content words."""
    is_event: bool = False
    """Whether it says that something happened."""


@dataclass(frozen=True, slots=True)
class Move(
    Serialisable, examples={"subject": "Bitcoin", "percent": 4.0, "level": 92000.0, "unit": "$", "day": "2025-05-12"}
):
    """That something rose or fell, or where it stood."""

    quote: Quote
    subject: str
    direction: Direction | None
    """null where only a level is given."""
    percent: float | None
    level: float | None
    """Where it came to."""
    unit: str
    day: date | None


@dataclass(frozen=True, slots=True)
class Forecast(
    Serialisable,
    computed={"is_speculation": "direction"},
    examples={"speaker": "Elena Brandt", "is_named": True, "subject": "Bitcoin", "is_speculation": True},
):
    """A statement about the future: speculation of who made it."""

    quote: Quote
    speaker: str
    """The publisher or the title where no one is named."""
    is_named: bool
    """Whether the sentence names the speaker; else it is the publisher."""
    subject: str
    direction: Direction | None

    @property
    def is_speculation(self) -> bool:
        """Always: the future is not known."""
        return True


@dataclass(frozen=True, slots=True)
class DocumentMap:
    """What is stored of one document. ``mood`` is -1..1 over all of it, ``names`` how often each thing is named.

    ``key`` are the indexes of its most informative statements, best first. ``characters`` of text were read, in
    ``sentences`` sentences; a text without any was not readable. ``by_model`` says who read it.
    """

    document_id: str
    content_hash: str
    title: str
    publisher: str
    published_at: datetime | None
    mood: float
    statements: tuple[Statement, ...]
    key: tuple[int, ...]
    names: tuple[tuple[str, int], ...]
    moves: tuple[Move, ...]
    forecasts: tuple[Forecast, ...]
    characters: int
    sentences: int
    by_model: bool = False


@dataclass(frozen=True, slots=True)
class Share(Serialisable, examples={"documents": ["2b5c5f3e0e9d4f1c8a77"], "share": 0.62}):
    """The documents of one mood."""

    mood: Mood
    documents: tuple[str, ...]
    """Ids of the documents behind it."""
    share: float
    """Of the documents on the subject, 0 to 1."""


@dataclass(frozen=True, slots=True)
class TrendPoint(
    Serialisable,
    examples={"first": "2025-05-16", "after": "2025-05-17", "documents": ["2b5c5f3e0e9d4f1c8a77"], "mood": 0.21},
):
    """One day, week or 30 days."""

    first: date
    after: date
    """The day after the last."""
    documents: tuple[str, ...]
    """Ids of the documents behind it."""
    mood: float
    """The mean, -1 to 1."""
    shares: tuple[Share, ...]


@dataclass(frozen=True, slots=True)
class TurningPoint(Serialisable, examples={"what": "sentiment", "first": "2025-05-22"}):
    """Where a course turned."""

    what: str
    """`sentiment`, or what has the price."""
    first: date
    before: Direction
    """Where it had been going."""
    quotes: tuple[Quote, ...]


@dataclass(frozen=True, slots=True)
class Course(
    Serialisable, examples={"subject": "Bitcoin", "unit": "$", "moves": 12, "documents": ["2b5c5f3e0e9d4f1c8a77"]}
):
    """The levels of one thing: the first, the highest, the lowest, the last."""

    subject: str
    unit: str
    first: Move
    highest: Move
    lowest: Move
    last: Move
    moves: int
    documents: tuple[str, ...]
    """Ids of the documents behind it."""


@dataclass(frozen=True, slots=True)
class Agreement(
    Serialisable,
    examples={"what": "Bitcoin fell 4 % to $92,000 on 2025-05-12", "sources": ["MarketDaily", "BlockBrief"]},
):
    """What several sources say alike."""

    what: str
    quotes: tuple[Quote, ...]
    sources: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Contradiction(
    Serialisable,
    examples={"what": "Halcyon", "why": "Halcyon: 39 million or 48 million", "sources": ["ChainWatch", "BlockBrief"]},
):
    """Two sources that cannot both be right."""

    what: str
    why: str
    one: Quote
    other: Quote
    sources: tuple[str, str]


@dataclass(frozen=True, slots=True)
class Outlier(Serialisable, examples={"why": "Bitcoin moved by 12 %, where 2 % is usual"}):
    """An outlier."""

    why: str
    quotes: tuple[Quote, ...]


@dataclass(frozen=True, slots=True)
class NameCount(
    Serialisable,
    examples={
        "name": "Bitcoin",
        "documents": ["2b5c5f3e0e9d4f1c8a77"],
        "mood": 0.1,
        "first": "2025-05-16",
        "last": "2025-06-15",
        "before": 7,
    },
):
    """A thing that is named."""

    name: str
    documents: tuple[str, ...]
    """Ids of the documents behind it."""
    mood: float
    first: date | None
    """Of the first document that names it."""
    last: date | None
    before: int | None = None
    """Documents of the period before that name it; null without one."""


@dataclass(frozen=True, slots=True)
class Before(Serialisable, examples={"first": "2025-04-15", "after": "2025-05-16", "documents": 38}):
    """The period of the same length before."""

    first: date
    after: date
    documents: int
    shares: tuple[Share, ...]


@dataclass(frozen=True, slots=True)
class Coverage(
    Serialisable,
    examples={
        "found": 47,
        "read": 47,
        "duplicates": 3,
        "unreadable": 0,
        "off_subject": 3,
        "on_subject": 41,
        "undated": 0,
        "by_model": 0,
        "reused": 0,
    },
):
    """How much of the period was read."""

    found: int
    read: int
    duplicates: int
    """Near-duplicates, each counted with the document it repeats."""
    unreadable: int
    off_subject: int
    on_subject: int
    undated: int
    """Documents without a date, which are in no period."""
    by_model: int
    """Of those on the subject, read by the chat model."""
    reused: int
    """Read before, and not changed since."""


@dataclass(frozen=True, slots=True)
class Findings(Serialisable, hidden=("gists",), examples={"documents": ["2b5c5f3e0e9d4f1c8a77"], "step": 1}):
    """What the documents on the subject say together."""

    documents: tuple[str, ...]
    """Ids of the documents behind it."""
    shares: tuple[Share, ...]
    trend: tuple[TrendPoint, ...]
    step: int
    """Days of a point of the trend."""
    turning_points: tuple[TurningPoint, ...]
    names: tuple[NameCount, ...]
    courses: tuple[Course, ...]
    moves: tuple[Move, ...]
    forecasts: tuple[Forecast, ...]
    agreements: tuple[Agreement, ...]
    contradictions: tuple[Contradiction, ...]
    outliers: tuple[Outlier, ...]
    events: tuple[Statement, ...]
    voices: tuple[Statement, ...]
    """The sentences that speak best and worst of the subject."""
    before: Before | None = None
    gists: tuple[Quote, ...] = ()
    """The most informative sentences of each document."""
    disputes: tuple[Quote, ...] = ()
    """The sentences with a disagreement."""


class NarrativePart(StrEnum):
    """What a sentence of the narrative speaks of; the last two are what sources expect."""

    TREND = "trend"
    PATTERN = "pattern"
    SHORT_TERM = "short_term"
    LONGER_TERM = "longer_term"


@dataclass(frozen=True, slots=True)
class NarrativeSentence(
    Serialisable,
    hidden=("verdict",),
    examples={
        "text": "Sentiment on bitcoin cooled from +0.23 to +0.14.",
        "figures": ["It went from +0.23 in the first half of the period to +0.14 in the second (−1 is ill, +1 well)."],
        "speakers": ["Elena Brandt"],
    },
):
    """A sentence of a chat model on the findings, with the quotations and the computed figures that support it."""

    part: NarrativePart
    text: str
    verdict: Verdict
    quotes: tuple[Quote, ...]
    figures: tuple[str, ...]
    speakers: tuple[str, ...]
    """Who expects it, of what is expected: speculation of theirs."""


@dataclass(frozen=True, slots=True)
class Analysis:
    """An analysis with the answer that presents it. ``focus`` is the subject with its slang written out.

    ``citations`` are numbered as in the text of ``answer``; ``titles`` has the title of each document that is named. ``narrative`` is
    empty without a chat model.
    """

    question: str
    asked: AnalysisQuestion
    focus: str
    pattern: Pattern
    filter: Filter
    coverage: Coverage
    findings: Findings
    answer: Answer
    citations: tuple[Citation, ...]
    confidence: Confidence
    titles: tuple[tuple[str, str], ...] = ()
    narrative: tuple[NarrativeSentence, ...] = ()
