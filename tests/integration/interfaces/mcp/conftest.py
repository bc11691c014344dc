"""A small knowledge base, and the server over it as a process that the SDK's own client talks to."""

import os
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from contextlib import asynccontextmanager, contextmanager

import httpx2
import pytest
from anyio.from_thread import start_blocking_portal
from mcp import Client, StdioServerParameters
from mcp.client.streamable_http import streamable_http_client

from ascertain import Ascertain

REFUNDS = "# Refunds\n\nA refund is granted within 30 days of the purchase. The receipt must be shown.\n"
GEARBOX = "# Gearbox\n\nFault code GB-7731 means that the oil pressure is too low.\n"
HANDBOOK = """# Handbook

What the house needs to know.

## Oven

The oven is cleaned on Mondays.

### Repairs

CoolSeal Ltd repairs the oven within two days.

## Flour

Flour comes from the mill in Olhao. It is stored dry.
"""
EXPENSES = """date,supplier,category,amount_gbp
2025-09-01,Mill,flour,120.00
2025-09-15,Hestia Service,repair,420.00
2025-09-24,CoolSeal Ltd,repair,365.40
2025-10-02,Mill,flour,99.50
"""
ENVIRONMENT = {"OMP_NUM_THREADS": "1", "ASCERTAIN_MODELS__THREADS": "1"} | {
    # The SDK starts processes without the rest of the environment.
    name: value
    for name, value in os.environ.items()
    if name.startswith("PYTHON")
}


@pytest.fixture(scope="session")
def environment():
    """Of the processes that are started."""
    return ENVIRONMENT


@pytest.fixture(scope="session")
def papers(tmp_path_factory):
    """A folder of two documents."""
    folder = tmp_path_factory.mktemp("papers")
    (folder / "refunds.md").write_text(REFUNDS)
    (folder / "gearbox.md").write_text(GEARBOX)
    return folder


@pytest.fixture(scope="session")
def home(papers, tmp_path_factory):
    """A knowledge base with both in it."""
    home = tmp_path_factory.mktemp("home") / "kb"
    with Ascertain.open(home, environ=ENVIRONMENT) as knowledge:
        knowledge.add([papers])
    return home


@pytest.fixture(scope="session")
def office(tmp_path_factory):
    """A folder of a handbook with sections and a table."""
    folder = tmp_path_factory.mktemp("office")
    (folder / "handbook.md").write_text(HANDBOOK)
    (folder / "expenses.csv").write_text(EXPENSES)
    return folder


class Talk:
    """The SDK's client in an event loop of its own, so that one process serves many tests."""

    def __init__(self, portal, client):
        self._portal = portal
        self.client = client

    def tools(self):
        return self._portal.call(self.client.list_tools).tools

    def call(self, tool, **arguments):
        return self._portal.call(self.client.call_tool, tool, arguments)

    def ask_client(self, method, *arguments, **options):
        """What a method of the client gives."""
        return self._portal.call(lambda: getattr(self.client, method)(*arguments, **options))


@asynccontextmanager
async def connected(target, headers):
    if headers is None:
        async with Client(target) as client:
            yield client
        return
    async with (
        httpx2.AsyncClient(headers=headers) as http,
        Client(streamable_http_client(target, http_client=http)) as client,
    ):
        yield client


@contextmanager
def talking(target, headers=None):
    """A client of ``target``: an address, or how to start a process."""
    with start_blocking_portal() as portal, portal.wrap_async_context_manager(connected(target, headers)) as client:
        yield Talk(portal, client)


def process(home, *arguments):
    command = ["-m", "ascertain", "mcp", "--home", str(home), *map(str, arguments)]
    return StdioServerParameters(command=sys.executable, args=command, env=ENVIRONMENT)


@pytest.fixture(scope="session")
def talk(home):
    """With the process ``ascertain mcp`` over ``home``, which may add no files."""
    with talking(process(home)) as talk:
        yield talk


@pytest.fixture
def own_talk(tmp_path, papers):
    """With a process over a knowledge base that is not there yet, which may add from ``papers``."""
    with talking(process(tmp_path / "kb", "--allow-folder", papers)) as talk:
        yield talk


@pytest.fixture(scope="module")
def office_talk(tmp_path_factory, office):
    """With a process over the handbook and the table."""
    home = tmp_path_factory.mktemp("office-home") / "kb"
    with Ascertain.open(home, environ=ENVIRONMENT) as knowledge:
        knowledge.add([office], tags=["office"])
    with talking(process(home)) as talk:
        yield talk


@contextmanager
def running(home, *arguments):
    """``ascertain mcp --http`` over ``home`` at a free port; gives its address."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [sys.executable, "-m", "ascertain", "mcp", "--http", "--port", str(port), "--home", str(home)]
    process = subprocess.Popen(
        [*command, *map(str, arguments)], env={**os.environ, **ENVIRONMENT}, stderr=subprocess.PIPE
    )
    try:
        url = f"http://127.0.0.1:{port}/mcp"
        _wait(url, process)
        yield url
    finally:
        process.terminate()
        process.communicate(timeout=120)


def _wait(url, process):
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        assert process.poll() is None, process.stderr.read().decode()
        try:
            urllib.request.urlopen(url, timeout=5).close()
        except urllib.error.HTTPError:
            return
        except OSError:
            time.sleep(0.05)
        else:
            return
    raise TimeoutError(url)


@pytest.fixture(scope="session")
def serving():
    """Starts the server over HTTP."""
    return running


@pytest.fixture(scope="session")
def talking_to():
    """Opens a client."""
    return talking
