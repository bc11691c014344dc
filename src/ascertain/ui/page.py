"""The page as Streamlit runs it, from top to bottom, whenever a visitor does something."""

from __future__ import annotations

from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path

import streamlit as st

from ascertain.ui.conversations import show_conversations
from ascertain.ui.pages import PAGES, PageEntry
from ascertain.ui.problems import ServiceProblem
from ascertain.ui.session import begin_visit
from ascertain.ui.states import show_problem
from ascertain.ui.theme import style_sheet

ASSETS = Path(__file__).parent / "assets"
ABOUT = f"""**Ascertain {version("ascertain")}**

Answers from your own documents, with the exact words each sentence rests on."""


def show() -> None:
    """Draw what the visitor sees."""
    st.set_page_config(
        page_title="Ascertain",
        page_icon=str(ASSETS / "logo.svg"),
        layout="centered",
        menu_items={"About": ABOUT},
    )
    st.html(style_sheet())
    st.logo(str(ASSETS / "logo.svg"), size="large")
    begin_visit()
    entries = {
        entry.path: st.Page(
            _guarded(entry),
            title=entry.title,
            icon=f":material/{entry.icon}:",
            url_path=entry.path,
            default=entry is PAGES[0],
        )
        for entry in PAGES
    }
    st.session_state["pages"] = entries
    chosen = st.navigation(list(entries.values()))
    with st.sidebar:
        show_conversations()
    chosen.run()


def _guarded(entry: PageEntry) -> Callable[[], None]:
    """The page, or what is wrong with the service."""

    def shown() -> None:
        try:
            entry.show()
        except ServiceProblem as problem:
            show_problem(problem)

    shown.__name__ = entry.path
    return shown
