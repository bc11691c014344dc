"""The box in which an entity is searched by name, with suggestions as one types."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import streamlit as st

from ascertain.ui.graph_view import kind_mark, times
from ascertain.ui.parts import show_entity_box
from ascertain.ui.problems import ServiceProblem
from ascertain.ui.session import service
from ascertain.wire.graph import EntityJson

SUGGESTIONS = 8
"""As many as are seen without scrolling on a phone with its keyboard up."""


@st.fragment
def choose_entity(
    label: str, value: str, key: str, on_choice: Callable[[str], None], placeholder: str = "Type a name"
) -> None:
    """Draw the box; ``on_choice`` gets the entity that is chosen, by id or name. Only the box is drawn again while one types."""
    typed = str(st.session_state.get(f"{key}_typed", ""))
    data = box_data(label, value, placeholder, typed, _found(typed))
    now_typed, chosen = show_entity_box(data, key=key)
    if chosen:
        st.session_state[f"{key}_typed"] = ""
        on_choice(chosen)
    elif now_typed is not None and now_typed != typed:
        st.session_state[f"{key}_typed"] = now_typed
        st.rerun(scope="fragment")


def box_data(
    label: str, value: str, placeholder: str, typed: str, found: Sequence[EntityJson]
) -> dict[str, object]:
    """What ``assets/entity_box.js`` draws."""
    return {
        "label": label,
        "value": value,
        "placeholder": placeholder,
        "query": typed,
        "suggestions": [
            {
                "id": entity.id,
                "name": entity.name,
                "note": times(entity.mentions),
                "kind": kind_mark(entity.kind),
            }
            for entity in found
        ],
    }


def _found(typed: str) -> Sequence[EntityJson]:
    if not typed:
        return []
    try:
        return service().entities(typed, SUGGESTIONS)
    except ServiceProblem:
        # the name can still be entered, and what is wrong is said then
        return []
