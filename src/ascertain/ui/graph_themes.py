"""The themes of all documents: groups of entities that are named together, with the sentences that speak for each."""

from __future__ import annotations

from dataclasses import replace

import streamlit as st

from ascertain.ui.citations import open_citation
from ascertain.ui.graph_place import ENTITY, GraphPlace, go_to
from ascertain.ui.graph_view import citations_of, theme_rows
from ascertain.ui.markup import show_muted
from ascertain.ui.parts import show_connections
from ascertain.ui.session import service
from ascertain.ui.wording import count

PAGE_ROWS = 12
SENTENCES = 3


def show_themes(place: GraphPlace) -> None:
    """The view."""
    level = int(st.session_state.get("graph_level") or 0)
    page = int(st.session_state.get("graph_themes_page", 1))
    found = service().communities(level, limit=PAGE_ROWS, offset=(page - 1) * PAGE_ROWS, sentences=SENTENCES)
    if not found.total:
        show_muted("The documents name too little together for themes.")
        return
    if found.levels > 1:
        st.segmented_control(
            "How fine",
            range(found.levels),
            default=0,
            required=True,
            format_func=lambda each: "Broad" if each == 0 else "Fine" if each == 1 else f"Finer {each}",
            key="graph_level",
            on_change=lambda: st.session_state.pop("graph_themes_page", None),
        )
    show_muted(f"{count(found.total, 'theme')}, the largest first.")
    chosen, opened = show_connections(theme_rows(found.communities), "Themes", key="graph_themes")
    if found.total > PAGE_ROWS:
        st.pagination(-(-found.total // PAGE_ROWS), key="graph_themes_page")
    if opened is not None:
        evidence = found.communities[opened[0]].evidence
        open_citation(citations_of(evidence), opened[1] + 1, "What speaks for this theme")
    if chosen is not None:
        go_to(replace(place, view=ENTITY, entity=chosen))
