"""The fitted weights of the checker, as data: ``data/claims.json``, written by ``bench/fit_claims.py``.

Three logistic models, each named weights and a bias: ``words`` (is a new word foreign to the evidence), ``claims`` (is the
claim supported), ``contradictions`` (is an unsupported claim contradicted).
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

Matrix = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Logistic:
    """``log odds = bias + Σ weight · feature``."""

    names: tuple[str, ...]
    weights: Matrix
    bias: float

    def log_odds(self, rows: Matrix) -> Matrix:
        """Of each row; ``rows`` has one column a name, in order."""
        return rows @ self.weights + self.bias

    def chance(self, features: dict[str, float]) -> float:
        """Probability for the features given, 0..1."""
        odds = self.log_odds(np.array([[features[name] for name in self.names]]))[0]
        return float(1 / (1 + np.exp(-np.clip(odds, -30, 30))))


@cache
def load_weights(model: str, names: tuple[str, ...]) -> Logistic:
    """The model of that name, its weights in the order of ``names``; KeyError when the file lacks one."""
    raw = files("ascertain.models.entail").joinpath("data/claims.json").read_text("utf-8")
    data = cast(dict[str, Any], json.loads(raw))[model]
    weights = np.array([float(data["weights"][name]) for name in names])
    return Logistic(names, weights, float(data["bias"]))
