"""The tables of ``docs/benchmarks.md`` about the knowledge graph, from ``graph_quality.json`` and ``graph_speed.json``."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

Results = Callable[[str], Mapping[str, Any]]
Table = tuple[list[str], list[list[str]]]
WAYS = {
    "search": "one fused search",
    "names_ruled": "following names where the rules say so",
    "names_all": "following names always",
    "graph_all": "the graph always",
    "names_and_graph_all": "both always",
    "router": "the router (default)",
}


def graph_quality_table(results: Results) -> Table:
    """R@5 and nDCG@10 of each set without and with the graph."""
    rows = [
        [
            row["set"],
            *(f"{100 * row['ways'][way]['R@5']:.1f} / {100 * row['ways'][way]['nDCG@10']:.1f}" for way in WAYS),
        ]
        for row in results("graph_quality")["sets"]
    ]
    return ["R@5 / nDCG@10", *WAYS.values()], rows


def graph_targets_table(results: Results) -> Table:
    """Points of R@5 over one fused search, and whether the targets are met."""
    head = [
        "",
        "mean of the three multi-hop sets",
        "over following names always",
        "target met",
        "single-hop target met",
    ]
    rows = [
        [
            WAYS[way],
            f"{row['multi_hop_mean']:+.1f}",
            f"{row['over_names_all_multi_hop_mean']:+.1f}",
            "yes" if row["met_multi_hop"] else "**no**",
            "yes" if row["met_single_hop"] else "**no**",
        ]
        for way, row in results("graph_quality")["summary"].items()
    ]
    return head, rows


def graph_left_out_table(results: Results) -> Table:
    """What is left when a set has no say in the weight of the walk."""
    head = [
        "left out",
        "weight that the other two choose",
        "R@5",
        "over one fused search",
        "over following names always",
    ]
    rows = [
        [name, str(row["weight"]), f"{row['R@5']:.1f}", f"{row['over_search']:+.1f}", f"{row['over_names_all']:+.1f}"]
        for name, row in results("graph_quality")["left_out"].items()
    ]
    return head, rows


def graph_published_table(results: Results) -> Table:
    """Published R@5 of HippoRAG 2 beside that of the router."""
    found = results("graph_quality")
    published = found["published"]
    ours = {row["set"]: row["ways"] for row in found["sets"]}
    pairs = {"MuSiQue": "musique_train100", "HotpotQA": "hotpot_train100"}
    rows = [
        [
            name,
            f"{published['R@5 of NV-Embed-v2 alone'][name]:.1f} → {published['R@5'][name]:.1f}",
            f"{100 * ours[own]['search']['R@5']:.1f} → {100 * ours[own]['router']['R@5']:.1f}",
        ]
        for name, own in pairs.items()
    ]
    return ["R@5 without → with the graph", "HippoRAG 2, as published", "Ascertain"], rows


def graph_speed_table(results: Results) -> Table:
    """What the graph costs to build, keep and walk."""
    found = results("graph_speed")
    build, size, limits, met = found["build"], found["size"], found["limits"], found["met"]
    told = {True: "yes", False: "**no**"}
    rows = [
        [
            f"adding {build['documents']:,} texts with the graph, in times of adding them without",
            f"{build['ratio']:.2f}",
            f"{limits['build_ratio']:.0f}",
            told[met["build_ratio"]],
        ],
        [
            f"memory at {size['passages']:,} passages, reading and walking, GiB at most",
            f"{size['peak_gib']:.1f}",
            f"{limits['peak_gib']:.0f}",
            told[met["peak_gib"]],
        ],
        [
            f"a walk at {size['passages']:,} passages, median ms",
            f"{size['walk_ms']['p50']:.1f}",
            f"{limits['walk_median_ms']:.0f}",
            told[met["walk_median_ms"]],
        ],
        ["the same, 95 % ms", f"{size['walk_ms']['p95']:.1f}", "", ""],
        ["linking a question, median ms", f"{size['link_ms']['p50']:.1f}", "", ""],
        ["making a snapshot of it, s", f"{size['seconds']['columns'] + size['seconds']['snapshot']:.1f}", "", ""],
        ["reading that snapshot from its file, s", f"{size['seconds']['load']:.1f}", "", ""],
    ]
    return ["", "measured", "limit", "met"], rows
