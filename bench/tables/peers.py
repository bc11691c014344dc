"""The tables and the plot of ``docs/benchmarks.md`` about other systems, from ``peers.json``."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from matplotlib import pyplot as plt
from matplotlib.figure import Figure

from bench.setting import name_moment

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


def peers_moments_table(results: Results) -> Table:
    """When each set was measured: all systems in one run, or in several."""
    held = results("peers")
    whole = name_moment(held["circumstances"])
    rows = [
        [name, "; ".join(dict.fromkeys(row.get("measured", whole) for row in found["peers"].values()))]
        for name, found in held["sets"].items()
    ]
    return ["set", "day and commit of the runs"], rows


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


def peers_wins_table(results: Results) -> Table:
    """Where a peer is ahead of ours: the set, the measure, and by how much."""
    rows: list[list[str]] = []
    for name, held in results("peers")["sets"].items():
        for measure in ("nDCG@10", "R@5", "MRR@10"):
            others = {peer: row["metrics"][measure] for peer, row in held["peers"].items() if peer not in OURS}
            best = max(others, key=lambda peer: others[peer])
            ours = [held["peers"].get(name_of_ours) for name_of_ours in OURS]
            over = [None if row is None else 100 * (others[best] - row["metrics"][measure]) for row in ours]
            if max(value for value in over if value is not None) > 0:
                rows.append([name, measure, LABELS[best], *("" if v is None else f"{v:+.1f}" for v in over)])
    return ["set", "measure", "best peer", "over `search`", "over `ask`"], rows


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


def ablations_table(results: Results) -> Table:
    """What each part brings, by set."""
    found = results("ablations")
    sets = found["sets"]
    rows = [
        [label, *(_tell_gain(held["without"][part]) for held in sets.values())]
        for part, label in found["parts"].items()
        if part != "whole"
    ]
    whole = [f"{100 * held['whole']['nDCG@10']:.1f} / {100 * held['whole']['R@5']:.1f}" for held in sets.values()]
    head = [f"{name} ({held['queries']})" for name, held in sets.items()]
    moments = [held.get("measured", name_moment(found["circumstances"])) for held in sets.values()]
    return ["lost without", *head], [["the whole, nDCG@10 / R@5", *whole], *rows, ["measured", *moments]]


def _tell_gain(row: Mapping[str, Any]) -> str:
    cells = (f"{100 * row[measure]['gain']:+.1f}" for measure in ("nDCG@10", "R@5"))
    bold = (row[measure]["p"] < 0.05 for measure in ("nDCG@10", "R@5"))
    return " / ".join(f"**{cell}**" if is_bold else cell for cell, is_bold in zip(cells, bold, strict=True))


def evaluation_cost_table(results: Results) -> Table:
    """Ours by part, and ir-measures beside it."""
    found = results("evaluation_cost")
    parts = ("indexing or opening", "searching", "scoring and intervals", "outside", "embedding model")
    rows = [
        [f"Ascertain, {label}", *(f"{found['ours'][run][part]:.2f}" for part in parts)]
        for run, label in (("first", "first run"), ("again", "again"))
    ]
    for depth, row in found["ir_measures"]["seconds_by_depth"].items():
        label = f"ir-measures {found['ir_measures']['version']}, {depth} texts a question"
        rows.append([label, f"{row['reading']:.2f} (reading)", "", f"{row['scoring']:.2f}", f"{row['both']:.2f}", ""])
    return ["", "indexing or opening", "searching", "scoring", "together, without the model", "embedding model"], rows
