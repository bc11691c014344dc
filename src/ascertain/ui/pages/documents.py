"""The page of the documents: add, list with their states, delete."""

from collections.abc import Callable, Sequence
from typing import cast

import streamlit as st

from ascertain.core.documents import DocumentState
from ascertain.core.status import format_count
from ascertain.ui.client import NotThere, ServiceProblem
from ascertain.ui.filters import KIND_NAMES
from ascertain.ui.launch import UPLOAD_MEGABYTES
from ascertain.ui.markup import format_day, show_heading, show_note, show_title
from ascertain.ui.parts import Row, name_uploader_role, show_rows
from ascertain.ui.session import current_service
from ascertain.ui.states import show_problem
from ascertain.wire.documents import DocumentJson
from ascertain.wire.service import JobJson

PROFILES = {
    "": "As the service is set up",
    "docs": "Documents and manuals",
    "news": "News",
    "papers": "Scientific papers",
    "podcasts": "Talks and podcasts",
}
WATCH_SECONDS = 1.0
SHOWN_JOBS = 5
JOB_STATES = {
    "queued": ("waiting", "plain"),
    "running": ("adding", "plain"),
    "finished": ("added", "good"),
    "failed": ("failed", "bad"),
    "cancelled": ("stopped", "warn"),
}
PAGE_ROWS = 20
DOCUMENT_STATES = {
    DocumentState.INDEXED.value: ("ready", "good"),
    DocumentState.DUPLICATE.value: ("duplicate", "warn"),
    DocumentState.FAILED.value: ("failed", "bad"),
}


def show_adding() -> None:
    """The forms, and the work they began."""
    files, addresses = st.tabs(["Files", "Web addresses"])
    with files, st.form("upload_form", clear_on_submit=True, border=False):
        _upload_form()
    with addresses, st.form("addresses_form", clear_on_submit=True, border=False):
        _addresses_form()
    show_jobs()


def _list_formats() -> list[str]:
    """The files that the service reads, asked for once a session."""
    if "formats" not in st.session_state:
        st.session_state["formats"] = current_service().formats()
    return cast("list[str]", st.session_state["formats"])


def _upload_form() -> None:
    given = st.file_uploader(
        "Files to add", accept_multiple_files=True, type=_list_formats(), label_visibility="collapsed", key="files"
    )
    show_note(f"PDF, Word, HTML, Markdown, plain text, tables, subtitles and feeds, up to {UPLOAD_MEGABYTES} MB each.")
    profile, tags = _what_they_are("file")
    if st.form_submit_button("Add these files", type="primary") and given:
        _begin_job(lambda: current_service().upload([(each.name, each) for each in given], profile, tags))


def _addresses_form() -> None:
    written = st.text_area(
        "Pages, feeds and arXiv ids, one a line",
        placeholder="https://example.org/article\nhttps://example.org/feed.xml\narxiv:1706.03762",
        key="addresses",
    )
    profile, tags = _what_they_are("address")
    if st.form_submit_button("Fetch and add", type="primary") and (lines := (written or "").split()):
        _begin_job(lambda: current_service().add_addresses(lines, profile, tags))


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


def _begin_job(submit: Callable[[], JobJson]) -> None:
    try:
        submit()
    except ServiceProblem as problem:
        show_problem(problem)
    else:
        st.toast("Handed over. You can go on while it is read.", icon=":material/check:")


@st.fragment(run_every=WATCH_SECONDS)
def _watched_jobs(were_running: int) -> None:
    _show_jobs(_latest_jobs(), were_running)


def show_jobs() -> None:
    """What is being added and what was added last; looked at again each second while anything runs."""
    jobs = _latest_jobs()
    running = _count_running(jobs)
    if running:
        _watched_jobs(running)
    else:
        _show_jobs(jobs, 0)


def _latest_jobs() -> list[JobJson]:
    return current_service().jobs()[:SHOWN_JOBS]


def _count_running(jobs: Sequence[JobJson]) -> int:
    return sum(job.state in {"queued", "running"} for job in jobs)


