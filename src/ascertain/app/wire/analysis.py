"""Analyses: what was read, what all documents together say, and the documents and quotes behind every figure."""

from __future__ import annotations

from datetime import date
from typing import Annotated, Any

from pydantic import BeforeValidator, Field

from ascertain.app.wire.answers import StreamEventJson, describe_stream_event
from ascertain.app.wire.shape import Date, NounShape, Number, Shape, SpanJson
from ascertain.core.asking.answers import Answer, Citation
from ascertain.core.asking.passages import Confidence
from ascertain.core.asking.requests import AnalysisDone, AnalysisEvent
from ascertain.core.documents.blocks import Span
from ascertain.core.reports.analysis import Analysis, AnalysisKind, Direction, Mood, NarrativePart, Pattern


def _write_day(given: object) -> object:
    return given.isoformat() if isinstance(given, date) else given


def _write_span(given: object) -> object:
    return tuple(given) if isinstance(given, Span) else given


Day = Annotated[str, BeforeValidator(_write_day)]
"""ISO 8601, without a time."""
Ids = Annotated[list[str], Field(description="Ids of the documents behind it.", examples=[["2b5c5f3e0e9d4f1c8a77"]])]


class QuoteJson(Shape):
    """Exact characters of a document."""

    document_id: str = Field(examples=["2b5c5f3e0e9d4f1c8a77"])
    span: Annotated[SpanJson, BeforeValidator(_write_span)] = Field(examples=[[0, 44]])
    text: str = Field(examples=["Bitcoin fell 4 % to $92,000 on 12 May 2025."])


class ShareJson(Shape):
    """The documents of one mood."""

    mood: Mood
    documents: Ids
    share: Number = Field(description="Of the documents on the subject, 0 to 1.", examples=[0.62])


class TrendPointJson(Shape):
    """One day, week or 30 days."""

    first: Day = Field(examples=["2025-05-16"])
    after: Day = Field(description="The day after the last.", examples=["2025-05-17"])
    documents: Ids
    mood: Number = Field(description="The mean, -1 to 1.", examples=[0.21])
    shares: list[ShareJson]


class TurningPointJson(Shape):
    """Where a course turned."""

    what: str = Field(description="`sentiment`, or what has the price.", examples=["sentiment"])
    first: Day = Field(examples=["2025-05-22"])
    before: Direction = Field(description="Where it had been going.")
    quotes: list[QuoteJson]


class MoveJson(Shape):
    """That something rose or fell, or where it stood."""

    quote: QuoteJson
    subject: str = Field(examples=["Bitcoin"])
    direction: Direction | None = Field(description="null where only a level is given.")
    percent: Number | None = Field(examples=[4.0])
    level: Number | None = Field(description="Where it came to.", examples=[92000.0])
    unit: str = Field(examples=["$"])
    day: Day | None = Field(examples=["2025-05-12"])


class CourseJson(Shape):
    """The levels of one thing: the first, the highest, the lowest, the last."""

    subject: str = Field(examples=["Bitcoin"])
    unit: str = Field(examples=["$"])
    first: MoveJson
    highest: MoveJson
    lowest: MoveJson
    last: MoveJson
    moves: int = Field(examples=[12])
    documents: Ids


class ForecastJson(Shape):
    """A statement about the future: speculation of who made it."""

    quote: QuoteJson
    speaker: str = Field(examples=["Elena Brandt"])
    is_named: bool = Field(
        description="Whether the sentence names the speaker; else it is the publisher.", examples=[True]
    )
    subject: str = Field(examples=["Bitcoin"])
    direction: Direction | None
    is_speculation: bool = Field(default=True, examples=[True])


class AgreementJson(Shape):
    """What several sources say alike."""

    what: str = Field(examples=["Bitcoin fell 4 % to $92,000 on 2025-05-12"])
    quotes: list[QuoteJson]
    sources: list[str] = Field(examples=[["MarketDaily", "BlockBrief"]])


class ContradictionJson(Shape):
    """Two sources that cannot both be right."""

    what: str = Field(examples=["Halcyon"])
    why: str = Field(examples=["Halcyon: 39 million or 48 million"])
    one: QuoteJson
    other: QuoteJson
    sources: list[str] = Field(examples=[["ChainWatch", "BlockBrief"]])


class OutlierJson(Shape):
    """An outlier."""

    why: str = Field(examples=["Bitcoin moved by 12 %, where 2 % is usual"])
    quotes: list[QuoteJson]


