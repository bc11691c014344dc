"""What a command costs from the shell: ``ascertain ask`` in times of ``ascertain search``, and the size of a plain install.

``python -m bench.service.shell_start [--runs N] [--size]`` asks and searches the demo's documents by turns, without the answer cache, and prints
medians and the ratio. ``--size`` also installs the locked dependencies of a plain install into a folder of its own and measures it (needs
the package index and a minute).
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
QUESTION = "What does BM25 stand for?"
COMMANDS = {"search": ("search",), "ask": ("ask", "--no-cache")}


def main() -> None:
    """Print the figures as JSON."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=7)
    parser.add_argument("--size", action="store_true", help="also measure a plain install")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder) / "demo.kb"
        papers = ROOT / "src" / "ascertain" / "data" / "demo_corpus" / "papers"
        run_command("add", "--home", str(home), str(papers))
        figures = measure_commands(home, options.runs)
        if options.size:
            figures["installed_mb"] = measure_install(Path(folder) / "plain")
    print(json.dumps(figures, indent=2))


def measure_commands(home: Path, runs: int) -> dict[str, float]:
    """Median wall and processor seconds of each command, which take turns, and the ratios of their medians."""
    taken: dict[str, list[tuple[float, float]]] = {name: [] for name in COMMANDS}
    for _ in range(runs + 1):
        for name, words in COMMANDS.items():
            taken[name].append(run_command(*words, "--home", str(home), QUESTION))
    figures: dict[str, float] = {}
    for place, kind in enumerate(("wall", "cpu")):
        # the first run of each fills caches
        medians = {name: statistics.median(one[place] for one in runs_of[1:]) for name, runs_of in taken.items()}
        figures |= {f"{name}_{kind}_s": round(median, 3) for name, median in medians.items()}
        figures[f"ratio_{kind}"] = round(medians["ask"] / medians["search"], 2)
    return figures


def run_command(*words: str) -> tuple[float, float]:
    """Wall and processor seconds of one command, from its start to its end."""
    before, started = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    subprocess.run(
        [sys.executable, "-m", "ascertain", *words], check=True, capture_output=True, cwd=ROOT, env=environment
    )
    wall, after = time.perf_counter() - started, resource.getrusage(resource.RUSAGE_CHILDREN)
    return wall, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def measure_install(target: Path) -> int:
    """Megabytes of what a plain install brings, without bytecode."""
    install = [sys.executable, "-m", "pip", "install", "--quiet", "--no-compile", "--require-hashes"]
    subprocess.run([*install, "--target", str(target), "-r", str(ROOT / "requirements" / "plain.txt")], check=True)
    return round(sum(file.stat().st_size for file in target.rglob("*") if file.is_file()) / 1e6)


if __name__ == "__main__":
    main()
