"""The page as Streamlit runs it, from top to bottom, whenever a visitor does something."""

from collections.abc import Callable
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

import streamlit as st

from ascertain.ui.client import ServiceProblem
from ascertain.ui.conversations import show_conversations
from ascertain.ui.graph.page import show_graph_page
from ascertain.ui.launch import style_sheet
from ascertain.ui.pages.analysis import show_analysis
from ascertain.ui.pages.chat import show_chat
from ascertain.ui.pages.documents import show_documents
from ascertain.ui.pages.evaluation import show_evaluation
from ascertain.ui.pages.research import show_research
from ascertain.ui.pages.statistics import show_statistics
from ascertain.ui.session import begin_visit
from ascertain.ui.states import show_problem

ASSETS = Path(__file__).parent / "assets"
ABOUT = f"""**Ascertain {version("ascertain")}**

Answers from your own documents, with the exact words each sentence rests on."""


@dataclass(frozen=True, slots=True)
class PageEntry:
    """A page: its name in the menu, its path in the address, its icon (a Material symbol) and what draws it."""

    title: str
    path: str
    icon: str
    show: Callable[[], None]


PAGES = (
    PageEntry("Chat", "chat", "forum", show_chat),
    PageEntry("Documents", "documents", "description", show_documents),
    PageEntry("Graph", "graph", "hub", show_graph_page),
    PageEntry("Analysis", "analysis", "timeline", show_analysis),
    PageEntry("Research", "research", "travel_explore", show_research),
    PageEntry("Evaluation", "evaluation", "rule", show_evaluation),
    PageEntry("Statistics", "statistics", "bar_chart", show_statistics),
)


def show_page() -> None:
    """Draw what the visitor sees."""
    st.set_page_config(
        page_title="Ascertain", page_icon=str(ASSETS / "logo.svg"), layout="centered", menu_items={"About": ABOUT}
    )
    st.html(style_sheet())
    st.logo(str(ASSETS / "logo.svg"), size="large")
    begin_visit()
    entries = {
        entry.path: st.Page(
            _guard_page(entry),
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


def _guard_page(entry: PageEntry) -> Callable[[], None]:

    def show() -> None:
        try:
            entry.show()
        except ServiceProblem as problem:
            show_problem(problem)

    show.__name__ = entry.path
    return show
