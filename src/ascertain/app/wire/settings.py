"""Settings that the page of an administrator shows and changes."""

from typing import Annotated, Literal

from pydantic import Field

from ascertain.app.wire.requests import Body
from ascertain.app.wire.shape import NounShape, Shape
from ascertain.core.service.model_choice import ConfiguredModels, EmbedderInUse, FoundServer, NewsChoice
from ascertain.core.service.service import Job
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

    servers: list[FoundServer]


class DestinationJson(Shape):
    """Data that leaves this machine."""

    what: str = Field(description="`chat`, `embedder` or another kind of model, `news` or `traces`.", examples=["chat"])
    where: str = Field(description="A provider or an address.", examples=["anthropic"])


class NewsChoicesJson(Shape):
    """The news providers that are installed: those in use in their order, then the others."""

    providers: list[NewsChoice]
    fallback: bool = Field(description="Whether they are called automatically if the documents are not enough.")


class EmbedderJson(Shape):
    """The embedding model, and the last move to another model."""

    model: EmbedderInUse
    move: Job | None = Field(description="`done` and `total` in passages; null without one.")


class EmbedderBody(Body):
    """An embedding model."""

    embedder: Annotated[str, Field(min_length=1, max_length=300, description="As `models.embedder` names it.")]


class SettingsJson(Shape):
    """The current settings that can be changed while the service runs, and what leaves this machine."""

    models: ConfiguredModels
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
