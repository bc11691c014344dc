"""What a run works with, beside its state: the steps, the settings, the ledger."""

from __future__ import annotations

from dataclasses import dataclass

from ascertain.core.runs import Run
from ascertain.core.settings_workflow import VerificationSettings, WorkflowSettings
from ascertain.workflow.ask.steps import Steps


@dataclass(frozen=True, slots=True)
class Context:
    """Handed to every node; never part of the state, so never stored. ``depth`` is how many passages a search is asked for."""

    steps: Steps
    workflow: WorkflowSettings
    verification: VerificationSettings
    depth: int
    run: Run
