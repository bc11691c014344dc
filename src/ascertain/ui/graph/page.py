"""The page of the knowledge graph: an entity among its neighbours, ways between two, themes of all documents."""

from collections.abc import Sequence
from dataclasses import replace

import streamlit as st

from ascertain.core.status import format_count
from ascertain.ui.citations import open_citation
from ascertain.ui.client import NotThere
from ascertain.ui.graph import view
from ascertain.ui.graph.entities import (
    ENTITY,
    PATH,
    THEMES,
    VIEW_KEY,
    VIEWS,
    GraphPlace,
    choose_entity,
    current_place,
    go_to,
    keep_place,
    say_unknown,
)
from ascertain.ui.markup import show_entry, show_heading, show_note, show_state, show_title
from ascertain.ui.parts import show_connections, show_graph
from ascertain.ui.session import current_service
from ascertain.ui.states import escape_markdown
from ascertain.wire.graph import EntityJson, GraphStatsJson, NeighbourhoodJson, PathJson

MOST_WAYS = 3
PAGE_ROWS = 12
SENTENCES = 3
MOST_LINKS = 24
MOST_PASSAGES = 30
"""Sentences listed of one entity."""


def show_path(place: GraphPlace) -> None:
    """The ways between two entities."""
    boxes = st.container()
    found: PathJson | None = None
    unknown: NotThere | None = None
    if place.start and place.end:
        try:
            found = current_service().ways(place.start, place.end, paths=MOST_WAYS, sentences=SENTENCES)
        except NotThere as problem:
            unknown = problem
    with boxes:
        _choose_ends(place, found)
    if unknown is not None:
        _offer_nearby(place, unknown)
    elif found is None:
        show_note("Choose two entities to see how the documents connect them.")
    else:
        _show_ways(found, place)


def _choose_ends(place: GraphPlace, found: PathJson | None) -> None:
    names = (_name_of(place.start), _name_of(place.end)) if found is None else (found.start.name, found.to.name)
    left, right = st.columns(2)
    with left:
        choose_entity("From", names[0], "graph_from_box", lambda chosen: go_to(replace(place, view=PATH, start=chosen)))
    with right:
        choose_entity("To", names[1], "graph_to_box", lambda chosen: go_to(replace(place, view=PATH, end=chosen)))


def _offer_nearby(place: GraphPlace, unknown: NotThere) -> None:
    """Offer what is near the end that is not there; where neither is, the start comes first."""
    chosen = say_unknown(unknown)
    if chosen is not None:
        ends = {"end": chosen} if _is_known(place.start) else {"start": chosen}
        go_to(replace(place, view=PATH, **ends))


def _is_known(entity: str) -> bool:
    try:
        current_service().entity(entity, neighbours=0, passages=0)
    except NotThere:
        return False
    return True


def _name_of(entity: str) -> str:
    if not entity:
        return ""
    try:
        return current_service().entity(entity, neighbours=0, passages=0).name
    except NotThere:
        return entity


def _show_ways(found: PathJson, place: GraphPlace) -> None:
    ways = found.paths
    if not ways:
        show_note(f"Nothing in the documents connects {found.start.name} and {found.to.name}.")
        return
    if len(ways[0].entities) < 2:
        show_note("Both names are of the same entity.")
        return
    chosen = show_graph(view.ways_drawing(ways), key="graph_ways")
    show_heading("Step by step")
    chosen_below, opened = show_connections(view.step_rows(ways), "Steps", key="graph_steps")
    if opened is not None:
        evidence = view.steps_of(ways)[opened[0]][0].evidence
        open_citation(view.citations_of(evidence), opened[1] + 1, "Sentences that name both")
    chosen = chosen or chosen_below
    if chosen is not None:
        go_to(replace(place, view=ENTITY, entity=chosen))


