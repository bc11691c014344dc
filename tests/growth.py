"""How the work on something grows with its length, as a ratio: how many seconds it takes is the machine's affair."""

import time
from collections.abc import Callable

TIMES = 4
"""The second length over the first. Linear work takes 4 times as long, quadratic 16 times."""
WORST = 8.0
"""``TIMES ** 1.5``: far from both."""
FLOOR = 0.01
"""Seconds of processor time that are too few to be compared."""


def assert_linear(work: Callable[[int], object], length: int) -> None:
    """``work(length)`` takes no more than linear time, seen from a quarter of that."""
    # measured once more with care where it seems to grow: a pause of the machine's is no growth
    growth = _measure_growth(work, length, tries=1)
    if growth > WORST:
        growth = _measure_growth(work, length, tries=3)
    assert growth <= WORST, f"{growth:.0f} times the work for {TIMES} times the length"


def _measure_growth(work: Callable[[int], object], length: int, tries: int) -> float:
    # each try has a length of its own: the package remembers what it made of a text
    short = min(_measure(work, length // TIMES + number) for number in range(tries))
    return min(_measure(work, length + number) for number in range(tries)) / max(short, FLOOR)


def _measure(work: Callable[[int], object], length: int) -> float:
    began = time.thread_time()
    work(length)
    return time.thread_time() - began
