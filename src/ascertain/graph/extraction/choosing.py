"""The choice of what reads the graph out of documents, by the settings."""

import importlib.util
from typing import Literal

from ascertain.core.errors import ConfigurationError
from ascertain.core.settings import ChatSettings, GraphSettings
from ascertain.graph.extraction.ports import Extractor
from ascertain.graph.extraction.rules import ENGLISH, ProfileOf, RuleExtractor, installed_pipeline, spacy_extractor
from ascertain.models.ports import Chat
from ascertain.models.prompts import Prompts


def choose_extractor(
    settings: GraphSettings,
    profile_of: ProfileOf,
    chat: Chat | None = None,
    prompts: Prompts | None = None,
    *,
    prices: ChatSettings | None = None,
) -> Extractor:
    """The extractor of ``settings.extractor``; ``profile_of`` gives the profile of a name, or None.

    ``chat`` and ``prompts`` are for reading by chat model, ``prices`` for its estimate. Loads a pipeline, but calls no
    server. Raises MissingExtra and ConfigurationError if the extractor cannot be used, with what to install or set.
    """
    if settings.extractor == "model":
        if chat is None:
            raise ConfigurationError(
                "graph.extractor = 'model' needs a chat model: set models.chat.model, or graph.extractor = 'rules'"
            )
        from ascertain.graph.extraction.model import ModelExtractor  # noqa: PLC0415  pydantic models of replies

        return ModelExtractor(chat, prompts or Prompts(), settings, profile_of=profile_of, prices=prices)
    pipeline = installed_pipeline(settings.pipeline) if settings.extractor == "auto" else None
    if settings.extractor == "spacy" or pipeline:
        return spacy_extractor(profile_of, settings.pipeline)
    return RuleExtractor(profile_of)


def chosen_kind(settings: GraphSettings) -> Literal["rules", "spacy", "model"]:
    """What ``choose_extractor`` would open here: for other machines, which may have other parts installed."""
    if settings.extractor != "auto":
        return settings.extractor
    return "spacy" if installed_pipeline(settings.pipeline) else "rules"


def extractor_note(settings: GraphSettings) -> str:
    """Which extractor ``settings`` choose, and why, in a line; loads and calls nothing."""
    if settings.extractor == "model":
        return "a chat model reads relations, rules read the rest (graph.extractor = 'model')"
    pipeline = installed_pipeline(settings.pipeline)
    if settings.extractor == "spacy":
        return f"spaCy with {pipeline or settings.pipeline or ENGLISH[0]} (graph.extractor = 'spacy')"
    if settings.extractor == "rules":
        return "rules (graph.extractor = 'rules')"
    if pipeline:
        return f"spaCy with {pipeline}, because it is installed (graph.extractor = 'auto')"
    missing = "spaCy is" if importlib.util.find_spec("spacy") is None else f"{settings.pipeline or ENGLISH[0]} is"
    return f"rules, because {missing} not installed (graph.extractor = 'auto')"
