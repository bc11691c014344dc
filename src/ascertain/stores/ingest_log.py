"""The port of the ingest log: what is being added to a knowledge base, and what came of earlier runs.

Documents are their own progress: each is written whole, and a rerun skips those that are there. The log tells people
how far a run is, on whichever machine. Every adapter passes ``tests/contract/test_ingest_log.py``.
"""

from __future__ import annotations

from typing import Protocol

from ascertain.core.ingest import IngestRun

KEPT_RUNS = 100
"""Runs that a tenant's log holds."""

PROCESS_ENDED = "the process ended before the run did; run the same command again to go on"
"""Reason of an interrupted run."""


class IngestLog(Protocol):
    """Runs of one knowledge base by tenant. Changes are durable when their method returns. Safe to use from threads.

    Every method raises StoreError with the remedy when the store cannot be used.
    """

    def record(self, run: IngestRun, tenant: str = "default") -> None:
        """Write a run as it stands now over what was written of it; runs beyond the last 100 are forgotten.

        While its state is running, the calling process stands for it: when that ends, the run becomes interrupted.
        """
        ...

    def runs(self, tenant: str = "default", limit: int = 10) -> list[IngestRun]:
        """The latest runs, last started first."""
        ...

    def close(self) -> None:
        """Release what is open; further calls raise StoreError."""
        ...
