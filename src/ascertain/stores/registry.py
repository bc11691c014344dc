"""Which stores there are. A new one is one module and one line in ``STORES``."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import cast

from ascertain.core.errors import ConfigurationError
from ascertain.core.settings import StoreSettings
from ascertain.stores.conversations import ConversationStore
from ascertain.stores.ports import ChunkStore


@dataclass(frozen=True, slots=True)
class StoreKind:
    """Where a kind of store is implemented, as ``module:function``; the module is imported when it is first used.

    ``opener`` has the signature of ``open_store``; ``model_reader`` and ``conversations`` those of ``embedding_of`` and
    ``open_conversations``, without the settings.
    """

    opener: str
    model_reader: str
    conversations: str


STORES: dict[str, StoreKind] = {
    "embedded": StoreKind(
        opener="ascertain.stores.embedded.opening:open_embedded",
        model_reader="ascertain.stores.embedded.opening:stored_model",
        conversations="ascertain.stores.embedded.conversations:open_embedded_conversations",
    ),
}


def open_store(
    settings: StoreSettings, home: Path, embedder_name: str, dimension: int, *, create: bool = True
) -> ChunkStore:
    """The store that ``settings.kind`` names, for vectors of one embedding model.

    Raises ConfigurationError for an unknown kind, StoreError when it cannot be opened (or, without ``create``, does not
    exist) and EmbeddingMismatch when it was built with another model.
    """
    opener = cast(Callable[..., ChunkStore], _function(_kind(settings).opener))
    return opener(settings, home, embedder_name, dimension, create=create)


def embedding_of(settings: StoreSettings, home: Path) -> tuple[str, int] | None:
    """Name and dimension of the embedding model that a knowledge base was built with; None when there is none yet."""
    reader = cast(Callable[[Path], tuple[str, int] | None], _function(_kind(settings).model_reader))
    return reader(home)


def open_conversations(settings: StoreSettings, home: Path, *, kept_turns: int = 50) -> ConversationStore:
    """The conversations of the knowledge base in ``home``, with the whole answers of the last ``kept_turns`` of each.

    Raises ConfigurationError for an unknown kind and StoreError when there is no knowledge base or it cannot be used.
    """
    opener = cast(Callable[..., ConversationStore], _function(_kind(settings).conversations))
    return opener(home, kept_turns)


def _kind(settings: StoreSettings) -> StoreKind:
    kind = STORES.get(settings.kind)
    if kind is None:
        raise ConfigurationError(f"store.kind is {settings.kind!r}; it can be: {', '.join(sorted(STORES))}")
    return kind


def _function(path: str) -> object:
    module, _, name = path.partition(":")
    return getattr(importlib.import_module(module), name)
