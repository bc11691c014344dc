from __future__ import annotations

import json
import os
import subprocess
import sys
import uuid
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))
sys.path.insert(0, str(Path(__file__).parents[2] / "unit" / "app"))

from job_process import open_home

from ascertain import Ascertain
from ascertain.core.settings import StoreSettings

HERE = Path(__file__).parent
SMALL_KNOWLEDGE = HERE.parents[1] / "unit" / "app"


@dataclass(frozen=True)
class Place:
    """Where a knowledge base is, for this process and for others."""

    store: dict[str, object]
    home: Path

    def open(self) -> Ascertain:
        return open_home(StoreSettings(**self.store), self.home)


@pytest.fixture(params=["embedded", "postgres"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Place:
    """A place of each kind that several processes can share."""
    store: dict[str, object] = {"lock_seconds": 0.3}
    if request.param == "postgres":
        url = request.getfixturevalue("postgres_url")
        store |= {"kind": "postgres", "url": url, "name": f"jobs_{uuid.uuid4().hex[:8]}"}
    return Place(store, tmp_path / "kb")


@pytest.fixture
def knowledge(place: Place) -> Iterator[Ascertain]:
    with place.open() as knowledge:
        knowledge.set_up()
        yield knowledge


@pytest.fixture
def worker(place: Place) -> Iterator[Callable[..., subprocess.Popen[str]]]:
    """Starts a process that works off jobs, and waits until it does; those still running at the end are killed."""
    started: list[subprocess.Popen[str]] = []
    places = [str(SMALL_KNOWLEDGE), os.environ.get("PYTHONPATH", "")]

    def start(pause: float = 0.0) -> subprocess.Popen[str]:
        process = subprocess.Popen(
            [sys.executable, str(HERE / "job_process.py"), json.dumps(place.store), str(place.home), str(pause)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, places)), "OMP_NUM_THREADS": "1"},
        )
        started.append(process)
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        return process

    yield start
    for process in started:
        process.kill()
        process.communicate()
