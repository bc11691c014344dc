"""What PostgreSQL keeps, by what it is for."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

POSTGRES_PARTS = {
    "text of the chunks, their words beside it": ("chunks", "chunks (out of line)"),
    "index of the words": ("chunks_by_words",),
    "vectors": ("vectors_",),
    "graph over the vectors": ("_graph",),
    "documents with their text": ("texts", "documents"),
    "near-duplicates": ("signature_bands",),
}
"""Names of relations by what they are for; the first that fits, the graph before the vectors."""


def bytes_by_purpose(speed: Mapping[str, Any]) -> dict[str, float]:
    """Bytes a chunk by the groups of POSTGRES_PARTS, then the rest."""
    groups = dict.fromkeys([*POSTGRES_PARTS, "all others"], 0.0)
    for name, size in speed["stores"]["postgres"]["parts"].items():
        groups[_group(name)] += size / speed["chunks"]
    return groups


def _group(part: str) -> str:
    if part.endswith("_graph"):
        return "graph over the vectors"
    exact = (group for group, names in POSTGRES_PARTS.items() if part in names)
    begins = (group for group, names in POSTGRES_PARTS.items() if part.startswith(names))
    return next(exact, None) or next(begins, "all others")
