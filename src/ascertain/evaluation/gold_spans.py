"""How much of the gold text the retrieved chunks hold.

Character-level recall as in "Evaluating Chunking Strategies for Retrieval" (Smith & Troynikov, Chroma, 2024), asked of
the whole corpus: a chunk counts only in the document the gold text stands in, and characters that several chunks
share count once.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from ascertain.core.spans import Span

CHUNKS = 5
"""How many chunks from the top are looked at."""


@dataclass(frozen=True, slots=True)
class GoldCount:
    """Gold characters of one question: how many there are and how many of them were retrieved."""

    found: int
    total: int


def count_gold(gold: Sequence[Span], retrieved: Iterable[Span]) -> GoldCount:
    """Count over spans of one document; both sides may overlap themselves."""
    wanted = merge(gold)
    held = merge(retrieved)
    found = sum(part.overlap(other) for part in wanted for other in held)
    return GoldCount(found, sum(part.length for part in wanted))


def merge(spans: Iterable[Span]) -> list[Span]:
    """The same characters as disjoint spans in order."""
    merged: list[Span] = []
    for span in sorted(spans):
        if merged and span.start <= merged[-1].end:
            merged[-1] = Span(merged[-1].start, max(merged[-1].end, span.end))
        else:
            merged.append(Span(*span))
    return merged


def gold_metrics(counts: Sequence[GoldCount]) -> dict[str, float]:
    """``gold_characters@5``: found of all gold characters together; ``gold_recall@5``: the mean share of a question.

    Both in 0..1; empty when there is no gold text.
    """
    counted = [count for count in counts if count.total]
    if not counted:
        return {}
    return {
        f"gold_characters@{CHUNKS}": sum(count.found for count in counted)
        / sum(count.total for count in counted),
        f"gold_recall@{CHUNKS}": sum(count.found / count.total for count in counted) / len(counted),
    }
