"""How much memory an ingest takes at its peak, and how long it takes, beside the code as it was before.

    python bench/ingest_memory.py --before PATH [--data DIR] [--rounds 3] [--output FILE]
    python bench/ingest_memory.py --inputs text files table page [--share 1.0]

Adds the papers of the evaluation data to fresh homes by the command, in turn with the package at PATH (a folder that has
``ascertain`` in it, such as ``src`` of another checkout) and with this one. With ``--inputs`` made files of these kinds are added
instead, with this package alone: a text of 18 million characters, 2,000 short files, a table of 100,000 rows, a page of
5 million characters; ``--share`` of each, since the model takes a minute for some hundred chunks. The memory is what the process and its
children hold together (``Pss`` of /proc, looked at every 50 ms): what they share counts once. Writes the medians and
their ratios to bench/results/ingest_memory.json.
"""

from __future__ import annotations

import argparse
import csv
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from random import Random

from long_upload import write_text

ROOT = Path(__file__).parents[1]
LOOK_SECONDS = 0.05
INPUTS = {"text": ".txt", "files": "", "table": ".csv", "page": ".html"}
COMMAND = "from ascertain.cli.main import run_cli; run_cli()"


def measure(source: Path, files: list[Path]) -> dict[str, float]:
    """One run in a home of its own."""
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-c", COMMAND, "add", *map(str, files), "--home", f"{folder}/home", "--json"]
        started, peak, largest = time.perf_counter(), 0, 0
        environ = os.environ | {"PYTHONPATH": str(source)}
        with subprocess.Popen(command, env=environ, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as process:
            while process.poll() is None:
                sizes = [size_of(pid) for pid in family_of(process.pid)]
                peak, largest = max(peak, sum(sizes)), max(largest, *sizes)
                time.sleep(LOOK_SECONDS)
            assert process.stdout is not None
            report = json.loads(process.stdout.read())
        return {
            "peak_mb": round(peak / 1024),
            "largest_process_mb": round(largest / 1024),
            "seconds": round(time.perf_counter() - started, 2),
            "embedding_seconds": report["embedding_seconds"],
            "chunks": report["chunks"],
        }


def write_input(kind: str, folder: Path, share: float) -> list[Path]:
    """Files of a kind that :data:`INPUTS` names, ``share`` of their full size."""
    chance = Random(7)
    path = folder / f"made{INPUTS[kind]}"
    if kind == "text":
        path.write_text(write_text(round(18_000_000 * share)))
    elif kind == "page":
        paragraphs = write_text(round(5_000_000 * share)).split("\n\n")
        path.write_text(
            "<html><body><h1>Made</h1>" + "".join(f"<p>{each}</p>" for each in paragraphs) + "</body></html>"
        )
    elif kind == "table":
        with path.open("w", newline="") as file:
            writer = csv.writer(file)
            writer.writerow(["title", "content"])
            writer.writerows(
                (f"Row {number}", f"Pump {chance.randrange(10**6)} was repaired.")
                for number in range(round(100_000 * share))
            )
    else:
        path.mkdir()
        for number in range(round(2000 * share)):
            (path / f"{number}.md").write_text(f"# Note {number}\n\nPump {chance.randrange(10**6)} was repaired.")
    return [path]


def family_of(pid: int) -> list[int]:
    """The process and all below it."""
    found = [pid]
    for each in found:
        try:
            lines = [(task / "children").read_text() for task in Path(f"/proc/{each}/task").iterdir()]
        except OSError:
            continue
        found += [int(child) for line in lines for child in line.split()]
    return found


def size_of(pid: int) -> int:
    """Its share of the memory, in KiB."""
    try:
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    except OSError:
        return 0
    return sum(int(line.split()[1]) for line in lines if line.startswith("Pss:"))


def measure_inputs(kinds: Sequence[str], share: float, output: Path) -> None:
    """Add made files of each kind, and keep what each took beside what earlier runs have kept."""
    results = json.loads(output.read_text()) if output.exists() else {}
    for kind in kinds:
        with tempfile.TemporaryDirectory() as folder:
            results[kind] = {"share": share, **measure(ROOT / "src", write_input(kind, Path(folder), share))}
        print(kind, results[kind], flush=True)
        output.write_text(json.dumps(results, indent=1) + "\n")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    default = os.environ.get("ASCERTAIN_BENCH", str(ROOT.parent / "shared" / "bench"))
    parser.add_argument("--before", type=Path)
    parser.add_argument("--inputs", nargs="+", choices=list(INPUTS))
    parser.add_argument("--share", type=float, default=1.0)
    parser.add_argument("--data", type=Path, default=Path(default) / "pdf_papers" / "pdf")
    parser.add_argument("--limit", type=int, default=12)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--output", type=Path, default=ROOT / "bench" / "results" / "ingest_memory.json")
    arguments = parser.parse_args()
    if arguments.inputs:
        measure_inputs(arguments.inputs, arguments.share, arguments.output.with_name("ingest_memory_inputs.json"))
        return
    if arguments.before is None:
        parser.error("--before or --inputs is needed")
    files = sorted(arguments.data.glob("*.pdf"))[: arguments.limit]
    sources = {"before": arguments.before, "now": ROOT / "src"}
    runs: dict[str, list[dict[str, float]]] = {name: [] for name in sources}
    for _ in range(arguments.rounds):
        for name, source in sources.items():
            runs[name].append(measure(source, files))
            print(name, runs[name][-1], flush=True)
    medians = {
        name: {field: statistics.median(run[field] for run in measured) for field in measured[0]}
        for name, measured in runs.items()
    }
    ratios = {field: round(medians["now"][field] / medians["before"][field], 3) for field in medians["now"]}
    result = {"files": len(files), "rounds": arguments.rounds, **medians, "ratio": ratios}
    arguments.output.write_text(json.dumps(result, indent=1) + "\n")
    print(json.dumps(result, indent=1))


if __name__ == "__main__":
    main()
