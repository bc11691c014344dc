"""When to ask a server again, and how long to wait before.

Exponential back-off with equal jitter (Brooker, "Exponential Backoff And Jitter", AWS Architecture Blog 2015), unless the server says itself
how long (Retry-After, RFC 9110, section 10.2.3).
"""

from __future__ import annotations

import random
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

FIRST_SECONDS = 0.5
"""Half of a second is the shortest pause that lets a busy server recover and the longest a person hardly notices."""
PASSING_STATUSES = frozenset({408, 425, 429, 500, 502, 503, 504})
"""Statuses whose meaning is that the same request may work later (RFC 9110, RFC 6585, RFC 8470)."""


def wait_seconds(attempt: int, retry_after: float | None) -> float:
    """The pause after failed try number ``attempt`` (from 0)."""
    if retry_after is not None:
        return retry_after
    doubled = FIRST_SECONDS * 2**attempt
    return doubled / 2 + random.random() * doubled / 2


def retry_after_seconds(header: str | None, now: datetime | None = None) -> float | None:
    """The seconds that Retry-After asks for, as a number or as a date; None when it does not say."""
    text = (header or "").strip()
    if text.isascii() and text.isdecimal() and len(text) < 10:
        return float(text)
    try:
        moment = parsedate_to_datetime(text)
    except ValueError:
        return None
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    return max(0.0, (moment - (now or datetime.now(UTC))).total_seconds())
