"""The tables of ``docs/scaling.md`` about the stores: rows as text, from ``stores_speed.json`` and ``stores_quality.json``."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

Results = Callable[[str], Mapping[str, Any]]
Table = tuple[list[str], list[list[str]]]
NAMES = {"embedded": "embedded", "postgres": "PostgreSQL", "qdrant": "Qdrant (edge)", "chroma": "Chroma"}
LEGS = ("hybrid", "dense", "lexical")
CHOICES = {
    "embedded": ("one machine, nothing to run", "one writer at a time; the folder on a local disk"),
    "postgres": (
        "several machines and writers; conversations and everything else in one place",
        "the primary's processors for words, its memory for the graph",
    ),
    "qdrant": (
        "several machines on a Qdrant server you run already; many tenants",
        "memory for vectors; conversations live elsewhere",
    ),
    "chroma": ("vectors in Chroma, for tools that read them there", "the record stays in one folder with one writer"),
}
"""When to take a store, and what limits it."""


def choice_table(results: Results) -> Table:
    """When to take which, with what was measured of it."""
    found = results("stores_speed")
    head = ["store", "take it for", f"hybrid search of {found['chunks']:,}, ms", "chunks/s", "KB a chunk", "limited by"]
    rows = [
        [
            NAMES[kind],
            CHOICES[kind][0],
            f"{store['search']['hybrid']['100 %']['median_ms']:.0f}",
            f"{store['load']['chunks_per_second']:,}",
            f"{_bytes_a_chunk(found, store) / 1000:.1f}",
            CHOICES[kind][1],
        ]
        for kind, store in found["stores"].items()
    ]
    return head, rows


def searches_table(results: Results) -> Table:
    """Median and 95th percentile of a hybrid search under each filter."""
    found = results("stores_speed")
    head = ["one hybrid search, ms", *(f"{share} left" for share in found["shares"]), "times embedded, all chunks"]
    rows: list[list[str]] = []
    for kind, store in found["stores"].items():
        cells = store["search"]["hybrid"]
        ratio = found["over_embedded"].get(kind, {}).get("hybrid", {}).get("100 %")
        times = [f"{cells[share]['median_ms']:.1f} / {cells[share]['p95_ms']:.1f}" for share in found["shares"]]
        rows.append([NAMES[kind], *times, "" if ratio is None else f"{ratio:.1f}"])
    return head, rows


def recall_table(results: Results) -> Table:
    """Of the true nearest, the share that a search finds."""
    found = results("stores_speed")
    depths = next(iter(found["stores"].values()))["recall"]
    head = ["recall", *(f"@{depth}, {share}" for depth in depths for share in found["shares"]), "0.98 reached"]
    rows = [
        [
            NAMES[kind],
            *(f"{store['recall'][depth][share]:.3f}" for depth in depths for share in found["shares"]),
            "yes" if store["recall_reached"] else "**no**",
        ]
        for kind, store in found["stores"].items()
    ]
    return head, rows


def ray_table(results: Results) -> Table:
    """The same files added by one process and by a cluster on the same machine."""
    found = results("ray_ingest")
    head = [
        "engine",
        "chunks",
        "seconds in all",
        "before the first text",
        "once started",
        "embedding, summed over processes",
        "against local, once started",
    ]
    rows = [
        [
            label,
            f"{found[key]['chunks']:,}",
            f"{found[key]['seconds']:.0f}",
            f"{found[key]['before_the_first_text_seconds']:.0f}",
            f"{found[key]['once_started_seconds']:.0f}",
            f"{found[key][embedding]:.0f}",
            "" if key == "local" else f"{100 * found['slower_once_started']:+.1f} %",
        ]
        for key, label, embedding in (
            ("local", "local, one process", "embedding_seconds"),
            ("ray", f"Ray, {found['workers']} workers", "embedding_seconds_of_all_workers"),
        )
    ]
    return head, rows


def _bytes_a_chunk(found: Mapping[str, Any], store: Mapping[str, Any]) -> float:
    return sum(store["parts"].values()) / found["chunks"]
