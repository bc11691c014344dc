"""The real command in a process of its own, and a small knowledge base that most tests only read."""

from __future__ import annotations

import atexit
import io
import json
import logging
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import pytest
from filelock import FileLock

from ascertain.interfaces.cli.main import end_process, run_cli


@dataclass(frozen=True)
class Outcome:
    """What a finished command left behind."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        assert self.out, self.err
        return json.loads(self.out)

    @property
    def lines(self) -> list[Any]:
        assert self.out, self.err
        return [json.loads(line) for line in self.out.splitlines()]


Shell = Callable[..., Outcome]


def environment(**extra: str) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("ASCERTAIN_")}
    return {**kept, "OMP_NUM_THREADS": "1", "ASCERTAIN_MODELS__THREADS": "1", "COLUMNS": "100", **extra}


def ascertain(*arguments: object, cwd: Path, stdin: str = "", **extra: str) -> Outcome:
    finished = subprocess.run(
        [sys.executable, "-m", "ascertain", *map(str, arguments)],
        cwd=cwd,
        env=environment(**extra),
        input=stdin,
        capture_output=True,
        encoding="utf-8",
        timeout=240,
        check=False,
    )
    return Outcome(finished.returncode, finished.stdout, finished.stderr)


@pytest.fixture(scope="session")
def run_ascertain() -> Shell:
    """Runs ``ascertain`` in the folder ``cwd``."""
    return ascertain


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    """Runs ``ascertain`` with the given arguments in an empty folder."""

    def run(*arguments: object, stdin: str = "", **extra: str) -> Outcome:
        return ascertain(*arguments, cwd=tmp_path, stdin=stdin, **extra)

    return run


@pytest.fixture
def logging_as_it_was() -> Iterator[None]:
    """The command line sets up the logger of its process; the other tests of this one want it untouched."""
    logger = logging.getLogger("ascertain")
    before = (list(logger.handlers), logger.level, logger.propagate)
    yield
    logger.handlers, logger.level, logger.propagate = before


@pytest.fixture
def inline(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], logging_as_it_was: None
) -> Shell:
    """As ``shell`` in this process, from the entry point of the script on: for long tables, where a start costs most."""

    def enter(*arguments: object, stdin: str = "", cwd: Path = tmp_path, **extra: str) -> Outcome:
        for name in [name for name in os.environ if name.startswith("ASCERTAIN_")]:
            monkeypatch.delenv(name)
        for name, value in extra.items():
            monkeypatch.setenv(name, value)
        monkeypatch.chdir(cwd)
        monkeypatch.setattr(sys, "argv", ["ascertain", *map(str, arguments)])
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin.encode()), encoding="utf-8"))
        with pytest.raises(SystemExit) as ended:
            run_cli()
        atexit.unregister(end_process)
        out, err = capsys.readouterr()
        return Outcome(int(ended.value.code or 0), out, err)

    return enter


@pytest.fixture
def start(tmp_path: Path, heard_interrupts: None) -> Callable[..., subprocess.Popen[str]]:
    """Starts ``ascertain`` and does not wait for it."""

    def begin(*arguments: object) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [sys.executable, "-m", "ascertain", *map(str, arguments)],
            cwd=tmp_path,
            env=environment(),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            encoding="utf-8",
        )

    return begin


REFUNDS = """# Refunds

## When you can get one

A refund is granted within 30 days of the purchase. The receipt must be shown.

## How it is paid

Refunds are paid to the card that was used for the purchase. This takes five working days.
"""
TORQUE = """# Gearbox manual

Fault code GB-7731 means that the oil pressure is too low. Stop the engine and refill the oil.

The housing bolts are tightened to 45 newton metres in a star pattern.
"""
STORY = [
    {
        "title": "Harbour bridge closes for repairs",
        "content": "The harbour bridge closed on Monday for repairs that will take six weeks. Ferries run every ten minutes.",
        "url": "https://example.org/bridge",
        "source": "Example Herald",
        "published_at": "2024-12-02T08:00:00Z",
    },
    {
        "title": "Tram line 9 opens",
        "content": "Tram line 9 opened on Thursday and connects the airport with the old town in 22 minutes.",
        "url": "https://example.org/tram",
        "source": "Example Herald",
        "published_at": "2024-12-05T08:00:00Z",
    },
]
TALK = """WEBVTT

00:00:01.000 --> 00:00:06.000
<v Ana Flores>Welcome to the show about sourdough bread.

00:00:06.500 --> 00:00:14.000
<v Ben Ito>I feed my sourdough starter twice a day, with equal weights of flour and water.
"""


@pytest.fixture(scope="session")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Six small documents of four kinds, and a file that cannot be read."""
    folder = tmp_path_factory.mktemp("corpus")
    (folder / "docs").mkdir()
    (folder / "docs" / "refunds.md").write_text(REFUNDS, encoding="utf-8")
    (folder / "docs" / "gearbox.md").write_text(TORQUE, encoding="utf-8")
    (folder / "docs" / "broken.pdf").write_bytes(b"%PDF-1.7\nnothing else")
    (folder / "news").mkdir()
    rows = "".join(json.dumps(row) + "\n" for row in STORY)
    (folder / "news" / "feed.jsonl").write_text(rows, encoding="utf-8")
    (folder / "talks").mkdir()
    (folder / "talks" / "bread.vtt").write_text(TALK, encoding="utf-8")
    return folder


@pytest.fixture(scope="session")
def added(corpus: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Outcome]:
    """A home with the corpus in it, and what ``add`` printed."""
    home = tmp_path_factory.mktemp("shared") / "kb"
    outcome = ascertain(
        "add", corpus, "--home", home, "--tag", "everything", "--json", cwd=tmp_path_factory.mktemp("cwd")
    )
    return home, outcome


@dataclass(frozen=True)
class Demo:
    """What ``ascertain demo --keep --json`` left: ``demo.kb`` in ``folder``, and its output."""

    folder: Path
    outcome: Outcome


@pytest.fixture(scope="session")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Demo:
    """A copy for this process: building it takes longer than any test, so one process does it for the whole run."""
    whole_run = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        whole_run = whole_run.parent
    built, told = whole_run / "demo", whole_run / "demo.json"
    with FileLock(whole_run / "demo.lock"):
        if not told.exists():
            built.mkdir(exist_ok=True)
            outcome = ascertain("demo", "--keep", "--json", cwd=built)
            assert outcome.code == 0, outcome.err
            told.write_text(json.dumps(asdict(outcome)), encoding="utf-8")
    folder = tmp_path_factory.mktemp("own") / "demo"
    shutil.copytree(built, folder)
    return Demo(folder, Outcome(**json.loads(told.read_text("utf-8"))))


@pytest.fixture
def home(added: tuple[Path, Outcome]) -> Path:
    """A knowledge base to read from; tests that write make one of their own."""
    assert added[1].code == 0, added[1].err
    return added[0]


@pytest.fixture
def own(home: Path, tmp_path: Path) -> Path:
    """A copy of it to write to."""
    shutil.copytree(home, tmp_path / "kb")
    return tmp_path / "kb"
