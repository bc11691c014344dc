"""What the knowledge graph brings, drawn from ``results/graph_quality.json``."""

from __future__ import annotations

from matplotlib import pyplot as plt
from matplotlib.figure import Figure

WAYS = {
    "search": ("one fused search", "#B8B8B8"),
    "names_all": ("following names, no graph", "#56B4E9"),
    "graph_all": ("the graph alone", "#E69F00"),
    "router": ("the router (default)", "#0072B2"),
}


def draw_graph_quality(results: dict) -> Figure:
    """R@5 of each set, by what is asked of the graph."""
    rows = results["sets"]
    figure, axes = plt.subplots(figsize=(8.5, 3.6))
    width = 0.8 / len(WAYS)
    for place, (way, (label, colour)) in enumerate(WAYS.items()):
        shift = (place - (len(WAYS) - 1) / 2) * width
        values = [100 * row["ways"][way]["R@5"] for row in rows]
        bars = axes.bar([at + shift for at in range(len(rows))], values, width, label=label, color=colour)
        axes.bar_label(bars, fmt="%.0f", fontsize=7, padding=1)
    axes.set_xticks(range(len(rows)), [row["set"] for row in rows])
    axes.set_ylim(0, 108)
    axes.set_ylabel("R@5 (%)")
    axes.grid(axis="y", color="#E5E5E5")
    axes.legend(ncols=2, loc="upper center", bbox_to_anchor=(0.5, -0.12), frameon=False)
    return figure
