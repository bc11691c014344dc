"""What the page says when the service is away, asks for a key, is full, or refuses."""

from __future__ import annotations

import streamlit as st

from ascertain.ui.markup import show_state
from ascertain.ui.problems import KeyWanted, ServiceAway, ServiceBusy, ServiceProblem, TooManyRequests
from ascertain.ui.session import service, use_key


def show_problem(problem: ServiceProblem, can_retry: bool = True) -> None:
    """Say what happened and what to do, and offer to try again where that is all there is to offer."""
    if isinstance(problem, KeyWanted):
        _ask_for_key(problem)
        return
    title, lines, command = told(problem)
    show_state(title, lines, "bad", command)
    if can_retry:
        # a click runs the page again
        st.button("Try again", icon=":material/refresh:", key="try_again")


def told(problem: ServiceProblem) -> tuple[str, list[str], str]:
    """Title, lines and, where one helps, the command to type."""
    reference = (
        [f"If you ask somebody about it, name the request {problem.request_id}."]
        if problem.request_id
        else []
    )
    if isinstance(problem, ServiceAway):
        lines = [
            f"{_sentence(str(problem))} This page shows what the service knows; start it, then try again:"
        ]
        return "The service does not answer", lines, "ascertain serve"
    if isinstance(problem, TooManyRequests):
        wait = f"in {problem.seconds:.0f} seconds" if problem.seconds else "in a minute"
        return (
            "That was a lot at once",
            [f"The service takes no more requests just now. Try again {wait}."],
            "",
        )
    if isinstance(problem, ServiceBusy):
        return "The service is busy", [_sentence(str(problem)), "Nothing is lost; try again in a moment."], ""
    return "That did not work", [_sentence(str(problem)), *reference], ""


def _ask_for_key(problem: KeyWanted) -> None:
    show_state(
        "This service asks for a key",
        [
            _sentence(str(problem)),
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
    st.caption(f"Service: `{service().url}`")


def _sentence(text: str) -> str:
    """``text`` as a sentence of its own."""
    stripped = text.strip()
    ended = stripped if stripped.endswith((".", "!", "?")) else f"{stripped}."
    return ended[:1].upper() + ended[1:]
