"""The pictures of ``docs/scaling.md``: what searches and loading cost in each store."""

from __future__ import annotations

from matplotlib import pyplot as plt
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from bench.tables.stores import LEGS, NAMES

# Okabe & Ito (2008), as in plots.py; a mark of its own for each store, so that colour is not needed to tell them apart.
STYLES = {
    "embedded": ("#0072B2", "o"),
    "postgres": ("#D55E00", "s"),
    "qdrant": ("#009E73", "^"),
    "chroma": ("#E69F00", "D"),
}


def draw_store_searches(results: dict) -> Figure:
    """Median of each kind of search by the share of chunks a filter leaves; whiskers reach to the 95th percentile."""
    figure, panels = plt.subplots(1, len(LEGS), figsize=(11, 3.6), sharey=True)
    for axes, leg in zip(panels, LEGS, strict=True):
        for place, (kind, store) in enumerate(results["stores"].items()):
            _draw_leg(axes, place, kind, store["search"][leg])
        axes.set_xticks(range(len(results["shares"])), results["shares"])
        axes.set_yscale("log")
        axes.set_title(leg)
        axes.grid(axis="y", color="#E5E5E5")
    panels[0].set_ylabel("milliseconds (logarithmic)")
    panels[1].set_xlabel(f"share of {results['chunks']:,} chunks that the filter leaves")
    handles, labels = panels[0].get_legend_handles_labels()
    figure.legend(handles, labels, ncols=len(handles), loc="outside upper center", frameon=False)
    return figure


def _draw_leg(axes: Axes, place: int, kind: str, cells: dict[str, dict]) -> None:
    colour, mark = STYLES[kind]
    at = [number + 0.06 * (place - 1.5) for number in range(len(cells))]
    medians = [cell["median_ms"] for cell in cells.values()]
    slow = [max(0.0, cell["p95_ms"] - cell["median_ms"]) for cell in cells.values()]
    axes.errorbar(
        at,
        medians,
        yerr=([0.0] * len(slow), slow),
        color=colour,
        marker=mark,
        capsize=2,
        linewidth=1,
        elinewidth=0.7,
        label=NAMES[kind],
    )


def draw_store_loads(results: dict) -> Figure:
    """Chunks a second into each store until every index is built, and the processor time a chunk takes."""
    stores = results["stores"]
    figure, (left, right) = plt.subplots(1, 2, figsize=(11, 2.6), sharey=True)
    for place, (kind, store) in enumerate(stores.items()):
        load, colour = store["load"], STYLES[kind][0]
        bars = left.barh(place, load["chunks_per_second"], color=colour, height=0.6)
        left.bar_label(bars, fmt="{:,.0f}", padding=3)
        own, server = (1000 * load[f"{whose}_processor_seconds"] / load["chunks"] for whose in ("own", "server"))
        right.barh(place, own, color=colour, height=0.6)
        bars = right.barh(place, server, left=own, color=colour, alpha=0.5, height=0.6)
        right.bar_label(bars, labels=[f"{own:.1f} + {server:.1f}" if server else f"{own:.1f}"], padding=3)
    left.set_yticks(range(len(stores)), [NAMES[kind] for kind in stores])
    left.invert_yaxis()
    left.margins(x=0.15)
    right.margins(x=0.25)
    left.set_xlabel(f"chunks a second, {results['chunks']:,} in all")
    right.set_xlabel("processor milliseconds a chunk: ours + the server's (pale)")
    return figure
