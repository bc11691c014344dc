"""Opens the models that the settings name."""

from __future__ import annotations

from ascertain.core.settings import ModelSettings
from ascertain.models.ports import Embedder


def open_embedder(settings: ModelSettings) -> Embedder:
    """The embedding model of the settings.

    Raises ConfigurationError for an unknown name and ModelError when it cannot be loaded.
    """
    from ascertain.models.onnx import OnnxEmbedder  # noqa: PLC0415  onnxruntime takes 0.2 s to import

    return OnnxEmbedder.load(settings.embedder, settings.threads)
