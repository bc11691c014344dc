import json
from collections.abc import Callable, Sequence

import pytest
from pydantic import BaseModel

from ascertain.core.asking.runs import Budget, Run, Task
from ascertain.core.errors import ModelError
from ascertain.models.ports import Message
from ascertain.models.prompts import Prompts


class ScriptedChat:
    """Answers each question with the next reply of its script; an exception in the script is raised."""

    def __init__(self, *script: object) -> None:
        self.script = list(script)
        self.asked: list[tuple[Task, str]] = []

    def ask(
        self,
        task: Task,
        messages: Sequence[Message],
        answer: type[BaseModel],
        run: Run,
        listen: Callable[[str], object] | None = None,
    ) -> BaseModel:
        run.allow(task)
        run.spend(task, input_tokens=1, output_tokens=1, cost_usd=0.0)
        self.asked.append((task, "\n".join(message.content for message in messages)))
        if not self.script:
            raise ModelError("the script is at its end")
        reply = self.script.pop(0)
        if isinstance(reply, Exception):
            raise reply
        if listen is not None:
            text = json.dumps(reply)
            for end in range(1, len(text) + 1):
                listen(text[:end])
        return answer.model_validate(reply)

    @property
    def prompt(self) -> str:
        """What was asked last."""
        return self.asked[-1][1]


@pytest.fixture
def scripted() -> Callable[..., ScriptedChat]:
    """Builds a chat model that gives the replies it is told to."""
    return ScriptedChat


@pytest.fixture(scope="session")
def prompts() -> Prompts:
    return Prompts()


@pytest.fixture
def run() -> Run:
    return Run(Budget(calls=20, tokens=1_000_000, seconds=3600, usd=1.0))
