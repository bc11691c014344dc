"""A plan for 100 million chunks and 1,000 questions a second, computed from what was measured.

    python -m bench.tables.capacity    prints its tables; bench/tables/report.py writes them into docs/scaling.md

Every line says what it rests on: *measured* on the two cores of the benchmarks, *published* by someone else, *chosen* by us, or
*extrapolated* from the measured by a rule that the line names. Nothing was run at that size.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping
from typing import Any

from ascertain.core.settings import RetrievalSettings
from bench.setting import RESULTS
from bench.stores.postgres_parts import bytes_by_purpose
from bench.tables.search_cost import BREADTH, MOST_BREADTH, cost_at, growth_of_words, hybrid_cost

Results = Callable[[str], Mapping[str, Any]]
Line = list[str]
Table = tuple[list[str], list[Line]]

CHUNKS = 100_000_000
QUESTIONS_A_SECOND = 1_000
HEAD = ["", "value", "how", "basis"]
MEASURED, PUBLISHED, CHOSEN, EXTRAPOLATED = "measured here", "published", "chosen", "extrapolated"

BUSY = 0.6
"""Share of a processor that may be in use: at 60 % a request waits 1.5 times as long as it works (M/M/1), beyond that soon much longer."""
NODE_CORES, NODE_GB = 32, 256
"""A machine that every provider has."""
MEMORY_SHARE = 0.75
"""Of its memory, for what searches read; the rest is for connections, sorting and the system."""
EMBEDDING_CORES, EMBEDDING_GPUS, WRITERS = 256, 8, 16
V100_SENTENCES = 14_200
"""A second, all-MiniLM-L6-v2 on one V100: sbert.net, "Pretrained Models"."""
SENTENCES_HERE = 150
"""A second, the same model on both cores here, 40 tokens each; measured before this project began."""
DIMENSION, NEIGHBOURS = 384, 16
QDRANT_OVERHEAD, LINK_BYTES = 1.5, 4
"""Qdrant, "Capacity Planning": vectors x dimension x 4 bytes x 1.5. A link of its graph is a 32-bit number."""
COMMON_TERM_SHARE = RetrievalSettings().common_term_share
CANDIDATES = 60
"""Chunks of both legs that a search fetches, with text and vector."""


def ingest_plan(results: Results) -> Table:
    """Embedding, writing and indexing everything once."""
    speed, podcasts = results("stores_speed"), results("ingest_speed")["podcasts"]
    embed = podcasts["cpu_seconds"] / podcasts["chunks"]
    core_hours = CHUNKS * embed / 3600
    longer = SENTENCES_HERE / (podcasts["chunks"] / podcasts["seconds"])
    on_gpu = V100_SENTENCES / longer
    load = speed["stores"]["postgres"]["load"]
    own, server = (load[f"{whose}_processor_seconds"] / load["chunks"] for whose in ("own", "server"))
    written = min(WRITERS * load["chunks_per_second"], NODE_CORES * BUSY / server)
    graph = load["flushing_seconds"] * CHUNKS / load["chunks"] * _logarithmic(load["chunks"]) / 3600
    return HEAD, [
        ["embed a chunk", f"{1000 * embed:.0f} ms of a core", "30 transcripts, `ingest_speed.json`", MEASURED],
        ["embed all, processors", f"{core_hours:,.0f} core-hours", "× chunks", EXTRAPOLATED],
        [f"on {EMBEDDING_CORES} cores", f"{core_hours / EMBEDDING_CORES:.0f} h", "÷ cores", EXTRAPOLATED],
        [
            "embed a chunk, one V100",
            f"{on_gpu:,.0f} a second",
            f"{V100_SENTENCES:,} sentences/s (sbert.net) ÷ {longer:.1f} sentences a chunk costs here",
            f"{PUBLISHED}, {EXTRAPOLATED}",
        ],
        [
            f"embed all on {EMBEDDING_GPUS} of them",
            f"{CHUNKS / on_gpu / EMBEDDING_GPUS / 3600:.1f} h",
            "chunks ÷ rate ÷ GPUs",
            EXTRAPOLATED,
        ],
        [
            "write a chunk to PostgreSQL",
            f"{1000 * own:.1f} + {1000 * server:.1f} ms",
            "processor of the writer + of the server, `stores_speed.json`",
            MEASURED,
        ],
        [
            f"write all with {WRITERS} writers",
            f"{CHUNKS / written / 3600:.0f} h",
            f"{written:,.0f} chunks/s: {WRITERS} × {load['chunks_per_second']:,}, at most {NODE_CORES} cores × {BUSY:.0%} of the server",
            EXTRAPOLATED,
        ],
        [
            "build the graph",
            f"{graph:,.0f} core-hours",
            f"{load['flushing_seconds']:.0f} s for {load['chunks']:,}, by n log n (HNSW), while it fits in memory",
            EXTRAPOLATED,
        ],
    ]


def disk_plan(results: Results) -> Table:
    """Bytes of PostgreSQL by what they are for, and the other stores' as wholes."""
    speed = results("stores_speed")
    rows: list[Line] = []
    for name, size in bytes_by_purpose(speed).items():
        rows.append([name, f"{size:,.0f}", _giga(size * CHUNKS)])
    for kind, label in (
        ("postgres", "PostgreSQL"),
        ("qdrant", "Qdrant"),
        ("chroma", "Chroma"),
        ("embedded", "embedded"),
    ):
        if kind in speed["stores"]:
            size = sum(speed["stores"][kind]["parts"].values()) / speed["chunks"]
            rows.append([f"**{label}, together**", f"**{size:,.0f}**", f"**{_giga(size * CHUNKS)}**"])
    return [
        "on disk",
        f"bytes a chunk, {MEASURED}",
        f"{CHUNKS // 1_000_000} million, {EXTRAPOLATED} in proportion",
    ], rows


