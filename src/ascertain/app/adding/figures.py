"""The step that describes the pictures of documents, by the current settings."""

from __future__ import annotations

from collections.abc import Callable
from importlib.util import find_spec
from typing import TYPE_CHECKING

from ascertain.core.asking.runs import Task
from ascertain.core.errors import ConfigurationError, MissingExtra

if TYPE_CHECKING:
    from ascertain.core.documents.documents import Document
    from ascertain.core.settings import Settings
    from ascertain.documents.ingest.figures.reading import FigureStep
    from ascertain.models.ports import Chat
    from ascertain.stores.home.figure_descriptions import FigureDescriptions


def open_figure_step(
    settings: Settings,
    open_chat: Callable[[], Chat | None],
    descriptions: FigureDescriptions,
    document: Callable[[str], Document | None],
    *,
    defers: bool,
) -> FigureStep | None:
    """The step for one run; None where pictures are not described (``ingest.describe_figures``).

    With ``defers`` the model is not called. Raises ConfigurationError where no model is set, and MissingExtra.
    """
    from ascertain.documents.ingest.figures.describing import ModelFigureDescriber
    from ascertain.documents.ingest.figures.reading import FigureStep
    from ascertain.models.chat.structured import model_names
    from ascertain.models.prompts import Prompts

    if not settings.ingest.describe_figures or settings.ingest.engine == "ray":
        return None
    prices = settings.models.chat
    model = model_names(prices).get(Task.DESCRIBE)
    chat = open_chat() if model else None
    if model is None or chat is None:
        tier = "balanced" if prices.tier == "none" else prices.tier
        raise ConfigurationError(
            "ingest.describe_figures needs a chat model that reads images: set it in models.chat.model, or in "
            f"models.chat.{tier}.describe with models.chat.tier = {tier}"
        )
    if find_spec("PIL") is None:
        raise MissingExtra("describing pictures (ingest.describe_figures)", "llm")
    describer = ModelFigureDescriber(
        chat, Prompts(settings.home / "prompts"), model, settings.graph, settings.models.chat
    )
    return FigureStep(describer, descriptions, document, defers=defers)
