"""The graph on a Bolt server: ArcadeDB, in a process of its own, as two Java machines do not fit into one. The
documents are in a folder.
"""

import os
import socket
import subprocess
import sys
import time
from contextlib import contextmanager

import httpx

from ascertain.core.settings import GraphSettings, StoreSettings

IS_SERVER = True

USER = "root"
PASSWORD = "correct horse battery"
DATABASE = "graph"
# Not one of the program's own variables, which a test of its settings would be told of.
KEY_VARIABLE = "ASCERTAIN_GRAPH_KEY"

_SECONDS_TO_START = 120

_SERVE = """
import sys
from arcadedb_embedded import create_server
from arcadedb_embedded.jvm import start_jvm

folder, bolt_port, http_port, password, database = sys.argv[1:]
start_jvm(heap_size="512m")
server = create_server(
    root_path=folder,
    root_password=password,
    config={
        "server_plugins": "Bolt:com.arcadedb.bolt.BoltProtocolPlugin",
        "bolt_port": int(bolt_port),
        "http_port": int(http_port),
        "mode": "production",
    },
)
server.start()
try:
    server.get_database(database).close()
except Exception:
    server.create_database(database).close()
print("ready", flush=True)
sys.stdin.read()
"""


class Neo4j:
    """A database on a server."""

    def __init__(self, bolt, database):
        self.bolt = bolt
        self.database = database
        os.environ[KEY_VARIABLE] = PASSWORD

    def settings(self, name, **fields):
        return StoreSettings(name=name, **fields)

    def graph_settings(self, **fields):
        given = {"url": self.bolt, "user": USER, "database": self.database, **fields}
        return GraphSettings(store="neo4j", **given)


class OwnNeo4j(Neo4j):
    """A server that its test may stop and start."""

    def __init__(self, folder):
        self._folder = folder
        self._process = None
        self._port, self._http_port = _free_port(), _free_port()
        super().__init__(f"bolt://127.0.0.1:{self._port}", DATABASE)
        self.url = f"{self.bolt}#{self._http_port}"

    def start(self):
        import neo4j

        place = [self._folder, self._port, self._http_port, PASSWORD, DATABASE]
        self._process = subprocess.Popen(
            [sys.executable, "-c", _SERVE, *map(str, place)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            # It writes a folder of logs wherever it is started.
            cwd=self._folder,
        )
        end = time.monotonic() + _SECONDS_TO_START
        while "ready" not in self._process.stdout.readline():
            assert self._process.poll() is None and time.monotonic() < end, "the Bolt server did not start"
        # The first answers of a Java machine take seconds, longer than tests of outages wait.
        with neo4j.GraphDatabase.driver(
            self.bolt, auth=(USER, PASSWORD), max_transaction_retry_time=_SECONDS_TO_START
        ) as driver:
            driver.execute_query("MATCH (n:Nobody) RETURN count(n)", database_=DATABASE)

    def stop(self):
        self._process.kill()
        self._process.communicate()


def _free_port():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return free.getsockname()[1]


@contextmanager
def backend(folder):
    folder.mkdir(parents=True, exist_ok=True)
    server = OwnNeo4j(folder)
    server.start()
    try:
        yield server
    finally:
        server.stop()


def connect_to_shared(url, worker):
    """A database of one's own on a server that others use as well."""
    bolt, _, http_port = url.partition("#")
    asked = httpx.post(
        f"http://127.0.0.1:{http_port}/api/v1/server",
        json={"command": f"create database {worker}"},
        auth=(USER, PASSWORD),
        timeout=_SECONDS_TO_START,
        trust_env=False,
    )
    assert asked.is_success, asked.text
    return Neo4j(bolt, worker)
