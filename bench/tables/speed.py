"""The speed tables of ``docs/benchmarks.md``: rows as text, from ``search_speed.json`` and ``ingest_speed.json``."""

from __future__ import annotations

Rows = list[list[str]]


def search_rows(results: dict) -> Rows:
    """Hybrid search over the same 100,000 chunks, each question put to all three engines in turn."""
    found = results["in_turn_with_lancedb"]
    ours = found["ascertain"]["median_ms"]
    names = {
        "ascertain": "Ascertain",
        "as_it_comes": f"LanceDB {found['version']}, as it comes",
        "ivf_hnsw_sq": f"LanceDB {found['version']}, IVF_HNSW_SQ and FTS index",
    }
    return [
        [
            label,
            f"{found[key]['median_ms']:.1f}",
            f"{found[key]['p95_ms']:.1f}",
            f"{found[key]['processor_median_ms']:.1f}",
            f"{found[key]['median_ms'] / ours:.2f}",
        ]
        for key, label in names.items()
    ]


def size_rows(results: dict) -> Rows:
    """Ascertain at each size."""
    return [
        [
            f"{row['chunks']:,}",
            f"{row['hybrid']['median_ms']:.1f}",
            f"{row['hybrid']['p95_ms']:.1f}",
            f"{row['open_and_first_query']['median_s']:.1f}",
            f"{row['recall_at_100']:.3f}",
            f"{row['memory_mb']['own']:,} + {row['memory_mb']['mapped_files']:,}",
            f"{row['bytes_on_disk'] / 1e9:.2f}",
        ]
        for row in results["ascertain"]
    ]


def ingest_rows(results: dict) -> Rows:
    """Ingest of real files, and how much of the time the embedding model does not account for."""
    return [
        [
            name,
            str(row["files"]),
            f"{row['chunks']:,}",
            str(len(row["failures"])),
            f"{row['seconds']:.0f}",
            f"{row['chunks'] / row['seconds']:.1f}",
            f"{100 * row['outside_embedding_share']:.1f} %",
            f"{row['again']['seconds']:.1f}",
        ]
        for name, row in ((name, results[name]) for name in ("podcasts", "papers"))
    ]
