"""Linear models as data: named weights and a bias, with the story of how they were fitted.

The files in ``data/`` are written by ``bench/fit_selection.py`` and ``bench/fit_confidence.py``.
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
class LinearModel:
    """``score = bias + Σ weight · feature``; the log-odds of what the model was fitted to tell."""

    names: tuple[str, ...]
    weights: tuple[float, ...]
    bias: float

    def scores(self, features: Matrix) -> Matrix:
        """Log-odds of each row; ``features`` has one column a name, in order."""
        return features @ np.array(self.weights) + self.bias


@cache
def load_model(name: str, names: tuple[str, ...]) -> LinearModel:
    """The model in ``data/<name>.json``, its weights in the order of ``names``; KeyError when the file lacks one."""
    raw = files("ascertain.answering").joinpath(f"data/{name}.json").read_text("utf-8")
    data = cast(dict[str, Any], json.loads(raw))
    weights = cast(dict[str, float], data["weights"])
    return LinearModel(names, tuple(float(weights[n]) for n in names), float(data["bias"]))
