"""How long to wait before asking a server again.

Exponential back-off with equal jitter (Brooker, "Exponential Backoff And Jitter", AWS Architecture Blog 2015): half of the
doubled wait is certain, half by chance, so that many clients do not return at once.
"""

from __future__ import annotations

FIRST_SECONDS = 1.0
"""Rate limits of providers count by the second at the finest."""
LONGEST_SECONDS = 30.0
"""A quarter to a half of a minute is the window of most rate limits; the budget of seconds ends the rest."""


def backoff_seconds(attempt: int, retry_after: float | None, chance: float) -> float:
    """The wait after failed try number ``attempt`` (from 0); ``chance`` is uniform in 0..1.

    What the server asked for is kept to, with up to a tenth on top.
    """
    if retry_after is not None:
        return retry_after * (1 + 0.1 * chance)
    doubled = min(LONGEST_SECONDS, FIRST_SECONDS * 2**attempt)
    return doubled / 2 + chance * doubled / 2
