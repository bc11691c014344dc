"""What there is to know for choosing models, as ``ascertain models`` prints it."""

from pydantic import Field

from ascertain.app.wire.shape import NounShape, Number, Shape
from ascertain.core.service.model_choice import ConfiguredModels, FoundServer, ModelTrial


class ConfiguredModelJson(Shape):
    """A model that the settings name. Of its key only whether it is set is said."""

    role: str = Field(description="chat, embedder, reranker, reader or entailment.", examples=["chat"])
    name: str = Field(examples=["anthropic:claude-sonnet-5"])
    where: str = Field(description="A provider, an address, or this machine.", examples=["anthropic"])
    tasks: list[str] = Field(description="Of a chat model.", examples=[["write", "verify"]])
    package: str = Field(
        description="What opens it; empty where nothing more is needed.", examples=["langchain-anthropic"]
    )
    is_installed: bool = Field(examples=[True])
    key_variable: str = Field(description="Empty where it needs no key.", examples=["ANTHROPIC_API_KEY"])
    is_key_set: bool = Field(examples=[True])
    problem: str = Field(description="What is missing and what to do; empty where all is there.", examples=[""])


class ConfiguredModelsJson(NounShape[ConfiguredModels]):
    """The models that the settings name."""

    tier: str = Field(examples=["premium"])
    preset: str = Field(
        description="Whose models the tier takes and of what month the list is; empty where no preset is in force.",
        examples=["anthropic, as of 2026-11"],
    )
    models: list[ConfiguredModelJson]


class ServedModelJson(Shape):
    """A model that a server lists."""

    name: str = Field(examples=["qwen3:4b"])
    is_embedder: bool = Field(examples=[False])
    about: str = Field(description="Size and the like, as far as the server says.", examples=["4.0B, Q4_K_M"])
    configuration: str = Field(
        description="Lines of ascertain.toml that use it.", examples=['[models.chat]\nmodel = "ollama:qwen3:4b"\n']
    )


class FoundServerJson(NounShape[FoundServer]):
    """What answers at an address of this machine."""

    kind: str = Field(description="Ollama, LM Studio, llama.cpp, vLLM, Ascertain or unknown.", examples=["Ollama"])
    address: str = Field(examples=["http://127.0.0.1:11434"])
    models: list[ServedModelJson]
    problem: str = Field(description="Why it lists no models.", examples=[""])


class TrialResultJson(Shape):
    """One task of a trial."""

    name: str = Field(description="structured reply, reading or judging.", examples=["reading"])
    is_passed: bool = Field(examples=[True])
    finding: str = Field(examples=["quotes exactly"])
    seconds: Number = Field(examples=[1.8])
    calls: int = Field(examples=[1])
    input_tokens: int = Field(examples=[512])
    output_tokens: int = Field(examples=[38])
    is_repaired: bool = Field(
        description="Whether its first reply was of no use, and it was asked for another.", examples=[False]
    )


class ModelTrialJson(NounShape[ModelTrial]):
    """What trying a chat model came to."""

    model: str = Field(examples=["ollama:qwen3:4b"])
    where: str = Field(examples=["this machine, http://127.0.0.1:11434"])
    results: list[TrialResultJson]
    good_for: list[str] = Field(description="Tasks, as `models.chat` names them.", examples=[["rewrite", "plan"]])
    advice: list[str] = Field(
        examples=[["Leave judge, write, verify, evaluate, extract to the rules, or to another model."]]
    )
    configuration: str = Field(
        description="Lines of ascertain.toml that use it for these; empty where it is of no use.",
        examples=[
            '[models.chat]\ntier = "budget"\n\n[models.chat.budget]\nrewrite = "ollama:qwen3:4b"\nplan = "ollama:qwen3:4b"\n'
        ],
    )
