"""Where the parts of a graph stand: pure geometry, in percent of the width and in pixels of the height.

Every drawing is laid out twice, for a wide place and for one as narrow as a phone; ``assets/drawing.js`` shows the one
that fits. Names are words of the page that keep their size, so a layout may count on no more than ``SLOT`` pixels in
height and its own share of the width.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import cos, pi, sin
from typing import Literal

Role = Literal["centre", "end", "entity", "passage", "start"]
"""The middle, an end of a way, any other entity, a cited passage, and where a way begins that leads nowhere else."""
Point = tuple[float, float]

SLOT = 46.0
"""Pixels: the most that two lines of a name in their frame take."""
ROW = 58.0
"""Pixels from one row of names to the next."""
MOST_AROUND = 12
"""Neighbours that stand around an entity in a wide place without touching; tests check each number up to it."""
MOST_BESIDE = 8
"""The same on a phone, where they fill about one screen."""
WIDE_RADIUS = 39.5
"""Percent of the width from the middle to the furthest neighbour."""
WIDE_SHARE = 19.0
"""Percent of the width that a name takes at most, with twelve around."""
CENTRE_SHARE = 26.0
WIDE_HEIGHT = 440.0
MARGIN = 30.0
"""Pixels above the highest and below the lowest middle of a name."""
COLUMNS = (25.0, 75.0)
"""Percent: the middles of the two columns on a phone."""
NARROW_SHARE = 46.0
THINNEST, THICKEST = 1.25, 6.0
"""Pixels of a line, by the weight of its link."""
STEP_HEIGHT = 116.0
"""Pixels from one name to the next on a way drawn downwards; the number of sentences stands between them."""
LANE_HEIGHT = 76.0
NEAR_ITS_LANE = 0.7
"""How far from the shared end the words of a line stand, so that those of two lanes do not touch on a phone."""
DEEPEST_WIDE = 4
"""Names on a way that have room beside each other in a wide place."""


@dataclass(frozen=True, slots=True)
class Node:
    """A name: what it opens, what it says, how it is shown."""

    id: str
    text: str
    role: Role = "entity"
    kind: Mapping[str, str] | None = None
    title: str = ""
    """What it says to who cannot see how it stands to the others."""


@dataclass(frozen=True, slots=True)
class Edge:
    """A line between two nodes, by their ids; ``weight`` is 0..1."""

    start: str
    end: str
    weight: float = 0.5
    text: str = ""
    is_faint: bool = False


@dataclass(slots=True)
class Layout:
    """Places of nodes, by id, and the share of the width that each may take."""

    height: float
    places: dict[str, Point] = field(default_factory=dict[str, Point])
    shares: dict[str, float] = field(default_factory=dict[str, float])
    through: dict[tuple[str, str], Point] = field(default_factory=dict[tuple[str, str], Point])
    """Where a line goes through that would else run over a name between its ends."""
    labels: dict[tuple[str, str], float] = field(default_factory=dict[tuple[str, str], float])
    """How far along a line its words stand, 0..1; in the middle where nothing is said."""

    def put(self, node_id: str, place: Point, share: float) -> None:
        """Put a node in its place."""
        self.places[node_id] = place
        self.shares[node_id] = share


def around_wide(centre: str, others: Sequence[str]) -> Layout:
    """``centre`` in the middle and the others on an ellipse, beginning left and right of its top."""
    shown = others[:MOST_AROUND]
    height = WIDE_HEIGHT if len(shown) > 6 else WIDE_HEIGHT * 0.75
    layout = Layout(height)
    layout.put(centre, (50.0, height / 2), CENTRE_SHARE)
    turn = 2 * pi / max(1, len(shown))
    for number, each in enumerate(shown):
        angle = -pi / 2 + turn * (number + 0.5)
        x, y = 50 + WIDE_RADIUS * cos(angle), height / 2 + (height / 2 - MARGIN) * sin(angle)
        layout.put(each, (x, y), WIDE_SHARE)
    return layout


def around_narrow(centre: str, others: Sequence[str]) -> Layout:
    """``centre`` in a row of its own, the others above and below it in two columns."""
    shown = others[:MOST_BESIDE]
    pairs = [shown[start : start + 2] for start in range(0, len(shown), 2)]
    above = len(pairs) // 2
    layout = Layout(2 * MARGIN + ROW * len(pairs))
    layout.put(centre, (50.0, MARGIN + ROW * above), 2 * NARROW_SHARE)
    for number, pair in enumerate(pairs):
        y = MARGIN + ROW * (number if number < above else number + 1)
        # one alone is the last, below the lines of all others
        for each, column in zip(pair, COLUMNS if len(pair) == 2 else (50.0,), strict=True):
            layout.put(each, (column, y), NARROW_SHARE)
    return layout


def ways_wide(ways: Sequence[Sequence[str]]) -> Layout:
    """Ways from one node to another, from left to right in a lane each, or downwards where that is too long."""
    longest = max(len(way) for way in ways)
    if longest > DEEPEST_WIDE:
        return ways_narrow(ways)
    height = 2 * MARGIN + LANE_HEIGHT * max(1, len(ways) - 1)
    share = 62.0 / longest
    layout = Layout(height)
    for lane, way in enumerate(ways):
        y = MARGIN + LANE_HEIGHT * lane if len(ways) > 1 else height / 2
        for number, each in enumerate(way):
            at_end = number in {0, len(way) - 1}
            x = share / 2 + (100 - share) * number / max(1, len(way) - 1)
            _put_once(layout, each, (x, height / 2 if at_end else y), share)
        if len(way) == 2:
            layout.through[way[0], way[1]] = (50.0, y)
    return layout


def ways_narrow(ways: Sequence[Sequence[str]]) -> Layout:
    """The same downwards: the start above, the end below, each way in a column."""
    longest = max(len(way) for way in ways)
    height = 2 * MARGIN + STEP_HEIGHT * max(1, longest - 1)
    share = 94.0 / len(ways)
    layout = Layout(height)
    for lane, way in enumerate(ways):
        x = 100.0 * (lane + 0.5) / len(ways)
        for number, each in enumerate(way):
            at_end = number in {0, len(way) - 1}
            y = MARGIN + (height - 2 * MARGIN) * number / max(1, len(way) - 1)
            _put_once(layout, each, (50.0 if at_end else x, y), NARROW_SHARE * 1.4 if at_end else min(share, 60.0))
        if len(way) == 2:
            layout.through[way[0], way[1]] = (x, height / 2)
        elif len(ways) > 1:
            layout.labels[way[0], way[1]] = NEAR_ITS_LANE
            layout.labels[way[-2], way[-1]] = 1 - NEAR_ITS_LANE
    return layout


def layers_wide(layers: Sequence[Sequence[str]]) -> Layout:
    """Layers from left to right, each a column."""
    given = [layer for layer in layers if layer]
    most = max((len(layer) for layer in given), default=1)
    share = 74.0 / max(1, len(given))
    layout = Layout(2 * MARGIN + ROW * max(1, most - 1))
    for number, layer in enumerate(given):
        x = share / 2 + (100 - share) * number / max(1, len(given) - 1) if len(given) > 1 else 50.0
        for row, each in enumerate(layer):
            y = layout.height / 2 + ROW * (row - (len(layer) - 1) / 2)
            _put_once(layout, each, (x, y), share)
    return layout


def layers_narrow(layers: Sequence[Sequence[str]]) -> Layout:
    """Layers from top to bottom, two names in a row."""
    layout = Layout(0)
    y = MARGIN
    for layer in layers:
        for start in range(0, len(layer), 2):
            pair = layer[start : start + 2]
            for each, column in zip(pair, COLUMNS if len(pair) == 2 else (50.0,), strict=True):
                _put_once(layout, each, (column, y), NARROW_SHARE)
            y += ROW
        # room in which the lines between two layers can be told apart
        y += ROW / 2 if layer else 0
    layout.height = y - ROW * 1.5 + MARGIN
    return layout


def draw_graph(nodes: Sequence[Node], edges: Sequence[Edge], layout: Layout, turns: bool = False) -> dict[str, object]:
    """What ``assets/drawing.js`` draws of a layout; ``turns`` says that lines leave the middle between two columns.

    Nodes and edges that have no place in it are left out.
    """
    placed = [edge for edge in edges if edge.start in layout.places and edge.end in layout.places]
    return {
        "height": round(layout.height, 1),
        "nodes": [_draw_node(node, layout) for node in nodes if node.id in layout.places],
        "edges": [_draw_edge(edge, layout, turns) for edge in placed],
    }


def _put_once(layout: Layout, node_id: str, place: Point, share: float) -> None:
    if node_id not in layout.places:
        layout.put(node_id, place, share)


def _draw_node(node: Node, layout: Layout) -> dict[str, object]:
    x, y = layout.places[node.id]
    return {
        "id": node.id,
        "text": node.text,
        "title": node.title or node.text,
        "role": node.role,
        "kind": node.kind and dict(node.kind),
        "x": round(x, 2),
        "y": round(y, 1),
        "share": round(layout.shares[node.id], 1),
    }


def _draw_edge(edge: Edge, layout: Layout, turns: bool) -> dict[str, object]:
    start, end = layout.places[edge.start], layout.places[edge.end]
    ends = edge.start, edge.end
    through = layout.through.get(ends)
    x, y = through or _point_between(start, end, layout.labels.get(ends, 0.5))
    return {
        "line": _draw_line(start, end, edge, layout, turns),
        "width": round(THINNEST + (THICKEST - THINNEST) * min(1.0, max(0.0, edge.weight)), 2),
        "text": edge.text,
        "x": round(x, 2),
        "y": round(y, 1),
        "is_faint": edge.is_faint,
    }


def _draw_line(start: Point, end: Point, edge: Edge, layout: Layout, turns: bool) -> str:
    through = layout.through.get((edge.start, edge.end))
    if through is not None:
        middle = _point_between(start, end, 0.5)
        # a quadratic curve passes half-way between its control and the middle of its ends
        control = (2 * through[0] - middle[0], 2 * through[1] - middle[1])
        return f"M{_format_point(start)} Q{_format_point(control)} {_format_point(end)}"
    if edge.is_faint:
        return _bowed_line(start, end, layout.height)
    return _turning_line(start, end) if turns else _straight_line(start, end)


def _point_between(start: Point, end: Point, share: float) -> Point:
    return start[0] + (end[0] - start[0]) * share, start[1] + (end[1] - start[1]) * share


def _straight_line(start: Point, end: Point) -> str:
    return f"M{_format_point(start)} L{_format_point(end)}"


def _turning_line(start: Point, end: Point) -> str:
    """Upwards or downwards first, then aside: on a phone it passes between the two columns."""
    corner = (start[0], end[1])
    return f"M{_format_point(start)} C{_format_point(corner)} {_format_point(corner)} {_format_point(end)}"


def _bowed_line(start: Point, end: Point, height: float) -> str:
    """Between two names around the middle, drawn towards it."""
    control = ((start[0] + end[0] + 100) / 4, (start[1] + end[1] + height) / 4)
    return f"M{_format_point(start)} Q{_format_point(control)} {_format_point(end)}"


def _format_point(place: Point) -> str:
    return f"{place[0]:.2f} {place[1]:.1f}"
