"""A plan for 100 million chunks and 1,000 questions a second, computed from what was measured.

    python bench/capacity.py    prints its tables; bench/report.py writes them into docs/scaling.md

Every line says what it rests on: *measured* on the two cores of the benchmarks, *published* by someone else, *chosen* by us, or
*extrapolated* from the measured by a rule that the line names. Nothing was run at that size.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from search_cost import BREADTH, MOST_BREADTH, cost_at, growth_of_words, hybrid_cost

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
COPIES = 2
"""Of everything, so that a machine may fail."""
V100_SENTENCES = 14_200
"""A second, all-MiniLM-L6-v2 on one V100: sbert.net, "Pretrained Models"."""
SENTENCES_HERE = 150
"""A second, the same model on both cores here, 40 tokens each; measured before this project began."""
DIMENSION, NEIGHBOURS = 384, 16
QDRANT_OVERHEAD, LINK_BYTES = 1.5, 4
"""Qdrant, "Capacity Planning": vectors x dimension x 4 bytes x 1.5. A link of its graph is a 32-bit number."""
CANDIDATES = 60
"""Chunks of both legs that a search fetches, with text and vector."""
POSTGRES_PARTS = {
    "text of the chunks, their words beside it": ("chunks", "chunks (out of line)"),
    "index of the words": ("chunks_by_words",),
    "vectors": ("vectors_",),
    "graph over the vectors": ("_graph",),
    "documents with their text": ("texts", "documents"),
    "near-duplicates": ("signature_bands",),
}
"""Names of relations by what they are for; the first that fits, the graph before the vectors."""


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
        [
            "embed a chunk",
            f"{1000 * embed:.0f} ms of a core",
            "30 transcripts, `ingest_speed.json`",
            MEASURED,
        ],
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
    for name, size in _postgres_bytes(speed).items():
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
    parts = _postgres_bytes(results("stores_speed"))
    graph, words = (parts[name] * CHUNKS for name in ("graph over the vectors", "index of the words"))
    full = CHUNKS * DIMENSION * 4 * QDRANT_OVERHEAD
    quantised = CHUNKS * (DIMENSION + 2 * NEIGHBOURS * LINK_BYTES) * QDRANT_OVERHEAD
    building = CHUNKS * (2 * DIMENSION + 20 * NEIGHBOURS) * 1.3
    return HEAD, [
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
        [
            "Qdrant: float32",
            _giga(full),
            "chunks × dimension × 4 × 1.5 (Qdrant, Capacity Planning)",
            PUBLISHED,
        ],
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
        [
            "embed a question",
            f"{cost['embed']['processor_ms']:.0f} ms of a core",
            "`question_cost.json`",
            MEASURED,
        ],
        [
            "a whole answer without a chat model",
            f"{cost['ask']['processor_ms']:.0f} ms, {searches:.1f} searches",
            "small embedded store, `question_cost.json`",
            MEASURED,
        ],
    ]
    for kind, label in (("postgres", "PostgreSQL"), ("qdrant", "Qdrant")):
        now = hybrid_cost(speed["stores"][kind])
        own = (
            0.0
            if kind == "qdrant"
            else speed["stores"][kind]["search"]["hybrid"]["100 %"]["own_processor_ms"]
        )
        then = cost_at(CHUNKS, speed["stores"][kind])
        a_search = cost["search"]["processor_ms"] + own
        an_answer = cost["ask"]["processor_ms"] + searches * own
        rows += [
            [
                f"{label}: one search of {speed['chunks']:,}",
                f"{sum(now.values()):.0f} ms",
                "by meaning {dense:.1f}, by words {lexical:.1f}, counts, texts and vectors {rest:.1f}".format(
                    **now
                ),
                MEASURED,
            ],
            [
                f"{label}: one search of {CHUNKS:,}",
                f"{sum(then.values()):.0f} ms",
                f"by meaning {then['dense']:.0f} (log n, breadth {BREADTH} → {MOST_BREADTH:,}), by words {then['lexical']:.0f} "
                f"(n^{growth_of_words(speed['stores'][kind]):.2f}, as from a fifth of the chunks to all)",
                EXTRAPOLATED,
            ],
        ]
        for what, ours, number in (("searches", a_search, 1.0), ("answers", an_answer, searches)):
            api, store = (
                QUESTIONS_A_SECOND * milliseconds / 1000 / BUSY
                for milliseconds in (ours, number * sum(then.values()))
            )
            rows.append(
                [
                    f"{label}: {QUESTIONS_A_SECOND:,} {what} a second",
                    f"{api:,.0f} + {store:,.0f} cores",
                    f"API {ours:.0f} ms + store {number * sum(then.values()):.0f} ms each, {BUSY:.0%} busy: "
                    f"{_nodes(api)} + {_nodes(store)} machines of {NODE_CORES}",
                    EXTRAPOLATED,
                ]
            )
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


def _postgres_bytes(speed: Mapping[str, Any]) -> dict[str, float]:
    """Bytes a chunk by the groups of POSTGRES_PARTS, then the rest."""
    groups = dict.fromkeys([*POSTGRES_PARTS, "all others"], 0.0)
    for name, size in speed["stores"]["postgres"]["parts"].items():
        groups[_group(name)] += size / speed["chunks"]
    return groups


def _group(part: str) -> str:
    if part.endswith("_graph"):
        return "graph over the vectors"
    exact = (group for group, names in POSTGRES_PARTS.items() if part in names)
    begins = (group for group, names in POSTGRES_PARTS.items() if part.startswith(names))
    return next(exact, None) or next(begins, "all others")


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
    folder = Path(__file__).parent / "results"
    for name, plan in PLANS.items():
        head, rows = plan(lambda file: json.loads((folder / f"{file}.json").read_text("utf-8")))
        print(f"\n{name}")
        for row in (head, *rows):
            print(" | ".join(row))


if __name__ == "__main__":
    main()
