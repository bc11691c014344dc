"""The one form of a file of fitted weights, which ``ascertain.models.logistic_model`` reads."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path

from bench.setting import ROOT

WEIGHTS = ROOT / "src" / "ascertain" / "models" / "weights"


def write_weights(
    name: str, weights: Mapping[str, float], bias: float, *, fitted_by: str, fitted_from: str, folder: Path = WEIGHTS
) -> Path:
    """Write ``folder/<name>.json``; ``weights`` by feature, in the order of the code, rounded as they shall
    be kept.
    """
    content = {
        "fitted_from": fitted_from,
        "fitted_by": fitted_by,
        "date": datetime.now(UTC).date().isoformat(),
        "features": list(weights),
        "weights": {feature: float(weight) for feature, weight in weights.items()},
        "bias": float(bias),
    }
    path = folder / f"{name}.json"
    path.write_text(json.dumps(content, indent=2, ensure_ascii=False) + "\n", "utf-8")
    return path


def read_weights(name: str) -> dict[str, float]:
    """The shipped weights of ``name`` by feature, in their order, and ``bias``."""
    data = json.loads((WEIGHTS / f"{name}.json").read_text("utf-8"))
    return {**{feature: data["weights"][feature] for feature in data["features"]}, "bias": data["bias"]}
