"""The page of evaluations: runs that were kept, two of them compared, and golden sets, looked at question by question."""

from collections.abc import Sequence
from typing import Any

import altair as alt
import streamlit as st

from ascertain.core.status import format_count
from ascertain.ui.markup import format_day, show_heading, show_note, show_title
from ascertain.ui.parts import show_rows
from ascertain.ui.session import current_service
from ascertain.wire.evaluation import (
    ComparisonJson,
    GoldenQuestionJson,
    JudgedQuestionBody,
    KeptGoldenJson,
    KeptRunJson,
)

ROW_HEIGHT = 26
MOST_CHANGED = 20
"""Questions shown that changed."""
TONES = {"better": "good", "worse": "bad"}


def show_evaluation() -> None:
    """The page."""
    show_title("Evaluation", "Is it better than before, on your own documents?")
    kept = current_service().evaluations()
    if not kept.runs and not kept.golden:
        show_note("Nothing here yet. Golden sets and runs in the folder evaluation of the home are shown.")
        return
    if kept.golden:
        _show_golden(kept.golden)
    if kept.runs:
        _show_runs(kept.runs)


def _show_runs(runs: Sequence[KeptRunJson]) -> None:
    show_heading("Runs")
    rows = [
        {
            "id": run.name,
            "title": run.name,
            "facts": [run.kind, format_count(run.questions, "question"), format_day(run.started)],
            "note": f"{run.main} {run.mean:.3f}, 95 % {run.interval[0]:.3f} to {run.interval[1]:.3f}",
        }
        for run in runs
    ]
    show_rows(rows, "Runs, the latest first", key="runs")
    if len(runs) > 1:
        names = [run.name for run in runs]
        first, second = st.columns(2)
        before = first.selectbox("Before", names, index=1)
        after = second.selectbox("After", names, index=0)
        if before != after:
            _show_comparison(current_service().compare_runs(before, after))


def list_differences(comparison: ComparisonJson) -> list[dict[str, object]]:
    """Name, difference and interval of each figure that lies in 0 to 1."""
    return [
        {"name": change.name, "value": change.difference, "low": change.interval[0], "high": change.interval[1]}
        for change in comparison.metrics
        if change.name not in {"seconds", "dollars", "confidence", "sentences"}
    ]


def _show_comparison(comparison: ComparisonJson) -> None:
    show_heading(f"{comparison.before} \u2192 {comparison.after}")
    rows = list_differences(comparison)
    base = alt.Chart(alt.Data(values=rows)).encode(y=alt.Y("name:N", sort=None, title=None))
    points = base.mark_point(filled=True, size=90, opacity=1).encode(x=alt.X("value:Q", title="difference"))
    lines = base.mark_rule(strokeWidth=2, opacity=0.6).encode(x="low:Q", x2="high:Q")
    chart: Any = (lines + points).properties(height=ROW_HEIGHT * len(rows) + 50)
    st.altair_chart(chart, alt=", ".join(f"{row['name']} {row['value']:+.3f}" for row in rows))
    told = [f"{change.name} {change.verdict}" for change in comparison.metrics if change.verdict in TONES]
    show_note(
        f"{format_count(comparison.questions, 'question')} in both. "
        + (f"More than chance: {', '.join(told)}." if told else "Nothing moved by more than chance explains.")
    )
    changed = [
        {
            "id": change.id,
            "title": change.question,
            "badges": [
                {
                    "text": f"{change.before:.2f} \u2192 {change.after:.2f}",
                    "tone": "good" if change.after > change.before else "bad",
                }
            ],
        }
        for change in comparison.changed[:MOST_CHANGED]
    ]
    if changed:
        show_rows(changed, f"Questions whose {comparison.main} changed", key="changed")


def _show_golden(sets: Sequence[KeptGoldenJson]) -> None:
    show_heading("Golden sets")
    name = st.selectbox("Set", [one.name for one in sets])
    questions = current_service().golden_questions(name)
    skipped: set[str] = st.session_state.setdefault("skipped", set[str]())
    open_ones = [one for one in questions if not one.validated and one.id not in skipped]
    show_note(f"{sum(one.validated for one in questions)} of {len(questions)} questions are validated.")
    if open_ones:
        _show_question(name, open_ones[0])


def _show_question(name: str, question: GoldenQuestionJson) -> None:
    """One question beside its places, with what a person may do about it."""
    key = f"{name} {question.id}"
    for place in question.places:
        st.caption(f"grade {place.grade}")
        around = f"\u2026 {place.before} \u00bb{place.quote}\u00ab {place.after} \u2026"
        row: dict[str, object] = {"id": place.source, "title": place.source}
        row |= {"facts": [around]} if place.is_there else {"note": "not found in the documents"}
        show_rows([row], "Where it is answered", key=f"{key} {place.source}")
    asked = st.text_input("Question", question.question, key=f"{key} question")
    answers = st.text_area("Answers, one a line", "\n".join(question.answers), key=f"{key} answers")
    grade = st.radio(
        "The documents",
        [None, 2, 1],
        format_func={None: "as proposed", 2: "all answer it", 1: "all help"}.__getitem__,
        horizontal=True,
        key=f"{key} grade",
    )
    answerable = not st.checkbox("The documents do not answer it", not question.answerable, key=f"{key} none")
    by = st.text_input("Your name, kept with the question", key="validated_by")
    keep, drop, skip = st.columns(3)
    if keep.button("Keep", type="primary", width="stretch"):
        body = JudgedQuestionBody(
            question=asked, answers=answers.splitlines(), answerable=answerable, grade=grade, validated_by=by
        )
        current_service().judge_question(name, question.id, body)
        st.rerun()
    if drop.button("Drop", width="stretch"):
        current_service().drop_question(name, question.id)
        st.rerun()
    if skip.button("Skip", width="stretch"):
        st.session_state["skipped"].add(question.id)
        st.rerun()
