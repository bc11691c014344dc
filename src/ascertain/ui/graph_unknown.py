"""What the page says of a name that no document has, and the names near it."""

from __future__ import annotations

import streamlit as st

from ascertain.ui.markup import show_state
from ascertain.ui.problems import NotThere
from ascertain.ui.welcome import plain


def say_unknown(problem: NotThere) -> str | None:
    """Say so and offer what is near; the name that was clicked."""
    if not problem.suggestions:
        show_state(
            "No document names it", ["Nothing of that name is in the graph, and nothing like it."], "calm"
        )
        return None
    show_state("No document names it by that name", ["Did you mean one of these?"], "calm")
    chosen = None
    with st.container(horizontal=True):
        for place, name in enumerate(problem.suggestions):
            if st.button(plain(name), key=f"graph_near_{place}"):
                chosen = name
    return chosen
