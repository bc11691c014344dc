"""The router: whether the graph is worth asking for a question, what for, and why.

A pure function of what is known once the question has been searched for and its names have been looked up.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from ascertain.core.plans import GraphQuery

Use = Literal["auto", "always", "never"]


@dataclass(frozen=True, slots=True)
class Signs:
    """What speaks for or against the graph.

    ``planned`` is what the words of the question ask for. ``linked`` counts the things it names that the graph knows, ``connected`` those
    of them that more than one visible chunk names, ``named`` the names it holds. ``hops`` says that its wording takes a document it does not
    name. ``documents`` counts those of the first ``FIRST`` passages, ``connections`` the things that these name and another visible chunk does.
    """

    planned: GraphQuery
    linked: int
    connected: int
    named: int
    hops: bool
    documents: int
    connections: int


@dataclass(frozen=True, slots=True)
class Route:
    """What the graph is asked for, NONE for nothing, with the reason for people."""

    kind: GraphQuery
    reason: str


FIRST = 10
"""Passages of the first search whose documents and names are counted."""


def route(signs: Signs, use: Use) -> Route:
    """The first rule that applies."""
    if use == "never":
        return Route(GraphQuery.NONE, "graph.use is never")
    if not signs.linked and not signs.connections:
        return Route(GraphQuery.NONE, "nothing in the question or the first passages links to the graph")
    if not signs.connections and not signs.connected:
        return Route(GraphQuery.NONE, "what it names is named in one passage only")
    kind, reason = _kind(signs)
    if kind is not GraphQuery.NONE:
        return Route(kind, reason)
    if use == "always":
        return Route(
            GraphQuery.MULTI_HOP if signs.linked else GraphQuery.CROSS_DOCUMENT, "graph.use is always"
        )
    return Route(GraphQuery.NONE, reason)


def _kind(signs: Signs) -> tuple[GraphQuery, str]:
    if signs.planned is GraphQuery.CROSS_DOCUMENT:
        return GraphQuery.CROSS_DOCUMENT, "asks across documents"
    if signs.planned is GraphQuery.MULTI_HOP:
        return GraphQuery.MULTI_HOP, "asks how things are related, or in steps"
    if signs.hops:
        return GraphQuery.MULTI_HOP, "takes more than one document"
    if signs.planned is GraphQuery.ENTITY and signs.linked:
        return GraphQuery.ENTITY, "asks what a thing is"
    return GraphQuery.NONE, "one search is enough for its wording"
