"""What all tests share: servers of a whole run, one model a process, and a process that does not grow."""

import gc
import importlib
import os
import signal
import ssl
import sys
from contextlib import ExitStack
from functools import cache
from pathlib import Path
from types import SimpleNamespace

import certifi
import hypothesis
import pytest

sys.path.insert(0, str(Path(__file__).parent / "chat_servers"))
sys.path.insert(0, str(Path(__file__).parent / "contract"))
sys.path.insert(0, str(Path(__file__).parent / "servers"))

from scripted_chat_server import ScriptedChatServer
from shared_server import WORKER, share_server

from ascertain.models.embed.cards import BUILT_IN
from ascertain.models.onnx import OnnxEmbedder
from ascertain.models.reader import BUILT_IN as BUILT_IN_READER
from ascertain.models.reader import BUILT_IN_CLAIMS, Reader
from ascertain.models.servers.breaker import forget_breakers

# How long one example takes says more about the machine than about the code.
# CI draws the same examples each time: whether work lands must not hang on luck; `make test` looks for new ones.
# Each run of the others draws new ones, so fewer than hypothesis's hundred see as much in time.
hypothesis.settings.register_profile(
    "ascertain", deadline=None, max_examples=40, derandomize="CI_EXAMPLES" in os.environ
)
hypothesis.settings.load_profile("ascertain")


def pytest_collection_finish():
    """What is there now stays: collecting garbage need not look at it again and again."""
    gc.collect()
    gc.freeze()


@pytest.fixture(scope="module", autouse=True)
def garbage_of_a_file():
    """What a file of tests leaves behind hangs together in circles and stays until it is collected; what is left then is not looked at again."""
    yield
    gc.collect()
    gc.freeze()


@pytest.fixture(scope="session", autouse=True)
def own_cache(tmp_path_factory):
    """What is kept for a user between runs is kept for this one only."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.mktemp("cache")))
        yield


@pytest.fixture(scope="session", autouse=True)
def one_model():
    """The built-in models: each loaded once by a process, not once a knowledge base, and with one thread."""
    load, load_reader = OnnxEmbedder.load, Reader.load
    built_in_readers = cache(lambda path: load_reader(path, threads=1))
    built_in = cache(lambda: load(BUILT_IN, threads=1))

    def load_shared(name_or_path, threads=0):
        return built_in() if name_or_path == BUILT_IN else load(name_or_path, threads)

    def load_shared_reader(path, threads=0):
        return built_in_readers(path) if path in {BUILT_IN_READER, BUILT_IN_CLAIMS} else load_reader(path, threads)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(OnnxEmbedder, "load", load_shared)
        patch.setattr(Reader, "load", load_shared_reader)
        yield


@pytest.fixture(scope="session", autouse=True)
def no_public_authorities():
    """No test asks a server of the world, and reading the certificates that vouch for those takes longer than most tests do."""
    load = ssl.SSLContext.load_verify_locations
    public = {certifi.where(), os.environ.get("SSL_CERT_FILE")} - {None}

    def load_own(self, cafile=None, capath=None, cadata=None):
        if cafile not in public:
            load(self, cafile, capath, cadata)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ssl.SSLContext, "load_verify_locations", load_own)
        yield


@pytest.fixture(autouse=True)
def unknown_chat_servers():
    """A port that a chat server of an earlier test had may be another's now."""
    forget_breakers()


@pytest.fixture
def heard_interrupts():
    """Interrupts reach this process and those it starts, also in a job in the background, which ignores them."""
    before = signal.getsignal(signal.SIGINT)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.fixture(scope="session")
def shared_backends():
    """The shared servers that this process has asked for."""
    return []


@pytest.fixture(scope="session")
def backends(tmp_path_factory, shared_backends):
    """Gives a kind of store by the name of its module ``backend_<name>``; a run has one server of each."""

    with ExitStack() as running:

        @cache
        def backend(name):
            module = importlib.import_module(f"backend_{name}")
            if not module.IS_SERVER:
                return running.enter_context(module.backend(tmp_path_factory.mktemp(name)))
            url = share_server(module.__name__, tmp_path_factory.getbasetemp())
            shared_backends.append(module.connect_to_shared(url, WORKER))
            return shared_backends[-1]

        yield backend


@pytest.fixture(scope="module", autouse=True)
def places_of_a_file(shared_backends):
    """What a file of tests made on a shared server goes with it, where the server cannot hold what a run makes."""
    yield
    for backend in shared_backends:
        if hasattr(backend, "delete_places"):
            backend.delete_places()


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
