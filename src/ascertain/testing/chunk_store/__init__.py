"""What every chunk store does: one class to subclass."""

# pyright: basic

from __future__ import annotations

import pytest

from ascertain.core.settings import StoreSettings
from ascertain.stores.registry import StoreKind, open_kind
from ascertain.testing.chunk_store.changes import AroundContract, FingerprintContract, ModelContract
from ascertain.testing.chunk_store.filters import FilterCombinationContract
from ascertain.testing.chunk_store.limits import ExportContract, LimitContract
from ascertain.testing.chunk_store.searching import FilterContract, SearchingContract, TenantContract
from ascertain.testing.chunk_store.writing import DeletingContract, ProfileContract, WritingContract
from ascertain.testing.store_documents import DIMENSION


class ChunkStoreContract(
    ProfileContract,
    WritingContract,
    DeletingContract,
    SearchingContract,
    FilterContract,
    TenantContract,
    AroundContract,
    ModelContract,
    FilterCombinationContract,
    FingerprintContract,
    ExportContract,
    LimitContract,
):
    """Subclass it in a module of tests and give it ``kind``; what the store lacks has the defaults.

    Each home, a folder of its own, is to be a store of its own: where ``settings`` name the place on a server, override
    ``choose_settings``.
    """

    kind: StoreKind

    @pytest.fixture
    def choose_settings(self):
        """A function that gives the settings for a home, the same ones each time."""
        return lambda home: StoreSettings()

    @pytest.fixture
    def open_store(self, choose_settings):
        """A function that opens the store of a home."""
        return lambda home, *model: open_kind(self.kind, choose_settings(home), home, model)

    @pytest.fixture
    def opened(self, open_store):
        """Opens stores that are closed after the test."""
        stores = []

        def open_complete(home, model="model-a", dimension=DIMENSION):
            stores.append(open_store(home, model, dimension))
            return stores[-1]

        yield open_complete
        for store in stores:
            store.close()

    @pytest.fixture
    def reopen(self, opened, tmp_path):
        """Open the store under test again, as another process would."""
        return lambda *model: opened(tmp_path / "home", *model)

    @pytest.fixture
    def store(self, reopen):
        """The store under test."""
        return reopen()

    @pytest.fixture
    def second(self, opened, tmp_path):
        """Another empty store of the same kind."""
        return opened(tmp_path / "second")
