"""Opening the chat models that the settings name, each once."""

from __future__ import annotations

from ascertain.core.runs import Task
from ascertain.core.settings import ChatSettings, ModelSettings
from ascertain.models.chat.addresses import model_address
from ascertain.models.chat.calls import CalledModel
from ascertain.models.chat.structured import StructuredChat, first_dialect


def open_chat(settings: ModelSettings) -> StructuredChat | None:
    """The chat models of the tier in force; None when no model is named.

    Calls no server. Raises MissingExtra without LangChain, and ConfigurationError for a model, an address, a key or a
    provider's package that is missing.
    """
    chat = settings.chat
    opened: dict[str, CalledModel] = {}
    for name in model_names(chat).values():
        if name not in opened:
            address = model_address(name, chat)
            opened[name] = CalledModel(address, chat.max_output_tokens, chat.timeout_seconds)
            opened[name].open(first_dialect(address, chat))
    if not opened:
        return None
    return StructuredChat(chat, {task: opened[name] for task, name in model_names(chat).items()})


def model_names(settings: ChatSettings) -> dict[Task, str]:
    """The model of each task in the tier in force; a task without one is left out and works by rules."""
    tier = {"budget": settings.budget, "balanced": settings.balanced, "premium": settings.premium}[
        settings.tier
    ]
    own: dict[str, str] = tier.model_dump()
    return {task: name for task in Task if (name := own[task.value] or settings.model)}
