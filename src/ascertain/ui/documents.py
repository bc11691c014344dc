"""The page of the documents: add, list with their states, delete."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from ascertain.core.documents import DocumentState
from ascertain.ui.adding import show_adding
from ascertain.ui.filters import KIND_NAMES
from ascertain.ui.markup import show_heading, show_muted, show_title
from ascertain.ui.parts import Row, show_rows
from ascertain.ui.problems import NotThere, ServiceProblem
from ascertain.ui.session import service
from ascertain.ui.states import show_problem
from ascertain.ui.wording import count, day
from ascertain.wire.documents import DocumentJson

PAGE_ROWS = 20
STATES = {
    DocumentState.INDEXED.value: ("ready", "good"),
    DocumentState.DUPLICATE.value: ("duplicate", "warn"),
    DocumentState.FAILED.value: ("failed", "bad"),
}


def show_documents() -> None:
    """The page."""
    show_title("Documents", "What questions are answered from.")
    show_adding()
    state, kind = _conditions()
    page = st.session_state.get("documents_page", 1)
    found = service().documents(state=state, kind=kind, limit=PAGE_ROWS, offset=(page - 1) * PAGE_ROWS)
    if not found.total:
        show_muted("None of them." if state or kind else "There are none yet. Add the first above.")
        return
    show_muted(count(found.total, "document"))
    _show_list(found.documents)
    if found.total > PAGE_ROWS:
        st.pagination(-(-found.total // PAGE_ROWS), key="documents_page")


def _conditions() -> tuple[str | None, str | None]:
    show_heading("All documents")
    first, second = st.columns(2)
    state = first.selectbox(
        "State",
        ["", *STATES],
        format_func=lambda each: STATES[each][0].capitalize() if each else "Any",
        key="shown_state",
    )
    kind = second.selectbox(
        "Kind",
        ["", *KIND_NAMES],
        format_func=lambda each: KIND_NAMES[each] if each else "Any",
        key="shown_kind",
    )
    return state or None, kind or None


def _show_list(documents: Sequence[DocumentJson]) -> None:
    _, deleted = show_rows(
        [document_row(each) for each in documents],
        "Documents",
        key="documents_list",
        deletes="Delete this document",
    )
    chosen = next((each for each in documents if each.id == deleted), None)
    if chosen is not None:
        _confirm_deletion(chosen)


def document_row(document: DocumentJson) -> Row:
    """A document for the list."""
    word, tone = STATES.get(document.state, (document.state, "plain"))
    facts = [
        KIND_NAMES.get(document.kind, document.kind).removesuffix("s"),
        document.author or "",
        day(document.published_at),
        count(document.chunks, "passage") if document.chunks else "",
        *document.tags,
    ]
    return {
        "id": document.id,
        "title": document.title or document.source,
        "facts": [fact for fact in facts if fact],
        "badges": [{"text": word, "tone": tone}],
        "note": document.reason,
    }


@st.dialog("Delete this document?")
def _confirm_deletion(document: DocumentJson) -> None:
    st.text(document.title or document.source)
    show_muted("Its passages are no longer found, and answers that cited it keep only the quote.")
    with st.container(horizontal=True):
        if st.button("Delete", type="primary", key="delete_document_now"):
            _delete(document.id)
        if st.button("Keep it", key="keep_document"):
            st.rerun()


def _delete(document_id: str) -> None:
    try:
        service().delete_document(document_id)
    except NotThere:
        pass
    except ServiceProblem as problem:
        show_problem(problem)
        return
    st.session_state.pop("documents", None)
    st.rerun()
