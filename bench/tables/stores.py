"""The tables of ``docs/scaling.md`` about the stores: rows as text, from ``stores_speed.json`` and ``stores_quality.json``."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

Results = Callable[[str], Mapping[str, Any]]
Table = tuple[list[str], list[list[str]]]
NAMES = {"embedded": "embedded", "postgres": "PostgreSQL", "qdrant": "Qdrant (edge)", "chroma": "Chroma"}
LEGS = ("hybrid", "dense", "lexical")
CHOICES = {
    "embedded": ("one machine, nothing to run", "one writer at a time; the folder on a local disk"),
    "postgres": (
        "several machines and writers; conversations and everything else in one place",
        "the primary's processors for words, its memory for the graph",
    ),
    "qdrant": (
        "several machines on a Qdrant server you run already; many tenants",
        "memory for vectors; conversations live elsewhere",
    ),
    "chroma": ("vectors in Chroma, for tools that read them there", "the record stays in one folder with one writer"),
}
"""When to take a store, and what limits it."""


def choice_table(results: Results) -> Table:
    """When to take which, with what was measured of it."""
    found = results("stores_speed")
    head = ["store", "take it for", f"hybrid search of {found['chunks']:,}, ms", "chunks/s", "KB a chunk", "limited by"]
    rows = [
        [
            NAMES[kind],
            CHOICES[kind][0],
            f"{store['search']['hybrid']['100 %']['median_ms']:.0f}",
            f"{store['load']['chunks_per_second']:,}",
            f"{_bytes_a_chunk(found, store) / 1000:.1f}",
            CHOICES[kind][1],
        ]
        for kind, store in found["stores"].items()
    ]
    return head, rows


def circumstances_table(results: Results) -> Table:
    """Machine, date and versions of each results file."""
    rows: list[list[str]] = []
    for name in ("stores_speed", "stores_quality", "question_cost", "graph_stores"):
        found = results(name)
        where = found["circumstances"]
        versions = dict(where["packages"])
        for store in found.get("stores", {}).values():
            versions |= store.get("versions", {})
        machine = f"{where['machine']['processor']}, {where['machine']['cores']} cores"
        listed = ", ".join(f"{package} {version}" for package, version in versions.items())
        rows.append([f"`{name}.json`", where["date"], f"`{where['commit']}`", machine, listed])
    return ["results", "date", "commit", "machine", "versions"], rows


def loads_table(results: Results) -> Table:
    """How 100,000 chunks go in, and what they take."""
    found = results("stores_speed")
    head = [
        f"{found['chunks']:,} chunks",
        "chunks/s",
        "of it building the index, s",
        "processor ms a chunk, ours + server's",
        "one document into the full store, ms",
        "bytes a chunk",
        "memory MB, ours + server's",
    ]
    rows: list[list[str]] = []
    for kind, store in found["stores"].items():
        load, memory = store["load"], store["memory_mb"]
        own, server = (1000 * load[f"{whose}_processor_seconds"] / load["chunks"] for whose in ("own", "server"))
        rows.append(
            [
                NAMES[kind],
                f"{load['chunks_per_second']:,}",
                f"{load['flushing_seconds']:.0f}",
                f"{own:.1f} + {server:.1f}" if server else f"{own:.1f}",
                f"{store['one_document']['median_ms']:.0f}",
                f"{_bytes_a_chunk(found, store):,.0f}",
                f"{memory['own']} + {store['server_memory_mb']}" if server else str(memory["own"]),
            ]
        )
    return head, rows


def searches_table(results: Results) -> Table:
    """Median and 95th percentile of each kind of search under each filter."""
    found = results("stores_speed")
    head = ["store", "search", *(f"{share} left" for share in found["shares"]), "times embedded, all chunks"]
    rows: list[list[str]] = []
    for kind, store in found["stores"].items():
        for leg in LEGS:
            cells = store["search"][leg]
            ratio = found["over_embedded"].get(kind, {}).get(leg, {}).get("100 %")
            rows.append(
                [
                    NAMES[kind],
                    leg,
                    *(f"{cells[share]['median_ms']:.1f} / {cells[share]['p95_ms']:.1f}" for share in found["shares"]),
                    "" if ratio is None else f"{ratio:.1f}",
                ]
            )
    return head, rows


def recall_table(results: Results) -> Table:
    """Of the true nearest, the share that a search finds."""
    found = results("stores_speed")
    depths = next(iter(found["stores"].values()))["recall"]
    head = ["recall", *(f"@{depth}, {share}" for depth in depths for share in found["shares"]), "0.98 reached"]
    rows = [
        [
            NAMES[kind],
            *(f"{store['recall'][depth][share]:.3f}" for depth in depths for share in found["shares"]),
            "yes" if store["recall_reached"] else "**no**",
        ]
        for kind, store in found["stores"].items()
    ]
    return head, rows


def processor_table(results: Results) -> Table:
    """Processor milliseconds of one hybrid search, in our process and in the server's."""
    found = results("stores_speed")
    head = ["one hybrid search", *(f"{share} left" for share in found["shares"])]
    rows = [
        [f"{NAMES[kind]}, {label}", *(f"{store['search']['hybrid'][share][key]:.1f}" for share in found["shares"])]
        for kind, store in found["stores"].items()
        for label, key in (("our process", "own_processor_ms"), ("server", "server_processor_ms"))
        if key == "own_processor_ms" or store["search"]["hybrid"]["100 %"][key]
    ]
    return head, rows


