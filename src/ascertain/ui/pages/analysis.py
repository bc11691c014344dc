"""The page of analyses: sentiment and volume over time, the documents of a day that is clicked, and the same in words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, cast

import altair as alt
import streamlit as st

from ascertain.core.status import format_count
from ascertain.ui.answer_view import answer_data
from ascertain.ui.citations import open_citation
from ascertain.ui.markup import format_day, show_heading, show_note, show_title
from ascertain.ui.parts import show_answer, show_rows
from ascertain.ui.session import current_service
from ascertain.wire.analysis import AnalysisJson, TrendPointJson

PERIODS = {"as the question says": 0, "last 7 days": 7, "last 30 days": 30, "last 90 days": 90, "last 365 days": 365}
MOODS = {"positive": "#2a9d8f", "neutral": "#b8bec9", "negative": "#d1495b"}
LONGEST_QUESTION = 10_000
HEIGHT, HEIGHT_OF_BARS = 170, 300
"""Pixels of each chart; below the bars, days are written aslant and the moods under them, which take 140 of them."""
LINE_COLOUR = "#4f8f8c"
"""Readable on both themes."""

Table = list[dict[str, object]]


def tabulate_moods(trend: Sequence[TrendPointJson]) -> Table:
    """How many documents of each mood, by the first day of each point."""
    return [
        {"day": point.first, "mood": share.mood.value, "documents": len(share.documents)}
        for point in trend
        for share in point.shares
        if share.documents
    ]


def tabulate_means(trend: Sequence[TrendPointJson]) -> Table:
    """The mean mood of each point."""
    return [{"day": point.first, "sentiment": point.mood, "documents": len(point.documents)} for point in trend]


def find_chosen(trend: Sequence[TrendPointJson], selected: object) -> TrendPointJson | None:
    """The point of the trend that was clicked; None where nothing was. ``selected`` is what Streamlit tells of the chart."""
    if not isinstance(selected, Mapping):
        return None
    selection = cast("Mapping[str, Mapping[str, Sequence[Mapping[str, object]]]]", selected).get("selection")
    days = {str(each.get("day", ""))[:10] for each in (selection or {}).get("day", ())}
    return next((point for point in trend if point.first in days), None)


def show_analysis() -> None:
    """The page."""
    show_title("Analysis", "What every document of a period says together, not the best few passages.")
    _ask()
    analysis: AnalysisJson | None = st.session_state.get("analysis")
    if analysis is None:
        show_note("Try: “How did sentiment on … change in the last 30 days?” or “What do the papers disagree about?”")
        return
    if len(analysis.findings.trend) > 1:
        _show_trend(analysis)
    said = show_answer(answer_data(analysis.answer, None), key=f"analysis_{analysis.answer.id}")
    if said.opened is not None:
        open_citation(analysis.citations, said.opened, "Sources of this analysis")


def _ask() -> None:
    with st.form("analysis_form", border=False):
        question = st.text_input("Question", max_chars=LONGEST_QUESTION, key="analysis_question")
        period = st.selectbox("Period", list(PERIODS), key="analysis_period")
        is_asked = st.form_submit_button("Analyse")
    if is_asked and question.strip():
        days = PERIODS[period]
        with st.spinner("Reading every document of the period"):
            body: dict[str, object] = {"question": question.strip(), **({"days_back": days} if days else {})}
            st.session_state["analysis"] = current_service().analyze(body)


def _show_trend(analysis: AnalysisJson) -> None:
    trend, step = analysis.findings.trend, analysis.findings.step
    show_heading("Sentiment")
    line = (
        alt.Chart(alt.Data(values=tabulate_means(trend)))
        .mark_line(point=True, color=LINE_COLOUR)
        .encode(
            x=alt.X("day:T", title=None, axis=alt.Axis(format="%-d %b")),
            y=alt.Y("sentiment:Q", title=None, scale=alt.Scale(domain=[-1, 1])),
            tooltip=[alt.Tooltip("day:T", title="From"), alt.Tooltip("sentiment:Q", format="+.2f"), "documents:Q"],
        )
    )
    st.altair_chart(line.properties(height=HEIGHT), alt=f"Mean sentiment over {len(trend)} points in time")
    show_heading("Documents")
    clicked = alt.selection_point(name="day", fields=["day"])
    bars: Any = (
        alt.Chart(alt.Data(values=tabulate_moods(trend)))
        .mark_bar(cornerRadius=2)
        .encode(
            x=alt.X("day:N", title=None, axis=alt.Axis(labelAngle=-60, labelOverlap=True)),
            y=alt.Y("documents:Q", title=None, axis=alt.Axis(tickMinStep=1, format="d")),
            color=alt.Color(
                "mood:N",
                title=None,
                legend=alt.Legend(orient="bottom"),
                scale=alt.Scale(domain=list(MOODS), range=list(MOODS.values())),
            ),
            opacity=alt.condition(clicked, alt.value(1.0), alt.value(0.4)),
            tooltip=["day:N", "mood:N", "documents:Q"],
        )
        .add_params(clicked)
    )
    selected = st.altair_chart(
        bars.properties(height=HEIGHT_OF_BARS),
        on_select="rerun",
        key=f"analysis_days_{analysis.answer.id}",
        alt=f"Documents by mood over {len(trend)} points in time",
    )
    point = find_chosen(trend, selected)
    if point is None:
        show_note(f"Click a {'day' if step == 1 else 'bar'} to see its documents.")
        return
    show_heading(f"{format_day(point.first)}{'' if step == 1 else f' and {step - 1} days after'}")
    moods = {each: share.mood.value for share in point.shares for each in share.documents}
    rows = [
        {"id": each, "title": analysis.titles.get(each, each), "facts": [moods.get(each, "")]}
        for each in point.documents
    ]
    show_rows(rows, format_count(len(rows), "document"), key=f"analysis_rows_{point.first}")
