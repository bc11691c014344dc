"""Adding documents: files and addresses handed to the service, and how far its work has come."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import cast

import streamlit as st

from ascertain.ui.markup import show_heading, show_muted
from ascertain.ui.page_settings import UPLOAD_MEGABYTES
from ascertain.ui.parts import Row, show_rows
from ascertain.ui.problems import ServiceProblem
from ascertain.ui.session import service
from ascertain.ui.states import show_problem
from ascertain.ui.wording import count
from ascertain.wire.service import JobJson

SUFFIXES = (
    *("pdf", "docx", "html", "htm", "xhtml", "md", "markdown", "mdown", "txt", "text", "rst"),
    *("jsonl", "ndjson", "json", "csv", "tsv", "vtt", "srt", "rss", "atom"),
)
"""Files that can be read; those of the package itself, which a test compares."""
PROFILES = {
    "": "As the service is set up",
    "docs": "Documents and manuals",
    "news": "News",
    "papers": "Scientific papers",
    "podcasts": "Talks and podcasts",
}
WATCH_SECONDS = 1.0
SHOWN_JOBS = 5
STATES = {
    "queued": ("waiting", "plain"),
    "running": ("adding", "plain"),
    "finished": ("added", "good"),
    "failed": ("failed", "bad"),
    "cancelled": ("stopped", "warn"),
}


def show_adding() -> None:
    """The forms, and the work they began."""
    files, addresses = st.tabs(["Files", "Web addresses"])
    with files, st.form("upload_form", clear_on_submit=True, border=False):
        _upload_form()
    with addresses, st.form("addresses_form", clear_on_submit=True, border=False):
        _addresses_form()
    show_jobs()


def _upload_form() -> None:
    given = st.file_uploader(
        "Files to add",
        accept_multiple_files=True,
        type=list(SUFFIXES),
        label_visibility="collapsed",
        key="files",
    )
    show_muted(
        f"PDF, Word, HTML, Markdown, plain text, tables, subtitles and feeds, up to {UPLOAD_MEGABYTES} MB each."
    )
    profile, tags = _what_they_are("file")
    if st.form_submit_button("Add these files", type="primary") and given:
        _begin(lambda: service().upload([(each.name, each) for each in given], profile, tags))


def _addresses_form() -> None:
    written = st.text_area(
        "Pages, feeds and arXiv ids, one a line",
        placeholder="https://example.org/article\nhttps://example.org/feed.xml\narxiv:1706.03762",
        key="addresses",
    )
    profile, tags = _what_they_are("address")
    if st.form_submit_button("Fetch and add", type="primary") and (lines := (written or "").split()):
        _begin(lambda: service().add_addresses(lines, profile, tags))


def _what_they_are(form: str) -> tuple[str | None, list[str]]:
    with st.expander("More about them"):
        profile = st.selectbox(
            "What they are",
            list(PROFILES),
            format_func=PROFILES.__getitem__,
            key=f"{form}_profile",
            help="Decides how they are divided and which short forms are understood.",
        )
        tags = st.text_input("Tags, separated by commas", key=f"{form}_tags")
    return profile or None, [tag for each in (tags or "").split(",") if (tag := each.strip())]


def _begin(submit: Callable[[], JobJson]) -> None:
    try:
        submit()
    except ServiceProblem as problem:
        show_problem(problem)
    else:
        st.toast("Handed over. You can go on while it is read.", icon=":material/check:")


@st.fragment(run_every=WATCH_SECONDS)
def _watched_jobs(were_running: int) -> None:
    _show_jobs(_latest(), were_running)


def show_jobs() -> None:
    """What is being added and what was added last; looked at again each second while anything runs."""
    jobs = _latest()
    running = _running(jobs)
    if running:
        _watched_jobs(running)
    else:
        _show_jobs(jobs, 0)


def _latest() -> list[JobJson]:
    return service().jobs()[:SHOWN_JOBS]


def _running(jobs: Sequence[JobJson]) -> int:
    return sum(job.state in {"queued", "running"} for job in jobs)


def _show_jobs(jobs: Sequence[JobJson], were_running: int) -> None:
    if not jobs:
        return
    show_heading("Added last")
    _, stopped = show_rows([job_row(job) for job in jobs], "Added last", key="jobs", deletes="Stop adding")
    if stopped is not None:
        service().cancel_job(stopped)
    for job in jobs:
        if job.state == "running" and job.total:
            st.progress(min(1.0, job.done / job.total))
    if _running(jobs) < were_running:
        # something has ended: the list of documents below is another one now
        st.session_state.pop("documents", None)
        st.rerun()


def job_row(job: JobJson) -> Row:
    """A piece of work for the list."""
    word, tone = STATES.get(job.state, (job.state, "plain"))
    return {
        "id": job.id,
        "title": job.what,
        "facts": _came_of(job),
        "badges": [{"text": word, "tone": tone}],
        "note": "; ".join([*([job.reason] if job.reason else []), *_failures(job)]),
    }


def _came_of(job: JobJson) -> list[str]:
    report = job.report
    facts: list[str] = []
    for name, word in (
        ("added", "added"),
        ("changed", "changed"),
        ("unchanged", "unchanged"),
        ("duplicates", "known already"),
    ):
        number = report.get(name)
        if isinstance(number, int) and number:
            facts.append(f"{number:,} {word}")
    if job.state == "running" and job.total:
        facts.append(f"{job.done / job.total:.0%}")
    return facts


def _failures(job: JobJson) -> list[str]:
    given = job.report.get("failures")
    failures = cast("list[dict[str, str]]", given) if isinstance(given, list) else []
    named = [f"{failure.get('source', '')}: {failure.get('reason', '')}" for failure in failures[:3]]
    more = len(failures) - len(named)
    return [*named, *([f"and {count(more, 'more failure')}"] if more > 0 else [])]