def parts_table(results: Results, kind: str) -> Table:
    """Bytes a chunk of the ten largest parts on disk."""
    found = results("stores_speed")
    store = found["stores"][kind]
    parts = [(name, size / found["chunks"]) for name, size in store["parts"].items()]
    rows = [[f"`{name}`", f"{size:,.0f}"] for name, size in parts[:10]]
    rows.append(["all others", f"{sum(size for _, size in parts[10:]):,.0f}"])
    rows.append(["**together**", f"**{sum(size for _, size in parts):,.0f}**"])
    return [NAMES[kind], "bytes a chunk"], rows


def quality_table(results: Results) -> Table:
    """R@5 / nDCG@10 of the same questions in each store."""
    sets = results("stores_quality")["sets"]
    kinds = list(sets[0]["stores"])
    head = ["set", "search", *(NAMES[kind] for kind in kinds)]
    rows: list[list[str]] = []
    for row in sets:
        for leg in LEGS:
            cells = [row["stores"][kind][leg] for kind in kinds]
            rows.append([f"{row['set']} ({row['queries']})", leg, *map(_quality, cells)])
    return head, rows


def words_table(results: Results) -> Table:
    """R@5 / nDCG@10 of the words alone: our BM25 in both stores, and what PostgreSQL ranks by itself."""
    columns = {"embedded": "embedded", "postgres": "PostgreSQL", "ts_rank_cd": "`ts_rank_cd`", "ts_rank": "`ts_rank`"}
    rows = [
        [
            row["set"],
            *(f"{row[key]['R@5']:.1f} / {row[key]['nDCG@10']:.1f}" if "R@5" in row[key] else "" for key in columns),
        ]
        for row in results("lexical_stores")["sets"]
    ]
    return ["words alone", *columns.values()], rows


def ray_table(results: Results) -> Table:
    """The same files added by one process and by a cluster on the same machine."""
    found = results("ray_ingest")
    head = [
        "engine",
        "chunks",
        "seconds in all",
        "before the first text",
        "once started",
        "embedding, summed over processes",
        "against local, once started",
    ]
    rows = [
        [
            label,
            f"{found[key]['chunks']:,}",
            f"{found[key]['seconds']:.0f}",
            f"{found[key]['before_the_first_text_seconds']:.0f}",
            f"{found[key]['once_started_seconds']:.0f}",
            f"{found[key][embedding]:.0f}",
            "" if key == "local" else f"{100 * found['slower_once_started']:+.1f} %",
        ]
        for key, label, embedding in (
            ("local", "local, one process", "embedding_seconds"),
            ("ray", f"Ray, {found['workers']} workers", "embedding_seconds_of_all_workers"),
        )
    ]
    return head, rows


def targets_table(results: Results) -> Table:
    """The furthest any set's R@5 lies under the embedded store's."""
    targets = results("stores_quality")["targets"]
    head = ["points of R@5 to the embedded store, the worst set", *LEGS, "target met"]
    rows = [
        [
            NAMES[kind],
            *(f"{found['furthest_under_embedded'][leg]:+.2f}" for leg in LEGS),
            "yes" if found["target_met"] else "**no**",
        ]
        for kind, found in targets.items()
        if kind != "embedded"
    ]
    return head, rows


def _bytes_a_chunk(found: Mapping[str, Any], store: Mapping[str, Any]) -> float:
    return sum(store["parts"].values()) / found["chunks"]


def _quality(cell: Mapping[str, float]) -> str:
    same = f"{cell['same_first_5']:.1f} % the same"
    return f"{cell['R@5']:.1f} / {cell['nDCG@10']:.1f}, {same}" if "R@5" in cell else same
