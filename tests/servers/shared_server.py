"""One server of each kind for a whole run of pytest, in however many processes it runs.

The first test that asks for a kind starts its keeper: a process that holds the server for as long as pytest
runs, however that ends. Whoever asks later finds the address in the temporary folder of the run. How tests are
kept apart there (a database, a name) is up to them.
"""

from __future__ import annotations

import importlib
import os
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

from filelock import FileLock

TESTS = Path(__file__).parents[1]
PLACES = [TESTS / "servers", TESTS / "contract", TESTS / "chat_servers", TESTS / "e2e" / "page"]
SECONDS_TO_START = 240.0
_LOOK_SECONDS = 0.1

WORKER = os.environ.get("PYTEST_XDIST_WORKER", "main")
"""Names what tests of this process have for themselves on a shared server."""


def share_server(module: str, temporary: Path) -> str:
    """The address of the server that ``backend(folder)`` of ``module`` starts.

    ``temporary`` is the folder that pytest made for this process.
    """
    in_parallel = "PYTEST_XDIST_WORKER" in os.environ
    folder = (temporary.parent if in_parallel else temporary) / "servers" / module
    folder.mkdir(parents=True, exist_ok=True)
    address = folder / "address"
    with FileLock(folder / "lock", timeout=SECONDS_TO_START):
        if not address.exists():
            run = os.getppid() if in_parallel else os.getpid()
            _start_keeper(module, folder, run)
    return address.read_text()


def _start_keeper(module: str, folder: Path, run: int) -> None:
    with (folder / "log").open("wb") as log:
        command = [sys.executable, __file__, module, str(folder), str(run)]
        subprocess.run(command, check=True, stdin=subprocess.DEVNULL, stdout=log, stderr=log)
    until = time.monotonic() + SECONDS_TO_START
    while not (folder / "address").exists():
        failed = (folder / "ended").exists() or time.monotonic() > until
        assert not failed, f"{module} did not start: {(folder / 'log').read_text()}"
        time.sleep(_LOOK_SECONDS)


def _keep(module: str, folder: Path, run: int) -> None:
    """Hold the server until the process ``run`` is gone."""
    sys.path[:0] = [str(place) for place in PLACES]
    try:
        with importlib.import_module(module).backend(folder / "data") as server:
            (folder / "address.new").write_text(server.url)
            (folder / "address.new").rename(folder / "address")
            while _is_running(run):
                time.sleep(_LOOK_SECONDS)
    finally:
        with suppress(OSError):
            (folder / "ended").touch()


def _is_running(process: int) -> bool:
    with suppress(OSError):
        state = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]
        return state != "Z"
    return False


if __name__ == "__main__":
    if os.fork():
        os._exit(0)
    os.setsid()
    _keep(sys.argv[1], Path(sys.argv[2]), int(sys.argv[3]))
