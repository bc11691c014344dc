"""Logistic regression, for every script of this folder that fits weights."""

from __future__ import annotations

import numpy as np
from scipy.optimize import minimize

from ascertain.models.logistic_model import compute_sigmoid

FLAT = 1e-10
"""Length of the slope at which the fit ends: a weight is then exact to far more digits than are kept of it."""


def fit_logistic(
    rows: np.ndarray,
    labels: np.ndarray,
    penalties: np.ndarray,
    amounts: np.ndarray | None = None,
    given: np.ndarray | float = 0.0,
) -> tuple[np.ndarray, float]:
    """The weights, one a column of ``rows``, and the bias with the least

        mean over cases of ( log(1 + exp(odds)) - label · odds )  +  Σ penalty · weight² / 2,
        odds = given + bias + Σ weight · feature

    ``labels`` are true or false (or 1 and 0); a case counts for its amount, for as much as any other without them;
    ``given`` are log-odds that are not fitted. The bias is not penalised.
    """
    columns = np.column_stack([rows, np.ones(len(rows))])
    truth = np.asarray(labels, dtype=float)
    shares = np.full(len(rows), 1 / len(rows)) if amounts is None else amounts / amounts.sum()
    held = np.append(penalties, 0.0)

    def measure_loss(point: np.ndarray) -> tuple[float, np.ndarray]:
        odds = columns @ point + given
        misfit = shares @ (np.logaddexp(0, odds) - truth * odds)
        slope = columns.T @ (shares * (compute_sigmoid(odds) - truth))
        return float(misfit + held @ point**2 / 2), slope + held * point

    def measure_curvature(point: np.ndarray) -> np.ndarray:
        chances = compute_sigmoid(columns @ point + given)
        return (columns.T * (shares * chances * (1 - chances))) @ columns + np.diag(held)

    start, options = np.zeros(columns.shape[1]), {"gtol": FLAT}
    found = minimize(measure_loss, start, jac=True, hess=measure_curvature, method="trust-exact", options=options)
    return found.x[:-1], float(found.x[-1])


def penalise_standardised(rows: np.ndarray, strength: float) -> np.ndarray:
    """Penalties of the columns as if each had been divided by its standard deviation: weights are held back alike
    whatever their features are measured in.
    """
    spread = rows.var(axis=0)
    return strength * np.where(spread > 0, spread, 1.0)