class NameCountJson(Shape):
    """A thing that is named."""

    name: str = Field(examples=["Bitcoin"])
    documents: Ids
    mood: Number = Field(examples=[0.1])
    first: Day | None = Field(description="Of the first document that names it.", examples=["2025-05-16"])
    last: Day | None = Field(examples=["2025-06-15"])
    before: int | None = Field(
        description="Documents of the period before that name it; null without one.", examples=[7]
    )


class StatementJson(Shape):
    """A sentence with its mood."""

    quote: QuoteJson
    mood: Number = Field(examples=[-0.4])


class BeforeJson(Shape):
    """The period of the same length before."""

    first: Day = Field(examples=["2025-04-15"])
    after: Day = Field(examples=["2025-05-16"])
    documents: int = Field(examples=[38])
    shares: list[ShareJson]


class CoverageJson(Shape):
    """How much of the period was read."""

    found: int = Field(examples=[47])
    read: int = Field(examples=[47])
    duplicates: int = Field(description="Near-duplicates, each counted with the document it repeats.", examples=[3])
    unreadable: int = Field(examples=[0])
    off_subject: int = Field(examples=[3])
    on_subject: int = Field(examples=[41])
    undated: int = Field(description="Documents without a date, which are in no period.", examples=[0])
    by_model: int = Field(description="Of those on the subject, read by the chat model.", examples=[0])
    reused: int = Field(description="Read before, and not changed since.", examples=[0])


class FindingsJson(Shape):
    """What the documents on the subject say together."""

    documents: Ids
    shares: list[ShareJson]
    trend: list[TrendPointJson]
    step: int = Field(description="Days of a point of the trend.", examples=[1])
    turning_points: list[TurningPointJson]
    names: list[NameCountJson]
    courses: list[CourseJson]
    moves: list[MoveJson]
    forecasts: list[ForecastJson]
    agreements: list[AgreementJson]
    contradictions: list[ContradictionJson]
    outliers: list[OutlierJson]
    events: list[StatementJson]
    voices: list[StatementJson] = Field(description="The sentences that speak best and worst of the subject.")
    before: BeforeJson | None
    disputes: list[QuoteJson] = Field(description="The sentences with a disagreement.")


class NarrativeSentenceJson(Shape):
    """A sentence of a chat model on the findings, with the quotations and the computed figures that support it."""

    part: NarrativePart
    text: str = Field(examples=["Sentiment on bitcoin cooled from +0.23 to +0.14."])
    quotes: list[QuoteJson]
    figures: list[str] = Field(
        examples=[["It went from +0.23 in the first half of the period to +0.14 in the second (−1 is ill, +1 well)."]]
    )
    speakers: list[str] = Field(
        description="Who expects it, of what is expected: speculation of theirs.", examples=[["Elena Brandt"]]
    )


class AnalysisJson(NounShape[Analysis]):
    """What every document of a period says together."""

    question: str = Field(examples=["How did sentiment on bitcoin change in the last 30 days?"])
    kind: AnalysisKind
    focus: str = Field(description="What it is about, empty for everything.", examples=["Bitcoin"])
    pattern: Pattern
    published_from: Date | None = Field(examples=["2025-05-16T00:00:00+00:00"])
    published_before: Date | None = Field(examples=["2025-06-16T00:00:00+00:00"])
    coverage: CoverageJson
    findings: FindingsJson
    narrative: list[NarrativeSentenceJson] = Field(description="Empty without a chat model.")
    answer: Answer = Field(description="The same in words, as `ask` answers.")
    citations: list[Citation]
    confidence: Confidence
    titles: dict[str, str] = Field(
        description="The titles of the documents on the subject, by id.",
        examples=[{"2b5c5f3e0e9d4f1c8a77": "Gas fees"}],
    )

    @classmethod
    def read_noun(cls, noun: Any) -> object:
        """With the kind and the dates by themselves."""
        return cls.read_attributes(
            noun,
            kind=noun.asked.kind,
            published_from=noun.filter.published_from,
            published_before=noun.filter.published_before,
            titles=dict(noun.titles),
        )


def describe_analysis_event(event: AnalysisEvent) -> tuple[str, StreamEventJson | AnalysisJson]:
    """An event of an analysis as the service sends it: its name and its data."""
    if isinstance(event, AnalysisDone):
        return "analysis", AnalysisJson.from_noun(event.analysis)
    return describe_stream_event(event)
