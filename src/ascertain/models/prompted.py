"""Asking a chat model what a prompt says, and saying so on the run when the rules have to do it instead."""

from __future__ import annotations

from dataclasses import dataclass

from ascertain.core.answers import Decision
from ascertain.core.errors import BudgetExceeded, ModelError
from ascertain.core.runs import Run, Task
from ascertain.models.ports import Chat, T
from ascertain.models.prompts import Prompts


@dataclass(frozen=True, slots=True)
class PromptedStep:
    """One step that a chat model does: its ``prompt``, the ``task`` that names its model, the ``node`` it belongs to."""

    chat: Chat
    prompts: Prompts
    task: Task
    node: str
    prompt: str

    def reply(self, answer: type[T], run: Run, /, **values: str) -> T | None:
        """The reply to the prompt filled with ``values``; None, with a note on ``run``, when the model gave none."""
        try:
            return self.chat.ask(self.task, self.prompts.messages(self.prompt, **values), answer, run)
        except (ModelError, BudgetExceeded) as error:
            self.fell_back(run, str(error))
            return None

    def fell_back(self, run: Run, reason: str) -> None:
        """Put on record that the rules do this step, and why."""
        run.note(Decision(self.node, "fell back to rules", f"{self.prompt}: {reason}"))
