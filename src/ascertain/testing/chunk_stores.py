"""What every chunk store does: one class to subclass."""

# pyright: basic

from __future__ import annotations

import pytest

from ascertain.stores.defaults import complete_store
from ascertain.testing.chunk_store_export import ExportContract
from ascertain.testing.chunk_store_filters import FilterCombinationContract
from ascertain.testing.chunk_store_fingerprints import FingerprintContract
from ascertain.testing.chunk_store_limits import LimitContract
from ascertain.testing.chunk_store_models import AroundContract, ModelContract
from ascertain.testing.chunk_store_searching import FilterContract, SearchingContract, TenantContract
from ascertain.testing.chunk_store_writing import DeletingContract, ProfileContract, WritingContract
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
    """Subclass it in a module of tests and give it a fixture ``open_store``.

    ``open_store(home, model, dimension)`` opens the store of ``home``, a folder for each, for vectors of an embedding model, as its
    ``StoreKind.open_store`` does; a home that is new is an empty store. What the store lacks has the defaults.
    """

    @pytest.fixture
    def open_store(self):
        """To be overridden."""
        raise NotImplementedError("give the suite a fixture open_store(home, model, dimension)")

    @pytest.fixture
    def opened(self, open_store):
        """Opens stores that are closed after the test."""
        stores = []

        def open_complete(home, model="model-a", dimension=DIMENSION):
            home.mkdir(parents=True, exist_ok=True)
            store = open_store(home, model, dimension)
            stores.append(complete_store(store, (model, dimension), home))
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
