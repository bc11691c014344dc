"""The page of research: a run begun and followed step by step, its report with every source, and the runs on record."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import streamlit as st

from ascertain.core.status import format_count
from ascertain.ui.citations import open_citation
from ascertain.ui.client import NotThere, ServerEvent
from ascertain.ui.markup import format_day, show_entry, show_heading, show_note, show_title
from ascertain.ui.parts import Row, show_rows
from ascertain.ui.session import current_service
from ascertain.ui.states import escape_markdown
from ascertain.wire.research import (
    ClaimJson,
    ReportSentenceJson,
    ResearchRunJson,
    ResearchSummaryJson,
    RunComparisonJson,
)

LONGEST_SUBJECT = 10_000
SOURCES = {"documents": "My documents", "web": "Web", "arxiv": "arXiv"}
MODES = {"quick": "Quick", "deep": "Deep"}
VERDICTS = {
    "supported": ("supported", "good"),
    "contradicted": ("contradicted", "bad"),
    "not_established": ("not established", "plain"),
    "inferred": ("inferred", "plain"),
    "not_in_sources": ("not in the sources", "bad"),
}
CHOSEN, COMPARED = "research_run", "research_compared"


def show_research() -> None:
    """The page."""
    show_title("Research", "Several agents look into a question or a page; every sentence is cited and checked.")
    _begin()
    chosen = st.session_state.get(CHOSEN)
    if chosen:
        try:
            _show_run(current_service().research_run(str(chosen)))
        except NotThere:
            show_note("This run is not on record any more.")
    _show_runs(current_service().research_runs())


def _begin() -> None:
    with st.form("research_form", border=False):
        subject = st.text_input("Question, or address of a page", max_chars=LONGEST_SUBJECT, key="research_subject")
        mode = st.radio("How far", list(MODES), format_func=MODES.__getitem__, horizontal=True, key="research_mode")
        sources = st.multiselect(
            "Sources", list(SOURCES), default=["documents"], format_func=SOURCES.__getitem__, key="research_sources"
        )
        is_begun = st.form_submit_button("Begin")
    if is_begun and subject.strip():
        _follow(current_service().research(research_body(subject.strip(), mode, sources)))


def research_body(subject: str, mode: str, sources: Sequence[str]) -> dict[str, object]:
    """The body of ``POST /v1/research``; a page is fetched from the web, whatever is chosen."""
    is_page = subject.lower().startswith(("http://", "https://"))
    chosen = list(dict.fromkeys([*(sources or ["documents"]), *(["web"] if is_page else [])]))
    return {"url" if is_page else "question": subject, "mode": mode, "sources": chosen}


def _follow(events: Iterable[ServerEvent]) -> None:
    """Tell the steps while they come; the run is shown once it has ended."""
    with st.status("The agents are at work", expanded=True) as status:
        for event in events:
            if event.name == "started":
                st.session_state[CHOSEN] = event.data["run_id"]
            elif event.name == "step" and event.data["state"] == "started":
                status.update(label=f"{event.data['agent'].capitalize()}: {escape_markdown(event.data['reason'])}")
            elif event.name == "step":
                st.text(f"{event.data['number']}. {event.data['agent']}: {event.data['outcome']}")
            elif event.name == "error":
                status.update(label="The run has stopped", state="error")
                show_note(str(event.data.get("problem", {}).get("detail") or "It failed; it can be gone on with."))
                return
    st.rerun()


def _show_run(run: ResearchRunJson) -> None:
    facts = [MODES.get(run.mode, run.mode), format_count(len(run.steps), "step"), format_day(run.started_at)]
    show_entry(run.title or run.subject or run.url or run.id, facts)
    if run.state == "running":
        show_note("This run has not come to its report.")
        if st.button("Go on with it", key=f"research_resume_{run.id}"):
            _follow(current_service().resume_research(run.id))
        return
    _show_framing(run, "introduction")
    _show_sentences(run, "In plain language", run.summary.sentences if run.summary else [], "summary")
    _show_sentences(run, "Findings", run.findings, "findings")
    for section in ("comparison", "conclusion"):
        _show_framing(run, section)
    claims = [*([run.verdict] if run.verdict else []), *run.claims]
    if claims:
        show_heading("Claims")
        opened, _ = show_rows(
            [claim_row(number, claim) for number, claim in enumerate(claims)],
            "Claims",
            key=f"research_claims_{run.id}",
            opens=True,
        )
        if opened is not None:
            claim = claims[int(opened)]
            _open_first(run, [*claim.evidence_for, *claim.evidence_against])
    open_questions = [part.text for part in run.sub_questions if part.is_open]
    if open_questions:
        show_heading("What could not be established")
        for text in open_questions:
            show_note(text)
    for problem in run.problems:
        show_note(problem)
    with st.expander("Method", key=f"research_method_{run.id}"):
        for number, step in enumerate(run.steps, 1):
            st.text(f"{number}. {step.agent}: {step.outcome} ({step.reason})")
    with st.container(horizontal=True):
        for name, form, suffix in (("Markdown", "markdown", "md"), ("HTML", "html", "html")):
            st.download_button(
                f"Report as {name}",
                lambda form=form: current_service().research_report(run.id, form),
                file_name=f"research-{run.id}.{suffix}",
                key=f"research_{form}_{run.id}",
            )


def _show_framing(run: ResearchRunJson, section: str) -> None:
    """What a chat model wrote around the findings; all of it was found supported."""
    own = [each for each in run.framing if each.section == section]
    sentences = [
        ReportSentenceJson(
            text=each.text, citations=each.citations, verdict="supported", reason="", against=[], sub_question=0
        )
        for each in own
    ]
    _show_sentences(run, section.capitalize(), sentences, section)


def _show_sentences(run: ResearchRunJson, title: str, sentences: Sequence[ReportSentenceJson], name: str) -> None:
    if not sentences:
        return
    show_heading(title)
    opened, _ = show_rows(
        [sentence_row(number, each) for number, each in enumerate(sentences)],
        title,
        key=f"research_{name}_{run.id}",
        opens=True,
    )
    if opened is not None:
        _open_first(run, sentences[int(opened)].citations)


def _open_first(run: ResearchRunJson, numbers: Sequence[int]) -> None:
    if numbers:
        open_citation(run.citations, numbers[0], "Sources of this report")


def sentence_row(number: int, sentence: ReportSentenceJson) -> Row:
    """A sentence of a report, with its verdict where it is not plainly supported."""
    word, tone = VERDICTS.get(sentence.verdict or "", ("", "plain"))
    is_sure = sentence.verdict in {"supported", None}
    return {
        "id": str(number),
        "title": sentence.text,
        "facts": [" ".join(f"[{each}]" for each in sentence.citations)] if sentence.citations else [],
        "badges": [] if is_sure else [{"text": word, "tone": tone}],
        "note": "" if is_sure else sentence.reason,
    }


def claim_row(number: int, claim: ClaimJson) -> Row:
    """A claim with its verdict, and how much speaks for it and against it."""
    word, tone = VERDICTS[claim.verdict]
    sides = [("for", claim.evidence_for), ("against", claim.evidence_against)]
    return {
        "id": str(number),
        "title": claim.claim,
        "facts": [f"{side}: {' '.join(f'[{each}]' for each in cited)}" for side, cited in sides if cited],
        "badges": [{"text": word, "tone": tone}],
        "note": claim.reason,
    }


def _show_runs(runs: Sequence[ResearchSummaryJson]) -> None:
    if not runs:
        show_note("Nothing was looked into yet.")
        return
    show_heading("Runs")
    opened, deleted = show_rows(
        [run_row(run) for run in runs], "Runs", key="research_runs", opens=True, deletes="Delete this run"
    )
    if opened is not None and opened != st.session_state.get(CHOSEN):
        st.session_state[CHOSEN] = opened
        st.rerun()
    chosen = next((run for run in runs if run.id == deleted), None)
    if chosen is not None:
        _confirm_deletion(chosen)
    if len(runs) > 1:
        _compare(runs)


def run_row(run: ResearchSummaryJson) -> Row:
    """A run for the list."""
    checked = f"{run.supported} of {format_count(run.claims, 'claim')} supported" if run.claims else ""
    facts = [MODES.get(run.mode, run.mode), format_count(run.steps, "step"), format_day(run.started_at), checked]
    state = {"text": "finished", "tone": "good"} if run.state == "finished" else {"text": "unfinished", "tone": "plain"}
    return {
        "id": run.id,
        "title": run.subject,
        "facts": [fact for fact in facts if fact],
        "badges": [state],
        "note": "",
    }


def _compare(runs: Sequence[ResearchSummaryJson]) -> None:
    show_heading("Compare two")
    names = {run.id: f"{run.subject} ({format_day(run.started_at)}, {run.id[:4]})" for run in runs}
    with st.form("research_compare_form", border=False):
        left, right = st.columns(2)
        one = left.selectbox("One run", list(names), format_func=names.__getitem__, key="research_one")
        other = right.selectbox("Another", list(names), index=1, format_func=names.__getitem__, key="research_other")
        if st.form_submit_button("Compare"):
            st.session_state[COMPARED] = one, other
    compared = st.session_state.get(COMPARED)
    if compared and set(compared) <= set(names):
        _show_comparison(current_service().compare_research(*compared))


def _show_comparison(found: RunComparisonJson) -> None:
    for title, lines in comparison_groups(found):
        show_heading(title)
        for line in lines:
            show_note(line)


def comparison_groups(found: RunComparisonJson) -> list[tuple[str, list[str]]]:
    """What two runs have in common and what only one has; groups that hold nothing are left out."""
    changed = [
        f"{each.claim} {VERDICTS[each.one][0]}; in the other {VERDICTS[each.other][0]}" for each in found.changed
    ]
    groups = [
        ("Judged otherwise", changed),
        ("Found by both", list(found.findings_of_both)),
        ("Found by the first alone", list(found.findings_of_one)),
        ("Found by the second alone", list(found.findings_of_other)),
        ("Sources of the first alone", list(found.sources_of_one)),
        ("Sources of the second alone", list(found.sources_of_other)),
    ]
    return [(title, lines) for title, lines in groups if lines] or [
        ("Both found nothing", ["There is no finding to compare."])
    ]


@st.dialog("Delete this run?")
def _confirm_deletion(run: ResearchSummaryJson) -> None:
    st.text(run.subject)
    show_note("What was fetched for it goes too.")
    with st.container(horizontal=True):
        if st.button("Delete", type="primary", key="delete_research_now"):
            current_service().delete_research(run.id)
            if st.session_state.get(CHOSEN) == run.id:
                st.session_state.pop(CHOSEN)
            st.rerun()
        if st.button("Keep it", key="keep_research"):
            st.rerun()
