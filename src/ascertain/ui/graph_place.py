"""Where a visitor is in the graph, and how the address of the page says so, so that a reload, a bookmark or a link goes there."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import streamlit as st

ENTITY, PATH, THEMES = "entity", "path", "themes"
VIEWS = {ENTITY: "Entity", PATH: "Path", THEMES: "Themes"}
KEPT = "graph_place"
VIEW_KEY = "graph_view"


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
    return GraphPlace(
        named.view, named.entity or kept.entity, named.start or kept.start, named.end or kept.end
    )


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
