import sys
from pathlib import Path

import pytest

from ascertain.core.settings import StoreSettings
from ascertain.stores.registry import open_conversations, open_store

sys.path.insert(0, str(Path(__file__).parent))

DIMENSION = 8


@pytest.fixture(params=["embedded"])
def settings(request):
    """One line for each adapter that has to pass the suite."""
    return StoreSettings(kind=request.param, lock_seconds=20)


@pytest.fixture
def reopen(settings, tmp_path):
    """Open the same store again, as another process would."""
    opened = []

    def open_again(model="model-a", dimension=DIMENSION, create=True):
        opened.append(open_store(settings, tmp_path / "home", model, dimension, create=create))
        return opened[-1]

    yield open_again
    for store in opened:
        store.close()


@pytest.fixture
def store(reopen):
    return reopen()


@pytest.fixture
def home(tmp_path):
    """A folder for the store under test."""
    return tmp_path / "home"


@pytest.fixture
def reopen_conversations(settings, home):
    """Open the conversations of one knowledge base again, as another process would."""
    open_store(settings, home, "model-a", DIMENSION).close()
    opened = []

    def open_again(**arguments):
        opened.append(open_conversations(settings, home, **arguments))
        return opened[-1]

    yield open_again
    for store in opened:
        store.close()


@pytest.fixture
def conversations(reopen_conversations):
    return reopen_conversations()
