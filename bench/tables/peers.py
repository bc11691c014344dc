"""The tables and the plot of ``docs/benchmarks.md`` about other systems, from ``peers.json``."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from matplotlib import pyplot as plt
from matplotlib.figure import Figure

Results = Callable[[str], Mapping[str, Any]]
Table = tuple[list[str], list[list[str]]]
LABELS = {
    "ascertain_ask": "Ascertain, as `ask` searches",
    "ascertain": "Ascertain, `search`",
    "txtai": "txtai, hybrid",
    "haiku": "haiku.rag, hybrid",
    "lancedb": "LanceDB, hybrid",
    "haystack": "Haystack, BM25 + vectors, RRF",
    "llamaindex": "LlamaIndex, QueryFusionRetriever",
    "langchain": "LangChain, EnsembleRetriever",
    "faiss": "MiniLM + FAISS",
    "bm25s": "BM25 (bm25s)",
    "lightrag": "LightRAG, mix, scripted model",
}
OURS = ("ascertain", "ascertain_ask")


def peers_mean_table(results: Results) -> Table:
    """The mean over all sets, of who was measured on all, and over those that both of our rows were measured on."""
    sets = results("peers")["sets"]
    both = [name for name, held in sets.items() if all(ours in held["peers"] for ours in OURS)]
    rows: list[list[str]] = []
    for peer, label in LABELS.items():
        cells = [label]
        for names in (list(sets), both):
            rated = [sets[name]["peers"][peer]["metrics"] for name in names if peer in sets[name]["peers"]]
            is_whole = len(rated) == len(names)
            cells += [f"{_mean_of(rated, measure):.1f}" if is_whole else "" for measure in ("nDCG@10", "R@5", "MRR@10")]
        if any(cells[1:]):
            rows.append(cells)
    told = [f"{measure}, {len(names)} sets" for names in (sets, both) for measure in ("nDCG@10", "R@5", "MRR@10")]
    return ["mean of the sets", *told], rows


def _mean_of(rated: list[Mapping[str, float]], measure: str) -> float:
    return 100 * sum(row[measure] for row in rated) / len(rated)


def peers_sets_table(results: Results, measure: str) -> Table:
    """One measure of every peer on every set; the best peer is bold, ours where it is better than that."""
    sets = results("peers")["sets"]
    rows = [[LABELS[peer], *(_tell_cell(held["peers"], peer, measure) for held in sets.values())] for peer in LABELS]
    return [f"{measure} (95 %)", *sets], rows


def _tell_cell(peers: Mapping[str, Any], peer: str, measure: str) -> str:
    if peer not in peers:
        return ""
    others = [row["metrics"][measure] for name, row in peers.items() if name not in OURS]
    value, (low, high) = peers[peer]["metrics"][measure], peers[peer]["intervals"][measure]
    cell = f"{100 * value:.1f}"
    return f"{f'**{cell}**' if value >= max(others) else cell} ({100 * low:.0f}-{100 * high:.0f})"


def peers_cost_table(results: Results) -> Table:
    """What each costs on the set with the most texts that all were measured on, and lines of code."""
    held = results("peers")
    chosen = "trec_dl19_pool"
    rows: list[list[str]] = []
    for peer, label in LABELS.items():
        name = chosen if peer in held["sets"][chosen]["peers"] else "morehopqa150"
        row, told = held["sets"][name]["peers"][peer], held["peers"][peer]
        version = (
            ", ".join(told["versions"].values())
            if len(told["versions"]) == 1
            else next(iter(told["versions"].values()))
        )
        rows.append(
            [
                label + ("" if name == chosen else f" (on {name})"),
                version,
                f"{row['index_processor_s']:.1f}",
                f"{row['search_processor_ms']:.1f}",
                f"{row['search_p50_ms']:.1f} / {row['search_p95_ms']:.1f}",
                f"{row['memory_mb']:,.0f}",
                f"{row['disk_mb']:.1f}" if row["disk_mb"] else "in memory",
                "" if peer == "ascertain_ask" else str(told["lines"]),
            ]
        )
    head = ["on trec_dl19_pool", "version", "index, processor s", "search, processor ms", "median / 95 % ms"]
    return [*head, "memory added, MB", "disk, MB", "lines"], rows


def draw_peers(results: Mapping[str, Any]) -> Figure:
    """Mean nDCG@10 over the sets that both of our rows were measured on, best first."""
    sets = results["sets"]
    both = [held["peers"] for held in sets.values() if all(ours in held["peers"] for ours in OURS)]
    mean = {
        peer: _mean_of([held[peer]["metrics"] for held in both], "nDCG@10")
        for peer in LABELS
        if all(peer in held for held in both)
    }
    order = sorted(mean, key=lambda peer: mean[peer])
    figure, axes = plt.subplots(figsize=(8, 0.36 * len(order) + 0.9))
    for place, peer in enumerate(order):
        axes.barh(place, mean[peer], color="#0072B2" if peer in OURS else "#B8B8B8", height=0.66)
        axes.text(mean[peer] + 0.4, place, f"{mean[peer]:.1f}", va="center")
    axes.set_yticks(range(len(order)), [LABELS[peer].replace("`", "") for peer in order])
    axes.set_xlim(60, 100)
    axes.set_xlabel(f"mean nDCG@10 of {len(both)} dev sets (%), from 60")
    return figure
