from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ascertain.ui.graph.drawing import (
    CENTRE_SHARE,
    MOST_AROUND,
    MOST_BESIDE,
    SLOT,
    THICKEST,
    THINNEST,
    Edge,
    Node,
    around_narrow,
    around_wide,
    draw_graph,
    layers_narrow,
    layers_wide,
    ways_narrow,
    ways_wide,
)

NAMES = [f"n{number}" for number in range(40)]
WIDE, NARROW = 544, 340
"""Pixels of the narrowest place that each layout is used in: 34rem, and a phone of 390 pixels less its margins."""


def boxes(layout, width):
    """Each name's frame at its largest, in pixels: left, top, right, bottom."""
    found = {}
    for name, (x, y) in layout.places.items():
        half = layout.shares[name] * width / 200
        found[name] = (x * width / 100 - half, y - SLOT / 2, x * width / 100 + half, y + SLOT / 2)
    return found


def assert_apart_and_inside(layout, width, height_slack=0):
    shown = boxes(layout, width)
    for name, (left, top, right, bottom) in shown.items():
        assert left >= -0.5, name
        assert right <= width + 0.5, name
        assert top >= -height_slack, name
        assert bottom <= layout.height + height_slack, name
    for (one, a), (other, b) in combinations(shown.items(), 2):
        apart = a[2] <= b[0] + 0.5 or b[2] <= a[0] + 0.5 or a[3] <= b[1] + 0.5 or b[3] <= a[1] + 0.5
        assert apart, (one, a, other, b)


@pytest.mark.parametrize("number", range(1, MOST_AROUND + 4))
def test_names_around_an_entity_never_touch(number):
    layout = around_wide("centre", NAMES[:number])
    assert len(layout.places) == 1 + min(number, MOST_AROUND)
    assert_apart_and_inside(layout, WIDE)


@pytest.mark.parametrize("number", range(1, MOST_BESIDE + 4))
def test_names_around_an_entity_never_touch_on_a_phone(number):
    layout = around_narrow("centre", NAMES[:number])
    assert len(layout.places) == 1 + min(number, MOST_BESIDE)
    assert_apart_and_inside(layout, NARROW)


@pytest.mark.parametrize("lengths", [(2,), (3,), (4,), (6,), (3, 3), (3, 4), (3, 3, 3), (4, 3, 4)])
def test_names_on_ways_never_touch(lengths):
    ways = [
        ["start", *(f"{lane}-{place}" for place in range(length - 2)), "end"] for lane, length in enumerate(lengths)
    ]
    assert_apart_and_inside(ways_wide(ways), WIDE)
    assert_apart_and_inside(ways_narrow(ways), NARROW)


def test_what_two_ways_share_is_drawn_once():
    layout = ways_wide([["a", "b", "d"], ["a", "b", "c", "d"]])
    assert sorted(layout.places) == ["a", "b", "c", "d"]


@given(st.lists(st.integers(0, 6), min_size=1, max_size=3))
def test_names_in_layers_never_touch(sizes):
    layers = [[f"{layer}-{place}" for place in range(size)] for layer, size in enumerate(sizes)]
    assert_apart_and_inside(layers_wide(layers), WIDE)
    assert_apart_and_inside(layers_narrow(layers), NARROW)


def test_layers_stand_in_their_order():
    layers = [["a"], ["b", "c"], ["d"]]
    wide, narrow = layers_wide(layers).places, layers_narrow(layers).places
    assert wide["a"][0] < wide["b"][0] == wide["c"][0] < wide["d"][0]
    assert narrow["a"][1] < narrow["b"][1] == narrow["c"][1] < narrow["d"][1]


def test_stronger_links_are_thicker_and_nothing_is_drawn_without_a_place():
    layout = around_wide("centre", ["near", "far"])
    nodes = [Node("centre", "Centre", "centre"), Node("near", "Near"), Node("gone", "Gone")]
    edges = [Edge("centre", "near", 1.0), Edge("centre", "far", 0.0), Edge("centre", "gone", 1.0)]
    shown = draw_graph(nodes, edges, layout)
    assert [node["id"] for node in shown["nodes"]] == ["centre", "near"]
    assert [edge["width"] for edge in shown["edges"]] == [THICKEST, THINNEST]


@given(st.floats(allow_nan=False, allow_infinity=False, width=32))
def test_any_weight_makes_a_line_that_can_be_seen(weight):
    layout = around_wide("a", ["b"])
    (edge,) = draw_graph([Node("a", "A"), Node("b", "B")], [Edge("a", "b", weight)], layout)["edges"]
    assert THINNEST <= edge["width"] <= THICKEST


def test_entity_in_the_middle_has_the_most_room():
    layout = around_wide("centre", NAMES[:12])
    assert layout.shares["centre"] == CENTRE_SHARE > layout.shares["n0"]


@pytest.mark.parametrize("lay_out", [ways_wide, ways_narrow])
def test_direct_way_does_not_run_over_the_names_of_another(lay_out):
    ways = [["a", "b"], ["a", "c", "b"], ["a", "d", "b"]]
    layout = lay_out(ways)
    nodes = [Node(name, name) for name in "abcd"]
    (direct,) = draw_graph(nodes, [Edge("a", "b", text="1 sentence")], layout)["edges"]
    assert " Q" in direct["line"]
    for name in "cd":
        x, y = layout.places[name]
        assert abs(direct["x"] - x) * NARROW / 100 >= SLOT or abs(direct["y"] - y) >= SLOT


def test_words_on_lines_of_two_lanes_do_not_touch_on_a_phone():
    ways = [["a", lane, "b"] for lane in "cde"]
    layout = ways_narrow(ways)
    edges = [Edge(*ends, text="17 sentences") for lane in "cde" for ends in (("a", lane), (lane, "b"))]
    shown = draw_graph([Node(name, name) for name in "abcde"], edges, layout)["edges"]
    widest = 75  # pixels of "17 sentences"
    for one, other in combinations(shown, 2):
        assert abs(one["x"] - other["x"]) * NARROW / 100 >= widest or abs(one["y"] - other["y"]) >= 20
