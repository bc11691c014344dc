"""The table of ``docs/benchmarks.md`` about the knowledge graph, from ``graph_quality.json``."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

Results = Callable[[str], Mapping[str, Any]]
Table = tuple[list[str], list[list[str]]]
WAYS = {
    "search": "one fused search",
    "names_all": "following names always",
    "graph_all": "the graph always",
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
