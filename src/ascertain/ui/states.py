"""What the page says when it has no answer to show: the service is away, asks for a key or refuses; or nothing was
asked.
"""

from collections.abc import Sequence
from html import escape

import streamlit as st

from ascertain.ui.client import KeyWanted, ServiceAway, ServiceBusy, ServiceProblem, TooManyRequests
from ascertain.ui.markup import show_heading, show_state
from ascertain.ui.session import current_service, use_key
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


def show_problem(problem: ServiceProblem, can_retry: bool = True) -> None:
    """Say what happened and what to do, and offer to try again where that is all there is to offer."""
    if isinstance(problem, KeyWanted):
        _ask_for_key(problem)
        return
    title, lines, command = describe_problem(problem)
    show_state(title, lines, "bad", command)
    if can_retry:
        # a click runs the page again
        st.button("Try again", icon=":material/refresh:", key="try_again")


def describe_problem(problem: ServiceProblem) -> tuple[str, list[str], str]:
    """Title, lines and, where one helps, the command to type."""
    reference = [f"If you ask somebody about it, name the request {problem.request_id}."] if problem.request_id else []
    if isinstance(problem, ServiceAway):
        lines = [f"{_as_sentence(str(problem))} This page shows what the service knows; start it, then try again:"]
        return "The service does not answer", lines, "ascertain serve"
    if isinstance(problem, TooManyRequests):
        wait = f"in {problem.seconds:.0f} seconds" if problem.seconds else "in a minute"
        return ("That was a lot at once", [f"The service takes no more requests just now. Try again {wait}."], "")
    if isinstance(problem, ServiceBusy):
        return "The service is busy", [_as_sentence(str(problem)), "Nothing is lost; try again in a moment."], ""
    return "That did not work", [_as_sentence(str(problem)), *reference], ""


def _ask_for_key(problem: KeyWanted) -> None:
    show_state(
        "This service asks for a key",
        [
            _as_sentence(str(problem)),
            "Whoever runs it makes one with the command below. The page keeps yours until you leave.",
        ],
        "calm",
        "ascertain keys add NAME",
    )
    with st.form("key_form", border=False):
        key = st.text_input("Key", type="password", autocomplete="off")
        if st.form_submit_button("Use this key", type="primary") and key.strip():
            use_key(key)
            st.rerun()
    st.caption(f"Service: `{current_service().url}`")


def _as_sentence(text: str) -> str:
    stripped = text.strip()
    ended = stripped if stripped.endswith((".", "!", "?")) else f"{stripped}."
    return ended[:1].upper() + ended[1:]


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
            escape_markdown(question), key=f"example_{place}", width="stretch", icon=":material/arrow_outward:"
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
    mixed = [questions[turn] for turn in range(turns) for questions in by_kind.values() if turn < len(questions)]
    return list(dict.fromkeys(mixed))[:EXAMPLES]


def escape_markdown(text: str) -> str:
    """``text`` for a label of Streamlit, which reads Markdown: every mark of it is escaped."""
    return "".join(f"\\{mark}" if mark.isascii() and not mark.isalnum() and mark != " " else mark for mark in text)


def _show_hero(total: int) -> None:
    documents = "your documents" if total != 1 else "your document"
    st.html(
        '<div class="asc asc-hero"><h1>Ask, and see what it rests on.</h1><p>'
        + escape(
            f"Every answer comes from {documents}: each sentence is checked against its source, "
            "and a click on a number "
            "opens the very words. Where they hold no answer, you are told so."
        )
        + "</p></div>"
    )
