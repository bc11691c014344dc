"""What the knowledge graph costs, into ``results/graph_speed.json``.

    python -m bench.retrieval.graph_speed [--passages N] [--starts N]

Two measurements, each in a process of its own. The build: the texts of one set are added with the graph and without, in turns, with
embedding and writing, and the ratio of the medians is reported (at most 2, issue 6). The size: the graph that the rules read from one set is tiled to
``--passages`` passages in the embedded store (names are shared between tiles as often as SHARED says), then read into a snapshot, kept as a
file, read from it, and walked from the passages and names of random starts: at most 4 GB of memory and 60 ms a walk in the median.
"""

from __future__ import annotations

import argparse
import random
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from json import dumps, loads
from pathlib import Path
from typing import TypeVar

from ascertain.app.ascertain import Ascertain
from ascertain.core.documents.documents import Chunk
from ascertain.core.graph.nouns import DocumentGraph, Name
from ascertain.core.settings import GraphSettings, Settings
from ascertain.evaluation.sets.datasets import read_set
from ascertain.evaluation.sets.knowledge import Listener, as_documents, open_knowledge
from ascertain.graph.extraction.rules import RuleExtractor
from ascertain.graph.knowledge_graph import load_snapshot, save_snapshot
from ascertain.graph.linking import Linker
from ascertain.graph.snapshot import Snapshot
from ascertain.graph.walk import Start, find_neighbourhood, walk_graph
from ascertain.language.languages import ENGLISH
from ascertain.stores.registry import open_graph
from bench.setting import circumstances, data_folder, save, show_remark, show_status

Made = TypeVar("Made")
SET = "musique_train100"
BUILT = "hotpot_train100"
SHARED = 0.3
"""Share of a tile's names that are in every tile; the others are its own."""
TEXTS = 300
"""Texts of the set that are added in each turn."""
TURNS = 3
SEEDS = 30
LIMITS = {"build_ratio": 2.0, "peak_gib": 4.0, "walk_median_ms": 60.0}


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--passages", type=int, default=100_000)
    arguments.add_argument("--starts", type=int, default=200)
    arguments.add_argument("--cache", type=Path, default=Path("/tmp/evalcache"))
    arguments.add_argument("--part", choices=["build", "size"])
    given = arguments.parse_args()
    if given.part == "build":
        print(dumps(_build()))
    elif given.part == "size":
        print(dumps(_size(given.passages, given.starts, given.cache)))
    else:
        parts = {part: _apart(part, given) for part in ("build", "size")}
        met = {
            "build_ratio": parts["build"]["ratio"] <= LIMITS["build_ratio"],
            "peak_gib": parts["size"]["peak_gib"] <= LIMITS["peak_gib"],
            "walk_median_ms": parts["size"]["walk_ms"]["p50"] <= LIMITS["walk_median_ms"],
        }
        save("graph_speed", {"circumstances": circumstances(), **parts, "limits": LIMITS, "met": met})


def _apart(part: str, given: argparse.Namespace) -> dict:
    sizes = ("--passages", str(given.passages), "--starts", str(given.starts), "--cache", str(given.cache))
    command = [sys.executable, "-m", "bench.retrieval.graph_speed", "--part", part, *sizes]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    print(done.stdout, end="", flush=True)
    return loads(done.stdout)


def _build() -> dict:
    documents = list(as_documents(read_set(data_folder() / BUILT), "docs").values())[:TEXTS]
    seconds: dict[bool, list[float]] = {True: [], False: []}
    for turn in range(TURNS):
        for with_graph in (turn % 2 == 0, turn % 2 == 1):
            with tempfile.TemporaryDirectory(prefix="ascertain-graph-") as home:
                settings = Settings(home=Path(home), graph=GraphSettings(build=with_graph, extractor="rules"))
                with Ascertain(settings) as app:
                    started = time.perf_counter()
                    app.add_documents(documents)
                    seconds[with_graph].append(time.perf_counter() - started)
    medians = {name: statistics.median(seconds[key]) for name, key in (("with_graph", True), ("without", False))}
    return {
        "set": BUILT,
        "documents": len(documents),
        "extractor": "rules",
        "seconds": {name: round(value, 2) for name, value in medians.items()},
        "ratio": round(medians["with_graph"] / medians["without"], 3),
    }


