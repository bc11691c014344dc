"""Views of the workflows: a list of nodes, or a drawing as SVG, PNG or Mermaid text, without a browser or network.

Layers by the longest way from the beginning, edges that lead back left out (Sugiyama, Tagawa and Toda, 1981); within a layer the nodes are
ordered by the mean place of their neighbours above, then below.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from io import BytesIO
from itertools import pairwise
from pathlib import Path
from typing import Any

from ascertain.core.errors import MissingExtra, UsageError
from ascertain.workflow.analysis.graph import analysis_graph
from ascertain.workflow.ask.graph import ask_graph
from ascertain.workflow.research.graph import research_graph

WIDTH, HEIGHT = 110, 34
"""Of a box, in pixels: the longest name of a node at 14 px."""
ACROSS, DOWN = 26, 64
"""Between two boxes of a layer, and between two layers: room for arrows that cross."""
MARGIN = 24
SWEEPS = 12
"""Times that the layers are ordered; the order settles in half as many."""
SHARPER = 2
"""Pixels of the PNG for one of the drawing: readable on screens of high density."""

WORKFLOWS: Mapping[str, Callable[[], Any]] = {
    "ask": ask_graph,
    "analysis": lambda: analysis_graph(narrates=True),
    "research": research_graph,
}
_NAMES: Mapping[str, str] = {"__start__": "start", "__end__": "end"}
Point = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Arrow:
    """From one node to another; ``is_choice``: a routing function decides on it. ``leads_back``: to an earlier layer."""

    source: str
    target: str
    is_choice: bool
    leads_back: bool


@dataclass(frozen=True, slots=True)
class Layout:
    """Where the centre of each node stands, and the arrows between them; the picture is ``width`` by ``height`` pixels."""

    centres: Mapping[str, Point]
    arrows: tuple[Arrow, ...]
    width: float
    height: float


def find_workflow(name: str) -> Any:
    """The compiled graph of a workflow; UsageError for an unknown name."""
    if name not in WORKFLOWS:
        raise UsageError(f"no workflow {name!r}; choose from {', '.join(WORKFLOWS)}")
    return WORKFLOWS[name]()


def draw_workflow(name: str, form: str) -> bytes:
    """The picture of a workflow in one of the forms ``svg``, ``png`` and ``mmd``. Raises UsageError for another name or form,
    MissingExtra where Pillow, which draws PNG, is not installed.
    """
    graph = find_workflow(name).get_graph()
    if form == "mmd":
        return str(graph.draw_mermaid(with_styles=False)).encode()
    if form not in {"svg", "png"}:
        raise UsageError(
            f"no drawing as {form or 'a file without an ending'!r}; name a file that ends in .svg, .png or .mmd"
        )
    layout = lay_out([(e.source, e.target, bool(e.conditional)) for e in graph.edges])
    return render_svg(layout).encode() if form == "svg" else render_png(layout)


def describe_workflow(name: str) -> list[tuple[str, tuple[str, ...]]]:
    """Each node of a workflow with those it may lead to; UsageError for an unknown name."""
    edges = [(str(edge.source), str(edge.target)) for edge in find_workflow(name).get_graph().edges]
    nodes = dict.fromkeys(source for source, _ in edges)
    return [
        (_NAMES.get(node, node), tuple(_NAMES.get(target, target) for source, target in edges if source == node))
        for node in nodes
    ]


def save_drawing(name: str, path: Path) -> None:
    """Draw a workflow into ``path``, in the form that its ending names. Raises UsageError where it cannot be written."""
    drawing = draw_workflow(name, path.suffix.lower().removeprefix("."))
    try:
        path.write_bytes(drawing)
    except OSError as error:
        raise UsageError(f"{path}: cannot be written ({error.strerror or error}); choose another folder") from error


def lay_out(edges: Sequence[tuple[str, str, bool]]) -> Layout:
    """Nodes in layers from the top down; ``edges`` are source, target, and whether a routing function decides."""
    nodes = list(dict.fromkeys(name for source, target, _ in edges for name in (source, target)))
    forward = _drop_cycles(nodes, [(source, target) for source, target, _ in edges])
    layers = _order_layers(_find_layers(nodes, forward), forward)
    widest = max(len(layer) for layer in layers)
    width = widest * WIDTH + (widest - 1) * ACROSS + 2 * MARGIN
    centres: dict[str, Point] = {}
    for depth, layer in enumerate(layers):
        own = len(layer) * WIDTH + (len(layer) - 1) * ACROSS
        left = (width - own) / 2
        for place, name in enumerate(layer):
            centres[name] = (left + place * (WIDTH + ACROSS) + WIDTH / 2, MARGIN + depth * (HEIGHT + DOWN) + HEIGHT / 2)
    arrows = tuple(Arrow(s, t, choice, (s, t) not in forward) for s, t, choice in edges)
    height = len(layers) * (HEIGHT + DOWN) - DOWN + 2 * MARGIN
    return Layout(centres, arrows, width, height)


def _drop_cycles(nodes: Sequence[str], edges: Sequence[tuple[str, str]]) -> set[tuple[str, str]]:
    """The edges that lead to no node that is under way in a walk in depth from the first one."""
    following: dict[str, list[str]] = {name: [target for source, target in edges if source == name] for name in nodes}
    forward: set[tuple[str, str]] = set()
    finished: set[str] = set()
    open_nodes: set[str] = set()

    def visit(name: str) -> None:
        open_nodes.add(name)
        for target in following[name]:
            if target in open_nodes:
                continue
            forward.add((name, target))
            if target not in finished:
                visit(target)
        open_nodes.discard(name)
        finished.add(name)

    for name in nodes:
        if name not in finished:
            visit(name)
    return forward


def _find_layers(nodes: Sequence[str], forward: set[tuple[str, str]]) -> list[list[str]]:
    depth = dict.fromkeys(nodes, 0)
    for _ in nodes:
        for source, target in forward:
            depth[target] = max(depth[target], depth[source] + 1)
    layers: list[list[str]] = [[] for _ in range(max(depth.values()) + 1)]
    for name in nodes:
        layers[depth[name]].append(name)
    return layers


def _order_layers(layers: list[list[str]], forward: set[tuple[str, str]]) -> list[list[str]]:
    for sweep in range(SWEEPS):
        rows = list(pairwise(layers if sweep % 2 == 0 else layers[::-1]))
        for _, layer in rows:
            place = {name: number / max(1, len(row) - 1) for row in layers for number, name in enumerate(row)}
            beside = {
                name: [place[s] for s, t in forward if t == name]
                if sweep % 2 == 0
                else [place[t] for s, t in forward if s == name]
                for name in layer
            }
            means = {name: sum(near) / len(near) if near else place[name] for name, near in beside.items()}
            layer.sort(key=lambda name, means=means: means[name])
    return layers


def _ends(layout: Layout, arrow: Arrow) -> tuple[Point, Point, Point, Point]:
    """The four points of the curve of an arrow: from the lower edge of its source to the upper one of its target, back round the side."""
    (x1, y1), (x2, y2) = layout.centres[arrow.source], layout.centres[arrow.target]
    if arrow.leads_back:
        side = 1 if x1 >= layout.width / 2 else -1
        start, end = (x1 + side * WIDTH / 2, y1), (x2 + side * WIDTH / 2, y2)
        bend = side * (ACROSS + 30 + abs(y1 - y2) / 8)
        return start, (start[0] + bend, y1), (end[0] + bend, y2), end
    start, end = (x1, y1 + HEIGHT / 2), (x2, y2 - HEIGHT / 2)
    pull = max(DOWN / 2, (end[1] - start[1]) / 3)
    return start, (x1, start[1] + pull), (x2, end[1] - pull), end


def render_svg(layout: Layout) -> str:
    """The layout as an SVG document; dashed arrows are taken by a routing function."""
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {layout.width:g} {layout.height:g}" '
        'font-family="sans-serif" font-size="14">',
        '<defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto">'
        '<path d="M0 0 8 4 0 8z" fill="#555"/></marker></defs>',
        f'<rect width="{layout.width:g}" height="{layout.height:g}" fill="white"/>',
    ]
    for arrow in layout.arrows:
        (x1, y1), (x2, y2), (x3, y3), (x4, y4) = _ends(layout, arrow)
        dashes = ' stroke-dasharray="5 4"' if arrow.is_choice else ""
        lines.append(
            f'<path d="M{x1:.1f} {y1:.1f}C{x2:.1f} {y2:.1f} {x3:.1f} {y3:.1f} {x4:.1f} {y4:.1f}" fill="none" '
            f'stroke="#555"{dashes} marker-end="url(#tip)"/>'
        )
    for name, (x, y) in layout.centres.items():
        lines.append(
            f'<rect x="{x - WIDTH / 2:.1f}" y="{y - HEIGHT / 2:.1f}" width="{WIDTH}" height="{HEIGHT}" rx="6" '
            f'fill="#eef2fb" stroke="#34508c"/><text x="{x:.1f}" y="{y + 5:.1f}" text-anchor="middle">'
            f"{escape(_NAMES.get(name, name))}</text>"
        )
    return "\n".join([*lines, "</svg>\n"])


def render_png(layout: Layout) -> bytes:
    """The same as a PNG; MissingExtra where Pillow is not installed."""
    try:
        from PIL import Image, ImageDraw, ImageFont
    except ImportError:
        raise MissingExtra("a drawing as PNG", "llm") from None
    size = (round(SHARPER * layout.width), round(SHARPER * layout.height))
    image = Image.new("RGB", size, "white")
    pen, font = ImageDraw.Draw(image), ImageFont.load_default(14 * SHARPER)
    for arrow in layout.arrows:
        points = [(SHARPER * x, SHARPER * y) for x, y in _trace_curve(_ends(layout, arrow))]
        for number, (start, end) in enumerate(pairwise(points)):
            if not arrow.is_choice or number % 2 == 0:
                pen.line([start, end], fill="#555555", width=SHARPER)
        pen.polygon(_tip(points[-2], points[-1]), fill="#555555")
    for name, (x, y) in layout.centres.items():
        left, top = SHARPER * (x - WIDTH / 2), SHARPER * (y - HEIGHT / 2)
        box = (left, top, left + SHARPER * WIDTH, top + SHARPER * HEIGHT)
        pen.rounded_rectangle(box, 6 * SHARPER, fill="#eef2fb", outline="#34508c", width=SHARPER)
        pen.text((SHARPER * x, SHARPER * y), _NAMES.get(name, name), fill="black", font=font, anchor="mm")
    written = BytesIO()
    image.save(written, "PNG")
    return written.getvalue()


def _trace_curve(points: tuple[Point, Point, Point, Point], steps: int = 40) -> list[Point]:
    """A cubic Bézier curve as a line of ``steps`` pieces."""
    traced: list[Point] = []
    for step in range(steps + 1):
        t = step / steps
        weights = ((1 - t) ** 3, 3 * t * (1 - t) ** 2, 3 * t**2 * (1 - t), t**3)
        x = sum(weight * point[0] for weight, point in zip(weights, points, strict=True))
        y = sum(weight * point[1] for weight, point in zip(weights, points, strict=True))
        traced.append((x, y))
    return traced


def _tip(before: Point, end: Point) -> list[Point]:
    """The triangle at the end of an arrow."""
    dx, dy = end[0] - before[0], end[1] - before[1]
    length = max((dx**2 + dy**2) ** 0.5, 1e-6)
    ux, uy = dx / length, dy / length
    back, wide = 8 * SHARPER, 4 * SHARPER
    base = (end[0] - back * ux, end[1] - back * uy)
    return [end, (base[0] - wide * uy, base[1] + wide * ux), (base[0] + wide * uy, base[1] - wide * ux)]
