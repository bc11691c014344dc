"""The box that finds an entity by name, and the place of a visit in the graph, kept in the address of the page."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import streamlit as st

from ascertain.core.status import count_times
from ascertain.ui.client import NotThere, ServiceProblem
from ascertain.ui.graph.view import kind_mark
from ascertain.ui.markup import show_state
from ascertain.ui.parts import show_entity_box
from ascertain.ui.session import current_service
from ascertain.ui.states import escape_markdown
from ascertain.wire.graph import EntityJson

SUGGESTIONS = 8
"""As many as are seen without scrolling on a phone with its keyboard up."""
ENTITY, PATH, THEMES = "entity", "path", "themes"
VIEWS = {ENTITY: "Entity", PATH: "Path", THEMES: "Themes"}
KEPT = "graph_place"
VIEW_KEY = "graph_view"


@st.fragment
def choose_entity(
    label: str, value: str, key: str, on_choice: Callable[[str], None], placeholder: str = "Type a name"
) -> None:
    """Draw the box, alone while one types; ``on_choice`` gets the entity that is chosen, by id or name."""
    typed = str(st.session_state.get(f"{key}_typed", ""))
    data = box_data(label, value, placeholder, typed, _find_entities(typed))
    now_typed, chosen = show_entity_box(data, key=key)
    if chosen:
        st.session_state[f"{key}_typed"] = ""
        on_choice(chosen)
    elif now_typed is not None and now_typed != typed:
        st.session_state[f"{key}_typed"] = now_typed
        st.rerun(scope="fragment")


def box_data(label: str, value: str, placeholder: str, typed: str, found: Sequence[EntityJson]) -> dict[str, object]:
    """What ``assets/entity_box.js`` draws."""
    return {
        "label": label,
        "value": value,
        "placeholder": placeholder,
        "query": typed,
        "suggestions": [
            {"id": entity.id, "name": entity.name, "note": count_times(entity.mentions), "kind": kind_mark(entity.kind)}
            for entity in found
        ],
    }


def _find_entities(typed: str) -> Sequence[EntityJson]:
    if not typed:
        return []
    try:
        return current_service().entities(typed, SUGGESTIONS)
    except ServiceProblem:
        # the name can still be entered, and what is wrong is said then
        return []


@dataclass(frozen=True, slots=True)
class GraphPlace:
    """``entity``, and ``start`` and ``end`` of a path, by id or name; empty where none is chosen."""

    view: str = ENTITY
    entity: str = ""
    start: str = ""
    end: str = ""


def place_of(address: Mapping[str, str]) -> GraphPlace | None:
    """The place that an address names; None when it names none."""
    named = {name: address.get(name, "").strip() for name in ("view", "entity", "from", "to")}
    if not any(named.values()):
        return None
    usual = PATH if named["from"] or named["to"] else ENTITY
    view = named["view"] if named["view"] in VIEWS else usual
    return GraphPlace(view, named["entity"], named["from"], named["to"])


def address_of(place: GraphPlace) -> dict[str, str]:
    """The inverse: what stands in the address of the page. What another view shows is kept by the visit alone."""
    if place.view == PATH:
        given = {"view": PATH, "from": place.start, "to": place.end}
    elif place.view == ENTITY:
        given = {"entity": place.entity}
    else:
        given = {"view": place.view}
    return {name: value for name, value in given.items() if value}


def current_place() -> GraphPlace:
    """From the address, or where the visit was last: pages of Streamlit drop what the address says when they change."""
    kept: GraphPlace = st.session_state.get(KEPT) or GraphPlace()
    named = place_of(st.query_params.to_dict())
    if named is None:
        return kept
    return GraphPlace(named.view, named.entity or kept.entity, named.start or kept.start, named.end or kept.end)


def keep_place(place: GraphPlace) -> None:
    """Say in the address where the visit is."""
    st.session_state[KEPT] = place
    address = address_of(place)
    if st.query_params.to_dict() != address:
        st.query_params.from_dict(address)


def go_to(place: GraphPlace) -> None:
    """Show another place, at once."""
    keep_place(place)
    st.session_state[f"{VIEW_KEY}_wanted"] = place.view
    st.rerun()


def show_in_graph(entity: str) -> None:
    """Go to an entity, by id or name, from another page."""
    place = GraphPlace(ENTITY, entity)
    st.session_state[KEPT] = place
    st.session_state[f"{VIEW_KEY}_wanted"] = ENTITY
    st.switch_page(st.session_state["pages"]["graph"], query_params=address_of(place))


def say_unknown(problem: NotThere) -> str | None:
    """Say so and offer what is near; the name that was clicked."""
    if not problem.suggestions:
        show_state("No document names it", ["Nothing of that name is in the graph, and nothing like it."], "calm")
        return None
    show_state("No document names it by that name", ["Did you mean one of these?"], "calm")
    chosen = None
    with st.container(horizontal=True):
        for place, name in enumerate(problem.suggestions):
            if st.button(escape_markdown(name), key=f"graph_near_{place}"):
                chosen = name
    return chosen
