"""``ascertain analyze``."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console

from ascertain.core.asking.requests import AnalysisDone, NodeFinished, NodeStarted
from ascertain.core.reports.analysis import Pattern
from ascertain.interfaces.cli.charts import check_chart, open_pyplot, save_chart
from ascertain.interfaces.cli.options import (
    FilterOptions,
    Invocation,
    SharedOptions,
    build_filter,
    parse_moment,
    spread_options,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from ascertain.core.documents.documents import Document
    from ascertain.core.reports.analysis import Analysis

WORKING = {
    "scope": "finding the documents of the period",
    "read": "reading",
    "reduce": "bringing together",
    "compare": "comparing with the period before",
}
COLOURS = {"positive": "#2a9d8f", "neutral": "#b8bec9", "negative": "#d1495b"}


@dataclass(frozen=True, slots=True)
class PeriodOptions:
    """Which days are read, beside those of the filter."""

    days_back: Annotated[
        int | None,
        typer.Option("--days-back", metavar="N", help="Only the last N days (1 to 365), whatever the question says."),
    ] = None
    as_of: Annotated[str | None, typer.Option("--as-of", metavar="DATE", help="Pretend that today is this day.")] = None


@spread_options
def analyze_documents(
    context: typer.Context,
    question: Annotated[str, typer.Argument(metavar="QUESTION", help="What to analyse.")],
    shared: SharedOptions,
    filters: FilterOptions,
    period: PeriodOptions,
    pattern: Annotated[
        Pattern | None, typer.Option("--pattern", help="How the documents are read; by default chosen by their number.")
    ] = None,
    chart: Annotated[
        Path | None,
        typer.Option(
            "--chart", metavar="FILE", help="Also draw sentiment and volume by day into FILE.svg or FILE.png."
        ),
    ] = None,
    trace: Annotated[bool, typer.Option("--trace", "--explain", help="Also print how the answer came about.")] = False,
) -> None:
    """Say what all documents of a period say together.

    Sentiment with its shares and its course, moves of prices, contradictions between sources, events, and who
    expects what, each with quotations. The period is the one in the question, --days-back, or --since and --before.
    Statements about the future are marked as speculation of those who made them; nothing is predicted.

    \b
    Examples:
      ascertain analyze "how did sentiment on solana change since May?"
      ascertain analyze "summarize the last 30 days" --json
      ascertain analyze "bitcoin" --since 2025-05-01 --before 2025-06-01 --chart may.svg
      ascertain analyze "what do the papers disagree about?" --kind paper
      ascertain analyze "what is your prediction for crypto?" --days-back 30 --pattern refine
    """
    invocation = Invocation(context, shared)
    check_chart(chart)
    selection = build_filter(filters)
    with invocation.open(None if period.as_of is None else parse_moment(period.as_of, "--as-of")) as knowledge:
        analysis: Analysis | None = None
        with invocation.err.status("", spinner="dots") as status:
            for event in knowledge.analyze_stream(
                question, filter=selection, days_back=period.days_back, pattern=pattern
            ):
                if isinstance(event, NodeStarted):
                    status.update(WORKING.get(event.node, event.node))
                elif isinstance(event, NodeFinished):
                    status.update(f"{WORKING.get(event.node, event.node)}: {event.decisions[-1].outcome}")
                elif isinstance(event, AnalysisDone):
                    analysis = event.analysis
        if analysis is None:
            return
        if chart is not None:
            draw_chart(analysis, chart)
        if invocation.as_json:
            from ascertain.app.wire.analysis import AnalysisJson

            invocation.emit(AnalysisJson.from_noun(analysis))
        else:
            print_analysis(invocation.out, analysis, knowledge.document, trace)
        if chart is not None and analysis.findings.trend:
            invocation.err.print(f"Chart: {chart}", style="dim", markup=False)


def print_analysis(
    console: Console, analysis: Analysis, document: Callable[[str], Document | None], trace: bool = False
) -> None:
    """The text with its sources, as ``ask`` prints an answer."""
    from ascertain.interfaces.cli.answers import print_answer

    print_answer(console, analysis.answer, document, trace)


def draw_chart(analysis: Analysis, file: Path) -> None:
    """Sentiment and volume over time, for print and screen; nothing if no document has a date."""
    trend = analysis.findings.trend
    if not trend:
        return
    from importlib import import_module

    dates: Any = import_module("matplotlib.dates")
    days = [point.first for point in trend]
    width = 0.8 * analysis.findings.step
    with open_pyplot() as pyplot:
        figure, (above, below) = pyplot.subplots(
            2, 1, sharex=True, figsize=(9, 5), layout="constrained", height_ratios=(3, 2)
        )
        above.axhline(0, color="#888", linewidth=0.8)
        above.plot(days, [point.mood for point in trend], "o-", color="#264653", markersize=3, linewidth=1.2)
        for turn in analysis.findings.turning_points:
            if turn.what == "sentiment":
                above.axvline(turn.first, color="#e9a23b", linewidth=1, linestyle=":")
        above.set(ylim=(-1, 1), ylabel="sentiment (mean)", title=analysis.question)
        height = [0] * len(trend)
        for mood, colour in COLOURS.items():
            counts = [len(share.documents) for point in trend for share in point.shares if share.mood == mood]
            below.bar(days, counts, width, bottom=height, color=colour, label=mood)
            height = [one + other for one, other in zip(height, counts, strict=True)]
        below.set(ylabel="documents")
        below.legend(frameon=False, ncols=3)
        below.xaxis.set_major_formatter(dates.ConciseDateFormatter(below.xaxis.get_major_locator()))
        save_chart(pyplot, figure, file)