def memory_plan(results: Results) -> Table:
    """What has to be in memory for searches to take milliseconds, and how many machines that is."""
    parts = bytes_by_purpose(results("stores_speed"))
    graph, words = (parts[name] * CHUNKS for name in ("graph over the vectors", "index of the words"))
    full = CHUNKS * DIMENSION * 4 * QDRANT_OVERHEAD
    quantised = CHUNKS * (DIMENSION + 2 * NEIGHBOURS * LINK_BYTES) * QDRANT_OVERHEAD
    building = CHUNKS * (2 * DIMENSION + 20 * NEIGHBOURS) * 1.3
    return HEAD, [
        [
            "a machine",
            f"{NODE_CORES} cores, {NODE_GB} GB",
            f"{BUSY:.0%} of the cores busy, {MEMORY_SHARE:.0%} of the memory for what searches read",
            CHOSEN,
        ],
        ["PostgreSQL: the graph", _giga(graph), "bytes a chunk × chunks", EXTRAPOLATED],
        ["PostgreSQL: the index of words", _giga(words), "bytes a chunk × chunks", EXTRAPOLATED],
        [
            "PostgreSQL: partitions of one machine each",
            str(_machines(graph + words)),
            f"÷ {MEMORY_SHARE:.0%} of {NODE_GB} GB",
            EXTRAPOLATED,
        ],
        [
            "PostgreSQL: to build the graph in one go",
            _giga(building),
            "(2 × dimension + 20 × neighbours) × 1.3 a chunk; else it goes on on disk, many times slower (pgvector's README)",
            f"{PUBLISHED}, {EXTRAPOLATED}",
        ],
        ["Qdrant: float32", _giga(full), "chunks × dimension × 4 × 1.5 (Qdrant, Capacity Planning)", PUBLISHED],
        [
            "Qdrant: int8 in memory, the rest on disk",
            _giga(quantised),
            "chunks × (dimension + 2 × neighbours × 4) × 1.5",
            f"{EXTRAPOLATED} from the same",
        ],
        [
            "Qdrant: shards of one machine each",
            f"{_machines(full)}, quantised {_machines(quantised)}",
            f"÷ {MEMORY_SHARE:.0%} of {NODE_GB} GB",
            EXTRAPOLATED,
        ],
    ]


