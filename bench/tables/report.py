"""Writes the tables of ``docs/benchmarks.md``, ``formats.md``, ``scaling.md`` and ``service.md`` from the results files.

    python -m bench.tables.report            rewrite them
    python -m bench.tables.report --check    exit 1 when they differ from the results files

A table stands between ``<!-- table: NAME -->`` and ``<!-- end -->``; the words around it are written by people.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable, Iterable, Sequence

from bench.setting import RESULTS, ROOT
from bench.tables.capacity import PLANS
from bench.tables.graph_retrieval import graph_quality_table
from bench.tables.peers import peers_cost_table, peers_mean_table, peers_sets_table
from bench.tables.service import load_table
from bench.tables.speed import ingest_rows, search_rows, size_rows
from bench.tables.stores import choice_table, ray_table, recall_table, searches_table
from bench.tables.workflow import abstention_table, claims_table, follow_ups_table, scripted_models_table

PAGES = tuple(ROOT / "docs" / name for name in ("benchmarks.md", "formats.md", "scaling.md", "service.md"))
MARKED = re.compile(r"(<!-- table: ([\w-]+) -->\n).*?(<!-- end -->)", re.DOTALL)


def main() -> None:
    is_checking = "--check" in sys.argv[1:]
    for page in PAGES:
        before = page.read_text("utf-8")
        after = MARKED.sub(lambda found: found[1] + TABLES[found[2]]() + found[3], before)
        if not is_checking:
            page.write_text(after, "utf-8")
        elif before != after:
            sys.exit(f"{page}: its tables are not those of bench/results; run bench/tables/report.py")


def circumstances_table() -> str:
    rows: list[list[str]] = []
    for name in ("retrieval", "answers"):
        found = _results(name)["circumstances"]
        packages = ", ".join(f"{package} {version}" for package, version in found["packages"].items())
        machine = f"{found['machine']['processor']}, {found['machine']['cores']} cores"
        rows.append(
            [f"`{name}.json`", found["date"], f"`{found['commit']}`", machine, f"Python {found['python']}, {packages}"]
        )
    return _table(["results", "date", "commit", "machine", "versions"], rows)


def retrieval_table() -> str:
    rows: list[list[str]] = []
    for row in _results("retrieval")["sets"]:
        if "references" not in row:
            continue
        cells = [row["set"], str(row["documents"]), str(row["queries"])]
        cells += [f"{column['R@5']:.1f} / {column['nDCG@10']:.1f}" for column in row["references"].values()]
        cells.append(f"**{100 * row['metrics']['R@5']:.1f} / {100 * row['metrics']['nDCG@10']:.1f}**")
        cells.append(" / ".join(f"{row['over_best_reference'][measure]:+.1f}" for measure in ("R@5", "nDCG@10")))
        cells.append("yes" if all(row["target_met"].values()) else "**no**")
        rows.append(cells)
    head = ["set", "texts", "queries", "BM25", "MiniLM", "RRF", "Ascertain", "to the best of the three", "target met"]
    return _table(head, rows)


def summary_table() -> str:
    summary = _results("retrieval")["summary"]
    labels = {"bm25": "BM25", "minilm": "MiniLM", "rrf": "RRF", "ascertain": "Ascertain"}
    mean = {label: f"{summary['mean_ndcg'][key]:.2f}" for key, label in labels.items()}
    met = "yes" if summary["target_met"] else "**no**"
    return _table([*mean, "over RRF", "three points reached"], [[*mean.values(), f"{summary['over_rrf']:+.2f}", met]])


def chunking_table() -> str:
    row = next(row for row in _results("retrieval")["sets"] if "plain_chunker" in row)
    names = ("gold_characters@5", "gold_recall@5")
    return _table(
        ["chunker", *(f"`{name}`" for name in names)],
        [
            [label, *(f"{100 * metrics[name]:.1f}" for name in names)]
            for label, metrics in (("plain, 1000/150", row["plain_chunker"]), ("Ascertain", row["metrics"]))
        ],
    )


def answers_table() -> str:
    names = (
        "answer_in_text",
        "mean_sentences",
        "citations_exact",
        "abstention_recall",
        "abstention_precision",
        "false_abstention_rate",
        "auroc",
    )
    rows: list[list[str]] = []
    for row in _results("answers")["sets"]:
        cells = [_number(row["metrics"].get(name), 1 if name == "mean_sentences" else 3) for name in names]
        rows.append([row["set"], str(row["queries"]), *cells, *_milliseconds(row)])
    return _table(["set", "questions", *(f"`{name}`" for name in names), "median ms", "95 % ms"], rows)


def search_table() -> str:
    head = ["hybrid search over 100,000 chunks", "median ms", "95 % ms", "processor ms", "times Ascertain"]
    return _table(head, search_rows(_results("search_speed")))


def sizes_table() -> str:
    head = ["chunks", "median ms", "95 % ms", "open and first answer s", "recall@100", "memory MB", "disk GB"]
    return _table(head, size_rows(_results("search_speed")))


def ingest_table() -> str:
    head = ["", "files", "chunks", "failures", "seconds", "chunks/s", "outside the model", "again, seconds"]
    return _table(head, ingest_rows(_results("ingest_speed")))


def pdf_extraction_table() -> str:
    kinds = ("lines", "over_pages", "cut_words", "headings", "cells")
    measured = _results("pdf_extraction")["extractors"]
    sizes = [measured["ascertain"][kind]["of"] for kind in kinds]
    labels = ("lines", "over pages", "cut words", "headings", "cells")
    rows = [
        [
            "Ascertain" if name == "ascertain" else name,
            *(f"{100 * found[kind]['share']:.1f}" for kind in kinds),
            str(found["footers"]),
            f"{found['seconds']:.1f}",
        ]
        for name, found in measured.items()
    ]
    head = [f"{label} (of {size})" for label, size in zip(labels, sizes, strict=True)]
    return _table(["read by", *head, "running feet left", "seconds"], rows)


def reading_table() -> str:
    rows: list[list[str]] = []
    for name, row in _results("reading")["formats"].items():
        cells = [f"{100 * row[key]:.1f}" for key in ("recall_median", "recall_min", "order_median")]
        rows.append([name, str(row["files"]), *cells, str(len(row["unnamed"]))])
    head = ["format", "files", "median recall", "least", "median order", "under 97 % and not named"]
    return _table(head, rows)


TABLES: dict[str, Callable[[], str]] = {
    "circumstances": circumstances_table,
    "retrieval": retrieval_table,
    "summary": summary_table,
    "pdf-extraction": pdf_extraction_table,
    "reading": reading_table,
    "chunking": chunking_table,
    "answers": answers_table,
    "search": search_table,
    "sizes": sizes_table,
    "ingest": ingest_table,
    "abstention": lambda: _table(*abstention_table(_results)),
    "claims": lambda: _table(*claims_table(_results)),
    "follow-ups": lambda: _table(*follow_ups_table(_results)),
    "scripted-models": lambda: _table(*scripted_models_table(_results)),
    "graph-quality": lambda: _table(*graph_quality_table(_results)),
    "peers-mean": lambda: _table(*peers_mean_table(_results)),
    "peers-ndcg": lambda: _table(*peers_sets_table(_results, "nDCG@10")),
    "peers-cost": lambda: _table(*peers_cost_table(_results)),
    "stores-choice": lambda: _table(*choice_table(_results)),
    "stores-searches": lambda: _table(*searches_table(_results)),
    "stores-recall": lambda: _table(*recall_table(_results)),
    "stores-ray": lambda: _table(*ray_table(_results)),
    "service-load": lambda: _table(*load_table(_results)),
    **{name: lambda plan=plan: _table(*plan(_results)) for name, plan in PLANS.items()},
}


def _milliseconds(row: dict) -> list[str]:
    return [f"{1000 * row['seconds'][name]:.0f}" for name in ("query_p50", "query_p95")]


def _number(value: float | None, digits: int) -> str:
    return "" if value is None else f"{value:.{digits}f}"


def _results(name: str) -> dict:
    return json.loads((RESULTS / f"{name}.json").read_text("utf-8"))


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "".join(f"| {' | '.join(cells)} |\n" for cells in lines)


if __name__ == "__main__":
    main()
