"""The suite of ``ascertain.testing`` on each of our stores."""

import pytest

from ascertain.stores.registry import open_store
from ascertain.testing import ChunkStoreContract


class TestChunkStore(ChunkStoreContract):
    @pytest.fixture
    def open_store(self, backend, new_name):
        by_home = {}

        def open_again(home, model, dimension):
            if home not in by_home:
                by_home[home] = backend.settings(new_name(), lock_seconds=20)
            return open_store(by_home[home], home, model, dimension)

        return open_again
