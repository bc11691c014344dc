"""How the knowledge graph led to the sources of an answer: what ``assets/answer.js`` draws under "How this was found".

From left to right: the question, the documents that the search found, the names that the graph went over, and the passages cited.
"""

from __future__ import annotations

from collections.abc import Sequence

from ascertain.ui.graph_drawing import Edge, Node, drawn, layers_narrow, layers_wide
from ascertain.ui.shapes import CitationJson, CitedWayJson
from ascertain.ui.wording import shortened

QUESTION = "question"
CITATION, ENTITY, START = "citation:", "entity:", "start:"
"""What the ids of nodes begin with: a cited passage by its number, an entity by its id, a document that is not cited."""
MOST_DRAWN = 6
"""Passages; more would not be looked at. All are in the list of sources."""
TITLE_CHARACTERS = 60


def found_data(citations: Sequence[CitationJson]) -> dict[str, object] | None:
    """The drawing; None where the graph led to none."""
    led = [citation for citation in citations if citation.get("way")][:MOST_DRAWN]
    if not led:
        return None
    nodes, edges, layers = _graph(led, citations)
    return {
        "wide": drawn(nodes, edges, layers_wide(layers)),
        "tall": drawn(nodes, edges, layers_narrow(layers)),
        "label": "How the graph led to the sources",
        "legend": [],
    }


def _graph(
    led: Sequence[CitationJson], citations: Sequence[CitationJson]
) -> tuple[list[Node], list[Edge], list[list[str]]]:
    nodes = {QUESTION: Node(QUESTION, "Your question", "start")}
    # by their order of appearance, each once
    starts, entities, ends = dict[str, None](), dict[str, None](), dict[str, None]()
    edges = dict[tuple[str, str], Edge]()
    for citation in led:
        way = citation.get("way")
        if way is None:
            continue
        end = _cited(citation)
        start = _start(way, citation, citations)
        over = [
            Node(f"{ENTITY}{each['id']}", each["name"], title=f"Look at {each['name']}")
            for each in way["entities"]
        ]
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


def _cited(citation: CitationJson) -> Node:
    title = shortened(citation["title"], TITLE_CHARACTERS)
    told = f"Open source {citation['n']}: {citation['title']}"
    return Node(f"{CITATION}{citation['n']}", f"{citation['n']} · {title}", "passage", title=told)


def _start(way: CitedWayJson, citation: CitationJson, citations: Sequence[CitationJson]) -> Node:
    """Where a way begins: the question, or a document, by the number of a citation from it where there is one."""
    document = way["from"]
    if document is None:
        return Node(QUESTION, "Your question", "start")
    for other in citations:
        if other["document_id"] == document["document_id"] and other["n"] != citation["n"]:
            return _cited(other)
    return Node(f"{START}{document['document_id']}", shortened(document["title"], TITLE_CHARACTERS), "start")
