"""What all tests share: servers that run once a run, one model a process, and a process that does not grow."""

import gc
import importlib
import signal
import sys
from contextlib import ExitStack
from functools import cache
from pathlib import Path
from types import SimpleNamespace

import hypothesis
import pytest

sys.path.insert(0, str(Path(__file__).parent / "chat_servers"))
sys.path.insert(0, str(Path(__file__).parent / "contract"))
sys.path.insert(0, str(Path(__file__).parent / "servers"))

from scripted_chat_server import ScriptedChatServer
from shared_server import WORKER, share_server

from ascertain.models.onnx import BUILT_IN, OnnxEmbedder

# How long one example takes says more about the machine than about the code.
hypothesis.settings.register_profile("ascertain", deadline=None)
hypothesis.settings.load_profile("ascertain")


def pytest_collection_finish():
    """What is there now stays: collecting garbage need not look at it again and again."""
    gc.collect()
    gc.freeze()


@pytest.fixture(scope="module", autouse=True)
def garbage_of_a_file():
    """Knowledge bases that are closed hold on to each other, and to a model of 48 MB, until they are collected."""
    yield
    gc.collect()


@pytest.fixture(scope="session", autouse=True)
def one_model():
    """The built-in embedding model, loaded once by each process of tests instead of once a knowledge base."""
    load = OnnxEmbedder.load
    shared = cache(lambda threads: load(BUILT_IN, threads))

    def load_shared(name_or_path, threads=0):
        return shared(threads) if name_or_path == BUILT_IN else load(name_or_path, threads)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(OnnxEmbedder, "load", load_shared)
        yield


@pytest.fixture
def heard_interrupts():
    """An interrupt reaches this process and those it starts, also where whoever started it ignores them, as a shell in the background does."""
    before = signal.getsignal(signal.SIGINT)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.fixture(scope="session")
def backends(tmp_path_factory):
    """A kind of store by the name of its module ``backend_<name>``; where it has a server, that is one for the whole run."""

    with ExitStack() as running:

        @cache
        def backend(name):
            module = importlib.import_module(f"backend_{name}")
            if not module.IS_SERVER:
                return running.enter_context(module.backend(tmp_path_factory.mktemp(name)))
            url = share_server(module.__name__, tmp_path_factory.getbasetemp())
            return module.connect_to_shared(url, WORKER)

        yield backend


@pytest.fixture(scope="session")
def postgres_url(backends):
    """A database of a real PostgreSQL with pgvector; each test uses a schema of its own."""
    return backends("postgres").url


@pytest.fixture
def scripted_chat_server():
    """Speaks the OpenAI chat API on loopback and answers from a script; see scripted_chat_server.py."""
    server = ScriptedChatServer()
    yield server
    server.close()


@pytest.fixture(scope="session")
def small_chat_server(tmp_path_factory):
    """A real chat model of 135M parameters on loopback; what it says is often nonsense."""
    url = share_server("small_chat_server", tmp_path_factory.getbasetemp())
    return SimpleNamespace(base_url=url)
