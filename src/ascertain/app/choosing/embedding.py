"""The embedding model in use, what moving all passages to another costs, and the move itself while questions go on."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from ascertain.app.access.api_keys import is_loopback
from ascertain.app.choosing.configured import HERE, describe_embedder
from ascertain.app.choosing.settings_file import Switch
from ascertain.app.container.reindexing import move_store
from ascertain.core.asking.passages import Filter
from ascertain.core.errors import UsageError
from ascertain.core.service.model_choice import EmbedderInUse, MoveEstimate
from ascertain.core.system.extras import install_command
from ascertain.core.system.plugins import EMBEDDERS, require_plugin
from ascertain.models.embed.cards import BUILT_IN, ModelOptions, read_card
from ascertain.models.registry import open_embedder, split_kind
from ascertain.stores.registry import embedding_of

if TYPE_CHECKING:
    from ascertain.app.container.container import Container
    from ascertain.app.container.reindexing import ReindexListener
    from ascertain.core.settings import ModelSettings

SAMPLED = 200
"""Passages whose length is looked at."""
TRIED = 16
"""Texts that are embedded to see how long it takes."""
CHARACTERS_OF_A_TOKEN = 4
"""Of English, about (OpenAI, "What are tokens and how to count them?")."""
_WORDS = "The lighthouse keeper wrote down the weather, the ships that passed and the hours of the lamp every evening. "


def describe_use(container: Container) -> EmbedderInUse:
    """The model of the settings, and what would be moved."""
    model = describe_embedder(container.settings.models.embedder)
    if not container.is_there:
        return EmbedderInUse(model.name, model.where, "", 0, 0, False)
    store = container.store()
    chunks = sum(store.count(tenant) for tenant in store.tenants())
    name, dimension = embedding_of(container.settings.store, container.settings.home) or ("", 0)
    expected = _name_stored(model.name)
    is_behind = bool(chunks and expected and name != expected)
    return EmbedderInUse(model.name, model.where, name, dimension, chunks, is_behind)


def check_choice(value: str, settings: ModelSettings) -> None:
    """Raise UsageError for a model that clients on the network may not choose: a folder of the service's machine, a server
    elsewhere that is not in the settings, a key of something else. ConfigurationError for an invalid model.
    """
    if value == settings.embedder:
        return
    kind, name = split_kind(EMBEDDERS, value)
    if value != BUILT_IN and (kind == "onnx" or Path(name.partition("?")[0]).exists()):
        raise UsageError(f"{value} cannot be chosen here; choose a folder with: ascertain reindex FOLDER")
    require_plugin(EMBEDDERS, kind, "models.embedder")
    known = _read_options(settings.embedder)
    given = _read_options(value)
    if given.base_url not in {"", known.base_url} and not is_loopback(urlsplit(given.base_url).hostname or ""):
        raise UsageError(
            f"{given.base_url} is not on this machine; the operator of the service sets it in models.embedder"
        )
    if given.key not in {"", known.key}:
        raise UsageError("the key of a model is set by the operator of the service, in models.embedder")


def estimate_move(container: Container, value: str) -> MoveEstimate:
    """The cost of moving to ``value``; the model embeds sample texts for it, and gets nothing of the documents.

    Raises as ``check_choice`` and ``open_embedder``.
    """
    models = container.settings.models
    check_choice(value, models)
    described = describe_embedder(value)
    if described.problem:
        remedy = (
            described.problem if described.key_variable or not described.extra else install_command(described.extra)
        )
        raise UsageError(f"{value} cannot be used yet: {remedy}")
    embedder = open_embedder(models.model_copy(update={"embedder": value}))
    use = describe_use(container)
    length = _measure_length(container)
    texts = [f"{number}. {_WORDS * (1 + length // len(_WORDS))}"[:length] for number in range(TRIED)]
    embedder.embed_documents(texts[:1])
    began = time.perf_counter()
    embedder.embed_documents(texts)
    seconds = (time.perf_counter() - began) / TRIED * use.chunks
    tokens = use.chunks * length // CHARACTERS_OF_A_TOKEN
    is_here = described.where.startswith(HERE)
    usd = 0.0 if is_here else _read_options(value).usd * tokens / 1_000_000
    return MoveEstimate(value, described.where, is_here, embedder.dimension, use.chunks, tokens, seconds, usd)


def move_embedder(container: Container, value: str, listener: ReindexListener) -> list[str]:
    """Compute all vectors with ``value`` while questions are answered with the old ones, then go on with the new and note it in the
    settings of the home; lines about what is left to do.

    Raises what ``listener`` raises: the next call resumes there.
    """
    move_store(container, value, listener)
    settings = container.settings
    if settings.store.is_shared:
        return [f'set models.embedder = "{value}" on every machine that uses {container.place}']
    remarks = Switch(settings.home, {"models.embedder": value}, ()).write(os.environ)
    if settings.server.workers > 1:
        remarks.append("start the service again: until then its other processes add no documents")
    return remarks


def _measure_length(container: Container) -> int:
    """Mean number of characters of the first passages."""
    lengths = [len(text) for text in islice(_read_texts(container), SAMPLED)]
    return sum(lengths) // len(lengths) if lengths else len(_WORDS)


def _read_texts(container: Container) -> Iterator[str]:
    if not container.is_there:
        return
    store = container.store()
    for tenant in store.tenants():
        for chunk in store.iterate_chunks(Filter(tenant=tenant)):
            if not chunk.is_parent:
                yield chunk.indexed_text


def _name_stored(value: str) -> str:
    """What vectors of a model are stored under; empty where only opening it shows."""
    kind, name = split_kind(EMBEDDERS, value)
    if value == BUILT_IN:
        return value
    return "" if kind == "onnx" or not name else read_card(kind, name, "models.embedder").stored_name


def _read_options(value: str) -> ModelOptions:
    kind, name = split_kind(EMBEDDERS, value)
    return ModelOptions() if kind == "onnx" or not name else read_card(kind, name, "models.embedder").options
