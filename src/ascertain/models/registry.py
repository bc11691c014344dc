"""Opens the models that the settings name."""

from __future__ import annotations

from ascertain.core.settings import ModelSettings
from ascertain.models.ports import Chat, Embedder


def open_embedder(settings: ModelSettings) -> Embedder:
    """The embedding model of the settings.

    Raises ConfigurationError for an unknown name and ModelError when it cannot be loaded.
    """
    from ascertain.models.onnx import OnnxEmbedder  # noqa: PLC0415  onnxruntime takes 0.2 s to import

    return OnnxEmbedder.load(settings.embedder, settings.threads)


def open_chat(settings: ModelSettings) -> Chat | None:
    """The chat models of the settings; None when none is named, which means working offline.

    Raises MissingExtra without the extra ``llm`` and ConfigurationError for what is wrong with the settings.
    """
    from ascertain.models.chat.opening import open_chat as open_structured  # noqa: PLC0415  asyncio takes a while

    return open_structured(settings)
