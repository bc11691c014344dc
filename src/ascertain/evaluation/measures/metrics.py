"""Measures of a ranking against judgements.

A ranking is document ids, best first, each once. ``gains`` maps a document id to its judged relevance; ids it does
not name count as 0, and a document is relevant when its relevance is at least 1 (trec_eval's default level).
Cut-offs and denominators follow trec_eval, as ir-measures computes them (checked in the tests):

- R@k     relevant in the first k / all relevant
- P@k     relevant in the first k / k, also where fewer were found
- F1@k    harmonic mean of P@k and R@k
- Hit@k   1 when any of the first k is relevant (``Success@k`` of ir-measures); its mean is the hit rate
- AP@k    Σ_{i≤k, i relevant} precision@i / all relevant (``map_cut``: the denominator is not min(k, relevant))
- RR@k    1 / rank of the first relevant document, 0 when it stands below k
- nDCG@k  DCG@k / DCG@k of the ideal order, DCG = Σ_i (2^rel_i − 1) / log2(i + 1): Burges et al., ICML 2005;
          ``nDCG(dcg='exp-log2')`` of ir-measures
"""

import math
from collections.abc import Mapping, Sequence

RANKING_METRICS = (
    *("R@2", "R@5", "R@10", "nDCG@10", "MRR@10", "MAP@10"),
    *("P@5", "P@10", "F1@5", "F1@10", "Hit@1", "Hit@5", "Hit@10"),
)
DEPTH = 10
"""The deepest cut-off of ``RANKING_METRICS``: how many distinct documents a ranking needs."""


def recall_at(ranking: Sequence[str], gains: Mapping[str, int], k: int) -> float:
    """R@k in 0..1; 0 when nothing is relevant."""
    relevant = _relevant_documents(gains)
    if not relevant:
        return 0.0
    return sum(document in relevant for document in ranking[:k]) / len(relevant)


def precision_at(ranking: Sequence[str], gains: Mapping[str, int], k: int) -> float:
    """P@k in 0..1."""
    relevant = _relevant_documents(gains)
    return sum(document in relevant for document in ranking[:k]) / k


def f1_at(ranking: Sequence[str], gains: Mapping[str, int], k: int) -> float:
    """F1@k in 0..1; 0 when nothing relevant is found."""
    precision, recall = precision_at(ranking, gains, k), recall_at(ranking, gains, k)
    return 2 * precision * recall / (precision + recall) if precision else 0.0


def hit_at(ranking: Sequence[str], gains: Mapping[str, int], k: int) -> float:
    """Hit@k, 0 or 1."""
    return float(precision_at(ranking, gains, k) > 0)


def average_precision(ranking: Sequence[str], gains: Mapping[str, int], k: int) -> float:
    """AP@k in 0..1; its mean over queries is MAP@k."""
    relevant = _relevant_documents(gains)
    if not relevant:
        return 0.0
    found = 0
    total = 0.0
    for rank, document in enumerate(ranking[:k], start=1):
        if document in relevant:
            found += 1
            total += found / rank
    return total / len(relevant)


def reciprocal_rank(ranking: Sequence[str], gains: Mapping[str, int], k: int) -> float:
    """RR@k in 0..1; its mean over queries is MRR@k."""
    relevant = _relevant_documents(gains)
    for rank, document in enumerate(ranking[:k], start=1):
        if document in relevant:
            return 1 / rank
    return 0.0


def ndcg_at(ranking: Sequence[str], gains: Mapping[str, int], k: int) -> float:
    """nDCG@k in 0..1 with gain 2^rel − 1; 0 when nothing is relevant."""
    best = _discounted_gain(sorted(gains.values(), reverse=True)[:k])
    if best == 0:
        return 0.0
    return _discounted_gain([gains.get(document, 0) for document in ranking[:k]]) / best


def ranking_metrics(ranking: Sequence[str], gains: Mapping[str, int]) -> dict[str, float]:
    """Every measure of ``RANKING_METRICS`` for one query."""
    return {
        "R@2": recall_at(ranking, gains, 2),
        "R@5": recall_at(ranking, gains, 5),
        "R@10": recall_at(ranking, gains, 10),
        "nDCG@10": ndcg_at(ranking, gains, 10),
        "MRR@10": reciprocal_rank(ranking, gains, 10),
        "MAP@10": average_precision(ranking, gains, 10),
        "P@5": precision_at(ranking, gains, 5),
        "P@10": precision_at(ranking, gains, 10),
        "F1@5": f1_at(ranking, gains, 5),
        "F1@10": f1_at(ranking, gains, 10),
        "Hit@1": hit_at(ranking, gains, 1),
        "Hit@5": hit_at(ranking, gains, 5),
        "Hit@10": hit_at(ranking, gains, 10),
    }


def average_rows(rows: Sequence[Mapping[str, float]]) -> dict[str, float]:
    """The arithmetic mean of each key over ``rows``, which share their keys; empty for no rows."""
    if not rows:
        return {}
    return {name: math.fsum(row[name] for row in rows) / len(rows) for name in rows[0]}


def cohen_kappa(pairs: Sequence[tuple[bool, bool]]) -> float | None:
    """How far two judges agree beyond chance: (observed - expected) / (1 - expected) agreement; at most 1, 0 for chance.

    Cohen, Educational and Psychological Measurement 20, 1960. None without pairs, and where both always say the same one thing.
    """
    if not pairs:
        return None
    count = len(pairs)
    observed = sum(first == second for first, second in pairs) / count
    one, other = (sum(pair[place] for pair in pairs) / count for place in (0, 1))
    expected = one * other + (1 - one) * (1 - other)
    return None if expected == 1 else (observed - expected) / (1 - expected)


def find_percentile(values: Sequence[float], share: float) -> float:
    """The nearest-rank percentile: the smallest value that at least ``share`` (0..1) of ``values`` do not exceed."""
    ordered = sorted(values)
    return ordered[max(0, math.ceil(share * len(ordered)) - 1)]


def _relevant_documents(gains: Mapping[str, int]) -> frozenset[str]:
    return frozenset(document for document, gain in gains.items() if gain >= 1)


def _discounted_gain(gains: Sequence[int]) -> float:
    return math.fsum((2.0**gain - 1) / math.log2(rank + 1) for rank, gain in enumerate(gains, start=1) if gain > 0)
