"""Telling the runners of this process that there is a new job; those of other processes look by themselves."""

from __future__ import annotations

import threading

_arrived = threading.Condition()


def tell_runners() -> None:
    """Wake whoever waits for a job."""
    with _arrived:
        _arrived.notify_all()


def await_job(seconds: float) -> None:
    """Return when there may be a new job, at the latest after ``seconds``."""
    with _arrived:
        _arrived.wait(seconds)
