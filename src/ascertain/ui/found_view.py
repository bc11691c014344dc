"""How the knowledge graph led to the sources of an answer: what ``assets/answer.js`` draws under "How this was found".

From left to right: the question, the documents that the search found, the names that the graph went over, and the passages cited.
"""

from __future__ import annotations

from collections.abc import Sequence

from ascertain.ui.graph_drawing import Edge, Node, drawn, layers_narrow, layers_wide
from ascertain.ui.wording import shortened
from ascertain.wire.answers import CitationJson, CitedWayJson

QUESTION = "question"
CITATION, ENTITY, START = "citation:", "entity:", "start:"
"""What the ids of nodes begin with: a cited passage by its number, an entity by its id, a document that is not cited."""
MOST_DRAWN = 6
"""Documents; more would not be looked at. All are in the list of sources."""
TITLE_CHARACTERS = 60


def found_data(citations: Sequence[CitationJson]) -> dict[str, object] | None:
    """The drawing; None where the graph led to none."""
    led = _together(citations)[:MOST_DRAWN]
    if not led:
        return None
    nodes, edges, layers = _graph(led, citations)
    return {
        "wide": drawn(nodes, edges, layers_wide(layers)),
        "tall": drawn(nodes, edges, layers_narrow(layers)),
        "label": "How the graph led to the sources",
        "legend": [],
    }


def _together(citations: Sequence[CitationJson]) -> list[list[CitationJson]]:
    """Those that the graph led to; of one document and by one way together."""
    groups = dict[str, list[CitationJson]]()
    for citation in citations:
        if way := citation.way:
            groups.setdefault(f"{citation.document_id} {way.model_dump_json()}", []).append(citation)
    return list(groups.values())


def _graph(
    led: Sequence[Sequence[CitationJson]], citations: Sequence[CitationJson]
) -> tuple[list[Node], list[Edge], list[list[str]]]:
    nodes = {QUESTION: Node(QUESTION, "Your question", "start")}
    # by their order of appearance, each once
    starts, entities, ends = dict[str, None](), dict[str, None](), dict[str, None]()
    edges = dict[tuple[str, str], Edge]()
    for group in led:
        way = group[0].way
        if way is None:
            continue
        end = _cited(group)
        start = _start(way, group, citations)
        over = [Node(f"{ENTITY}{each.id}", each.name, title=f"Look at {each.name}") for each in way.entities]
        for node in (start, *over, end):
            nodes.setdefault(node.id, node)
        if start.id != QUESTION:
            starts[start.id] = None
            edges.setdefault((QUESTION, start.id), Edge(QUESTION, start.id))
        for node in over:
            entities[node.id] = None
            edges.setdefault((start.id, node.id), Edge(start.id, node.id))
            edges.setdefault((node.id, end.id), Edge(node.id, end.id))
        ends[end.id] = None
    # one that another was found from stands where the way begins
    layers = [[QUESTION], [*starts], [*entities], [end for end in ends if end not in starts]]
    return list(nodes.values()), list(edges.values()), layers


def _cited(group: Sequence[CitationJson]) -> Node:
    first = group[0]
    numbers = ", ".join(str(citation.n) for citation in group)
    title = shortened(first.title, TITLE_CHARACTERS)
    told = f"Open source {first.n}: {first.title}"
    return Node(f"{CITATION}{first.n}", f"{numbers} · {title}", "passage", title=told)


def _start(way: CitedWayJson, group: Sequence[CitationJson], citations: Sequence[CitationJson]) -> Node:
    """Where a way begins: the question, or a document, by the number of a citation from it where there is one."""
    document = way.start
    if document is None:
        return Node(QUESTION, "Your question", "start")
    for other in citations:
        if other.document_id == document.document_id and other not in group:
            return _cited([other])
    return Node(f"{START}{document.document_id}", shortened(document.title, TITLE_CHARACTERS), "start")
