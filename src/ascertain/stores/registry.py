"""Which stores there are. A new one is one module and one line in ``STORES``."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import cast

from ascertain.core.errors import ConfigurationError
from ascertain.core.settings import StoreSettings
from ascertain.stores.ports import ChunkStore


@dataclass(frozen=True, slots=True)
class StoreKind:
    """Where a kind of store is implemented; the module is imported when it is first used.

    ``opener`` has the signature of ``open_store``; ``model_reader`` that of ``embedding_of``, without the settings.
    """

    module: str
    opener: str
    model_reader: str


STORES: dict[str, StoreKind] = {
    "embedded": StoreKind("ascertain.stores.embedded.opening", "open_embedded", "stored_model"),
}


def open_store(
    settings: StoreSettings, home: Path, embedder_name: str, dimension: int, *, create: bool = True
) -> ChunkStore:
    """The store that ``settings.kind`` names, for vectors of one embedding model.

    Raises ConfigurationError for an unknown kind, StoreError when it cannot be opened (or, without ``create``, does not
    exist) and EmbeddingMismatch when it was built with another model.
    """
    opener = cast(Callable[..., ChunkStore], _part(settings, "opener"))
    return opener(settings, home, embedder_name, dimension, create=create)


def embedding_of(settings: StoreSettings, home: Path) -> tuple[str, int] | None:
    """Name and dimension of the embedding model that a knowledge base was built with; None when there is none yet."""
    reader = cast(Callable[[Path], tuple[str, int] | None], _part(settings, "model_reader"))
    return reader(home)


def _part(settings: StoreSettings, attribute: str) -> object:
    kind = STORES.get(settings.kind)
    if kind is None:
        raise ConfigurationError(f"store.kind is {settings.kind!r}; it can be: {', '.join(sorted(STORES))}")
    return getattr(importlib.import_module(kind.module), getattr(kind, attribute))
