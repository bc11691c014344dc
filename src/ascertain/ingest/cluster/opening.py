"""How a worker opens its own store and model: recipes that travel where the things themselves cannot."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from ascertain.core.settings import GraphSettings, ModelSettings, StoreSettings
from ascertain.core.settings.profiles import Profile
from ascertain.graph.extraction.ports import Extractor
from ascertain.graph.extraction.registry import choose_extractor, chosen_kind
from ascertain.graph.upkeep import GraphUpkeep
from ascertain.models.ports import Embedder
from ascertain.models.registry import open_embedder
from ascertain.stores.graph_ports import GraphStore
from ascertain.stores.ports import CompleteStore
from ascertain.stores.registry import open_graph, open_store

_CONNECTIONS = 2
"""A worker writes one parcel at a time; the second is for a read within a write."""


@dataclass(frozen=True, slots=True)
class StoreRecipe:
    """Opens a store on a server; the server's key comes along, since other machines do not have it in their environment."""

    settings: StoreSettings
    home: Path
    model: str
    dimension: int
    key: str = field(repr=False)

    @classmethod
    def of(cls, settings: StoreSettings, home: Path, embedder: Embedder) -> StoreRecipe:
        """The recipe for the store of these settings, with the key this process has."""
        key = os.environ.get(settings.key_variable, "")
        few = settings.model_copy(update={"connections": _CONNECTIONS})
        return cls(few, home, embedder.name, embedder.dimension, key)

    def __call__(self) -> CompleteStore:
        """The store; StoreError when it cannot be opened."""
        if self.key:
            os.environ.setdefault(self.settings.key_variable, self.key)
        return open_store(self.settings, self.home, self.model, self.dimension, create=False)


@dataclass(frozen=True, slots=True)
class GraphRecipe:
    """Opens what has the graph follow what this worker writes; ``profiles`` are those that documents may have."""

    settings: GraphSettings
    store: StoreSettings
    home: Path
    profiles: Mapping[str, Profile]
    keys: Mapping[str, str] = field(repr=False)

    @classmethod
    def of(
        cls, settings: GraphSettings, store: StoreSettings, home: Path, profiles: Mapping[str, Profile]
    ) -> GraphRecipe:
        """The recipe with the keys that this process has, and the extractor that it has chosen: workers may have other parts installed."""
        names = (store.key_variable, settings.key_variable)
        keys = {name: value for name in names if (value := os.environ.get(name))}
        chosen = settings.model_copy(update={"extractor": chosen_kind(settings)})
        return cls(chosen, store.model_copy(update={"connections": _CONNECTIONS}), home, profiles, keys)

    def __call__(self) -> GraphUpkeep:
        """The upkeep; the graph is opened for the first that is written."""
        for name, value in self.keys.items():
            os.environ.setdefault(name, value)

        @cache
        def store() -> GraphStore:
            return open_graph(self.settings, self.store, self.home)

        @cache
        def extractor() -> Extractor:
            return choose_extractor(self.settings, self.profiles.get)

        return GraphUpkeep(store, extractor if self.settings.build else None)


@dataclass(frozen=True, slots=True)
class EmbedderRecipe:
    """Opens the embedding model of the settings, for so many threads."""

    settings: ModelSettings
    threads: int

    def __call__(self) -> Embedder:
        """The model; ModelError when it cannot be loaded."""
        threads = self.settings.threads or self.threads
        return open_embedder(self.settings.model_copy(update={"threads": threads}))


@dataclass(frozen=True, slots=True)
class GivenEmbedder:
    """An embedding model that was made by the caller and can be sent as it is."""

    embedder: Embedder

    def __call__(self) -> Embedder:
        """The model."""
        return self.embedder
