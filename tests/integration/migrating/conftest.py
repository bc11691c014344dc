"""Knowledge bases of every kind of store, to be copied to each other."""

import importlib
import sys
from itertools import count
from pathlib import Path

import pytest

from ascertain.app.container.store_addresses import Address
from ascertain.core.settings import StoreSettings

sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).parents[2] / "contract")]

KINDS = ("embedded", "postgres", "qdrant", "chroma", "chroma_folder")
"""One line for each kind of store that knowledge bases are copied to and back from."""

# At many times the cost of a test; one of them differs from another by the connection alone.
SLOW = frozenset({"qdrant", "chroma", "chroma_folder"})

SAMPLE = "test_killed_at_any_moment_the_same_command_goes_on"
"""Of the slow ones, the first seed of this stands for the rest, on a server where copies do not take long."""

numbers = count(1)


def pytest_collection_modifyitems(items):
    for item in items:
        if item.originalname == SAMPLE:
            given = item.callspec.params
            if given["seed"] == 0 and given["place"] == "postgres":
                item.add_marker("sample")


@pytest.fixture(params=[pytest.param(kind, marks=[pytest.mark.slow] if kind in SLOW else []) for kind in KINDS])
def place(request, backends, tmp_path):
    """Makes new, empty places of one kind."""
    server = backends(request.param)

    def new_place():
        number = next(numbers)
        settings = server.settings(f"copy{number}", lock_seconds=20)
        return Address(settings, tmp_path / f"copy{number}")

    return new_place


@pytest.fixture(params=sorted({"postgres"} & set(KINDS)))
def own_server(request, tmp_path):
    """A server that the test may stop and start, with ``place`` that makes a new place on it."""
    module = importlib.import_module(f"backend_{request.param}")
    with module.backend(tmp_path / "server") as server:
        server.place = lambda: Address(server.settings(f"copy{next(numbers)}", lock_seconds=20), tmp_path / "beside")
        yield server


@pytest.fixture
def folder(tmp_path):
    """Makes new, empty homes of the embedded store."""

    def new_folder():
        return Address(StoreSettings(lock_seconds=20), tmp_path / f"home{next(numbers)}")

    return new_folder


@pytest.fixture
def source(folder):
    """A knowledge base with two tenants, documents in every state, and conversations in every state."""
    from knowledge_bases import fill

    address = folder()
    fill(address)
    return address
