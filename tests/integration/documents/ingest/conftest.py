from __future__ import annotations

import subprocess
import sys
from importlib import util
from pathlib import Path
from types import ModuleType

import pytest

PROGRAM = Path(__file__).with_name("ingest_process.py")


@pytest.fixture(scope="session")
def program() -> ModuleType:
    spec = util.spec_from_file_location("ingest_process", PROGRAM)
    assert spec is not None
    assert spec.loader is not None
    module = util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def start_ingest(home: Path, folder: Path, *arguments: object, **options: object) -> subprocess.Popen[str]:
    command = [sys.executable, str(PROGRAM), str(home), str(folder), *map(str, arguments)]
    return subprocess.Popen(  # type: ignore[call-overload]
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **options
    )


@pytest.fixture
def ingest() -> object:
    return start_ingest


def write_corpus(folder: Path, count: int, version: int = 0) -> None:
    folder.mkdir(exist_ok=True)
    for number in range(count):
        words = f"Note {number} in version {version} is about the fox that saw hen number {number}. "
        (folder / f"note{number:03}.txt").write_text(words * (1 + 23 * (number % 5)) + "\n")


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    folder = tmp_path / "corpus"
    write_corpus(folder, 40)
    return folder