def _show_jobs(jobs: Sequence[JobJson], were_running: int) -> None:
    if not jobs:
        return
    show_heading("Added last")
    _, stopped = show_rows([job_row(job) for job in jobs], "Added last", key="jobs", deletes="Stop adding")
    if stopped is not None:
        current_service().cancel_job(stopped)
    for job in jobs:
        if job.state == "running" and job.total:
            st.progress(min(1.0, job.done / job.total))
    if _count_running(jobs) < were_running:
        # something has ended: the list of documents below is another one now
        st.session_state.pop("documents", None)
        st.rerun()


def job_row(job: JobJson) -> Row:
    """A piece of work for the list."""
    word, tone = JOB_STATES.get(job.state, (job.state, "plain"))
    return {
        "id": job.id,
        "title": job.what,
        "facts": _came_of(job),
        "badges": [{"text": word, "tone": tone}],
        "note": "; ".join([*([job.reason] if job.reason else []), *_list_failures(job)]),
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


def _list_failures(job: JobJson) -> list[str]:
    given = job.report.get("failures")
    failures = cast("list[dict[str, str]]", given) if isinstance(given, list) else []
    named = [f"{failure.get('source', '')}: {failure.get('reason', '')}" for failure in failures[:3]]
    more = len(failures) - len(named)
    return [*named, *([f"and {format_count(more, 'more failure')}"] if more > 0 else [])]


def show_documents() -> None:
    """The page."""
    show_title("Documents", "What questions are answered from.")
    name_uploader_role(key="uploader_role")
    show_adding()
    state, kind = _filter_conditions()
    page = st.session_state.get("documents_page", 1)
    found = current_service().documents(state=state, kind=kind, limit=PAGE_ROWS, offset=(page - 1) * PAGE_ROWS)
    if not found.total:
        show_note("None of them." if state or kind else "There are none yet. Add the first above.")
        return
    show_note(format_count(found.total, "document"))
    _show_list(found.documents)
    if found.total > PAGE_ROWS:
        st.pagination(-(-found.total // PAGE_ROWS), key="documents_page")


def _filter_conditions() -> tuple[str | None, str | None]:
    show_heading("All documents")
    first, second = st.columns(2)
    state = first.selectbox(
        "State",
        ["", *DOCUMENT_STATES],
        format_func=lambda each: DOCUMENT_STATES[each][0].capitalize() if each else "Any",
        key="shown_state",
    )
    kind = second.selectbox(
        "Kind", ["", *KIND_NAMES], format_func=lambda each: KIND_NAMES[each] if each else "Any", key="shown_kind"
    )
    return state or None, kind or None


def _show_list(documents: Sequence[DocumentJson]) -> None:
    _, deleted = show_rows(
        [document_row(each) for each in documents], "Documents", key="documents_list", deletes="Delete this document"
    )
    chosen = next((each for each in documents if each.id == deleted), None)
    if chosen is not None:
        _confirm_deletion(chosen)


def document_row(document: DocumentJson) -> Row:
    """A document for the list."""
    word, tone = DOCUMENT_STATES.get(document.state, (document.state, "plain"))
    facts = [
        KIND_NAMES.get(document.kind, document.kind).removesuffix("s"),
        document.author or "",
        format_day(document.published_at),
        format_count(document.chunks, "passage") if document.chunks else "",
        *document.tags,
    ]
    return {
        "id": document.id,
        "title": document.title or document.source,
        "facts": [fact for fact in facts if fact],
        "badges": [{"text": word, "tone": tone}],
        "note": "; ".join(filter(None, (document.reason, _describe_gaps(document)))),
    }


def _describe_gaps(document: DocumentJson) -> str:
    """What of its file is not stored; empty where all of it is."""
    found = document.completeness
    return f"stored: {found.label}" if found is not None and (found.left_out or found.notes) else ""


@st.dialog("Delete this document?")
def _confirm_deletion(document: DocumentJson) -> None:
    st.text(document.title or document.source)
    show_note("Its passages are no longer found, and answers that cited it keep only the quote.")
    with st.container(horizontal=True):
        if st.button("Delete", type="primary", key="delete_document_now"):
            _delete_document(document.id)
        if st.button("Keep it", key="keep_document"):
            st.rerun()


def _delete_document(document_id: str) -> None:
    try:
        current_service().delete_document(document_id)
    except NotThere:
        pass
    except ServiceProblem as problem:
        show_problem(problem)
        return
    st.session_state.pop("documents", None)
    st.rerun()
