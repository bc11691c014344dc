"""The router: whether the graph is worth asking for a question, what for, and why.

A pure function of what is known once the question has been searched for and its names have been looked up.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from ascertain.core.plans import GraphQuery

Use = Literal["auto", "always", "never"]


FIRST = 10
"""Passages of the first search whose documents and names are looked at."""


@dataclass(frozen=True, slots=True)
class Signs:
    """What speaks for or against the graph.

    ``planned`` is what the words of the question ask for, and ``hops`` says that its wording takes a document it does not name. ``linked`` counts
    the things it names that the graph knows, ``connected`` those of them that more than one passage names. ``documents`` counts those
    of the first FIRST passages, ``connections`` the things that these name and another passage does.
    """

    planned: GraphQuery
    hops: bool
    linked: int
    connected: int
    documents: int
    connections: int


@dataclass(frozen=True, slots=True)
class Route:
    """What the graph is asked for, NONE for nothing, with the reason for people."""

    kind: GraphQuery
    reason: str


def route(signs: Signs, use: Use) -> Route:
    """The first rule that applies.

    Chosen on the dev sets: what names a thing of several passages gains from the graph or loses nothing, whatever its wording; where neither the
    wording nor a name leads on, one search is as good (``bench/results/graph_quality.json``).
    """
    if use == "never":
        return Route(GraphQuery.NONE, "graph.use is never")
    if not signs.connected and not signs.connections:
        return Route(
            GraphQuery.NONE, "neither the question nor the first passages name what other passages do"
        )
    if signs.planned is GraphQuery.CROSS_DOCUMENT:
        return Route(GraphQuery.CROSS_DOCUMENT, "asks across documents")
    if signs.planned is GraphQuery.MULTI_HOP or signs.hops:
        return Route(GraphQuery.MULTI_HOP, "takes a document that the question does not name")
    if signs.connected > 1 and signs.documents > 1:
        return Route(GraphQuery.MULTI_HOP, f"names {signs.connected} things of several passages")
    if signs.connected:
        return Route(GraphQuery.ENTITY, "names a thing of several passages")
    if use == "always":
        return Route(GraphQuery.CROSS_DOCUMENT, "graph.use is always")
    return Route(
        GraphQuery.NONE, "names nothing that several passages name, and one search is enough for its wording"
    )
