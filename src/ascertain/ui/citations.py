"""A citation opened: the source beside the page, the quoted words marked in their context, and the page of a PDF as it is printed."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from ascertain.ui.parts import show_source
from ascertain.ui.problems import NotThere, ServiceProblem
from ascertain.ui.session import service
from ascertain.ui.source_view import source_data
from ascertain.ui.states import show_problem
from ascertain.wire.answers import CitationJson
from ascertain.wire.documents import TextWindowJson

CONTEXT_CHARACTERS = 450
"""Shown on either side of a quote: half a screen of a phone, so that the title and the quote are seen together."""


def open_citation(
    citations: Sequence[CitationJson], number: int, together: str = "Sources of this answer"
) -> None:
    """Show the citation of this number in a drawer, with the others a step away; ``together`` is what they all are."""
    openings: int = st.session_state.get("openings", 0) + 1
    st.session_state["openings"] = openings
    _drawer(citations, number, openings, together)


@st.dialog("Source", width="medium", position="right")
def _drawer(citations: Sequence[CitationJson], number: int, opening: int, together: str) -> None:
    # a drawer that is opened again must not begin where the reader had gone in the one before
    numbers = [citation.n for citation in citations]
    chosen = st.pills(
        together,
        numbers,
        default=number,
        required=True,
        key=f"cited_{opening}",
        label_visibility="collapsed" if len(numbers) == 1 else "visible",
    )
    citation = next(each for each in citations if each.n == chosen)
    try:
        # one key for all: with another, the source before would stay beside it
        show_source(source_data(citation, _window(citation)), key="source")
        _show_page(citation)
    except ServiceProblem as problem:
        show_problem(problem)


def _window(citation: CitationJson) -> TextWindowJson | None:
    try:
        return service().text(citation.document_id, (citation.span[0], citation.span[1]), CONTEXT_CHARACTERS)
    except NotThere:
        st.caption("The document has been deleted since; this is the quote as it was.")
        return None


def _show_page(citation: CitationJson) -> None:
    page = citation.place.page
    if page is None:
        return
    span = (citation.span[0], citation.span[1])
    try:
        image = service().page_image(citation.document_id, page, span)
    except NotThere:
        return
    st.image(
        image,
        caption=f"Page {page}, as printed",
        width="stretch",
        alt=f"Page {page} with the quoted words marked",
    )
