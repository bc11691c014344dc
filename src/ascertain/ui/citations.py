"""A citation opened beside the page: the quoted words marked in their context, and the page of a PDF as printed."""

from collections.abc import Sequence
from urllib.parse import urlsplit

import streamlit as st

from ascertain.core.answers import safe_link
from ascertain.core.blocks import Span
from ascertain.ui.answer_view import figure_words, place_words, turn_words
from ascertain.ui.client import NotThere, ServiceProblem
from ascertain.ui.markup import format_day, split_at_answer
from ascertain.ui.parts import show_source
from ascertain.ui.session import current_service
from ascertain.ui.states import show_problem
from ascertain.wire.answers import CitationJson
from ascertain.wire.documents import TextWindowJson

UPLOADED = "upload:"
"""How the sources of uploaded files begin."""
CONTEXT_CHARACTERS = 450
"""Shown on either side of a quote: half a screen of a phone, so that the title and the quote are seen together."""


def source_data(citation: CitationJson, window: TextWindowJson | None) -> dict[str, object]:
    """The quote in its context, or alone where the document is gone (``window`` is None)."""
    speaker, time = turn_words(citation)
    answer = citation.to_citation().answer_in_quote
    place = "" if speaker else place_words(citation)
    facts = [format_day(citation.published_at), place, figure_words(citation), _origin_name(citation)]
    return {
        "title": citation.title,
        "facts": [fact for fact in facts if fact],
        "speaker": speaker,
        "time": time,
        "warning": citation.warning,
        "link": safe_link(citation.url),
        **(_in_context(window, answer) if window else _quote_alone(citation.quote, answer)),
    }


def _in_context(window: TextWindowJson, answer: Span | None) -> dict[str, object]:
    # positions are code points of the whole text, as Python counts them; a browser counts UTF-16 units
    start, end = window.quote_start - window.start, window.quote_end - window.start
    text = window.text
    return {
        "before": text[:start],
        "quote": split_at_answer(text[start:end], answer),
        "after": text[end:],
        "starts_inside": window.start > 0,
        "ends_inside": window.end < window.characters,
    }


def _quote_alone(quote: str, answer: Span | None) -> dict[str, object]:
    parts = split_at_answer(quote, answer)
    return {"before": "", "quote": parts, "after": "", "starts_inside": True, "ends_inside": True}


def _origin_name(citation: CitationJson) -> str:
    if citation.url:
        try:
            return urlsplit(citation.url).hostname or ""
        except ValueError:
            return ""
    return citation.source.removeprefix(UPLOADED).replace("\\", "/").rpartition("/")[2]


def open_citation(citations: Sequence[CitationJson], number: int, together: str = "Sources of this answer") -> None:
    """Show the citation of this number in a drawer, with the others a step away; ``together`` is what they all are."""
    openings: int = st.session_state.get("openings", 0) + 1
    st.session_state["openings"] = openings
    _show_drawer(citations, number, openings, together)


@st.dialog("Source", width="medium", position="right")
def _show_drawer(citations: Sequence[CitationJson], number: int, opening: int, together: str) -> None:
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
        show_source(source_data(citation, _fetch_window(citation)), key="source")
        _show_page(citation)
    except ServiceProblem as problem:
        show_problem(problem)


def _fetch_window(citation: CitationJson) -> TextWindowJson | None:
    try:
        return current_service().text(citation.document_id, (citation.span[0], citation.span[1]), CONTEXT_CHARACTERS)
    except NotThere:
        st.caption("The document has been deleted since; this is the quote as it was.")
        return None


def _show_figure(citation: CitationJson, digest: str) -> None:
    try:
        image = current_service().figure_image(citation.document_id, digest)
    except NotThere:
        return
    st.image(image, caption="The figure that is described", alt="The figure that the quoted words describe")


def _show_page(citation: CitationJson) -> None:
    if citation.figure is not None:
        _show_figure(citation, citation.figure.digest)
        return
    page = citation.place.page
    if page is None:
        return
    span = (citation.span[0], citation.span[1])
    try:
        image = current_service().page_image(citation.document_id, page, span)
    except NotThere:
        return
    st.image(
        image, caption=f"Page {page}, as printed", width="stretch", alt=f"Page {page} with the quoted words marked"
    )
