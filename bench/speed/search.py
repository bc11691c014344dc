"""How long a hybrid search takes, beside LanceDB in the same run.

    .venv/bin/python -m bench.speed.search --sizes 100000 1000000 --out bench/results/search_speed.json

The chunks are those of ``synthetic_chunks``. A hybrid search is what ``ascertain search`` does once the question is embedded: 100 candidates by meaning, 100 by
words, both scores for all of them, the best 10 with their text. LanceDB's hybrid search is asked for 10 with its defaults.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from ascertain.core.documents.documents import Chunk
from ascertain.core.settings import StoreSettings
from ascertain.stores.ports.chunks import ChunkStore, Vectors
from ascertain.stores.registry import open_store
from bench.speed.synthetic_chunks import (
    CHUNKS_PER_DOCUMENT,
    DIMENSION,
    MODEL,
    Points,
    a_document,
    chunk_texts,
    embedded,
    questions,
    sentences_of_corpora,
)

STOP = frozenset(
    "a an the of in on at to for from by with and or not is are was were be been do does did has have had what which who "
    "whom whose when where why how that this these those it its as i you he she they we my your their can could would "
    "should will about than then there if so".split()
)


def terms_of(question: str) -> dict[str, float]:
    words = re.findall(r"\w[\w'-]*", question.lower())
    return {word: 1.0 for word in words if word not in STOP}


def build_home(home: Path, count: int) -> float:
    """Build a home of ``count`` chunks; seconds, the making of the texts left out."""
    documents, points = sentences_of_corpora(), Points(embedded(home.parent)[0])
    store = open_store(StoreSettings(), home, MODEL, DIMENSION)
    spent = 0.0
    texts = chunk_texts(count, documents)
    size = 2_000
    writing = store.writing()
    writing.__enter__()
    for first in range(0, count // CHUNKS_PER_DOCUMENT, size):
        last = min(first + size, count // CHUNKS_PER_DOCUMENT)
        batch = [
            a_document(number, [next(texts) for _ in range(CHUNKS_PER_DOCUMENT)], points.take(CHUNKS_PER_DOCUMENT))
            for number in range(first, last)
        ]
        started = time.perf_counter()
        store.upsert(batch)
        spent += time.perf_counter() - started
        print(f"\r{last * CHUNKS_PER_DOCUMENT:,} chunks, {spent:.0f} s", end="", file=sys.stderr)
    started = time.perf_counter()
    writing.__exit__(None, None, None)
    spent += time.perf_counter() - started
    print(f"\r{count:,} chunks in {spent:.0f} s", file=sys.stderr)
    store.close()
    return spent


def hybrid(store: ChunkStore, vector: Vectors, terms: dict[str, float]) -> list[Chunk]:
    """What retrieval asks of the store for one hybrid search."""
    dense = store.dense(vector, 100)
    lexical = store.lexical(terms, 100)
    ids = list(dict.fromkeys(hit.chunk_id for hit in [*dense, *lexical]))
    cosines = store.similarities(vector, ids)
    words = store.lexical_scores(terms, ids)
    top = max(words.values(), default=1.0)
    ids.sort(key=lambda name: -(0.7 * cosines.get(name, 0.0) + 0.3 * words.get(name, 0.0) / top))
    return store.get(ids[:10])


def timed(action: Callable[[int], object], repeats: int, warm: int = 10) -> dict[str, float]:
    """Median and 95th percentile in milliseconds over ``repeats`` different inputs, after ``warm`` others."""
    times: list[float] = []
    for number in range(repeats + warm):
        started = time.perf_counter()
        action(number)
        if number >= warm:
            times.append((time.perf_counter() - started) * 1000)
    return {"median_ms": round(statistics.median(times), 2), "p95_ms": round(float(np.percentile(times, 95)), 2)}


def measure_store(home: Path, count: int, repeats: int) -> dict[str, object]:
    store = open_store(StoreSettings(), home, MODEL, DIMENSION, create=False)
    vectors = embedded(home.parent)[1]
    asked = [terms_of(question) for question in questions()[: repeats + 10]]
    result: dict[str, object] = {
        "chunks": count,
        "hybrid": timed(lambda n: hybrid(store, vectors[n], asked[n]), repeats),
        "dense": timed(lambda n: store.dense(vectors[n], 100), repeats),
        "lexical": timed(lambda n: store.lexical(asked[n], 100), repeats),
        "recall_at_100": round(recall(store, home, vectors[:50]), 4),
        "bytes_on_disk": store.stats().bytes_on_disk,
        "memory_mb": memory(),
    }
    store.close()
    return result


def recall(store: ChunkStore, home: Path, vectors: Vectors) -> float:
    """Share of the true nearest 100 that ``dense`` finds, against a scan of every stored vector."""
    import sqlite3

    db = sqlite3.connect(home / "record.sqlite3")
    names: list[str] = []
    scores: list[np.ndarray] = []
    cursor = db.execute("SELECT c.id, v.vector FROM vectors v JOIN chunks c ON c.row = v.row")
    while batch := cursor.fetchmany(50_000):
        names.extend(name for name, _ in batch)
        block = np.frombuffer(b"".join(vector for _, vector in batch), np.float16).reshape(-1, DIMENSION)
        scores.append(vectors @ block.astype(np.float32).T)
    db.close()
    table = np.concatenate(scores, axis=1)
    found = 0.0
    for vector, row in zip(vectors, table, strict=True):
        true = {names[place] for place in np.argpartition(-row, 100)[:100]}
        found += len(true & {hit.chunk_id for hit in store.dense(vector, 100)}) / 100
    return found / len(vectors)


def memory() -> dict[str, int]:
    """Resident memory of this process: its own, and pages of mapped files that processes share."""
    lines = Path("/proc/self/status").read_text().splitlines()
    values = {line.split(":")[0]: int(line.split()[1]) // 1024 for line in lines if line.startswith("Rss")}
    return {"own": values.get("RssAnon", 0), "mapped_files": values.get("RssFile", 0)}


def measure_opening(home: Path, repeats: int = 5) -> dict[str, float]:
    """Seconds from starting Python to ten results, the embedding model loaded and the question embedded on the way."""
    times: list[float] = []
    for _ in range(repeats):
        started = time.perf_counter()
        subprocess.run([sys.executable, "-m", "bench.speed.search", "--first-query", str(home)], check=True)
        times.append(time.perf_counter() - started)
    return {"median_s": round(statistics.median(times), 3), "worst_s": round(max(times), 3)}


def first_query(home: Path) -> None:
    from ascertain.models.onnx import OnnxEmbedder

    embedder = OnnxEmbedder.load(MODEL)
    store = open_store(StoreSettings(), home, MODEL, DIMENSION, create=False)
    question = "When was the European Union founded?"
    if not hybrid(store, embedder.embed_query(question), terms_of(question)):
        raise SystemExit("nothing was found")
    store.close()


def measure_lancedb(folder: Path, home: Path, count: int, repeats: int) -> dict[str, object]:
    """Hybrid search of LanceDB as it comes and with its IVF_HNSW_SQ index, question by question in turn with ours.

    Both its tables have a full-text index, as its hybrid search requires.
    """
    import lancedb
    from lancedb.index import HnswSq

    database = lancedb.connect(str(folder))
    if "plain" not in database.list_tables().tables:
        fill_lancedb(database, count, embedded(home.parent)[0])
        started = time.perf_counter()
        indexed = database.open_table("indexed")
        indexed.create_index("vector", config=HnswSq(distance_type="cosine"))
        indexed.wait_for_index(["vector_idx"])
        print(f"LanceDB's index took {time.perf_counter() - started:.0f} s", file=sys.stderr)
    store = open_store(StoreSettings(), home, MODEL, DIMENSION, create=False)
    tables = {"as_it_comes": database.open_table("plain"), "ivf_hnsw_sq": database.open_table("indexed")}
    vectors = embedded(home.parent)[1]
    asked = [terms_of(q) for q in questions()[: repeats + 10]]

    def of_table(name: str, number: int) -> object:
        query = tables[name].search(query_type="hybrid").vector(vectors[number]).text(" ".join(asked[number]))
        return query.limit(10).select(["id", "text"]).to_list()

    actions: dict[str, Callable[[int], object]] = {
        "ascertain": lambda number: hybrid(store, vectors[number], asked[number]),
        "as_it_comes": lambda number: of_table("as_it_comes", number),
        "ivf_hnsw_sq": lambda number: of_table("ivf_hnsw_sq", number),
    }
    return {"version": lancedb.__version__, "chunks": count, **timed_in_turn(actions, repeats)}


def fill_lancedb(database: Any, count: int, anchors: Vectors) -> None:
    """Two tables, ``plain`` and ``indexed``, with the chunks of ``build_home``."""
    import pyarrow as pa

    schema = pa.schema([("id", pa.string()), ("text", pa.string()), ("vector", pa.list_(pa.float32(), DIMENSION))])
    for name in ("plain", "indexed"):
        table = database.create_table(name, schema=schema)
        points, texts = Points(anchors), chunk_texts(count, sentences_of_corpora())
        for start in range(0, count, 20_000):
            part = [next(texts) for _ in range(min(20_000, count - start))]
            flat = pa.array(points.take(len(part)).reshape(-1))
            columns = [pa.array(map(str, range(start, start + len(part)))), pa.array(part)]
            vectors = pa.FixedSizeListArray.from_arrays(flat, DIMENSION)
            table.add(pa.table([*columns, vectors], schema=schema))
        table.create_fts_index("text")
        table.optimize()


def timed_in_turn(actions: dict[str, Callable[[int], object]], repeats: int) -> dict[str, object]:
    """Wall and processor milliseconds of each action, taken in turn so that all meet the same load."""
    walls: dict[str, list[float]] = {name: [] for name in actions}
    processor: dict[str, list[float]] = {name: [] for name in actions}
    for number in range(repeats + 10):
        for name, action in actions.items():
            started, used = time.perf_counter(), time.process_time()
            action(number)
            if number >= 10:
                walls[name].append((time.perf_counter() - started) * 1000)
                processor[name].append((time.process_time() - used) * 1000)
    return {
        name: {
            "median_ms": round(statistics.median(walls[name]), 2),
            "p95_ms": round(float(np.percentile(walls[name], 95)), 2),
            "fastest_ms": round(min(walls[name]), 2),
            "processor_median_ms": round(statistics.median(processor[name]), 2),
        }
        for name in actions
    }


def in_own_process(*arguments: str) -> dict[str, object]:
    """Run a part in a process of its own, so that its memory is its own; what it prints last is its result."""
    done = subprocess.run(
        [sys.executable, "-m", "bench.speed.search", *arguments], check=True, stdout=subprocess.PIPE, text=True
    )
    return json.loads(done.stdout.splitlines()[-1])


def machine() -> dict[str, object]:
    model = next(line for line in Path("/proc/cpuinfo").read_text().splitlines() if line.startswith("model name"))
    return {"cpu": model.split(":")[1].strip(), "cores": os.cpu_count(), "python": platform.python_version()}


def ratios(report: dict) -> dict[str, float]:
    sizes = {size["chunks"]: size["hybrid"]["median_ms"] for size in report["ascertain"]}
    found: dict[str, float] = {}
    if "in_turn_with_lancedb" in report:
        mine = report["in_turn_with_lancedb"]["ascertain"]["median_ms"]
        for name in ("as_it_comes", "ivf_hnsw_sq"):
            found[f"lancedb_{name}_over_ascertain"] = round(report["in_turn_with_lancedb"][name]["median_ms"] / mine, 2)
    if len(sizes) > 1:
        found["largest_over_smallest"] = round(sizes[max(sizes)] / sizes[min(sizes)], 2)
    return found


def run(sizes: list[int], out: Path, repeats: int, folder: Path, with_lancedb: bool) -> None:
    report: dict = {"machine": machine(), "dimension": DIMENSION, "repeats": repeats, "ascertain": []}
    for size in sorted(sizes):
        home = folder / f"home-{size}"
        seconds = None if home.exists() else build_home(home, size)
        result = in_own_process("--measure", str(home), "--sizes", str(size), "--repeats", str(repeats))
        opening = measure_opening(home)
        report["ascertain"].append(
            {**result, "build_s": seconds and round(seconds, 1), "open_and_first_query": opening}
        )
        if size == min(sizes) and with_lancedb:
            part = ("--lancedb", str(folder / "lance"), "--measure", str(home), "--sizes", str(size))
            report["in_turn_with_lancedb"] = in_own_process(*part, "--repeats", str(repeats))
        report["ratios"] = ratios(report)
        out.parent.mkdir(parents=True, exist_ok=True)
        out.write_text(json.dumps(report, indent=2) + "\n")
    print(json.dumps(report, indent=2))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sizes", type=int, nargs="+", default=[100_000])
    parser.add_argument("--out", type=Path, default=Path("bench/results/search_speed.json"))
    parser.add_argument("--repeats", type=int, default=200)
    parser.add_argument("--folder", type=Path, help="keep the homes here and use those that are there")
    parser.add_argument("--without-lancedb", action="store_true")
    parser.add_argument("--measure", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--lancedb", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--first-query", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.first_query:
        first_query(options.first_query)
    elif options.lancedb:
        print(json.dumps(measure_lancedb(options.lancedb, options.measure, options.sizes[0], options.repeats)))
    elif options.measure:
        print(json.dumps(measure_store(options.measure, options.sizes[0], options.repeats)))
    else:
        folder = options.folder or Path(tempfile.mkdtemp(prefix="ascertain-bench-"))
        try:
            run(options.sizes, options.out, options.repeats, folder, not options.without_lancedb)
        finally:
            if options.folder is None:
                shutil.rmtree(folder)


if __name__ == "__main__":
    main()
