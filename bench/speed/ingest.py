"""How long an ingest takes, and how much of it outside the embedding model.

    python -m bench.speed.ingest [--data DIR] [--output FILE]

Reads the podcast episodes and the papers of the evaluation data into a fresh home with the real embedding model, then again, which
finds everything unchanged. Writes one JSON object to bench/results/ingest_speed.json.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import resource
import tempfile
import time
from pathlib import Path
from typing import Any

from ascertain.core.documents.ingest import IngestReport
from ascertain.core.settings import IngestSettings, StoreSettings
from ascertain.documents.ingest.pipeline import Ingestor
from ascertain.models.onnx import OnnxEmbedder
from ascertain.stores.registry import open_store

ROOT = Path(__file__).parents[2]
SOURCES = {"podcasts": "podcast_changelog/episodes", "papers": "pdf_papers/pdf"}


def measure(data: Path, limit: int | None) -> dict[str, object]:
    with tempfile.TemporaryDirectory() as folder:
        embedder = OnnxEmbedder.load("all-MiniLM-L6-v2")
        store = open_store(StoreSettings(), Path(folder) / "home", embedder.name, embedder.dimension)
        ingestor = Ingestor(store, embedder, IngestSettings())
        results: dict[str, dict[str, Any]] = {}
        for profile, name in SOURCES.items():
            files = [path for path in sorted((data / name).rglob("*")) if path.suffix in {".md", ".pdf"}][:limit]
            cpu = time.process_time()
            results[profile] = {
                "files": len(files),
                "bytes": sum(path.stat().st_size for path in files),
                **figures(ingestor.add_paths(files, profile=profile)),
                "cpu_seconds": round(time.process_time() - cpu, 2),
                "again": figures(ingestor.add_paths(files, profile=profile)),
            }
        size = store.stats().bytes_on_disk
        store.close()
    return {**results, "total": total(results), "bytes_on_disk": size}


def total(results: dict[str, dict[str, Any]]) -> dict[str, float]:
    """Both kinds together; the target is an ``outside_embedding_share`` under 0.15."""
    seconds = sum(result["seconds"] for result in results.values())
    embedding = sum(result["embedding_seconds"] for result in results.values())
    return {
        "seconds": round(seconds, 2),
        "embedding_seconds": round(embedding, 2),
        "outside_embedding_share": round(1 - embedding / seconds, 4),
    }


def figures(report: IngestReport) -> dict[str, object]:
    outside = report.seconds - report.embedding_seconds
    return {
        "added": report.added,
        "unchanged": report.unchanged,
        "chunks": report.chunks,
        "failures": [f"{failure.source}: {failure.reason}" for failure in report.failures],
        "seconds": round(report.seconds, 2),
        "embedding_seconds": round(report.embedding_seconds, 2),
        "outside_embedding_share": round(outside / report.seconds, 4),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    default = os.environ.get("ASCERTAIN_BENCH", str(ROOT.parent / "shared" / "bench"))
    parser.add_argument("--data", type=Path, default=Path(default))
    parser.add_argument("--output", type=Path, default=ROOT / "bench" / "results" / "ingest_speed.json")
    parser.add_argument("--limit", type=int, help="Only so many files of each kind.")
    arguments = parser.parse_args()
    load = os.getloadavg()[0]
    result = measure(arguments.data, arguments.limit) | {
        "peak_memory_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024,
        "machine": {"cpus": os.cpu_count(), "python": platform.python_version(), "load_at_start": round(load, 1)},
    }
    arguments.output.parent.mkdir(parents=True, exist_ok=True)
    arguments.output.write_text(json.dumps(result, indent=1) + "\n")
    print(json.dumps(result, indent=1))


if __name__ == "__main__":
    main()
