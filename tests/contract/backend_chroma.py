"""Chroma on a server of its own. Chroma answers however few chunks a filter selects."""

import socket
import subprocess
import sys
import time
from contextlib import contextmanager, suppress
from urllib.error import URLError
from urllib.request import urlopen

from ascertain.core.settings import StoreSettings

IS_SERVER = True

_SECONDS_TO_START = 60


class ChromaServer:
    """Places on a server; ``suffix`` tells them from those of others."""

    def __init__(self, url, suffix=""):
        self.url = url
        self._suffix = suffix

    def settings(self, name, **fields):
        return StoreSettings(kind="chroma", url=self.url, name=f"{name}{self._suffix}", exact_limit=0, **fields)


class OwnChromaServer(ChromaServer):
    """A server that its test may stop and start."""

    def __init__(self, folder):
        self._folder = folder
        self._process = None
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self._port = free.getsockname()[1]
        super().__init__(f"http://:secret@127.0.0.1:{self._port}")

    def start(self):
        place = ["--path", str(self._folder), "--host", "127.0.0.1", "--port", str(self._port)]
        # What the command `chroma` does, without the seconds of importing its client.
        command = "import sys, chromadb_rust_bindings; chromadb_rust_bindings.cli(['chroma', *sys.argv[1:]])"
        self._process = subprocess.Popen(
            [sys.executable, "-c", command, "run", *place], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        end = time.monotonic() + _SECONDS_TO_START
        while not self._answers():
            assert self._process.poll() is None and time.monotonic() < end, "the Chroma server did not start"
            time.sleep(0.05)

    def stop(self):
        self._process.kill()
        self._process.wait()

    def _answers(self):
        with suppress(URLError, OSError), urlopen(f"http://127.0.0.1:{self._port}/api/v2/heartbeat"):
            return True
        return False


@contextmanager
def backend(folder):
    folder.mkdir(parents=True, exist_ok=True)
    server = OwnChromaServer(folder)
    server.start()
    try:
        yield server
    finally:
        server.stop()


def connect_to_shared(url, worker):
    """Places of one's own on a server that others use as well."""
    return ChromaServer(url, f"_{worker}")
