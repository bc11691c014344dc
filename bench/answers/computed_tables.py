"""Measures computed answers: 60 questions over twelve made tables, through the real command, against what plain Python computes.

    python -m bench.answers.computed_tables                 the questions that were worked on (40)
    python -m bench.answers.computed_tables --all --write   all 60, those kept aside too, into bench/results/computed_tables.json

An answer is right where its first sentence holds each figure or name expected and the rows cited are rows that it may rest on; a wrong one at
high confidence is what must not be.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

from bench.answers.computed_corpus import ComputedQuestion, list_questions, make_tables, write_tables
from bench.setting import RESULTS

HEADERS = [{*rows[0], "Costs Plan", "Costs Actual"} for rows in make_tables().values()]
ASCERTAIN = Path(sys.executable).with_name("ascertain")


def main() -> None:
    """Measure, print, and with --write keep the figures."""
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--all", action="store_true", help="ask those kept aside too")
    arguments.add_argument("--write", action="store_true")
    arguments.add_argument("--home", type=Path, help="use this home, and build it where it is not there")
    given = arguments.parse_args()
    questions = [each for each in list_questions() if given.all or not each.is_aside]
    with tempfile.TemporaryDirectory(prefix="computed-tables-") as folder:
        home = given.home or Path(folder) / "home"
        if not home.exists():
            write_tables(Path(folder) / "tables")
            subprocess.run(
                [ASCERTAIN, "add", Path(folder) / "tables", "--home", home, "--json"], check=True, capture_output=True
            )
        answers = ask_all(questions, home)
    rows = [judge(question, answer) for question, answer in zip(questions, answers, strict=True)]
    report = sum_up(rows)
    for row in rows:
        if not row["right"] or not row["cells"]:
            print(
                f"{row['id']} {row['level']:6} {'right' if row['right'] else 'wrong'}, cells {'right' if row['cells'] else 'wrong'}: {row['question']}\n      {row['answer'][:200]}"
            )
    print(json.dumps(report, indent=2))
    if given.write:
        (RESULTS / "computed_tables.json").write_text(
            json.dumps({**report, "rows": rows}, indent=1, ensure_ascii=False) + "\n", "utf-8"
        )


def ask_all(questions: list[ComputedQuestion], home: Path) -> list[dict[str, Any]]:
    """The answers of the real command, as JSON."""
    lines = "\n".join(json.dumps({"question": question.text}) for question in questions)
    command = [ASCERTAIN, "ask", "--batch", "-", "--no-cache", "--home", home]
    done = subprocess.run(command, input=lines, text=True, check=True, capture_output=True)
    return [json.loads(line) for line in done.stdout.splitlines() if line.strip()]


def judge(question: ComputedQuestion, answer: dict[str, Any]) -> dict[str, Any]:
    """One answer beside what was expected."""
    first = answer["sentences"][0]["text"] if answer["sentences"] else ""
    quotes = [citation["quote"] for citation in answer["citations"] if not _is_header(citation["quote"])]
    is_right = all(any(_holds(first, way) for way in ways) for ways in question.must)
    known = [quote for quote in quotes if any(row in quote for row in question.rows)]
    return {
        "id": question.id,
        "kind": question.kind,
        "is_aside": question.is_aside,
        "question": question.text,
        "answer": answer["answer"],
        "level": answer["confidence"]["level"],
        "is_computed": answer.get("computation") is not None,
        "right": is_right,
        "cells": len(known) == len(quotes) and len(known) >= min(question.fewest, 8),
    }


def _holds(text: str, way: str) -> bool:
    return re.search(rf"(?<![\d.,\w]){re.escape(way)}(?![\w]|[.,]\d)", text) is not None


def _is_header(quote: str) -> bool:
    """Whether a quote is the header of one of the made tables: it has the names of all its columns."""
    cells = {cell.strip() for cell in quote.strip("| ").split("|")}
    return any(cells <= names for names in HEADERS)


def sum_up(rows: list[dict[str, Any]]) -> dict[str, Any]:
    """Counts over all, by kind, and of those kept aside."""

    def count(chosen: list[dict[str, Any]]) -> dict[str, Any]:
        both = [row for row in chosen if row["right"] and row["cells"]]
        high = [row for row in chosen if row["level"] == "high"]
        return {
            "questions": len(chosen),
            "right": sum(row["right"] for row in chosen),
            "right_with_cells": len(both),
            "share": round(len(both) / max(1, len(chosen)), 3),
            "high": len(high),
            "wrong_at_high": sum(not row["right"] for row in high),
            "computed": sum(row["is_computed"] for row in chosen),
        }

    kinds = Counter(row["kind"] for row in rows)
    aside = [row for row in rows if row["is_aside"]]
    report = {
        "all": count(rows),
        "by_kind": {kind: count([row for row in rows if row["kind"] == kind]) for kind in kinds},
    }
    return {**report, "aside": count(aside)} if aside else report


if __name__ == "__main__":
    main()
