"""The page of the statistics: how much there is, from when, and which strategy satisfies which kind of question."""

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any, cast

import altair as alt
import streamlit as st

from ascertain.core.status import format_count, format_size
from ascertain.ui.filters import KIND_NAMES
from ascertain.ui.markup import format_day, moment_of, show_heading, show_note, show_title
from ascertain.ui.pages.documents import DOCUMENT_STATES
from ascertain.ui.parts import show_rows
from ascertain.ui.session import current_service
from ascertain.wire.conversations import DriftJson, FeedbackSummaryJson, FigureJson
from ascertain.wire.documents import DocumentJson
from ascertain.wire.holdings import StatsJson

Table = list[dict[str, object]]
DATED_DOCUMENTS = 1000
"""Looked at for the chart by month; more would take seconds to hand over."""
BAR_HEIGHT = 34
"""Pixels."""
ROW_HEIGHT = 26
LEGEND_HEIGHT = 70
NUMBER_COLOUR = "#7f8b8b"
"""Readable on both themes; a chart does not know which it is on."""
ROOM_FOR_NUMBERS = 1.15
"""Of the longest bar, so that its number fits behind it."""


def by_name(counts: Mapping[str, int], names: Mapping[str, str]) -> Table:
    """Counts under readable names, the largest first."""
    ordered = sorted(counts.items(), key=lambda each: (-each[1], each[0]))
    return [{"name": names.get(name, name), "documents": number} for name, number in ordered if number]


def by_month(documents: Iterable[DocumentJson]) -> Table:
    """Documents by the month they were published in and their kind; those without a date are left out."""
    months: Counter[tuple[str, str]] = Counter()
    for document in documents:
        moment = moment_of(document.published_at)
        if moment is not None:
            months[f"{moment:%Y-%m}-01", KIND_NAMES.get(document.kind, document.kind)] += 1
    return [{"month": month, "kind": kind, "documents": number} for (month, kind), number in sorted(months.items())]


def tabulate_satisfaction(summary: FeedbackSummaryJson) -> Table:
    """Feedback by kind of question and strategy, with the share of thumbs up and its interval."""
    return [
        {
            "question": (row.question_kind or "other").replace("_", " "),
            "strategy": row.strategy,
            "judged": row.judged,
            "share": row.share,
            "low": row.low,
            "high": row.high,
        }
        for row in summary.rows
    ]


def show_statistics() -> None:
    """The page."""
    show_title("Statistics", "What is in the knowledge base, and how well it serves.")
    stats = current_service().stats()
    if not stats.documents:
        show_note("Nothing to count yet. Add documents first.")
        return
    _show_numbers(stats)
    first, second = st.columns(2)
    with first:
        show_heading("By kind")
        _show_bars(by_name(stats.by_kind, KIND_NAMES))
    with second:
        show_heading("By state")
        _show_bars(by_name(stats.by_state, {state: word.capitalize() for state, (word, _) in DOCUMENT_STATES.items()}))
    _show_months(stats)
    _show_drift()
    _show_feedback()


def _show_numbers(stats: StatsJson) -> None:
    numbers = {"Documents": f"{stats.documents:,}", "Passages": f"{stats.chunks:,}"}
    if stats.bytes_on_disk is not None:
        numbers["On disk"] = format_size(stats.bytes_on_disk)
    for cell, (name, number) in zip(st.columns(len(numbers)), numbers.items(), strict=True):
        cell.metric(name, number, border=True)
    found = f"Found by {stats.embedding_model}."
    if stats.earliest and stats.latest:
        found = f"Published {format_day(stats.earliest)} to {format_day(stats.latest)}. {found}"
    show_note(found)


def _show_bars(rows: Table) -> None:
    most = max((cast(int, row["documents"]) for row in rows), default=1)
    base = alt.Chart(alt.Data(values=rows)).encode(
        y=alt.Y("name:N", sort=None, title=None, axis=alt.Axis(labelLimit=160, ticks=False, domain=False)),
        x=alt.X("documents:Q", title=None, axis=None, scale=alt.Scale(domain=[0, most * ROOM_FOR_NUMBERS])),
        tooltip=[alt.Tooltip("name:N", title="What"), alt.Tooltip("documents:Q", title="Documents")],
    )
    chart = base.mark_bar(cornerRadiusEnd=4, size=18) + base.mark_text(align="left", dx=6, color=NUMBER_COLOUR).encode(
        text="documents:Q"
    )
    st.altair_chart(chart.properties(height=BAR_HEIGHT * len(rows)), alt=_speak_rows(rows))


