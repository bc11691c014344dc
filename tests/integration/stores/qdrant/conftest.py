"""A store on Qdrant's own engine whose writes can be cut off after any step."""

import sys
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from ascertain.core.settings import StoreSettings
from ascertain.stores.qdrant.edge import EdgePoints
from ascertain.stores.registry import open_store

sys.path.insert(0, str(Path(__file__).parents[3] / "contract"))

WRITES = ("upsert", "insert", "replace", "set_payload", "delete")


class Killed(BaseException):
    """Stands for the end of the process: nothing of ours catches it."""


@pytest.fixture
def home(tmp_path):
    return tmp_path / "home"


@pytest.fixture
def reopen(home):
    opened = []

    def open_again(**fields):
        opened.append(open_store(StoreSettings(kind="qdrant", **fields), home, "model-a", 8))
        return opened[-1]

    yield open_again
    for store in opened:
        store.close()


@pytest.fixture
def store(reopen):
    return reopen()


@pytest.fixture
def killed_after(monkeypatch):
    """``with killed_after(n):`` lets n writing calls to the engine through and ends at the next."""

    @contextmanager
    def killed(steps):
        done = 0

        def counted(original):
            def call(self, *arguments, **named):
                nonlocal done
                if done == steps:
                    raise Killed
                done += 1
                return original(self, *arguments, **named)

            return call

        with monkeypatch.context() as patch:
            for name in WRITES:
                patch.setattr(EdgePoints, name, counted(getattr(EdgePoints, name)))
            with suppress(Killed):
                yield

    return killed


@pytest.fixture
def points(store, home):
    """The points behind the store."""
    found = EdgePoints(StoreSettings(kind="qdrant"), home)
    yield found
    found.close()
