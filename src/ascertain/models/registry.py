"""Opens the models that the settings name."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from ascertain.core.settings import ModelSettings
from ascertain.models.ports import Chat, Embedder, EntailmentModel, Reranker, TokenEmbedder

if TYPE_CHECKING:
    from ascertain.models.pairs.ports import PairModel

_SENTENCE_TRANSFORMERS = "sentence-transformers:"
_LETTUCE_DETECT = "lettucedetect:"


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


def open_entailment(settings: ModelSettings, embedder: Embedder) -> EntailmentModel:
    """What checks claims; the offline checker for ``rules``, and for ``auto`` and ``chat`` what the chat model falls back to.

    The checker's weights belong to the built-in embedding model, which is opened beside ``embedder`` where that is
    another one. Raises ConfigurationError for an unknown name, MissingExtra, and ModelError when it cannot be loaded.
    """
    name = settings.entailment
    if name in {"auto", "rules", "chat"}:
        return _rules(settings, embedder)
    if name.startswith(_LETTUCE_DETECT):
        from ascertain.models.entail.lettucedetect import LettuceDetectEntailment  # noqa: PLC0415

        return LettuceDetectEntailment(name.removeprefix(_LETTUCE_DETECT))
    from ascertain.models.entail.cross_encoder import CrossEncoderEntailment  # noqa: PLC0415

    return CrossEncoderEntailment(_pair_model(name, "models.entailment", "first", settings.threads))


def open_reranker(settings: ModelSettings) -> Reranker | None:
    """The reranker of the settings; None when none is named.

    Raises ConfigurationError for an unknown name, MissingExtra, and ModelError when it cannot be loaded.
    """
    if not settings.reranker:
        return None
    from ascertain.models.rerank.cross_encoder import CrossEncoderReranker  # noqa: PLC0415

    return CrossEncoderReranker(_pair_model(settings.reranker, "models.reranker", "second", settings.threads))


def _pair_model(name: str, setting: str, long: Literal["first", "second"], threads: int) -> PairModel:
    if name.startswith(_SENTENCE_TRANSFORMERS):
        from ascertain.models.pairs.sentence_transformers import (  # noqa: PLC0415
            SentenceTransformersPairModel,
        )

        return SentenceTransformersPairModel(name.removeprefix(_SENTENCE_TRANSFORMERS), setting)
    from ascertain.models.pairs.onnx import OnnxPairModel  # noqa: PLC0415  onnxruntime takes 0.2 s to import

    return OnnxPairModel.load(name, setting, long=long, threads=threads)


def _rules(settings: ModelSettings, embedder: Embedder) -> EntailmentModel:
    from ascertain.models.entail.rules import RuleEntailment  # noqa: PLC0415
    from ascertain.models.onnx import BUILT_IN, OnnxEmbedder  # noqa: PLC0415

    if embedder.name == BUILT_IN and isinstance(embedder, TokenEmbedder):
        return RuleEntailment(embedder)
    return RuleEntailment(OnnxEmbedder.load(BUILT_IN, settings.threads))
