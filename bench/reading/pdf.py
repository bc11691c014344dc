"""What is read of the twelve papers in ``pdf_papers``, beside pdfplumber and docling-parse.

    python -m bench.reading.pdf --others PYTHON

``PYTHON`` is an interpreter that has pdfplumber and docling-parse (``python -m venv /tmp/pdf && /tmp/pdf/bin/pip install pdfplumber docling-parse``).
The same pages, held against ``pdf_truth.toml``, which names what is printed. Measures, all of them shares but the last two:

- lines: pairs of printed lines of which the words follow each other in the text; over pages: those at the end of a page and the top of the next,
  with running heads, footnotes and numbers of pages between them. A word that was cut counts with its hyphen or without.
- cut words: words cut at the end of a line that stand whole in the text.
- headings: those that stand on a line of their own; cells: those of tables that stand apart in one row with the first cell of it.
- footers: how often the running foot, which has the paper's address, is in the text; seconds: processor time for all papers, the least of three times.

The others are used at their best known here: pdfplumber with spaces told by the size of type (its usual 3 points glue words together) and tables by where the
words stand (the papers' have no rules between columns); docling-parse by its lines of text, for tables and headings are the task of the models of docling, which
no package carries.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
import time
import tomllib
import unicodedata
from collections.abc import Callable
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
TIMES = 3


def read_ascertain(path: Path) -> dict[str, Any]:
    """Text, and rows of cells, as Ascertain reads the file."""
    from ascertain.documents.sources.files import read_path

    (document,) = read_path(path)
    rows = [line.split(" | ") for line in document.text.split("\n") if " | " in line]
    return {"text": document.text, "rows": rows}


def read_pdfplumber(path: Path) -> dict[str, Any]:
    """Text page by page, and the rows of the tables that are found."""
    import pdfplumber  # pyright: ignore[reportMissingImports]

    by_words = {"vertical_strategy": "text", "horizontal_strategy": "text", "text_x_tolerance_ratio": 0.15}
    by_rules = {"text_x_tolerance_ratio": 0.15}
    with pdfplumber.open(path) as document:
        texts = [page.extract_text(x_tolerance_ratio=0.15) for page in document.pages]
        tables = [
            table for page in document.pages for chosen in (by_rules, by_words) for table in page.extract_tables(chosen)
        ]
    rows = [[" ".join((cell or "").split()) for cell in row] for table in tables for row in table]
    return {"text": "\n".join(texts), "rows": rows}


def read_docling_parse(path: Path) -> dict[str, Any]:
    """The lines of text of every page, in the order of the file."""
    from docling_core.types.doc.page import TextCellUnit  # pyright: ignore[reportMissingImports]
    from docling_parse.pdf_parser import DoclingPdfParser  # pyright: ignore[reportMissingImports]

    document = DoclingPdfParser(loglevel="fatal").load(str(path))
    lines = [
        cell.text for _, page in document.iterate_pages() for cell in page.iterate_cells(unit_type=TextCellUnit.LINE)
    ]
    return {"text": "\n".join(lines), "rows": []}


READERS: dict[str, Callable[[Path], dict[str, Any]]] = {
    "ascertain": read_ascertain,
    "pdfplumber": read_pdfplumber,
    "docling-parse": read_docling_parse,
}


def extract_papers(name: str, folder: Path) -> dict[str, Any]:
    """What an extractor makes of all papers, and how long it takes."""
    paths = sorted(folder.glob("*.pdf"))
    read = READERS[name]
    read(paths[0])  # what is loaded once
    seconds: list[float] = []
    papers: dict[str, Any] = {}
    for _ in range(TIMES):
        started = time.process_time()
        papers = {path.stem: read(path) for path in paths}
        seconds.append(time.process_time() - started)
    return {"seconds": round(min(seconds), 2), "papers": papers}


def measure_papers(extracted: dict[str, Any], truth: dict[str, Any]) -> dict[str, Any]:
    """The measures above, as (found, of)."""
    counts = {name: [0, 0] for name in ("lines", "over_pages", "cut_words", "headings", "cells")}
    footers = 0
    for name, printed in truth.items():
        paper = extracted["papers"][name]
        plain = _plain(paper["text"])
        whole, joined = plain.replace("\n", " "), re.sub(r"-\n", "", plain).replace("\n", " ")
        hyphened = re.sub(r"-\n", "-", plain).replace("\n", " ")
        lines = {line.strip() for line in plain.split("\n")}
        found = {
            "lines": lambda words, texts=(whole, joined, hyphened): any(words in text for text in texts),
            "over_pages": lambda words, texts=(whole, joined, hyphened): any(words in text for text in texts),
            "cut_words": lambda words, text=whole: words in text,
            "headings": lambda words, lines=lines: words in lines,
        }
        for kind, holds in found.items():
            for words in printed.get(kind, ()):
                counts[kind][0] += holds(_plain(words))
                counts[kind][1] += 1
        rows = [{_plain(cell) for cell in row} for row in paper["rows"]]
        for row in printed.get("rows", ()):
            cells = [_plain(cell) for cell in row.split(" | ") if cell != "–"]
            counts["cells"][0] += sum(any({cells[0], cell} <= each for each in rows) for cell in cells)
            counts["cells"][1] += len(cells)
        footers += paper["text"].count(f"https://doi.org/{name.replace('.jose', '/jose')}")
    shares = {kind: {"share": round(found / of, 3), "of": of} for kind, (found, of) in counts.items()}
    return {**shares, "footers": footers, "seconds": extracted["seconds"]}


def _plain(text: str) -> str:
    """Without ligatures, raised figures and double spaces, which are set down in several ways."""
    return re.sub(r" +", " ", unicodedata.normalize("NFKC", text)).strip()


def main() -> None:
    """Measure all extractors, or extract with one for the process that does."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--others", help="a Python that has pdfplumber and docling-parse")
    parser.add_argument("--extract", nargs=2, metavar=("NAME", "FOLDER"), help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    if chosen.extract:
        print(json.dumps(extract_papers(chosen.extract[0], Path(chosen.extract[1]))))
        return
    from bench.setting import circumstances, data_folder, save

    truth = tomllib.loads((HERE / "pdf_truth.toml").read_text("utf-8"))
    folder = str(data_folder() / "pdf_papers" / "pdf")
    measured: dict[str, Any] = {}
    for name in READERS if chosen.others else ("ascertain",):
        python = sys.executable if name == "ascertain" else chosen.others
        ran = subprocess.run([python, __file__, "--extract", name, folder], capture_output=True, text=True, check=True)
        measured[name] = measure_papers(json.loads(ran.stdout.splitlines()[-1]), truth)
        print(name, json.dumps(measured[name]))
    if chosen.others:
        save("pdf_extraction", {"circumstances": circumstances(), "extractors": measured})


if __name__ == "__main__":
    main()
