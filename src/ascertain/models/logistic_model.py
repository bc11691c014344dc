"""Logistic models whose weights are data.

    log-odds = bias + Σ weight · feature

Each file in ``models/weights`` holds one model::

    {"fitted_from": the data, "fitted_by": "bench/fit/....py", "date": "2026-11-22",
     "features": names in order, "weights": a number a name, "bias": a number}

The script that ``fitted_by`` names fits the weights again; ``bench/fit/weights_file.py`` writes the file.
"""

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

Matrix = NDArray[np.float64]

_MOST_ODDS = 30.0
"""Log-odds are cut here: beyond, a probability is 0 or 1 to a reader, and the exponential may overflow."""


@dataclass(frozen=True, slots=True)
class LogisticModel:
    """Weights by feature, and a bias."""

    features: tuple[str, ...]
    weights: Matrix
    bias: float

    def compute_log_odds(self, rows: Matrix) -> Matrix:
        """Of each row; ``rows`` has one column a feature, in order."""
        return rows @ self.weights + self.bias

    def weigh_features(self, values: Mapping[str, float]) -> float:
        """Log-odds for the features in ``values``, which may hold others besides; KeyError where one is missing."""
        return float(self._weigh(values)[0])

    def predict_chance(self, values: Mapping[str, float]) -> float:
        """Probability for the features in ``values``, 0..1."""
        return float(compute_sigmoid(self._weigh(values))[0])

    def _weigh(self, values: Mapping[str, float]) -> Matrix:
        return self.compute_log_odds(np.array([[values[name] for name in self.features]]))


@dataclass(frozen=True, slots=True)
class MultinomialModel:
    """Several classes that share the chance: ``weights`` has a row a feature and a column a class."""

    features: tuple[str, ...]
    classes: tuple[str, ...]
    weights: Matrix
    biases: Matrix

    def share_chances(self, values: Mapping[str, float]) -> dict[str, float]:
        """The probability of each class, which add up to 1; KeyError where a feature is missing in ``values``."""
        row = np.array([values[name] for name in self.features])
        return dict(zip(self.classes, share_chances(row @ self.weights + self.biases).tolist(), strict=True))


def compute_sigmoid(log_odds: NDArray[Any]) -> NDArray[Any]:
    """Probabilities of log-odds, 0..1."""
    return 1 / (1 + np.exp(-np.clip(log_odds, -_MOST_ODDS, _MOST_ODDS)))


def convert_log_odds(log_odds: float) -> float:
    """Probability of log-odds, 0..1, without numpy, whose exponential may differ in the last digit of a score."""
    return 1.0 / (1.0 + math.exp(-max(-_MOST_ODDS, min(_MOST_ODDS, log_odds))))


@cache
def load_logistic_model(name: str, features: tuple[str, ...]) -> LogisticModel:
    """The model in ``weights/<name>.json``, weights in the order of ``features``; KeyError when the file lacks one."""
    raw = files("ascertain.models").joinpath("weights", f"{name}.json").read_text("utf-8")
    data = cast(dict[str, Any], json.loads(raw))
    weights = np.array([float(data["weights"][feature]) for feature in features])
    return LogisticModel(features, weights, float(data["bias"]))


@cache
def load_multinomial_model(name: str, features: tuple[str, ...]) -> MultinomialModel:
    """The model in ``weights/<name>.json``, which has ``classes``: a bias each, and the weights that are not 0 by feature.

    KeyError when it weighs a feature that is not among ``features``.
    """
    data = cast(
        dict[str, Any], json.loads(files("ascertain.models").joinpath("weights", f"{name}.json").read_text("utf-8"))
    )
    classes = cast(dict[str, dict[str, Any]], data["classes"])
    place = {feature: number for number, feature in enumerate(features)}
    weights = np.zeros((len(features), len(classes)))
    for column, each in enumerate(classes.values()):
        for feature, weight in each["weights"].items():
            weights[place[feature], column] = float(weight)
    return MultinomialModel(
        features, tuple(classes), weights, np.array([float(each["bias"]) for each in classes.values()])
    )


def share_chances(scores: Matrix) -> Matrix:
    """The chance of each to be the one that is looked for, by softmax; none for those at -inf."""
    finite = scores[np.isfinite(scores)]
    if not len(finite):
        return np.zeros(len(scores))
    raised = np.where(np.isfinite(scores), np.exp(scores - finite.max()), 0.0)
    return raised / raised.sum()
