"""The stores that have to pass the contract suites, each with the real thing behind it.

A backend is a module ``backend_<name>.py`` with ``IS_SERVER`` and a context manager ``backend(folder)`` that starts
what it needs and yields an object with

- ``settings(name, **fields)``: StoreSettings of a new, empty place of that name, and
- where ``IS_SERVER``, ``url``, ``stop()`` and ``start()``: the server goes away, and comes back with its data, and
- where conversations are kept on the server, ``bytes_used(settings)``: what it keeps for one knowledge base.

Where ``IS_SERVER``, it also has ``connect_to_shared(url, worker)``: such an object, without ``stop()`` and
``start()``, of a server that the processes of a run share (``tests/servers/shared_server.py``). What ``worker``
makes there is its own. Where a server cannot hold what a whole run makes, the object has ``delete_places()``, which is
called at the end of each file.
"""

import importlib
import subprocess
import sys
from itertools import count
from pathlib import Path

import pytest

from ascertain.stores.registry import open_conversations, open_ingest_log, open_store

sys.path.insert(0, str(Path(__file__).parent))

BACKENDS = ("embedded", "postgres", "chroma", "chroma_folder", "qdrant")
"""One line for each adapter that has to pass the suites."""

SLOW = ("chroma", "chroma_folder", "qdrant")
"""Run with the slow tests: a collection of its own costs each test most of its time, with some twenty indexes at Qdrant."""

SAMPLES = (
    "test_gives_back_exactly_what_was_written",
    "test_dense_orders_by_cosine",
    "test_weights_decide_between_words",
    "test_all_conditions_must_hold",
    "test_a_failure_leaves_the_earlier_version_searchable",
    "test_interrupted_reembedding_is_taken_up_where_it_stopped",
    "test_two_processes_that_write_the_same_documents_leave_each_once",
)
"""Of the slow ones, what stands for the rest where all cannot be run."""

SERVERS = tuple(name for name in BACKENDS if importlib.import_module(f"backend_{name}").IS_SERVER)

DIMENSION = 8
_numbers = count(1)


def pytest_collection_modifyitems(items):
    for item in items:
        if item.originalname in SAMPLES and item.get_closest_marker("slow"):
            item.add_marker("sample")


@pytest.fixture(params=[pytest.param(name, marks=pytest.mark.slow) if name in SLOW else name for name in BACKENDS])
def backend(request, backends):
    return backends(request.param)


@pytest.fixture(params=SERVERS)
def own_server(request, tmp_path):
    """A server that the test may stop and start."""
    module = importlib.import_module(f"backend_{request.param}")
    with module.backend(tmp_path / "server") as server:
        yield server


@pytest.fixture
def new_name():
    """Makes names that no other store has."""
    return lambda: f"test{next(_numbers)}"


@pytest.fixture
def settings(backend, new_name):
    return backend.settings(new_name(), lock_seconds=20)


@pytest.fixture
def reopen(settings, home):
    """Open the same store again, as another process would."""
    opened = []

    def open_again(model="model-a", dimension=DIMENSION, create=True):
        opened.append(open_store(settings, home, model, dimension, create=create))
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
def bytes_used(conversations, backend, settings, home):
    """What was written since the store was set up, in its home and on the server."""

    def measure():
        in_home = sum(path.stat().st_size for path in home.rglob("*") if path.is_file())
        return in_home + (backend.bytes_used(settings) if hasattr(backend, "bytes_used") else 0)

    empty = measure()
    return lambda: measure() - empty


@pytest.fixture
def conversations(reopen_conversations):
    return reopen_conversations()


@pytest.fixture
def reopen_log(settings, home):
    """Open the ingest log of one knowledge base again, as another process would."""
    open_store(settings, home, "model-a", DIMENSION).close()
    opened = []

    def open_again():
        opened.append(open_ingest_log(settings, home))
        return opened[-1]

    yield open_again
    for log in opened:
        log.close()


@pytest.fixture
def run_script(settings, home):
    """Run a script in a process of its own; its arguments are the settings, the home, and those given."""
    started = []

    def start(script, *arguments):
        place = [settings.model_dump_json(), str(home)]
        command = [sys.executable, "-c", script, *place, *map(str, arguments)]
        started.append(subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True))
        return started[-1]

    yield start
    for each in started:
        each.kill()
        each.communicate()
