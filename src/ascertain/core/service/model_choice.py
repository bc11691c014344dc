"""Facts for choosing models and news providers: the configured ones, servers on this machine, the result of a trial,
and the cost of moving to another.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from ascertain.core.asking.runs import Task
from ascertain.core.serialisation import Serialisable


@dataclass(frozen=True, slots=True)
class ConfiguredModel(
    Serialisable,
    hidden=("extra",),
    examples={
        "role": "chat",
        "name": "anthropic:claude-sonnet-5",
        "where": "anthropic",
        "tasks": ["write", "verify"],
        "package": "langchain-anthropic",
        "key_variable": "ANTHROPIC_API_KEY",
        "is_key_set": True,
    },
):
    """A model that the settings name. Of its key only whether it is set is said."""

    role: str
    """chat, embedder, reranker, reader or entailment."""
    name: str
    where: str
    """A provider, an address, or this machine."""
    tasks: Sequence[Task] = ()
    """Of a chat model."""
    package: str = ""
    """What opens it; empty where nothing more is needed."""
    is_installed: bool = True
    key_variable: str = ""
    """Empty where it needs no key."""
    is_key_set: bool = False
    problem: str = ""
    """What is missing and what to do; empty where all is there."""
    extra: str = ""
    """The extra of ours that brings its package."""


@dataclass(frozen=True, slots=True)
class ConfiguredModels(Serialisable, examples={"tier": "premium", "preset": "anthropic, as of 2026-11"}):
    """The models that the settings name."""

    tier: str
    preset: str
    """Whose models the tier takes and of what month the list is; empty where no preset is in force."""
    models: Sequence[ConfiguredModel]

    @property
    def has_chat(self) -> bool:
        """Whether any is a chat model."""
        return any(model.role == "chat" for model in self.models)


@dataclass(frozen=True, slots=True)
class ServedModel(
    Serialisable,
    examples={
        "name": "qwen3:4b",
        "is_embedder": False,
        "about": "4.0B, Q4_K_M",
        "configuration": '[models.chat]\nmodel = "ollama:qwen3:4b"\n',
    },
):
    """A model that a server lists."""

    name: str
    is_embedder: bool
    about: str
    """Size and the like, as far as the server says."""
    configuration: str
    """Lines of ascertain.toml that use it."""


@dataclass(frozen=True, slots=True)
class FoundServer(Serialisable, examples={"kind": "Ollama", "address": "http://127.0.0.1:11434"}):
    """What answers at an address of this machine."""

    kind: str
    """Ollama, LM Studio, llama.cpp, vLLM, Ascertain or unknown."""
    address: str
    models: Sequence[ServedModel] = ()
    problem: str = ""
    """Why it lists no models."""


class TrialName(StrEnum):
    """What a chat model is tried with."""

    STRUCTURE = "structured reply"
    READING = "reading"
    JUDGING = "judging"


@dataclass(frozen=True, slots=True)
class TrialResult(
    Serialisable,
    examples={
        "name": "reading",
        "is_passed": True,
        "finding": "quotes exactly",
        "seconds": 1.8,
        "calls": 1,
        "input_tokens": 512,
        "output_tokens": 38,
    },
):
    """One task of a trial."""

    name: TrialName
    is_passed: bool
    finding: str
    seconds: float = 0.0
    calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    is_repaired: bool = False
    """Whether its first reply was of no use, and it was asked for another."""


@dataclass(frozen=True, slots=True)
class ModelTrial(
    Serialisable,
    examples={
        "model": "ollama:qwen3:4b",
        "where": "this machine, http://127.0.0.1:11434",
        "good_for": ["rewrite", "plan"],
        "advice": ["Leave judge, write, verify, evaluate, extract to the rules, or to another model."],
        "configuration": '[models.chat]\ntier = "budget"\n\n[models.chat.budget]\nrewrite = "ollama:qwen3:4b"\nplan = "ollama:qwen3:4b"\n',
    },
):
    """What trying a chat model came to."""

    model: str
    where: str
    results: Sequence[TrialResult]
    good_for: Sequence[Task]
    """Tasks, as `models.chat` names them."""
    advice: Sequence[str]
    configuration: str
    """Lines of ascertain.toml that use it for these; empty where it is of no use."""


@dataclass(frozen=True, slots=True)
class NewsChoice(
    Serialisable,
    examples={
        "name": "tavily",
        "is_used": True,
        "where": "api.tavily.com",
        "key_variable": "TAVILY_API_KEY",
        "is_key_set": True,
    },
):
    """A news provider that can be used. Of its key, only whether it is set is shown."""

    name: str
    """As `news.providers` names it."""
    is_used: bool
    where: str
    """Hosts that are called."""
    key_variable: str = ""
    """Empty where it needs no key."""
    is_key_set: bool = False
    problem: str = ""
    """What is missing and what to do; empty if nothing is missing."""


@dataclass(frozen=True, slots=True)
class NewsTrial(Serialisable, examples={"name": "tavily", "titles": ["Markets at a record"], "seconds": 0.8}):
    """The result of calling a news provider."""

    name: str
    titles: Sequence[str]
    seconds: float
    problem: str = ""
    """Why it found nothing; empty where it answered."""


@dataclass(frozen=True, slots=True)
class EmbedderInUse(
    Serialisable,
    examples={
        "name": "all-MiniLM-L6-v2",
        "where": "this machine",
        "stored": "all-MiniLM-L6-v2",
        "dimension": 384,
        "chunks": 1820,
        "is_behind": False,
    },
):
    """The embedding model of the settings."""

    name: str
    where: str
    """A provider, an address, or this machine."""
    stored: str
    """The model that the vectors are of."""
    dimension: int
    chunks: int
    """Passages of all tenants."""
    is_behind: bool
    """Whether that is another than the one of the settings."""


@dataclass(frozen=True, slots=True)
class MoveEstimate(
    Serialisable,
    examples={
        "name": "openai:text-embedding-3-small",
        "where": "OpenAI",
        "is_here": False,
        "dimension": 1536,
        "chunks": 1820,
        "tokens": 364000,
        "seconds": 42.0,
        "usd": 0.01,
    },
):
    """The cost of moving to another embedding model."""

    name: str
    where: str
    is_here: bool
    """Whether the texts stay on this machine."""
    dimension: int
    chunks: int
    """Passages to be embedded."""
    tokens: int
    """About."""
    seconds: float
    """About, from embedding texts of ours."""
    usd: float
    """Approximate, if the price is known."""
