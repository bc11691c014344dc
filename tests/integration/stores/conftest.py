import sys
from pathlib import Path

import pytest

from ascertain.core.settings import StoreSettings
from ascertain.stores.registry import open_store

CONTRACT = Path(__file__).parents[2] / "contract"
sys.path.insert(0, str(CONTRACT))


@pytest.fixture
def home(tmp_path):
    return tmp_path / "home"


@pytest.fixture
def reopen(home):
    """Open the home under test; settings by keyword."""
    opened = []

    def open_again(model="model-a", dimension=8, create=True, **settings):
        chosen = StoreSettings(**{"lock_seconds": 20, **settings})
        opened.append(open_store(chosen, home, model, dimension, create=create))
        return opened[-1]

    yield open_again
    for store in opened:
        store.close()


@pytest.fixture
def process(home):
    """The start of a script for another process, which then has ``store``, ``home`` and the builders."""
    return (
        f"import sys\nsys.path.insert(0, {str(CONTRACT)!r})\n"
        "from pathlib import Path\nfrom ascertain.testing.store_documents import *\n"
        "from ascertain.core.asking.passages import Filter\nfrom ascertain.core.settings import StoreSettings\n"
        "from ascertain.stores.registry import open_store\n"
        f"home = Path({str(home)!r})\n"
        'store = open_store(StoreSettings(lock_seconds=30), home, "model-a", 8)\n'
    )
