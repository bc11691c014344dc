"""Fusion of the legs' scores.

Convex combination of comparable scores over the union of both legs' candidates (Bruch, Gai & Ingber, TOIS 2023,
arXiv 2210.11934), and reciprocal rank fusion where scores cannot be compared:
    score(d) = Σ_legs  w_leg / (k + rank_leg(d)),  rank from 1
Cormack, Clarke & Büttcher, SIGIR 2009 (k = 60).
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import TypeVar

K = TypeVar("K", bound=Hashable)
RRF_K = 60
"""Cormack, Clarke & Büttcher fixed it in a pilot study and found the choice not critical."""


def convex_combination(
    dense: Mapping[K, float], lexical: Mapping[K, float], dense_weight: float
) -> dict[K, float]:
    """``w · max(cosine, 0) + (1 - w) · BM25 / max BM25`` for every key of either leg, in 0..1.

    The cosine is already on a common scale and is used as it is: scaling it by the candidates' range would stretch
    the noise of a leg that found nothing. A key missing from ``lexical`` had no word in common with the question.
    """
    top = max(lexical.values(), default=0.0)
    keys = dict.fromkeys([*dense, *lexical])
    return {
        key: dense_weight * max(dense.get(key, 0.0), 0.0)
        + (1.0 - dense_weight) * (max(lexical.get(key, 0.0), 0.0) / top if top > 0 else 0.0)
        for key in keys
    }


def reciprocal_rank_fusion(
    rankings: Sequence[Sequence[K]], weights: Sequence[float] | None = None, k: int = RRF_K
) -> dict[K, float]:
    """Fused score of every key, scaled so that first place in every ranking gives 1.

    The raw score tops out at ``Σ w / (k + 1)``, about 0.03 for two legs, which would make any weight given to it
    beside other signals meaningless.
    """
    weights = weights or [1.0] * len(rankings)
    ceiling = sum(weights) / (k + 1)
    scores: dict[K, float] = {}
    for ranking, weight in zip(rankings, weights, strict=True):
        for rank, key in enumerate(ranking, start=1):
            scores[key] = scores.get(key, 0.0) + weight / (k + rank) / ceiling
    return scores