def processor_plan(results: Results) -> Table:
    """Cores for 1,000 searches, and 1,000 answers, a second."""
    cost, speed = results("question_cost")["mean"], results("stores_speed")
    searches = cost["searches_of_an_answer"]
    rows: list[Line] = [
        ["embed a question", f"{cost['embed']['processor_ms']:.0f} ms of a core", "`question_cost.json`", MEASURED],
        [
            "a whole answer without a chat model",
            f"{cost['ask']['processor_ms']:,.0f} ms, {searches:.1f} searches",
            "small embedded store, `question_cost.json`",
            MEASURED,
        ],
    ]
    for kind, label in (("postgres", "PostgreSQL"), ("qdrant", "Qdrant")):
        rows += _of_store(label, speed["stores"][kind], cost)
    carried = CANDIDATES * (_bytes_of_text(speed) + 2 * DIMENSION)
    rows.append(
        [
            "between API and store",
            f"{8 * searches * carried * QUESTIONS_A_SECOND / 1e9:.1f} Gbit/s",
            f"{CANDIDATES} candidates × ({_bytes_of_text(speed):.0f} bytes of text + {2 * DIMENSION} of vector), {searches:.1f} searches, "
            f"{QUESTIONS_A_SECOND:,} answers a second",
            EXTRAPOLATED,
        ]
    )
    return HEAD, rows


def _of_store(label: str, store: Mapping[str, Any], cost: Mapping[str, Any]) -> list[Line]:
    """One search now and then, and the cores for many; a store inside our process is counted as if it were a server."""
    now, measured = hybrid_cost(store), store["load"]["chunks"]
    growth = growth_of_words(store)
    all_words, then = (cost_at(CHUNKS, store, every_word=every) for every in (True, False))
    looked_up = round(COMMON_TERM_SHARE * measured)
    hybrid = store["search"]["hybrid"]["100 %"]
    own = hybrid["own_processor_ms"] if hybrid["server_processor_ms"] else 0.0
    searches = cost["searches_of_an_answer"]
    rows = [
        [f"{label}: one search of {measured:,}", f"{sum(now.values()):.0f} ms", _split(now), MEASURED],
        [
            f"{label}: one search of {CHUNKS:,}, every word",
            f"{sum(all_words.values()):,.0f} ms",
            f"{_split(all_words)}; words by n^{growth:.2f}, as from a fifth of the chunks to all",
            EXTRAPOLATED,
        ],
        [
            f"{label}: the same, words in more than {looked_up:,} chunks left out",
            f"{sum(then.values()):,.0f} ms",
            f"{_split(then)}; the graph by log n, and breadth {BREADTH} → {MOST_BREADTH:,}",
            EXTRAPOLATED,
        ],
    ]
    for what, ours, number in (
        ("searches", cost["search"]["processor_ms"] + own, 1.0),
        ("answers", cost["ask"]["processor_ms"] + searches * own, searches),
    ):
        theirs = number * sum(then.values())
        api, server = (QUESTIONS_A_SECOND * milliseconds / 1000 / BUSY for milliseconds in (ours, theirs))
        rows.append(
            [
                f"{label}: {QUESTIONS_A_SECOND:,} {what} a second",
                f"{api:,.0f} + {server:,.0f} cores",
                f"API {ours:,.0f} ms + store {theirs:,.0f} ms each, {BUSY:.0%} busy: {_nodes(api)} + {_nodes(server)} machines of {NODE_CORES}",
                EXTRAPOLATED,
            ]
        )
    return rows


def _split(cost: Mapping[str, float]) -> str:
    return "by meaning {dense:,.1f}, by words {lexical:,.1f}, counts, texts and vectors {rest:,.1f}".format(**cost)


def _bytes_of_text(speed: Mapping[str, Any]) -> float:
    return speed["characters_of_a_chunk"]


def _logarithmic(measured: int) -> float:
    return math.log(CHUNKS) / math.log(measured)


def _machines(size: float) -> int:
    return math.ceil(size / (MEMORY_SHARE * NODE_GB * 1e9))


def _nodes(cores: float) -> int:
    return math.ceil(cores / NODE_CORES)


def _giga(size: float) -> str:
    return f"{size / 1e9:,.0f} GB"


PLANS = {
    "plan-ingest": ingest_plan,
    "plan-disk": disk_plan,
    "plan-memory": memory_plan,
    "plan-processors": processor_plan,
}


def main() -> None:
    for name, plan in PLANS.items():
        head, rows = plan(lambda file: json.loads((RESULTS / f"{file}.json").read_text("utf-8")))
        print(f"\n{name}")
        for row in (head, *rows):
            print(" | ".join(row))


if __name__ == "__main__":
    main()
