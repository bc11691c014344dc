"""How much memory an ingest takes at its peak, and how long it takes, beside the code as it was before.

    python -m bench.speed.ingest_memory --before PATH [--data DIR] [--rounds 3] [--output FILE]
    python -m bench.speed.ingest_memory --inputs text files table page ... [--share 1.0] [--every 1]

Adds the papers of the evaluation data to fresh homes by the command, in turn with the package at PATH (a folder that has
``ascertain`` in it, such as ``src`` of another checkout) and with this one. The memory is what the process and its
children hold together (``Pss`` of /proc, looked at every 50 ms): what they share counts once. Writes the medians and
their ratios to bench/results/ingest_memory.json.

With ``--inputs`` files of these kinds are added instead, with this package alone, into bench/results/ingest_memory_inputs.json: the papers
and the transcripts of the evaluation data, one paper as pictures of its pages (``scan``), and made ones: a text of 20 million characters,
2,000 short files, a table of 100,000 rows, as many lines of JSON and a workbook of 50,000 rows, a page of 5 million characters;
``--share`` of what is made. The model takes a minute for some hundred chunks: with ``--every 20`` it is given every 20th text,
and the other texts get vectors by chance; all else is done in full.
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
from pathlib import Path
from random import Random

from bench.service.long_upload import write_text

ROOT = Path(__file__).parents[2]
LOOK_SECONDS = 0.05
MADE = {
    "text": ".txt",
    "files": "",
    "table": ".csv",
    "lines": ".jsonl",
    "workbook": ".xlsx",
    "page": ".html",
    "scan": ".pdf",
}
FOUND = ("papers", "transcripts")
SCANNED = "10.21105.jose.00121.pdf"
DOTS_PER_POINT = 200 / 72
COMMAND = "from ascertain.interfaces.cli.main import run_cli; run_cli()"
SPARING = """
from itertools import count
import numpy as np
from ascertain.models.onnx import OnnxEmbedder

embed, numbers, chance = OnnxEmbedder.embed_documents, count(), np.random.default_rng(7)

def embed_some(self, texts):
    rows = chance.standard_normal((len(texts), self.dimension), np.float32)
    chosen = [row for row in range(len(texts)) if next(numbers) % {every} == 0]
    rows[chosen] = embed(self, [texts[row] for row in chosen])
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)

OnnxEmbedder.embed_documents = embed_some
"""


def measure(source: Path, files: list[Path], every: int = 1) -> dict[str, float]:
    """One run in a home of its own; the model is given every so many-th text."""
    with tempfile.TemporaryDirectory() as folder:
        program = COMMAND if every == 1 else SPARING.format(every=every) + COMMAND
        command = [sys.executable, "-c", program, "add", *map(str, files), "--home", f"{folder}/home", "--json"]
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
            "failures": len(report["failures"]),
        }


def find_input(kind: str, folder: Path, share: float, data: Path) -> list[Path]:
    """Files of a kind; ``share`` of the full size of those that are made, in ``folder``."""
    if kind == "papers":
        return sorted(data.joinpath("pdf_papers", "pdf").glob("*.pdf"))
    if kind == "transcripts":
        return [data / "podcast_changelog" / "episodes"]
    path = folder / f"made{MADE[kind]}"
    if kind == "text":
        path.write_text(write_text(round(20_000_000 * share)))
    elif kind == "page":
        paragraphs = write_text(round(5_000_000 * share)).split("\n\n")
        body = "".join(f"<p>{each}</p>" for each in paragraphs)
        path.write_text(f"<html><body><h1>Made</h1>{body}</body></html>")
    elif kind == "scan":
        scan_pages(data / "pdf_papers" / "pdf" / SCANNED, path)
    else:
        write_notes(kind, path, share)
    return [path]


def write_notes(kind: str, path: Path, share: float) -> None:
    """Many short notes: in a folder, or as rows or lines of one file."""
    chance = Random(7)
    if kind == "files":
        path.mkdir()
        for number in range(round(2000 * share)):
            (path / f"{number}.md").write_text(f"# Note {number}\n\nPump {chance.randrange(10**6)} was repaired.")
        return
    rows = (
        (f"Row {number}", f"Pump {chance.randrange(10**6)} was repaired.")
        for number in range(round((50_000 if kind == "workbook" else 100_000) * share))
    )
    if kind == "workbook":
        from openpyxl import Workbook

        book = Workbook(write_only=True)
        sheet = book.create_sheet("Notes")
        for row in (("title", "content"), *rows):
            sheet.append(row)
        book.save(path)
        return
    with path.open("w", newline="") as file:
        if kind == "lines":
            file.writelines(json.dumps({"title": title, "content": content}) + "\n" for title, content in rows)
        else:
            writer = csv.writer(file)
            writer.writerow(["title", "content"])
            writer.writerows(rows)


def scan_pages(paper: Path, path: Path) -> None:
    """Pictures of the pages of a PDF as a PDF, like a scanner makes it."""
    from pypdfium2 import PdfDocument

    pages = [page.render(scale=DOTS_PER_POINT).to_pil().convert("L") for page in PdfDocument(paper)]
    pages[0].save(path, save_all=True, append_images=pages[1:], resolution=200)


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


def measure_inputs(arguments: argparse.Namespace, output: Path) -> None:
    """Add files of each kind, and keep what each took beside what earlier runs have kept."""
    results = json.loads(output.read_text()) if output.exists() else {}
    for kind in arguments.inputs:
        share, every = (1.0 if kind in (*FOUND, "scan") else arguments.share), arguments.every
        with tempfile.TemporaryDirectory() as folder:
            files = find_input(kind, Path(folder), share, arguments.data)
            results[kind] = {"share": share, "every": every, **measure(ROOT / "src", files, every)}
        print(kind, results[kind], flush=True)
        output.write_text(json.dumps(results, indent=1) + "\n")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    default = os.environ.get("ASCERTAIN_BENCH", str(ROOT.parent / "shared" / "bench"))
    parser.add_argument("--before", type=Path)
    parser.add_argument("--inputs", nargs="+", choices=[*MADE, *FOUND])
    parser.add_argument("--share", type=float, default=1.0)
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--data", type=Path, default=Path(default))
    parser.add_argument("--limit", type=int, default=12)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--output", type=Path, default=ROOT / "bench" / "results" / "ingest_memory.json")
    arguments = parser.parse_args()
    if arguments.inputs:
        measure_inputs(arguments, arguments.output.with_name("ingest_memory_inputs.json"))
        return
    if arguments.before is None:
        parser.error("--before or --inputs is needed")
    files = find_input("papers", Path(), 1.0, arguments.data)[: arguments.limit]
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
