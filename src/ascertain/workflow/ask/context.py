"""What a run works with, beside its state: the steps, the settings, the ledger."""

from __future__ import annotations

from dataclasses import dataclass

from ascertain.core.runs import Run
from ascertain.core.settings import VerificationSettings, WorkflowSettings
from ascertain.workflow.ask.steps import Steps


@dataclass(frozen=True, slots=True)
class Context:
    """Handed to every node; never part of the state, so never stored. ``depth`` is how many passages a search is asked for."""

    steps: Steps
    workflow: WorkflowSettings
    verification: VerificationSettings
    depth: int
    run: Run

    def depth_for(self, max_chunks: int | None) -> int:
        """Passages to search for where an answer may be written from ``max_chunks``: never fewer than twice those, as duplicates drop out."""
        return self.depth if max_chunks is None else max(self.depth, 2 * max_chunks)