def _size(passages: int, starts: int, cache: Path) -> dict:
    graphs = _read(cache)
    passages_of_set = sum(len(graph.chunk_ids) for graph in graphs)
    with tempfile.TemporaryDirectory(prefix="ascertain-graph-") as home:
        settings = Settings(home=Path(home), graph=GraphSettings(build=False))
        with Ascertain(settings) as app:
            app.add_documents(list(as_documents(read_set(data_folder() / BUILT), "docs").values())[:1])
        store = open_graph(settings.graph, settings.store, settings.home)
        started = time.perf_counter()
        batch: list[DocumentGraph] = []
        for graph in _tiled(graphs, passages):
            batch.append(graph)
            if len(batch) == 500:
                store.upsert(batch)
                batch = []
        store.upsert(batch)
        times = {"write": time.perf_counter() - started}
        columns = _timed(times, "columns", lambda: store.columns("default"))
        snapshot = _timed(times, "snapshot", lambda: Snapshot.of(columns))
        path = Path(home) / "snapshot.npz"
        _timed(times, "save", lambda: save_snapshot(snapshot, path))
        _timed(times, "load", lambda: load_snapshot(path, snapshot.generation))
        walks, links = _walks(snapshot, starts)
        store.close()
    return {
        "tiled_from": {"set": SET, "passages": passages_of_set, "shared_names": SHARED},
        "passages": len(snapshot.chunk_ids),
        "entities": snapshot.size,
        "mentions": len(snapshot.mention_entity),
        "seconds": {name: round(value, 2) for name, value in times.items()},
        "walk_ms": _percentiles(walks),
        "link_ms": _percentiles(links),
        "peak_gib": round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20, 2),
    }


def _walks(snapshot: Snapshot, starts: int) -> tuple[list[float], list[float]]:
    """Milliseconds of each walk, its neighbourhood included, and of each look-up of the names of a question."""
    random_starts = random.Random(6)
    linker, rarity = Linker(snapshot), snapshot.rarity
    linker.link("Steven Spielberg", ENGLISH)
    walk_times: list[float] = []
    link_times: list[float] = []
    for _ in range(starts):
        first = random_starts.randrange(len(snapshot.chunk_ids))
        beside = [random_starts.randrange(len(snapshot.chunk_ids)) for _ in range(SEEDS - 1)]
        named = [entity for entity in snapshot.entities_in(snapshot.chunk_ids[first]) if rarity[entity] > 0][:2]
        labels = " and ".join(snapshot.at(entity).label for entity in named)
        started = time.perf_counter()
        linker.link(f"Where was the maker of {labels} born?", ENGLISH)
        link_times.append(1000 * (time.perf_counter() - started))
        start = Start({first: 1.0} | dict.fromkeys(beside, 0.1), dict.fromkeys(named, 0.3))
        started = time.perf_counter()
        walk_graph(find_neighbourhood(snapshot, start), start)
        walk_times.append(1000 * (time.perf_counter() - started))
    return walk_times, link_times


def _read(cache: Path) -> list[DocumentGraph]:
    chunks: dict[str, list[Chunk]] = {}
    settings = Settings(graph=GraphSettings(build=False))
    with open_knowledge(
        read_set(data_folder() / SET), settings, cache, Listener(show_status, show_remark)
    ) as knowledge:
        for chunk in knowledge.app.container.store().iterate_chunks():
            chunks.setdefault(chunk.document_id, []).append(chunk)
    return list(RuleExtractor().extract(chunks.items()))


def _tiled(graphs: Sequence[DocumentGraph], passages: int) -> Iterator[DocumentGraph]:
    """Copies of ``graphs`` until there are so many passages; ids and most names of each are its own."""
    left, tile = passages, 0
    while True:
        for graph in graphs:
            yield _copy(graph, tile)
            left -= len(graph.chunk_ids)
            if left <= 0:
                return
        tile += 1


def _copy(graph: DocumentGraph, tile: int) -> DocumentGraph:
    def key(name: str) -> str:
        is_shared = random.Random(name).random() < SHARED
        return name if is_shared or not tile else f"{name} {tile}"

    def chunk(chunk_id: str) -> str:
        return f"{tile}-{chunk_id}"

    return replace(
        graph,
        document_id=f"{tile}-{graph.document_id}",
        chunk_ids=tuple(map(chunk, graph.chunk_ids)),
        mentions=tuple(
            replace(m, chunk_id=chunk(m.chunk_id), name=Name(key(m.name.key), m.name.written, m.name.kind))
            for m in graph.mentions
        ),
        relations=tuple(
            replace(r, chunk_id=chunk(r.chunk_id), subject=key(r.subject), object=key(r.object))
            for r in graph.relations
        ),
        aliases=tuple(
            replace(a, chunk_id=chunk(a.chunk_id), alias=key(a.alias), key=key(a.key)) for a in graph.aliases
        ),
    )


def _timed(times: dict[str, float], name: str, act: Callable[[], Made]) -> Made:
    started = time.perf_counter()
    done = act()
    times[name] = time.perf_counter() - started
    return done


def _percentiles(values: Sequence[float]) -> dict[str, float]:
    ordered = sorted(values)
    return {"p50": round(ordered[len(ordered) // 2], 2), "p95": round(ordered[int(0.95 * len(ordered))], 2)}


if __name__ == "__main__":
    main()
