"""What keeping a knowledge graph costs: writing it, reading it into columns, memory, disk, and single look-ups.

    python -m bench.stores.graph [--chunks 100000] [--mentions 12] [--stores embedded,postgres]

The graph is drawn: names as often as Zipf's law has it, so that a few are everywhere and most are in one or two documents; its documents have twenty
chunks each. Every store is written in batches of fifty documents, as ingest does, each durable before the next. Results: ``results/graph_stores.json``.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from ascertain.core.documents.blocks import Span
from ascertain.core.graph.nouns import AliasClaim, DocumentGraph, Mention, Name, Relation, Role
from ascertain.core.settings import GraphSettings, StoreSettings
from ascertain.stores.ports.graph import GraphStore
from ascertain.stores.registry import open_graph, open_store
from bench.setting import RESULTS, circumstances

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tests" / "contract"))

CHUNKS_OF_A_DOCUMENT = 20
BATCH_DOCUMENTS = 50
NAMES_FOR_A_MENTION = 0.25
"""Names to draw from, by mentions; about half of them are drawn at least once."""
LOOK_UPS = 200

READ = """
import json, sys, time
from pathlib import Path
from ascertain.core.settings import GraphSettings
from ascertain.core.settings import StoreSettings
from ascertain.stores.registry import open_graph
graph = open_graph(GraphSettings(), StoreSettings.model_validate_json(sys.argv[1]), Path(sys.argv[2]))
graph.generation("default")
def memory(field):
    return next(int(line.split()[1]) for line in open("/proc/self/status") if line.startswith(field))