def _show_months(stats: StatsJson) -> None:
    documents: list[DocumentJson] = []
    while len(documents) < min(stats.documents, DATED_DOCUMENTS):
        page = current_service().documents(limit=200, offset=len(documents)).documents
        if not page:
            break
        documents += page
    rows = by_month(documents)
    if not rows:
        return
    show_heading("By month of publication")
    legend = alt.Legend(orient="bottom") if len({row["kind"] for row in rows}) > 1 else None
    chart = (
        alt.Chart(alt.Data(values=rows))
        .mark_bar(cornerRadius=2)
        .encode(
            x=alt.X("month:T", timeUnit="yearmonth", title=None),
            y=alt.Y("documents:Q", title=None, axis=alt.Axis(tickMinStep=1, format="d")),
            color=alt.Color("kind:N", title=None, legend=legend),
            tooltip=[alt.Tooltip("month:T", timeUnit="yearmonth", title="Month"), "kind:N", "documents:Q"],
        )
    )
    st.altair_chart(chart.properties(height=220), alt="Documents by month of publication and kind")
    if stats.documents > DATED_DOCUMENTS:
        show_note(f"Of the first {format_count(DATED_DOCUMENTS, 'document')}.")


DRIFT_DAYS = 7
MOVING = {
    "confidence": ("Confidence", 1, ""),
    "declined": ("Without an answer", 100, "%"),
    "up": ("Thumbs up", 100, "%"),
}
"""Figures of a period: their name, scale and unit."""


def list_moves(drift: DriftJson) -> list[tuple[str, str, str]]:
    """Name, recent value, and what it was before, of each figure; marked where it moved by more than chance."""
    found: list[tuple[str, str, str]] = []
    for name, (title, scale, unit) in MOVING.items():
        recent: FigureJson = getattr(drift.recent, name)
        earlier: FigureJson = getattr(drift.earlier, name)
        if recent.value is None:
            continue
        before = "nothing before" if earlier.value is None else f"{earlier.value * scale:.0f}{unit} before"
        found.append(
            (title, f"{recent.value * scale:.0f}{unit}", f"moved, {before}" if name in drift.moved else before)
        )
    return found


def _show_drift() -> None:
    drift = current_service().drift(DRIFT_DAYS)
    if not drift.recent.answers:
        return
    show_heading("The last seven days")
    moves = list_moves(drift)
    for cell, (title, value, before) in zip(st.columns(len(moves)), moves, strict=True):
        cell.metric(title, value, before, delta_color="off", delta_arrow="off", border=True)
    show_note(
        f"{format_count(drift.recent.answers, 'answer')}, {drift.earlier.answers:,} in the four weeks before. "
        "Moved: the 95 % intervals do not overlap."
    )
    if drift.unanswered:
        show_heading("Questions without an answer")
        rows = [
            {
                "id": str(n),
                "title": theme.word,
                "note": " · ".join(theme.questions[:5]),
                "facts": [str(len(theme.questions))],
            }
            for n, theme in enumerate(drift.unanswered)
        ]
        show_rows(rows, "Questions without an answer, by theme", key="unanswered")


def _show_feedback() -> None:
    summary = current_service().feedback_summary()
    rows = tabulate_satisfaction(summary)
    show_heading("What readers thought of the answers")
    if not rows:
        show_note("Nobody has judged an answer yet. The thumbs under an answer do.")
        return
    good = f"{summary.up:,} of {format_count(summary.judged, 'answer')} with feedback are good."
    show_note(f"{good} The lines are 95 % intervals: with little feedback little is known.")
    base = alt.Chart(alt.Data(values=rows)).encode(
        y=alt.Y("question:N", title=None, axis=alt.Axis(labelLimit=110, ticks=False, domain=False)),
        yOffset="strategy:N",
        color=alt.Color("strategy:N", title=None, legend=alt.Legend(orient="bottom")),
        tooltip=[
            alt.Tooltip("question:N", title="Question"),
            alt.Tooltip("strategy:N", title="Search"),
            alt.Tooltip("share:Q", format=".0%", title="Good"),
            alt.Tooltip("judged:Q", title="Feedback"),
        ],
    )
    share = alt.Axis(format="%", values=[0, 0.5, 1])
    points = base.mark_point(filled=True, size=90, opacity=1).encode(
        x=alt.X("share:Q", title=None, axis=share, scale=alt.Scale(domain=[0, 1]))
    )
    lines = base.mark_rule(strokeWidth=2, opacity=0.6).encode(x=alt.X("low:Q", title=None), x2="high:Q")
    chart: Any = (lines + points).properties(height=LEGEND_HEIGHT + ROW_HEIGHT * len(rows))
    st.altair_chart(chart, alt=f"Share of good answers by kind of question and strategy: {len(rows)} rows")


def _speak_rows(rows: Table) -> str:
    return ", ".join(f"{row['name']} {row['documents']}" for row in rows)
