"""One measured set as a JSON object; ``docs/benchmarks.md`` documents the shape."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ascertain.evaluation.datasets import EvaluationSet
from ascertain.evaluation.metrics import percentile


def row(
    data: EvaluationSet,
    queries: int,
    metrics: Mapping[str, float | None],
    index_seconds: float,
    query_seconds: Sequence[float],
) -> dict[str, object]:
    """``{set, documents, queries, metrics, seconds}``.

    ``queries`` counts those that the metrics speak of. Metrics keep six digits, more than a few hundred queries carry.
    """
    return {
        "set": data.name,
        "documents": len(data.corpus),
        "queries": queries,
        "metrics": {name: None if value is None else round(value, 6) for name, value in metrics.items()},
        "seconds": {
            "index": round(index_seconds, 3),
            "query_p50": round(percentile(query_seconds, 0.5), 4),
            "query_p95": round(percentile(query_seconds, 0.95), 4),
        },
    }
