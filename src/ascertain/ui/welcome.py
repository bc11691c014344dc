"""The first sight of the page: what it does, and questions to begin with, or how to add documents when there are none."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

import streamlit as st

from ascertain.ui.markup import show_heading, show_state
from ascertain.wire.documents import DocumentJson

EXAMPLES = 4
LONGEST_TITLE = 70
"""Characters of a title that still makes a readable question."""
WORDINGS = {
    "article": "What does the article “{}” report?",
    "paper": "What does the paper “{}” show?",
    "transcript": "What is said in “{}”?",
    "prose": "What does “{}” say?",
}


def show_welcome(documents: Sequence[DocumentJson], total: int) -> str | None:
    """Greet; the example question that was clicked, or None."""
    _show_hero(total)
    if not total:
        show_state(
            "There are no documents yet",
            ["Add files or web addresses on the page Documents, or on the command line:"],
            "calm",
            "ascertain add FOLDER",
        )
        if st.button("Add documents", type="primary", icon=":material/add:"):
            st.switch_page(st.session_state["pages"]["documents"])
        return None
    show_heading("For example")
    for place, question in enumerate(example_questions(documents)):
        if st.button(
            plain(question), key=f"example_{place}", width="stretch", icon=":material/arrow_outward:"
        ):
            return question
    return None


def example_questions(documents: Sequence[DocumentJson]) -> list[str]:
    """Questions that the documents answer, of as many kinds as there are, taken in turn."""
    by_kind: dict[str, list[str]] = {}
    # titles that are questions themselves make the best examples
    for document in sorted(documents, key=lambda each: not each.title.endswith("?")):
        title = " ".join(document.title.split())
        if document.state == "indexed" and 3 <= len(title) <= LONGEST_TITLE and document.kind in WORDINGS:
            question = title if title.endswith("?") else WORDINGS[document.kind].format(title)
            by_kind.setdefault(document.kind, []).append(question)
    turns = max((len(questions) for questions in by_kind.values()), default=0)
    mixed = [
        questions[turn] for turn in range(turns) for questions in by_kind.values() if turn < len(questions)
    ]
    return list(dict.fromkeys(mixed))[:EXAMPLES]


def plain(text: str) -> str:
    """``text`` for a label of Streamlit, which reads Markdown: every mark of it is escaped."""
    return "".join(
        f"\\{mark}" if mark.isascii() and not mark.isalnum() and mark != " " else mark for mark in text
    )


def _show_hero(total: int) -> None:
    documents = "your documents" if total != 1 else "your document"
    st.html(
        '<div class="asc asc-hero"><h1>Ask, and see what it rests on.</h1><p>'
        + escape(
            f"Every answer comes from {documents}: each sentence is checked against its source, and a click on a number "
            "opens the very words. Where they hold no answer, you are told so."
        )
        + "</p></div>"
    )