def show_themes(place: GraphPlace) -> None:
    """The themes of all documents."""
    level = int(st.session_state.get("graph_level") or 0)
    page = int(st.session_state.get("graph_themes_page", 1))
    found = current_service().communities(level, limit=PAGE_ROWS, offset=(page - 1) * PAGE_ROWS, sentences=SENTENCES)
    if not found.total:
        show_note("The documents name too little together for themes.")
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
    show_note(f"{format_count(found.total, 'theme')}, the largest first.")
    chosen, opened = show_connections(view.theme_rows(found.communities), "Themes", key="graph_themes")
    if found.total > PAGE_ROWS:
        st.pagination(-(-found.total // PAGE_ROWS), key="graph_themes_page")
    if opened is not None:
        evidence = found.communities[opened[0]].evidence
        open_citation(view.citations_of(evidence), opened[1] + 1, "What speaks for this theme")
    if chosen is not None:
        go_to(replace(place, view=ENTITY, entity=chosen))


def show_graph_page() -> None:
    """The page."""
    show_title("Graph", "What your documents name, and the sentences that connect it.")
    stats = current_service().graph_stats()
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
        lines = [f"{format_count(stats.behind, 'document')} wait to be read. It is made without a model:"]
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
        entity = _fetch_entity(place.entity, _kept_topic(place.entity)) if place.entity else None
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
        chosen = _offer_entities("Named most often", stats.top)
    if chosen is not None:
        choose(chosen)


def _fetch_entity(entity: str, topic: str) -> NeighbourhoodJson:
    service = current_service()
    return service.entity(entity, topic=topic, neighbours=MOST_LINKS, sentences=SENTENCES, passages=MOST_PASSAGES)


def _topic_key(entity: str) -> str:
    return f"graph_topic_{entity}"


def _kept_topic(entity: str) -> str:
    return str(st.session_state.get(_topic_key(entity)) or "")


def _choose_topic(entity: NeighbourhoodJson, place: GraphPlace) -> None:
    """The facet: what the passages that name it are about. One that is chosen stays among them."""
    counts = {each.topic: each.passages for each in entity.topics}
    kept = _kept_topic(place.entity)
    if counts or kept:
        st.pills(
            "Only passages about",
            list(dict.fromkeys([*([kept] if kept else []), *counts])),
            format_func=lambda topic: f"{escape_markdown(topic)} ({counts.get(topic, 0):,})",
            key=_topic_key(place.entity),
        )


def _show_numbers(stats: GraphStatsJson) -> None:
    behind = f" {format_count(stats.behind, 'document')} not read yet." if stats.behind else ""
    links, documents = format_count(stats.links, "link"), format_count(stats.documents, "document")
    show_note(f"{stats.entities:,} entities and {links} from {documents}.{behind}")


def _offer_entities(label: str, entities: Sequence[EntityJson]) -> str | None:
    show_heading(label)
    return show_connections(view.offered_rows(label, entities), label, key="graph_offer")[0]


def _show_neighbourhood(entity: NeighbourhoodJson, place: GraphPlace) -> str | None:
    show_entry(entity.name, view.entity_facts(entity), view.merge_lines(entity.merges))
    _choose_topic(entity, place)
    if not entity.neighbours:
        show_note("No sentence names it together with another entity.")
    chosen = show_graph(view.neighbourhood_drawing(entity), key="graph_drawing") if entity.neighbours else None
    if st.button("Find a path from here", icon=":material/route:", key="graph_path_from_here"):
        go_to(replace(place, view=PATH, start=entity.id, end=""))
    linked, named = st.tabs(
        [f"Connections ({entity.total_neighbours:,})", f"Where it is named ({entity.total_passages:,})"]
    )
    with linked:
        chosen = _show_links(entity) or chosen
    with named:
        _, opened = show_connections(view.passage_rows(entity), "Where it is named", key="graph_passages")
        if opened is not None:
            open_citation(view.citations_of(entity.passages), opened[1] + 1, "Sentences that name it")
    return chosen


def _show_links(entity: NeighbourhoodJson) -> str | None:
    chosen, opened = show_connections(view.link_rows(entity), "Connections", key="graph_links")
    rest = entity.total_neighbours - len(entity.neighbours)
    if rest > 0:
        show_note(f"and {format_count(rest, 'weaker connection')}")
    if opened is not None:
        evidence = entity.neighbours[opened[0]].evidence
        open_citation(view.citations_of(evidence), opened[1] + 1, "Sentences that name both")
    return chosen