before = memory("VmRSS")
started, own = time.perf_counter(), time.process_time()
columns = graph.columns("default")
seconds, own = time.perf_counter() - started, time.process_time() - own
print(json.dumps({"seconds": round(seconds, 2), "own_processor_seconds": round(own, 2), "peak_mb": round((memory("VmHWM") - before) / 1024), "kept_mb": round((memory("VmRSS") - before) / 1024), "mentions": len(columns.mention_name), "names": len(columns.names)}))
"""


def documents(chunks: int, mentions: int) -> Iterator[DocumentGraph]:
    """A drawn corpus."""
    random = np.random.default_rng(7)
    total = int(chunks * mentions * NAMES_FOR_A_MENTION)
    for number in range(chunks // CHUNKS_OF_A_DOCUMENT):
        document = f"{number:032x}"
        chunk_ids = tuple(f"{document}:{place}" for place in range(CHUNKS_OF_A_DOCUMENT))
        drawn = _names(random, CHUNKS_OF_A_DOCUMENT * mentions, total)
        said = [
            Mention(
                _name(int(which)),
                chunk_ids[place // mentions],
                Span(60 * place, 60 * place + 14),
                Span(120 * (place // 2), 120 * (place // 2) + 119),
                Role.NAMED,
            )
            for place, which in enumerate(drawn)
        ]
        relations = [
            Relation(
                said[place * mentions].name.key,
                "is part of",
                said[place * mentions + 1].name.key,
                chunk_id,
                Span(0, 119),
            )
            for place, chunk_id in enumerate(chunk_ids)
        ]
        aliases = (AliasClaim("abbreviated", said[0].name.key, chunk_ids[0], Span(0, 4), "abbreviation"),)
        yield DocumentGraph(document, "version", chunk_ids, tuple(said), tuple(relations), aliases)


def _names(random: np.random.Generator, count: int, total: int) -> np.ndarray:
    """Ranks from 0 of ``total`` names: the k-th is drawn about 1/k times as often as the first."""
    return (total ** random.random(count)).astype(np.int64) - 1


def _name(rank: int) -> Name:
    written = f"Entity Number {rank}"
    return Name(written.lower(), written, "Person" if rank % 3 else "")


def measure(settings: StoreSettings, home: Path, chunks: int, mentions: int) -> dict[str, object]:
    """Fill a store and look at it."""
    open_store(settings, home, "none", 8).close()
    empty = _bytes(settings, home)
    graph = open_graph(GraphSettings(), settings, home)
    writing = own = 0.0
    source = documents(chunks, mentions)
    while True:
        batch = [one for _, one in zip(range(BATCH_DOCUMENTS), source, strict=False)]
        if not batch:
            break
        started, before = time.perf_counter(), time.process_time()
        graph.upsert(batch)
        writing += time.perf_counter() - started
        own += time.process_time() - before
    read = subprocess.run(
        [sys.executable, "-c", READ, settings.model_dump_json(), str(home)], check=True, capture_output=True, text=True
    )
    counts = graph.counts("default")
    result: dict[str, object] = {
        "chunks": counts.chunks,
        "documents": counts.documents,
        "mentions": counts.mentions,
        "names": counts.names,
        "relations": counts.relations,
        "write_seconds": round(writing, 1),
        "write_own_processor_seconds": round(own, 1),
        "mentions_per_second": round(counts.mentions / writing),
        "chunks_per_second": round(counts.chunks / writing),
        "columns": json.loads(read.stdout),
        "megabytes": round((_bytes(settings, home) - empty) / 1e6),
        "milliseconds": _look_ups(graph),
    }
    graph.close()
    return result


def _look_ups(graph: GraphStore) -> dict[str, float]:
    """Medians: the mark of the last change, a name of many mentions and one of few, a document replaced by itself."""
    random = np.random.default_rng(11)
    rare = [_name(int(rank)).key for rank in random.integers(10_000, 200_000, LOOK_UPS)]
    again = graph.graphs("default", [f"{number:032x}" for number in range(LOOK_UPS)])
    works = {
        "generation": [lambda: graph.generation("default")] * LOOK_UPS,
        "mentions_of_a_common_name": [lambda: graph.mentions("default", [_name(0).key])] * 20,
        "mentions_of_a_rare_name": [lambda key=key: graph.mentions("default", [key]) for key in rare],
        "replace_a_document": [lambda one=one: graph.upsert([one]) for one in again[:50]],
    }
    found: dict[str, float] = {}
    for name, calls in works.items():
        taken: list[float] = []
        for call in calls:
            started = time.perf_counter()
            call()
            taken.append(time.perf_counter() - started)
        found[name] = round(statistics.median(taken) * 1000, 2)
    return found


def _bytes(settings: StoreSettings, home: Path) -> int:
    """What the tables of the graph take, or the record."""
    if settings.kind != "postgres":
        return sum(path.stat().st_size for path in home.rglob("*") if path.is_file())
    import psycopg

    with psycopg.connect(settings.url) as db:
        row = db.execute(
            """SELECT coalesce(sum(pg_total_relation_size(oid)), 0) FROM pg_class
               WHERE relkind = 'r' AND relname LIKE 'graph_%%' AND relnamespace = %s::regnamespace""",
            (settings.name,),
        ).fetchone()
    return int(row[0]) if row else 0


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--chunks", type=int, default=100_000)
    parser.add_argument("--mentions", type=int, default=12, help="of a chunk")
    parser.add_argument("--stores", default="embedded,postgres")
    given = parser.parse_args()
    results: dict[str, object] = {}
    for kind in given.stores.split(","):
        with tempfile.TemporaryDirectory() as folder:
            home = Path(folder) / "home"
            if kind == "postgres":
                import backend_postgres

                with backend_postgres.backend(Path(folder)) as server:
                    results[kind] = measure(server.settings("bench"), home, given.chunks, given.mentions)
            else:
                results[kind] = measure(StoreSettings(), home, given.chunks, given.mentions)
        print(kind, json.dumps(results[kind]), flush=True)
    (RESULTS / "graph_stores.json").write_text(
        json.dumps({"circumstances": circumstances(), "stores": results}, indent=2) + "\n"
    )


if __name__ == "__main__":
    main()
