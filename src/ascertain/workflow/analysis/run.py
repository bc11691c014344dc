"""Runs an analysis: from the question to events, the last of which is the whole analysis."""

from __future__ import annotations

import time
import uuid
from collections.abc import Generator, Iterator
from dataclasses import replace
from typing import cast

from ascertain.answering.confidence import confidence_of
from ascertain.answering.units.candidates import count_noun
from ascertain.core.asking.answers import Answer, AnswerType, Citation, Decision
from ascertain.core.asking.passages import Confidence, Level, Strategy
from ascertain.core.asking.requests import AnalysisDone, AnalysisEvent, AnswerText
from ascertain.core.reports.analysis import Analysis, AnalysisKind, Findings
from ascertain.language.instructions import instruction_warning
from ascertain.reports.analysis.reducing import rate_analysis
from ascertain.workflow.analysis.figures import describe_coverage
from ascertain.workflow.analysis.graph import AnalysisState, analysis_graph
from ascertain.workflow.analysis.steps import AnalysisContext, AnalysisRequest, Scope
from ascertain.workflow.analysis.writing import write_analysis
from ascertain.workflow.analysis.written import Written
from ascertain.workflow.question_text import OUTLOOK, check_question, format_period

NODE = "tell"


def run_analysis(request: AnalysisRequest, context: AnalysisContext) -> Analysis:
    """The analysis; raises UsageError for a question that is empty or too long, StoreError."""
    (done,) = [event for event in stream_analysis(request, context) if isinstance(event, AnalysisDone)]
    return done.analysis


def stream_analysis(request: AnalysisRequest, context: AnalysisContext) -> Generator[AnalysisEvent]:
    """The same as events: each step as it begins and ends, then the text, then the whole analysis."""
    started = time.perf_counter()
    asked = replace(request, question=check_question(request.question))
    final: AnalysisState | None = None
    config = {"recursion_limit": 1_000_000}
    stream = analysis_graph(context.narrator is not None).stream(
        {"request": asked, "narrative": (), "decisions": ()},
        context=context,
        config=config,
        stream_mode=["custom", "values"],
    )
    for mode, value in cast("Iterator[tuple[str, object]]", stream):
        if mode == "custom":
            yield cast(AnalysisEvent, value)
        else:
            final = cast(AnalysisState, value)
    if final is not None:
        analysis = _build_analysis(final, context, started, request.language)
        yield AnswerText(analysis.answer.text)
        yield AnalysisDone(analysis)


def _build_analysis(state: AnalysisState, context: AnalysisContext, started: float, language: str) -> Analysis:
    scope, coverage, findings = state["scope"], state["coverage"], state["findings"]
    document, narrative = context.store.document, state["narrative"]
    written = write_analysis(scope, coverage, findings, document, narrative=narrative) if findings.documents else None
    score = rate_analysis(coverage, findings) if written is not None and written.citations else 0
    if scope.asked.kind is AnalysisKind.PREDICTION:
        score = min(score, MOST_OF_PREDICTION)
    confidence = _with_reasons(confidence_of(score, 0, language), scope, findings)
    decision = Decision(
        NODE, "told" if score else "nothing", describe_coverage(scope, coverage), {"confidence": float(score)}
    )
    answer = Answer(
        question=state["request"].question,
        text=written.text if written is not None and score else _explain_nothing(state),
        type=AnswerType.ANALYSIS if score else AnswerType.REJECTION,
        confidence=confidence if score else Confidence(Level.NONE, 0, "Nothing that was read is on this subject."),
        sentences=tuple(written.sentences) if written is not None and score else (),
        citations=_warn_of_instructions(written) if written is not None and score else (),
        strategy=Strategy.HYBRID,
        decisions=(*state["decisions"], decision),
        usage=context.run.usage,
        seconds=time.perf_counter() - started,
        groundedness=1.0 if score else None,
        id=uuid.uuid4().hex,
    )
    return Analysis(
        question=answer.question,
        asked=scope.asked,
        focus=scope.subject.text,
        pattern=scope.pattern,
        filter=scope.filter,
        coverage=coverage,
        findings=findings,
        answer=answer,
        citations=answer.citations,
        confidence=answer.confidence,
        titles=tuple(
            (each.document_id, each.title) for each in state["maps"] if each.document_id in set(findings.documents)
        ),
        narrative=narrative if score else (),
    )


def _warn_of_instructions(written: Written) -> tuple[Citation, ...]:
    """The citations, those whose quotation reads like instructions to a model with a caution."""
    return tuple(replace(each, warning=instruction_warning(each.quote)) for each in written.citations)


def _with_reasons(confidence: Confidence, scope: Scope, findings: Findings) -> Confidence:
    """Reservations about an analysis: that no one knows the future, that there were few documents, that sources
    contradict each other.
    """
    reservations: list[str] = []
    if scope.asked.kind is AnalysisKind.PREDICTION:
        reservations.append(OUTLOOK if findings.forecasts else NO_OUTLOOK)
    if len(findings.documents) < FEW:
        reservations.append(f"Only {count_noun(len(findings.documents), 'document')} on this.")
    if findings.contradictions:
        reservations.append("Sources contradict each other; both sides are quoted.")
    return replace(confidence, caveat=" ".join(reservations) or None)


NO_OUTLOOK = "No statement about what is to come was found on this."
MOST_OF_PREDICTION = 69
"""The highest score of medium confidence: that sources expect it is certain, not that it will happen."""
FEW = 5
"""Documents below which a share is of single articles."""


def _explain_nothing(state: AnalysisState) -> str:
    """The note that nothing was found, with how much was read."""
    scope, coverage = state["scope"], state["coverage"]
    period = f" {format_period(scope.filter)}".rstrip()
    subject = f" on “{scope.subject.text}”" if scope.subject.text else ""
    if not coverage.found:
        return f"There is no document{period}{f', and so nothing{subject}' if subject else ''}: nothing can be said."
    return f"I read all {coverage.read:,} documents{period} and found nothing{subject}. Nothing can be said about it."
