"""Diversity: maximal marginal relevance, and collapsing near-duplicates.

MMR: Carbonell & Goldstein, SIGIR 1998. It is for picking the passages an answer is written from, never for the list
people see: on TREC-COVID it costs a fifth of nDCG@10 (arXiv 2604.13728).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray


def maximal_marginal_relevance(
    relevance: Sequence[float], vectors: NDArray[np.float32], k: int, trade_off: float
) -> list[int]:
    """Indices of up to ``k`` items in the order picked.

    Each next item maximises ``λ · relevance - (1 - λ) · max similarity to those picked``. ``vectors`` are unit rows
    in the order of ``relevance``; ``trade_off`` is λ: 1 gives plain relevance order.
    """
    scores = np.asarray(relevance, dtype=np.float64)
    picked: list[int] = []
    closest = np.full(len(scores), -np.inf)
    remaining = list(range(len(scores)))
    while remaining and len(picked) < k:
        redundancy = np.where(np.isneginf(closest), 0.0, closest)
        value = trade_off * scores - (1.0 - trade_off) * redundancy
        best = max(remaining, key=lambda index: (value[index], -index))
        picked.append(best)
        remaining.remove(best)
        closest = np.maximum(closest, vectors @ vectors[best])
    return picked
