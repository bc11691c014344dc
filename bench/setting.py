"""What a benchmark ran on and with, and where its data and results lie."""

from __future__ import annotations

import json
import os
import platform
import subprocess
import sys
from collections.abc import Mapping
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path

from ascertain.core.settings import Settings

ROOT = Path(__file__).resolve().parents[1]
RESULTS = ROOT / "bench" / "results"


def data_folder() -> Path:
    """The evaluation data: ``ASCERTAIN_BENCH``, or ``shared/bench`` beside the project."""
    folder = Path(os.environ.get("ASCERTAIN_BENCH") or ROOT.parent / "shared" / "bench")
    if not folder.is_dir():
        sys.exit(f"{folder}: the evaluation data is not here; set ASCERTAIN_BENCH to its folder")
    return folder


def circumstances() -> dict[str, object]:
    """Machine, versions and commit, for the head of a results file."""
    return {
        "date": datetime.now(UTC).date().isoformat(),
        "commit": _commit(),
        "machine": {"processor": _processor(), "cores": len(os.sched_getaffinity(0)), "system": platform.system()},
        "python": platform.python_version(),
        "packages": {name: version(name) for name in ("ascertain", "faiss-cpu", "onnxruntime", "tantivy", "numpy")},
        "embedder": Settings().models.embedder,
    }


def name_moment(told: Mapping[str, object]) -> str:
    """The day and the commit of ``circumstances``."""
    return f"{told['date']}, {told['commit']}"


def save(name: str, results: dict[str, object], folder: Path = RESULTS) -> Path:
    """Write a results file for people to diff: indented, numbers as measured."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{name}.json"
    path.write_text(json.dumps(results, indent=1, ensure_ascii=False) + "\n", "utf-8")
    return path


def show_status(line: str) -> None:
    """Overwrite one line of the terminal; nothing when it is not one."""
    if sys.stderr.isatty():
        print(f"\r\x1b[2K{line}", end="", file=sys.stderr, flush=True)


def show_remark(line: str) -> None:
    """A line that stays."""
    print(line, file=sys.stderr, flush=True)


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text("utf-8").splitlines()
    except OSError:
        return platform.processor()
    return next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), platform.machine())


def _commit() -> str:
    """The short hash, with a ``+`` when ``src`` differs from it."""
    changed = _output("git", "-C", str(ROOT), "status", "--porcelain", "--", "src")
    return _output("git", "-C", str(ROOT), "rev-parse", "--short", "HEAD") + ("+" if changed else "")


def _output(*command: str) -> str:
    return subprocess.run(command, capture_output=True, text=True, check=False).stdout.strip()
