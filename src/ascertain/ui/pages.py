"""The pages there are: one line each, in the order of the menu."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from ascertain.ui.chat import show_chat
from ascertain.ui.documents import show_documents
from ascertain.ui.graph import show_graph_page
from ascertain.ui.statistics import show_statistics


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
    PageEntry("Statistics", "statistics", "bar_chart", show_statistics),
)
