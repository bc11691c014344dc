"""Analysis: what is stored of each document of a period, and what they say together (AZ-1 to AZ-3)."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime
from enum import StrEnum

from ascertain.core.asking.answers import Answer, Citation, Verdict
from ascertain.core.asking.passages import Confidence, Filter
from ascertain.core.documents.blocks import Span
from ascertain.core.errors import UsageError


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
class Quote:
    """``text`` is what the document holds under ``span``."""

    document_id: str
    span: Span
    text: str


@dataclass(frozen=True, slots=True)
class Statement:
    """A sentence that states something. ``mood`` is -1..1; ``terms`` are the stems of its content words. ``is_event``: it
    says that something happened.
    """

    quote: Quote
    mood: float
    names: tuple[str, ...]
    terms: frozenset[str]
    is_event: bool = False


@dataclass(frozen=True, slots=True)
class Move:
    """That something rose or fell, or where it stood: "fell 4 % to $92,000".

    ``direction`` is None where only a level is given ("stood at $92,000"). ``percent`` is its size, always positive, None where only a level is given; ``level`` is where it came to, in
    ``unit`` ("$", "€", "%" or ""). ``day`` is the one that the sentence names, else that of its document.
    """

    quote: Quote
    subject: str
    direction: Direction | None
    percent: float | None
    level: float | None
    unit: str
    day: date | None


@dataclass(frozen=True, slots=True)
class Forecast:
    """A statement about the future. ``speaker`` is who made it; the publisher or the title where no one is named, and
    ``is_named`` tells which. ``direction`` is None where it names none.
    """

    quote: Quote
    speaker: str
    is_named: bool
    subject: str
    direction: Direction | None


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
class Share:
    """So many documents are of this mood; ``documents`` are their ids, ``share`` is 0..1."""

    mood: Mood
    documents: tuple[str, ...]
    share: float


@dataclass(frozen=True, slots=True)
class TrendPoint:
    """One day, week or month: its documents, and their mean mood."""

    first: date
    after: date
    documents: tuple[str, ...]
    mood: float
    shares: tuple[Share, ...]


@dataclass(frozen=True, slots=True)
class TurningPoint:
    """Where a course turned: at ``first`` it had been going ``before`` and went the other way from then on."""

    what: str
    first: date
    before: Direction
    quotes: tuple[Quote, ...]


@dataclass(frozen=True, slots=True)
class Course:
    """The levels and moves of one subject, by day: where it began and ended, its highest and its lowest."""

    subject: str
    unit: str
    first: Move
    highest: Move
    lowest: Move
    last: Move
    moves: int
    documents: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Agreement:
    """What several sources say alike."""

    what: str
    quotes: tuple[Quote, ...]
    sources: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Contradiction:
    """Two sources that cannot both be right; ``why`` says what differs."""

    what: str
    why: str
    one: Quote
    other: Quote
    sources: tuple[str, str]


@dataclass(frozen=True, slots=True)
class Outlier:
    """An outlier, and why."""

    why: str
    quotes: tuple[Quote, ...]


@dataclass(frozen=True, slots=True)
class NameCount:
    """A thing that is named in ``documents``; ``first`` and ``last`` are the days of the first and the last of them.

    ``before`` is how many documents of the period before name it, None where that was not counted.
    """

    name: str
    documents: tuple[str, ...]
    mood: float
    first: date | None
    last: date | None
    before: int | None = None


@dataclass(frozen=True, slots=True)
class Before:
    """The period of the same length before: how many documents on the subject, and their moods."""

    first: date
    after: date
    documents: int
    shares: tuple[Share, ...]


@dataclass(frozen=True, slots=True)
class Coverage:
    """What was read: ``read`` of ``found`` documents of the period, and those of them that count.

    ``duplicates`` are near-duplicates of another, counted once; ``unreadable`` hold no sentence; ``off_subject`` do not
    name what is asked about; ``on_subject`` is what is left. ``undated`` documents are in no period. ``by_model`` were read by
    a chat model. ``reused`` had been read before.
    """

    found: int
    read: int
    duplicates: int
    unreadable: int
    off_subject: int
    on_subject: int
    undated: int
    by_model: int
    reused: int


@dataclass(frozen=True, slots=True)
class Findings:
    """What the documents on the subject say together. ``step`` is how many days a point of the trend has; ``voices`` are the sentences
    that speak best and worst of the subject; ``gists`` are the most informative ones of each document, ``disputes`` those
    with a disagreement.
    """

    documents: tuple[str, ...]
    shares: tuple[Share, ...]
    trend: tuple[TrendPoint, ...]
    step: int
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
    before: Before | None = None
    gists: tuple[Quote, ...] = ()
    disputes: tuple[Quote, ...] = ()


class NarrativePart(StrEnum):
    """What a sentence of the narrative speaks of; the last two are what sources expect."""

    TREND = "trend"
    PATTERN = "pattern"
    SHORT_TERM = "short_term"
    LONGER_TERM = "longer_term"


@dataclass(frozen=True, slots=True)
class NarrativeSentence:
    """A sentence that a chat model wrote about the findings, supported by its ``quotes`` and by ``figures``, lines that
    were computed. ``speakers`` are those who expect what it says, for statements about the future.
    """

    part: NarrativePart
    text: str
    verdict: Verdict
    quotes: tuple[Quote, ...]
    figures: tuple[str, ...]
    speakers: tuple[str, ...]


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
