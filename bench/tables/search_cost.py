"""What a search costs a store in processor time, as measured and at sizes that were not."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

BREADTH, MOST_BREADTH = 400, 1_000
"""Candidates looked at in the graph: ours for 100,000 chunks, and the most pgvector takes (hnsw.ef_search)."""


def hybrid_cost(store: Mapping[str, Any]) -> dict[str, float]:
    """Processor milliseconds of the store in one hybrid search, by part; of both where the store runs in our process."""
    found = {leg: store["search"][leg]["100 %"] for leg in ("hybrid", "dense", "lexical")}
    whose = ("server_processor_ms",)
    if not found["hybrid"]["server_processor_ms"]:
        whose = ("own_processor_ms",)
    total, dense, lexical = (sum(found[leg][key] for key in whose) for leg in ("hybrid", "dense", "lexical"))
    return {"dense": dense, "lexical": lexical, "rest": max(0.0, total - dense - lexical)}


def cost_at(chunks: int, store: Mapping[str, Any], *, every_word: bool) -> dict[str, float]:
    """``hybrid_cost`` of so many chunks in one piece: the graph by log n and its breadth, words by the growth that was measured.

    Without ``every_word``, words that are in more chunks than are looked up today are left out (``retrieval.common_term_share`` made
    smaller as the corpus grows), so that a search reads no more entries of the index than today.
    """
    now, measured = hybrid_cost(store), store["load"]["chunks"]
    growth = growth_of_words(store) if every_word else 0.0
    return {
        "dense": now["dense"] * math.log(chunks) / math.log(measured) * MOST_BREADTH / BREADTH,
        "lexical": now["lexical"] * (chunks / measured) ** growth,
        "rest": now["rest"],
    }


def growth_of_words(store: Mapping[str, Any]) -> float:
    """The g of cost ∝ chunks^g between the two sizes at which searches for words were measured; 0 where it did not grow."""
    few, many = store["load"]["words_at_a_fifth"], store["words"]
    cheap, dear = (size["own_processor_ms"] + size["server_processor_ms"] for size in (few, many))
    return max(0.0, math.log(dear / cheap) / math.log(many["chunks"] / few["chunks"]))
