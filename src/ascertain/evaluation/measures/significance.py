"""How far a figure can be trusted: intervals by the bootstrap, and whether two runs differ by more than chance.

Questions are drawn again with replacement, as often as there are, and the figure is recomputed each time; the interval
holds the middle 95 % of the results (the percentile bootstrap: Efron & Tibshirani, *An Introduction to the Bootstrap*,
1993). Two runs over the same questions are compared by a paired permutation test: were they alike, each difference could as well have
the other sign (Fisher's randomisation test, which Smucker, Allan & Carterette, CIKM 2007, recommend for retrieval). Several figures of
one comparison are corrected by Holm's method. Every draw is seeded: the same results give the same digits.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

T = TypeVar("T")

DRAWS = 2000
"""Resamples of an interval: with them its ends move by less than a tenth of its width between seeds (Efron & Tibshirani, ch. 13)."""
STATISTIC_DRAWS = 500
"""Of a figure that has to be recomputed from the questions each time; coarser, and quick enough for a thousand questions."""
FLIPS = 10_000
"""Sign patterns drawn by the test: the smallest p is 0.0001."""
EXACT = 13
"""Up to so many questions that differ, all sign patterns are tried instead (8,192)."""
MIDDLE = (2.5, 97.5)
_AT_ONCE = 200
"""Draws held in memory together: 200 times a thousand questions are 2 MB."""

Interval = tuple[float, float]


def estimate_intervals(rows: Sequence[Mapping[str, float | None]], seed: int = 0) -> dict[str, Interval]:
    """The interval of the mean of each key over ``rows``; None is left out, and so is a key that is always None."""
    names = list(dict.fromkeys(name for row in rows for name in row))
    held = [name for name in names if any(row.get(name) is not None for row in rows)]
    if not held:
        return {}
    table = np.array([[_or_nan(row.get(name)) for name in held] for row in rows])
    known = ~np.isnan(table)
    values = np.where(known, table, 0.0)
    random = np.random.default_rng(seed)
    means: list[NDArray[np.float64]] = []
    for start in range(0, DRAWS, _AT_ONCE):
        weights = _draw_weights(random, len(rows), min(_AT_ONCE, DRAWS - start))
        counted = weights @ known
        means.append(np.where(counted > 0, weights @ values / np.maximum(counted, 1), np.nan))
    drawn: NDArray[np.float64] = np.concatenate(means)
    ends = np.nanpercentile(drawn, MIDDLE, axis=0)
    return {name: (float(ends[0, i]), float(ends[1, i])) for i, name in enumerate(held)}


def estimate_interval_of(
    items: Sequence[T], statistic: Callable[[Sequence[T]], float | None], seed: int = 0
) -> Interval | None:
    """The interval of any figure of ``items``; None where too few draws give one (fewer than half)."""
    random = np.random.default_rng(seed)
    drawn: list[float] = []
    for _ in range(STATISTIC_DRAWS if items else 0):
        chosen: list[int] = random.integers(0, len(items), len(items)).tolist()
        found = statistic([items[i] for i in chosen])
        if found is not None:
            drawn.append(found)
    if len(drawn) * 2 < STATISTIC_DRAWS:
        return None
    low, high = np.percentile(drawn, MIDDLE)
    return float(low), float(high)


@dataclass(frozen=True, slots=True)
class PairedTest:
    """Two runs on the same questions: means, their difference with its interval, and the chance of one as large if they were alike.

    ``better``, ``worse`` and ``equal`` count questions, seen from the second.
    """

    questions: int
    before: float
    after: float
    interval: Interval
    p: float
    better: int
    worse: int
    equal: int

    @property
    def difference(self) -> float:
        """``after`` less ``before``."""
        return self.after - self.before


def compare_pairs(before: Sequence[float], after: Sequence[float], seed: int = 0) -> PairedTest:
    """The test of two scores for each question, in one order; there has to be at least one."""
    first, second = np.asarray(before, dtype=np.float64), np.asarray(after, dtype=np.float64)
    differences = second - first
    interval = estimate_intervals([{"difference": float(one)} for one in differences], seed)["difference"]
    return PairedTest(
        questions=len(differences),
        before=float(first.mean()),
        after=float(second.mean()),
        interval=interval,
        p=_permutation_chance(differences, seed),
        better=int((differences > 0).sum()),
        worse=int((differences < 0).sum()),
        equal=int((differences == 0).sum()),
    )


def correct_chances(chances: Sequence[float]) -> list[float]:
    """Holm's correction for as many tests as there are (Scandinavian Journal of Statistics, 1979), in the order given."""
    corrected = [0.0] * len(chances)
    highest = 0.0
    for rank, index in enumerate(sorted(range(len(chances)), key=chances.__getitem__)):
        highest = max(highest, min(1.0, chances[index] * (len(chances) - rank)))
        corrected[index] = highest
    return corrected


def _permutation_chance(differences: NDArray[np.float64], seed: int) -> float:
    """Share of sign patterns whose sum is at least as far from zero; two-sided."""
    moved = differences[differences != 0]
    if not len(moved):
        return 1.0
    # sums of the same numbers in another order differ in their last bits
    reached = abs(float(moved.sum())) - 1e-9 * float(np.abs(moved).sum())
    if len(moved) <= EXACT:
        patterns = [list(signs) for signs in product((-1.0, 1.0), repeat=len(moved))]
        return float((np.abs(np.array(patterns, dtype=np.float64) @ moved) >= reached).mean())
    random = np.random.default_rng(seed)
    as_far = 0
    for start in range(0, FLIPS, _AT_ONCE):
        signs = random.integers(0, 2, (min(_AT_ONCE, FLIPS - start), len(moved))) * 2.0 - 1.0
        as_far += int((np.abs(signs @ moved) >= reached).sum())
    return (as_far + 1) / (FLIPS + 1)


def _draw_weights(random: np.random.Generator, count: int, draws: int) -> NDArray[np.float64]:
    """How often each of ``count`` items is in each of ``draws`` resamples."""
    return random.multinomial(count, np.full(count, 1 / count), size=draws).astype(np.float64)


def _or_nan(value: float | None) -> float:
    return float("nan") if value is None else float(value)
