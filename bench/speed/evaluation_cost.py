"""What ``eval retrieval`` costs beside the embedding model on 10,000 texts and 500 questions, into ``results/evaluation_cost.json``.

    python -m bench.speed.evaluation_cost [--cache DIR]

The paragraphs of xquad_en among web passages of trec_dl19_pool, asked the first 500 questions of xquad_en. Measured twice: with an empty cache
(but for vectors), and again with the index that the first run left. Beside it ir-measures reads and scores the run from files
in TREC's form: what we ranked (ten documents a question), and 1,000 a question, as runs are commonly handed in. Processor seconds.
"""

from __future__ import annotations

import argparse
import json
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

import ir_measures
from ir_measures import AP, RR, P, R, Success, nDCG

from ascertain.core.settings import Settings
from ascertain.evaluation import retrieval
from ascertain.evaluation.runs import Journal
from ascertain.evaluation.sets.datasets import EvaluationSet, read_set
from ascertain.evaluation.sets.knowledge import CachedEmbedder, Listener, open_knowledge
from bench.setting import circumstances, data_folder, save, show_remark, show_status

T = TypeVar("T")

TEXTS, QUESTIONS = 10_000, 500
MEASURES = [R @ 2, R @ 5, R @ 10, nDCG @ 10, RR @ 10, AP @ 10, P @ 5, P @ 10, Success @ 1, Success @ 5, Success @ 10]
DEPTHS = (10, 1000)


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--cache", type=Path, default=Path("/tmp/evalcache"))
    given = arguments.parse_args()
    data = join_sets()
    shutil.rmtree(given.cache / "homes", ignore_errors=True)
    runs = {name: measure_run(data, given.cache) for name in ("first", "again")}
    found = {name: {key: value for key, value in run.items() if key != "ranked"} for name, run in runs.items()}
    theirs = {str(depth): measure_ir_measures(data, runs["again"]["ranked"], depth) for depth in DEPTHS}
    results = {"circumstances": circumstances(), "texts": TEXTS, "questions": QUESTIONS, "ours": found}
    save("evaluation_cost", results | {"ir_measures": {"version": ir_measures.__version__, "seconds_by_depth": theirs}})
    print(json.dumps({"ours": found, "ir_measures": theirs}, indent=1))


def join_sets() -> EvaluationSet:
    asked, other = read_set(data_folder() / "xquad_en"), read_set(data_folder() / "trec_dl19_pool")
    corpus = (*asked.corpus, *other.corpus)[:TEXTS]
    return replace(asked, name="cost", corpus=corpus, queries=asked.queries[:QUESTIONS])


def measure_run(data: EvaluationSet, cache: Path) -> dict:
    """Processor seconds of one ``eval retrieval``, by part; ``embedding`` is the model's."""
    spent = {"embedding": 0.0, "searching": 0.0}
    with clock_calls(CachedEmbedder, ("embed_documents", "embed_query"), spent, "embedding"):
        started = time.process_time()
        with open_knowledge(data, Settings(), cache, Listener(show_status, show_remark)) as knowledge:
            opened = time.process_time()
            embedded = spent["embedding"]
            journal = Journal()
            with clock_calls(retrieval, ("rank_documents",), spent, "searching"):
                retrieval.measure_retrieval(data, knowledge, None, Listener(show_status, show_remark), journal=journal)
            done = time.process_time()
    asking = spent["embedding"] - embedded
    parts = {
        "indexing or opening": opened - started - embedded,
        "searching": spent["searching"] - asking,
        "scoring and intervals": done - opened - spent["searching"],
        "embedding model": spent["embedding"],
    }
    outside = sum(parts.values()) - parts["embedding model"]
    ranked = {result.id: result.facts["found"] for result in journal.results}
    return {**{name: round(value, 3) for name, value in parts.items()}, "outside": round(outside, 3), "ranked": ranked}


@contextmanager
def clock_calls(owner: object, names: tuple[str, ...], spent: dict[str, float], key: str) -> Iterator[None]:
    """Adds the processor time of these functions of ``owner`` to ``spent[key]``."""
    kept = {name: getattr(owner, name) for name in names}

    def clock(function: Callable[..., T]) -> Callable[..., T]:
        def call(*args: Any, **named: Any) -> T:
            started = time.process_time()
            try:
                return function(*args, **named)
            finally:
                spent[key] += time.process_time() - started

        return call

    for name, function in kept.items():
        setattr(owner, name, clock(function))
    try:
        yield
    finally:
        for name, function in kept.items():
            setattr(owner, name, function)


def measure_ir_measures(data: EvaluationSet, ranked: dict[str, list[str]], depth: int) -> dict[str, float]:
    """Processor seconds to read judgements and a run from files, and to score it."""
    with tempfile.TemporaryDirectory() as folder:
        run, judged = Path(folder) / "run.txt", Path(folder) / "qrels.txt"
        others = [text.id for text in data.corpus]
        with run.open("w", encoding="utf-8") as file:
            for query, found in ranked.items():
                ranking = list(dict.fromkeys([*found, *others]))[:depth]
                file.writelines(f"{query} Q0 {text} {rank} {1 / rank} run\n" for rank, text in enumerate(ranking, 1))
        judged.write_text(
            "".join(f"{q} 0 {text} {gain}\n" for q in ranked for text, gain in data.judgements[q].items()), "utf-8"
        )
        started = time.process_time()
        judgements = list(ir_measures.read_trec_qrels(str(judged)))
        rows = list(ir_measures.read_trec_run(str(run)))
        read = time.process_time()
        ir_measures.calc_aggregate(MEASURES, judgements, rows)
        done = time.process_time()
    return {"reading": round(read - started, 3), "scoring": round(done - read, 3), "both": round(done - started, 3)}


if __name__ == "__main__":
    main()
