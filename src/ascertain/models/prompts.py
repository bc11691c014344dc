"""Prompts: Markdown templates, the packaged ones and those that a user replaces them with.

A template is a file ``<name>.md`` with the messages of a chat, each under a heading of its own:

    # system
    You judge passages ... Reply as {"score": 0..100}.

    # user
    {question}

``# assistant`` and further ``# user`` parts make examples; the first is the system's, the last the user's. ``{word}``
is filled with the value of that name, ``{{word}}`` stands for the characters ``{word}``, every other brace for itself. A line
``{> verdicts}`` stands for the packaged text ``parts/verdicts.md``, which several prompts share.
Values are inserted last and never parsed. Text from others goes in as ``as_data(...)``; the rules for reading it
are added to the system's part of every prompt, so that a template of the user's cannot lose them.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Literal, cast

from ascertain.core.asking.answers import Decision
from ascertain.core.asking.runs import FELL_BACK, Clock, Run, Task
from ascertain.core.errors import BudgetExceeded, ConfigurationError, ModelError, did_you_mean
from ascertain.models.ports import Chat, Listen, Message, T
from ascertain.models.untrusted import DATA_RULES, as_data

__all__ = ["Prompts", "as_data", "prompt_names"]

Role = Literal["system", "user", "assistant"]

_HEADING = re.compile(r"^#[ \t]+(system|user|assistant)[ \t]*$", re.MULTILINE | re.IGNORECASE)
_PART = re.compile(r"^\{> ([a-z_]+)\}[ \t]*$", re.MULTILINE)
_PLACEHOLDER = re.compile(r"\{\{([a-z][a-z0-9_]*)\}\}|\{([a-z][a-z0-9_]*)\}")


class Prompts:
    """The prompts of every step by name."""

    def __init__(self, folder: Path | None = None, clock: Clock | None = None) -> None:
        """``folder`` may be absent; a file in it replaces the packaged one with the same name. With a ``clock``
        every prompt says what day it is, as a question that says "this week" needs to be read.

        Raises ConfigurationError for a file there that is not a prompt.
        """
        self._templates: dict[str, _Template] = {}
        known = prompt_names()
        own = sorted(folder.glob("*.md")) if folder is not None and folder.is_dir() else []
        for path in own:
            if path.stem not in known:
                raise ConfigurationError(f"{path}: there is no prompt {path.stem!r}{did_you_mean(path.stem, known)}")
        self._own = {path.stem: path for path in own}
        self._clock = clock

    def messages(self, name: str, **values: str) -> list[Message]:
        """The messages of the prompt ``name``, filled with ``values``.

        Raises ConfigurationError, naming the file, for an unknown prompt, an invalid template, and when
        its placeholders are not exactly the ``values``.
        """
        template = self._load_template(name)
        today = f"\n\nToday is {self._clock.now():%A, %d %B %Y}." if self._clock else ""
        added = f"{today}\n\n{DATA_RULES}"
        return [
            Message(part.role, template.filled(part, values) + (added if index == 0 else ""))
            for index, part in enumerate(template.matching(values))
        ]

    def _load_template(self, name: str) -> _Template:
        if name not in self._templates:
            packaged = _prompts_folder() / f"{name}.md"
            if not packaged.is_file():
                raise ConfigurationError(f"there is no prompt {name!r}{did_you_mean(name, prompt_names())}")
            self._templates[name] = _read_template(self._own.get(name, packaged))
        return self._templates[name]


def prompt_names() -> list[str]:
    """The packaged prompts, sorted."""
    folder = _prompts_folder()
    return sorted(path.stem for path in folder.glob("*.md")) if folder.is_dir() else []


@dataclass(frozen=True, slots=True)
class _Part:
    role: Role
    text: str


@dataclass(frozen=True, slots=True)
class _Template:
    """The parts of one file, in order."""

    origin: Path
    parts: tuple[_Part, ...]

    def matching(self, values: dict[str, str]) -> tuple[_Part, ...]:
        """The parts; ConfigurationError unless their placeholders are the names of ``values``."""
        wanted = {match[2] for part in self.parts for match in _PLACEHOLDER.finditer(part.text) if match[2]}
        for name in sorted(wanted - values.keys()):
            raise ConfigurationError(
                f"{self.origin}: {{{name}}} has no value here{did_you_mean(name, sorted(values))} "
                f"({{{{{name}}}}} stands for the characters themselves)"
            )
        for name in sorted(values.keys() - wanted):
            raise ConfigurationError(f"{self.origin}: the placeholder {{{name}}} is missing")
        return self.parts

    @staticmethod
    def filled(part: _Part, values: dict[str, str]) -> str:
        return _PLACEHOLDER.sub(lambda m: f"{{{m[1]}}}" if m[1] else values[m[2]], part.text)


def _read_template(path: Path) -> _Template:
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigurationError(f"{path}: the prompt could not be read as UTF-8 text: {error}") from error
    before, *pieces = _HEADING.split(_PART.sub(lambda found: _read_part(found[1], path), text))
    parts = tuple(
        _Part(cast(Role, role.lower()), body.strip()) for role, body in zip(pieces[::2], pieces[1::2], strict=True)
    )
    if before.strip():
        raise ConfigurationError(f"{path}: text before the first heading; a prompt begins with '# system'")
    roles = [part.role for part in parts]
    turns = roles[1:]
    if roles[:1] != ["system"] or turns != [*["user", "assistant"] * (len(turns) // 2), "user"]:
        raise ConfigurationError(
            f"{path}: the headings are {', '.join(roles) or 'none'}; a prompt has '# system', then '# user', "
            "or examples of '# user' and '# assistant' before it"
        )
    return _Template(path, parts)


def _read_part(name: str, path: Path) -> str:
    """The packaged text that several prompts share. Raises ConfigurationError, naming ``path``, for an unknown name."""
    folder = _prompts_folder() / "parts"
    known = sorted(each.stem for each in folder.glob("*.md"))
    if name not in known:
        raise ConfigurationError(f"{path}: there is no part {name!r}{did_you_mean(name, known)}")
    return (folder / f"{name}.md").read_text(encoding="utf-8").strip()


def _prompts_folder() -> Path:
    # Installed packages are folders of files; a zipped one would need importlib.resources.as_file.
    return Path(str(files("ascertain") / "data" / "prompts"))


@dataclass(frozen=True, slots=True)
class PromptedStep:
    """A step that a chat model does: its ``prompt``, the ``task`` that names its model, the ``node`` it belongs to."""

    chat: Chat
    prompts: Prompts
    task: Task
    node: str
    prompt: str

    def reply(self, answer: type[T], run: Run, listen: Listen | None = None, /, **values: str) -> T | None:
        """The reply to the prompt filled with ``values``; None, with a note on ``run``, when the model gave none, and
        without one when it failed a control before. ``listen`` as ``Chat.ask`` has it.
        """
        if run.is_distrusted:
            return None
        try:
            messages = self.prompts.messages(self.prompt, **values)
            if listen is None:
                return self.chat.ask(self.task, messages, answer, run)
            return self.chat.ask(self.task, messages, answer, run, listen)
        except (ModelError, BudgetExceeded) as error:
            self.fell_back(run, str(error))
            return None

    def distrust(self, run: Run, reason: str) -> None:
        """Record that the model failed a control, which ends its use in this run."""
        run.distrust(self.node, f"{self.prompt}: {reason}")

    def fell_back(self, run: Run, reason: str) -> None:
        """Record that the rules do this step, and why."""
        run.note(Decision(self.node, FELL_BACK, f"{self.prompt}: {reason}"))
