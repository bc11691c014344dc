"""What there is to know for choosing models: those that the settings name, servers on this machine, and what trying one came to."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from ascertain.core.runs import Task


@dataclass(frozen=True, slots=True)
class ConfiguredModel:
    """A model that the settings name.

    ``role`` is chat, embedder, reranker, reader or entailment; ``tasks`` are those of a chat model. ``package`` is what opens it, empty where
    nothing more is needed, ``extra`` the extra of ours that brings it; ``key_variable`` the environment variable with its key, empty where it needs none. ``problem`` says what is missing
    and what to do.
    """

    role: str
    name: str
    where: str
    tasks: Sequence[Task] = ()
    package: str = ""
    is_installed: bool = True
    key_variable: str = ""
    is_key_set: bool = False
    problem: str = ""
    extra: str = ""


@dataclass(frozen=True, slots=True)
class ConfiguredModels:
    """The models of the settings. ``preset`` says whose models the tier takes and of what month the list is, empty where no preset is in force."""

    tier: str
    preset: str
    models: Sequence[ConfiguredModel]

    @property
    def has_chat(self) -> bool:
        """Whether any is a chat model."""
        return any(model.role == "chat" for model in self.models)


@dataclass(frozen=True, slots=True)
class ServedModel:
    """A model that a server lists; ``configuration`` is what makes it the one in use, as lines of ``ascertain.toml``."""

    name: str
    is_embedder: bool
    about: str
    configuration: str


@dataclass(frozen=True, slots=True)
class FoundServer:
    """What answers at an address of this machine; ``problem`` says why it lists no models."""

    kind: str
    address: str
    models: Sequence[ServedModel] = ()
    problem: str = ""


class TrialName(StrEnum):
    """What a chat model is tried with."""

    STRUCTURE = "structured reply"
    READING = "reading"
    JUDGING = "judging"


@dataclass(frozen=True, slots=True)
class TrialResult:
    """What one task of a trial came to; ``finding`` is a line for people, ``seconds`` and tokens those of all its ``calls``.

    ``is_repaired``: its first reply was of no use, and it was asked for another.
    """

    name: TrialName
    is_passed: bool
    finding: str
    seconds: float = 0.0
    calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    is_repaired: bool = False


@dataclass(frozen=True, slots=True)
class ModelTrial:
    """What trying a chat model came to: the tasks it is ``good_for``, advice for people, and settings as lines of ``ascertain.toml``."""

    model: str
    where: str
    results: Sequence[TrialResult]
    good_for: Sequence[Task]
    advice: Sequence[str]
    configuration: str
