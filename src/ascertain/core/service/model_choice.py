"""Facts for choosing models and news providers: the configured ones, servers on this machine, the result of a trial,
and the cost of moving to another.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from ascertain.core.asking.runs import Task


@dataclass(frozen=True, slots=True)
class ConfiguredModel:
    """A configured model.

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
    """A server at an address of this machine; ``problem`` says why it lists no models."""

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
    """The result of one task of a trial; ``finding`` is a line for people, ``seconds`` and tokens those of all its ``calls``.

    ``is_repaired``: its first reply was unusable, and it was asked again.
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
    """The result of a trial of a chat model: the tasks it is ``good_for``, advice for people, and settings as lines of ``ascertain.toml``."""

    model: str
    where: str
    results: Sequence[TrialResult]
    good_for: Sequence[Task]
    advice: Sequence[str]
    configuration: str


@dataclass(frozen=True, slots=True)
class NewsChoice:
    """An available news provider. ``where`` is who receives the words of a question; ``problem`` says what it lacks and what to do."""

    name: str
    is_used: bool
    where: str
    key_variable: str = ""
    is_key_set: bool = False
    problem: str = ""


@dataclass(frozen=True, slots=True)
class NewsTrial:
    """The result of calling a news provider: titles of what it found, or why it found nothing."""

    name: str
    titles: Sequence[str]
    seconds: float
    problem: str = ""


@dataclass(frozen=True, slots=True)
class EmbedderInUse:
    """The embedding model of the settings, and how many passages have vectors of the ``stored`` one; ``is_behind``: that is another."""

    name: str
    where: str
    stored: str
    dimension: int
    chunks: int
    is_behind: bool


@dataclass(frozen=True, slots=True)
class MoveEstimate:
    """The cost of moving to an embedding model, for ``chunks`` passages; ``seconds`` is measured with texts of our own, ``tokens`` are counted roughly."""

    name: str
    where: str
    is_here: bool
    dimension: int
    chunks: int
    tokens: int
    seconds: float
    usd: float
