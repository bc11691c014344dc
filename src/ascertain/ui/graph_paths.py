"""The ways between two entities: drawn, and each step with the sentences behind it."""

from __future__ import annotations

from dataclasses import replace

import streamlit as st

from ascertain.ui.citations import open_citation
from ascertain.ui.entity_box import choose_entity
from ascertain.ui.graph_place import ENTITY, PATH, GraphPlace, go_to
from ascertain.ui.graph_unknown import say_unknown
from ascertain.ui.graph_view import citations_of, step_rows, steps_of, ways_drawing
from ascertain.ui.markup import show_heading, show_muted
from ascertain.ui.parts import show_connections, show_graph
from ascertain.ui.problems import NotThere
from ascertain.ui.session import service
from ascertain.wire.graph import PathJson

MOST_WAYS = 3
SENTENCES = 3


def show_path(place: GraphPlace) -> None:
    """The view."""
    boxes = st.container()
    found: PathJson | None = None
    unknown: NotThere | None = None
    if place.start and place.end:
        try:
            found = service().ways(place.start, place.end, paths=MOST_WAYS, sentences=SENTENCES)
        except NotThere as problem:
            unknown = problem
    with boxes:
        _choose_ends(place, found)
    if unknown is not None:
        _mend(place, unknown)
    elif found is None:
        show_muted("Choose two entities to see how the documents connect them.")
    else:
        _show_ways(found, place)


def _choose_ends(place: GraphPlace, found: PathJson | None) -> None:
    names = (
        (_name_of(place.start), _name_of(place.end)) if found is None else (found.start.name, found.to.name)
    )
    left, right = st.columns(2)
    with left:
        choose_entity(
            "From", names[0], "graph_from_box", lambda chosen: go_to(replace(place, view=PATH, start=chosen))
        )
    with right:
        choose_entity(
            "To", names[1], "graph_to_box", lambda chosen: go_to(replace(place, view=PATH, end=chosen))
        )


def _mend(place: GraphPlace, unknown: NotThere) -> None:
    """Offer what is near the end that is not there; where neither is, the start comes first."""
    chosen = say_unknown(unknown)
    if chosen is not None:
        ends = {"end": chosen} if _is_known(place.start) else {"start": chosen}
        go_to(replace(place, view=PATH, **ends))


def _is_known(entity: str) -> bool:
    try:
        service().entity(entity, neighbours=0, passages=0)
    except NotThere:
        return False
    return True


def _name_of(entity: str) -> str:
    if not entity:
        return ""
    try:
        return service().entity(entity, neighbours=0, passages=0).name
    except NotThere:
        return entity


def _show_ways(found: PathJson, place: GraphPlace) -> None:
    ways = found.paths
    if not ways:
        show_muted(f"Nothing in the documents connects {found.start.name} and {found.to.name}.")
        return
    if len(ways[0].entities) < 2:
        show_muted("Both names are of the same entity.")
        return
    chosen = show_graph(ways_drawing(ways), key="graph_ways")
    show_heading("Step by step")
    chosen_below, opened = show_connections(step_rows(ways), "Steps", key="graph_steps")
    if opened is not None:
        evidence = steps_of(ways)[opened[0]][0].evidence
        open_citation(citations_of(evidence), opened[1] + 1, "Sentences that name both")
    chosen = chosen or chosen_below
    if chosen is not None:
        go_to(replace(place, view=ENTITY, entity=chosen))
