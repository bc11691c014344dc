"""The page of the knowledge graph: an entity among its neighbours, the ways between two, the themes of all documents."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import streamlit as st

from ascertain.ui.citations import open_citation
from ascertain.ui.entity_box import choose_entity
from ascertain.ui.graph_paths import show_path
from ascertain.ui.graph_place import (
    ENTITY,
    PATH,
    THEMES,
    VIEW_KEY,
    VIEWS,
    GraphPlace,
    current_place,
    go_to,
    keep_place,
)
from ascertain.ui.graph_themes import show_themes
from ascertain.ui.graph_unknown import say_unknown
from ascertain.ui.graph_view import (
    citations_of,
    entity_facts,
    link_rows,
    merge_lines,
    neighbourhood_drawing,
    offered_rows,
    passage_rows,
)
from ascertain.ui.markup import show_heading, show_muted, show_named, show_state, show_title
from ascertain.ui.parts import show_connections, show_graph
from ascertain.ui.problems import NotThere
from ascertain.ui.session import service
from ascertain.ui.wording import count
from ascertain.wire.graph import EntityJson, GraphStatsJson, NeighbourhoodJson

MOST_LINKS = 24
SENTENCES = 3
MOST_PASSAGES = 30
"""Sentences listed of one entity."""


def show_graph_page() -> None:
    """The page."""
    show_title("Graph", "What your documents name, and the sentences that connect it.")
    stats = service().graph_stats()
    if not stats.entities:
        _say_why_empty(stats)
        return
    place = replace(current_place(), view=_chosen_view())
    keep_place(place)
    if place.view == PATH:
        show_path(place)
    elif place.view == THEMES:
        show_themes(place)
    else:
        _show_entity(place, stats)


def _say_why_empty(stats: GraphStatsJson) -> None:
    if not stats.enabled:
        show_state(
            "The graph is switched off",
            ["It is read from the documents once it is switched on in the settings:"],
            "calm",
            "ascertain config set graph.build true",
        )
    elif stats.behind:
        lines = [f"{count(stats.behind, 'document')} wait to be read. It is made without a model:"]
        show_state("The graph is not built yet", lines, "calm", "ascertain graph build")
    else:
        show_state(
            "There is nothing in the graph yet",
            ["It grows with the documents. Add some on the page Documents."],
            "calm",
        )


def _chosen_view() -> str:
    wanted = st.session_state.pop(f"{VIEW_KEY}_wanted", None) or (
        current_place().view if VIEW_KEY not in st.session_state else None
    )
    if wanted is not None:
        st.session_state[VIEW_KEY] = wanted
    chosen = st.segmented_control(
        "What to look at",
        list(VIEWS),
        required=True,
        format_func=VIEWS.__getitem__,
        key=VIEW_KEY,
        label_visibility="collapsed",
    )
    return str(chosen or ENTITY)


def _show_entity(place: GraphPlace, stats: GraphStatsJson) -> None:
    def choose(entity: str) -> None:
        go_to(replace(place, view=ENTITY, entity=entity))

    box = st.container()
    entity: NeighbourhoodJson | None = None
    unknown: NotThere | None = None
    try:
        entity = _entity(place.entity) if place.entity else None
    except NotThere as problem:
        unknown = problem
    with box:
        choose_entity("Find an entity", entity.name if entity else place.entity, "graph_entity_box", choose)
    if entity is not None:
        chosen = _show_neighbourhood(entity, place)
    elif unknown is not None:
        chosen = say_unknown(unknown)
    else:
        _show_numbers(stats)
        chosen = _offer("Named most often", stats.top)
    if chosen is not None:
        choose(chosen)


def _entity(entity: str) -> NeighbourhoodJson:
    return service().entity(entity, neighbours=MOST_LINKS, sentences=SENTENCES, passages=MOST_PASSAGES)


def _show_numbers(stats: GraphStatsJson) -> None:
    behind = f" {count(stats.behind, 'document')} not read yet." if stats.behind else ""
    show_muted(
        f"{stats.entities:,} entities and {count(stats.links, 'link')} from {count(stats.documents, 'document')}.{behind}"
    )


def _offer(label: str, entities: Sequence[EntityJson]) -> str | None:
    show_heading(label)
    return show_connections(offered_rows(label, entities), label, key="graph_offer")[0]


def _show_neighbourhood(entity: NeighbourhoodJson, place: GraphPlace) -> str | None:
    show_named(entity.name, entity_facts(entity), merge_lines(entity.merges))
    if not entity.neighbours:
        show_muted("No sentence names it together with another entity.")
    chosen = show_graph(neighbourhood_drawing(entity), key="graph_drawing") if entity.neighbours else None
    if st.button("Find a path from here", icon=":material/route:", key="graph_path_from_here"):
        go_to(replace(place, view=PATH, start=entity.id, end=""))
    linked, named = st.tabs(
        [f"Connections ({entity.total_neighbours:,})", f"Where it is named ({entity.total_passages:,})"]
    )
    with linked:
        chosen = _show_links(entity) or chosen
    with named:
        _, opened = show_connections(passage_rows(entity), "Where it is named", key="graph_passages")
        if opened is not None:
            open_citation(citations_of(entity.passages), opened[1] + 1, "Sentences that name it")
    return chosen


def _show_links(entity: NeighbourhoodJson) -> str | None:
    chosen, opened = show_connections(link_rows(entity), "Connections", key="graph_links")
    rest = entity.total_neighbours - len(entity.neighbours)
    if rest > 0:
        show_muted(f"and {count(rest, 'weaker connection')}")
    if opened is not None:
        evidence = entity.neighbours[opened[0]].evidence
        open_citation(citations_of(evidence), opened[1] + 1, "Sentences that name both")
    return chosen
