"""Whether the graph is worth asking, what for, and why."""

from __future__ import annotations

from itertools import product

import pytest

from ascertain.core.asking.plans import GraphQuery
from ascertain.retrieval.search.graph_retrieval import Signs, route_question

NONE, ENTITY, MULTI_HOP, CROSS_DOCUMENT = (
    GraphQuery.NONE,
    GraphQuery.ENTITY,
    GraphQuery.MULTI_HOP,
    GraphQuery.CROSS_DOCUMENT,
)


def signs(planned=NONE, *, hops=False, linked=0, connected=0, documents=5, connections=3):
    return Signs(planned, hops, linked, connected, documents, connections)


@pytest.mark.parametrize(
    ("given", "kind", "reason"),
    [
        (signs(), NONE, "one search is enough"),
        (signs(connections=0), NONE, "neither the question nor the first passages"),
        (signs(hops=True, connections=0), NONE, "neither the question nor the first passages"),
        (signs(linked=1), NONE, "names nothing that several passages name"),
        (signs(linked=1, connected=1), ENTITY, "names a thing of several passages"),
        (signs(planned=ENTITY, linked=1, connected=1), ENTITY, "names a thing of several passages"),
        (signs(linked=2, connected=2), MULTI_HOP, "names 2 things of several passages"),
        (signs(linked=2, connected=2, documents=1), ENTITY, "names a thing"),
        (signs(hops=True), MULTI_HOP, "takes a document that the question does not name"),
        (signs(planned=MULTI_HOP), MULTI_HOP, "takes a document that the question does not name"),
        (signs(planned=CROSS_DOCUMENT), CROSS_DOCUMENT, "asks across documents"),
        (signs(planned=CROSS_DOCUMENT, hops=True, linked=2, connected=2), CROSS_DOCUMENT, "across documents"),
    ],
)
def test_each_question_has_its_route_and_a_reason(given, kind, reason):
    found = route_question(given, "auto")
    assert found.kind is kind
    assert reason in found.reason


ALL = [
    signs(planned, hops=hops, linked=names, connected=names, documents=documents, connections=beside)
    for planned, hops, names, documents, beside in product(
        (NONE, ENTITY, MULTI_HOP, CROSS_DOCUMENT), (False, True), (0, 1, 2), (1, 5), (0, 3)
    )
]


def test_never_is_never():
    assert all(route_question(given, "never").kind is NONE for given in ALL)


def test_always_is_wherever_anything_links():
    for given in ALL:
        assert (route_question(given, "always").kind is NONE) == (not given.connected and not given.connections)


def test_always_asks_for_what_auto_would():
    for given in ALL:
        auto = route_question(given, "auto")
        assert auto.kind is NONE or route_question(given, "always") == auto
