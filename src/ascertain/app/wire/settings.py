"""Settings that the page of an administrator shows and changes."""

from typing import Annotated, Literal

from pydantic import Field

from ascertain.app.wire.models import ConfiguredModelsJson, FoundServerJson
from ascertain.app.wire.requests import Body
from ascertain.app.wire.service import JobJson
from ascertain.app.wire.shape import NounShape, Number, Shape
from ascertain.core.service.model_choice import EmbedderInUse, MoveEstimate, NewsChoice, NewsTrial
from ascertain.core.settings import AnswerSettings


class AnswerSettingsJson(NounShape[AnswerSettings]):
    """How answers are written."""

    length: Literal["auto", "short", "medium", "long"] = Field(examples=["auto"])
    language: str = Field(description="Empty for that of the question.", examples=[""])
    tone: str = Field(examples=["plain and factual"])
    max_sentences: int = Field(examples=[3])
    rejection_threshold: int = Field(description="Confidence below which no answer is given, 0 to 100.", examples=[30])


class FoundServersJson(Shape):
    """Servers of models on the machine of the service."""

    servers: list[FoundServerJson]


class DestinationJson(Shape):
    """Data that leaves this machine."""

    what: str = Field(description="`chat`, `embedder` or another kind of model, `news` or `traces`.", examples=["chat"])
    where: str = Field(description="A provider or an address.", examples=["anthropic"])


class NewsChoiceJson(NounShape[NewsChoice]):
    """A news provider that can be used. Of its key, only whether it is set is shown."""

    name: str = Field(description="As `news.providers` names it.", examples=["tavily"])
    is_used: bool = Field(examples=[True])
    where: str = Field(description="Hosts that are called.", examples=["api.tavily.com"])
    key_variable: str = Field(description="Empty where it needs no key.", examples=["TAVILY_API_KEY"])
    is_key_set: bool = Field(examples=[True])
    problem: str = Field(description="What is missing and what to do; empty if nothing is missing.", examples=[""])


class NewsChoicesJson(Shape):
    """The news providers that are installed: those in use in their order, then the others."""

    providers: list[NewsChoiceJson]
    fallback: bool = Field(description="Whether they are called automatically if the documents are not enough.")


class NewsTrialJson(NounShape[NewsTrial]):
    """The result of calling a news provider."""

    name: str = Field(examples=["tavily"])
    titles: list[str] = Field(examples=[["Markets at a record"]])
    seconds: Number = Field(examples=[0.8])
    problem: str = Field(description="Why it found nothing; empty where it answered.", examples=[""])


class EmbedderInUseJson(NounShape[EmbedderInUse]):
    """The embedding model of the settings."""

    name: str = Field(examples=["all-MiniLM-L6-v2"])
    where: str = Field(description="A provider, an address, or this machine.", examples=["this machine"])
    stored: str = Field(description="The model that the vectors are of.", examples=["all-MiniLM-L6-v2"])
    dimension: int = Field(examples=[384])
    chunks: int = Field(description="Passages of all tenants.", examples=[1820])
    is_behind: bool = Field(description="Whether that is another than the one of the settings.", examples=[False])


class EmbedderJson(Shape):
    """The embedding model, and the last move to another model."""

    model: EmbedderInUseJson
    move: JobJson | None = Field(description="`done` and `total` in passages; null without one.")


class MoveEstimateJson(NounShape[MoveEstimate]):
    """The cost of moving to another embedding model."""

    name: str = Field(examples=["openai:text-embedding-3-small"])
    where: str = Field(examples=["OpenAI"])
    is_here: bool = Field(description="Whether the texts stay on this machine.", examples=[False])
    dimension: int = Field(examples=[1536])
    chunks: int = Field(description="Passages to be embedded.", examples=[1820])
    tokens: int = Field(description="About.", examples=[364000])
    seconds: Number = Field(description="About, from embedding texts of ours.", examples=[42.0])
    usd: Number = Field(description="Approximate, if the price is known.", examples=[0.01])


class EmbedderBody(Body):
    """An embedding model."""

    embedder: Annotated[str, Field(min_length=1, max_length=300, description="As `models.embedder` names it.")]


class SettingsJson(Shape):
    """The current settings that can be changed while the service runs, and what leaves this machine."""

    models: ConfiguredModelsJson
    answers: AnswerSettingsJson
    destinations: list[DestinationJson]
    remarks: list[str] = Field(
        description="Changes that do not last, because the environment or another file sets it too.", examples=[[]]
    )


class SettingsBody(Body):
    """Settings to be changed."""

    values: dict[Annotated[str, Field(max_length=100)], str | int | float] = Field(
        default={}, max_length=50, description="By dotted key.", examples=[{"answers.length": "short"}]
    )
    configuration: str = Field(
        default="", max_length=10_000, description="Lines of ascertain.toml, as a found server or a trial gives them."
    )


class TrialBody(Body):
    """A chat model to try."""

    model: Annotated[str, Field(min_length=1, max_length=300, description="As `models.chat.model` names it.")]
    base_url: Annotated[
        str, Field(max_length=1000, description="Address of an OpenAI-compatible server on this machine.")
    ] = ""
