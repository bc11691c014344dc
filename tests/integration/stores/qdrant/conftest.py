"""A store on a Qdrant server whose writes can be cut off after any step."""

import sys
from contextlib import contextmanager, suppress
from itertools import count
from pathlib import Path

import pytest

from ascertain.stores.qdrant import writes
from ascertain.stores.qdrant.points import Points
from ascertain.stores.registry import open_store

sys.path.insert(0, str(Path(__file__).parents[3] / "contract"))

WRITES = ("upsert", "insert", "replace", "set_payload", "delete")


class Killed(BaseException):
    """Stands for the end of the process: nothing of ours catches it."""


_numbers = count(1)


@pytest.fixture
def settings(backends):
    return backends("qdrant").settings(f"written{next(_numbers)}")


@pytest.fixture
def reopen(settings, tmp_path, monkeypatch):
    # the writers of these tests are dead as soon as they are killed
    monkeypatch.setattr(writes, "ABANDONED_SECONDS", 0)
    opened = []

    def open_again():
        opened.append(open_store(settings, tmp_path, "model-a", 8))
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
                patch.setattr(Points, name, counted(getattr(Points, name)))
            with suppress(Killed):
                yield

    return killed


@pytest.fixture
def points(store, settings):
    """The points behind the store."""
    found = Points(settings)
    yield found
    found.close()
