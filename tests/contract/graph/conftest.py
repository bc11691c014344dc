"""Where a knowledge graph can be: the record of a home, PostgreSQL, a Bolt server. Each suite runs on all three."""

import importlib
import sys
from itertools import count
from pathlib import Path

import pytest

from ascertain.core.settings import GraphSettings
from ascertain.stores.registry import open_graph, open_store

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))

_numbers = count(1)

SCRIPT = """
import sys
from pathlib import Path

sys.path.insert(0, sys.argv.pop())
from ascertain.testing.stores import a_graph
from ascertain.core.settings import GraphSettings
from ascertain.core.settings import StoreSettings
from ascertain.stores.registry import open_graph

graph_settings = GraphSettings.model_validate_json(sys.argv.pop())
graph = open_graph(graph_settings, StoreSettings.model_validate_json(sys.argv[1]), Path(sys.argv[2]))
def say(*words):
    print(*words, flush=True)
    sys.stdin.readline()
"""


@pytest.fixture(params=("embedded", "postgres", "neo4j"))
def backend(request, backends):
    return backends(request.param)


@pytest.fixture(params=("postgres", "neo4j"))
def own_server(request, tmp_path):
    """A server that the test may stop and start."""
    module = importlib.import_module(f"backend_{request.param}")
    with module.backend(tmp_path / "server") as server:
        yield server


@pytest.fixture
def settings(backend):
    return backend.settings(f"graph{next(_numbers)}", lock_seconds=20)


@pytest.fixture
def graph_settings(backend):
    return graph_settings_of(backend)


def graph_settings_of(backend):
    return backend.graph_settings() if hasattr(backend, "graph_settings") else GraphSettings()


@pytest.fixture
def reopen(settings, graph_settings, home):
    """Open the graph of one knowledge base again, as another process would."""
    open_store(settings, home, "model-a", 8).close()
    opened = []

    def open_again():
        opened.append(open_graph(graph_settings, settings, home))
        return opened[-1]

    yield open_again
    for graph in opened:
        graph.close()


@pytest.fixture
def graph(reopen):
    return reopen()


@pytest.fixture
def process(run_script, graph_settings):
    """Start a script in another process, which has ``graph``, ``a_graph`` and ``say`` (print a line, wait for one)."""

    def start(script, *arguments):
        return run_script(SCRIPT + script, *arguments, graph_settings.model_dump_json(), HERE)

    return start
