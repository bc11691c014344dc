"""Analyses: what was read, what all documents together say, and the documents and quotes behind every figure."""

from __future__ import annotations

from typing import Any

from pydantic import Field

from ascertain.app.wire.answers import StreamEventJson, describe_stream_event
from ascertain.app.wire.shape import Date, NounShape
from ascertain.core.asking.answers import Answer, Citation
from ascertain.core.asking.passages import Confidence
from ascertain.core.asking.requests import AnalysisDone, AnalysisEvent
from ascertain.core.reports.analysis import Analysis, AnalysisKind, Coverage, Findings, NarrativeSentence, Pattern


class AnalysisJson(NounShape[Analysis]):
    """What every document of a period says together."""

    question: str = Field(examples=["How did sentiment on bitcoin change in the last 30 days?"])
    kind: AnalysisKind
    focus: str = Field(description="What it is about, empty for everything.", examples=["Bitcoin"])
    pattern: Pattern
    published_from: Date | None = Field(examples=["2025-05-16T00:00:00+00:00"])
    published_before: Date | None = Field(examples=["2025-06-16T00:00:00+00:00"])
    coverage: Coverage
    findings: Findings
    narrative: list[NarrativeSentence] = Field(description="Empty without a chat model.")
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
