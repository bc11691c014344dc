"""The table of ``docs/scaling.md`` about keeping the knowledge graph, from ``graph_stores.json``."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

Results = Callable[[str], Mapping[str, Any]]
Table = tuple[list[str], list[list[str]]]
NAMES = {"embedded": "embedded", "postgres": "PostgreSQL"}


def graph_stores_table(results: Results) -> Table:
    """What writing, reading and keeping a graph costs."""
    head = [
        *(
            "store",
            "mentions written/s",
            "chunks/s",
            "ours ms of processor a chunk",
            "read whole, s (ours of processor)",
            "memory for that, MB",
            "MB on disk",
        ),
        *("generation, ms", "a document again, ms", "1,000 mentions of a common name, ms", "a rare name, ms"),
    ]
    rows = [
        [
            NAMES[kind],
            f"{store['mentions_per_second']:,}",
            f"{store['chunks_per_second']:,}",
            f"{store['write_own_processor_seconds'] / store['chunks'] * 1000:.2f}",
            f"{store['columns']['seconds']:.1f} ({store['columns']['own_processor_seconds']:.1f})",
            f"{store['columns']['peak_mb']:,}",
            f"{store['megabytes']:,}",
            f"{store['milliseconds']['generation']:.2f}",
            f"{store['milliseconds']['replace_a_document']:.0f}",
            f"{store['milliseconds']['mentions_of_a_common_name']:.0f}",
            f"{store['milliseconds']['mentions_of_a_rare_name']:.1f}",
        ]
        for kind, store in results("graph_stores")["stores"].items()
    ]
    return head, rows
