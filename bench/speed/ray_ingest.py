"""The same files added by this process and by two workers of a Ray cluster, into PostgreSQL; into ``results/ray_ingest.json``.

    python -m bench.speed.ray_ingest [--chunks 20000] [--workers 2]

Texts are sentences of the corpora of ``../shared/bench``, in chunks of about 40 tokens so that the real embedding model takes minutes and
not an hour. Both engines read, chunk, embed and write everything; the server runs on the same cores. ``once_started`` begins where the
first text goes into a model: what comes before is the start of processes, which does not grow with the corpus. The engines take turns
after a round of warming up that is not counted: local, ray.
"""

from __future__ import annotations

import argparse
import os
import pickle
import random
import tempfile
import time
from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from ascertain.core.documents.ingest import IngestReport
from ascertain.core.settings import ChunkerSettings, IngestSettings, ModelSettings, RaySettings, StoreSettings
from ascertain.documents.ingest.cluster.batches import EmbedderRecipe, Outcome, Source, SourceBatch, StoreRecipe
from ascertain.documents.ingest.cluster.engine import ClusterIngestor, Crew
from ascertain.documents.ingest.cluster.ray_data import RayCluster
from ascertain.documents.ingest.cluster.stages import Workplace, read_sources
from ascertain.documents.ingest.pipeline import Ingestor
from ascertain.documents.sources.files import ReadOptions
from ascertain.models.ports import Embedder, Vectors
from ascertain.models.registry import open_embedder
from ascertain.stores.registry import open_store
from bench.setting import circumstances, save, show_remark
from bench.speed.synthetic_chunks import sentences_of_corpora
from bench.stores.servers import postgres

CHUNK = ChunkerSettings(size=200, overlap=0)
CHUNKS_PER_FILE = 40
TARGET = 0.25
"""How much slower the cluster may be once started."""


def write_files(folder: Path, chunks: int) -> None:
    """Files of about ``CHUNKS_PER_FILE`` paragraphs of 150 to 200 characters."""
    choose = random.Random(3)
    sentences = [sentence for document in sentences_of_corpora() for sentence in document]
    for number in range(chunks // CHUNKS_PER_FILE):
        paragraphs: list[str] = []
        while len(paragraphs) < CHUNKS_PER_FILE:
            text = ""
            while len(text) < 150:
                text = f"{text} {choose.choice(sentences)}".strip()[:190]
            paragraphs.append(text)
        (folder / f"file{number:05}.txt").write_text("\n\n".join(paragraphs), "utf-8")


class TimedEmbedder:
    """Remembers when it was first asked."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self.name, self.dimension = embedder.name, embedder.dimension
        self.began: float | None = None

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        self.began = self.began or time.perf_counter()
        return self._embedder.embed_documents(texts)

    def embed_query(self, text: str) -> Vectors:
        return self._embedder.embed_query(text)


@dataclass
class WatchedCluster:
    """A Ray cluster whose crew is watched: when it was there, when the first texts were embedded, what workers spent."""

    settings: RaySettings
    crew_at: float = 0.0
    began: float = 0.0
    last_outcome: float = 0.0
    embedding: float = 0.0
    writing: float = 0.0
    batches: int = 0
    first: list[float] = field(default_factory=list)

    @contextmanager
    def crew(self) -> Generator[Crew]:
        with RayCluster(self.settings).crew() as crew:
            self.crew_at = time.perf_counter()
            self._crew = crew
            yield self
        self.crew_gone = time.perf_counter()

    @property
    def workers(self) -> int:
        return self._crew.workers

    def outcomes(
        self, batches: Sequence[SourceBatch], known: Mapping[str, str], workplace: Workplace
    ) -> Iterator[Outcome]:
        for outcome in self._crew.outcomes(batches, known, workplace):
            now = time.perf_counter()
            if outcome.written:
                self.first.append(now - outcome.embedding_seconds - outcome.writing_seconds)
            self.last_outcome = now
            self.embedding += outcome.embedding_seconds
            self.writing += outcome.writing_seconds
            self.batches += 1
            yield outcome


def add_locally(files: Path, store: StoreSettings, settings: IngestSettings) -> dict[str, object]:
    embedder = TimedEmbedder(open_embedder(ModelSettings()))
    opened = open_store(store, Path(), embedder.name, embedder.dimension)
    started = time.perf_counter()
    report = Ingestor(opened, embedder, settings).add_paths([files], profile="docs")
    ended = time.perf_counter()
    opened.close()
    assert embedder.began is not None
    return {
        **figures(report, embedder.began - started, ended - embedder.began),
        "embedding_seconds": round(report.embedding_seconds, 2),
    }


def add_on_ray(files: Path, store: StoreSettings, settings: IngestSettings) -> dict[str, object]:
    embedder = open_embedder(ModelSettings())
    opened = open_store(store, Path(), embedder.name, embedder.dimension)
    recipe = StoreRecipe.of(store, Path(), embedder)
    workplace = Workplace(settings, ReadOptions(), recipe, EmbedderRecipe(ModelSettings(), 1))
    cluster = WatchedCluster(settings.ray)
    started = time.perf_counter()
    report = ClusterIngestor(opened, cluster, workplace).add_paths([files], profile="docs")
    ended = time.perf_counter()
    opened.close()
    began = min(cluster.first)
    stopping = cluster.crew_gone - cluster.last_outcome
    return {
        **figures(report, began - started, ended - began - stopping),
        "start_of_the_cluster_seconds": round(cluster.crew_at - started, 2),
        "start_of_workers_seconds": round(began - cluster.crew_at, 2),
        "end_of_the_cluster_seconds": round(stopping, 2),
        "settling_seconds": round(ended - cluster.crew_gone, 2),
        "embedding_seconds_of_all_workers": round(cluster.embedding, 2),
        "writing_seconds_of_all_workers": round(cluster.writing, 2),
        "batches": cluster.batches,
    }


def figures(report: IngestReport, before: float, once_started: float) -> dict[str, object]:
    return {
        "chunks": report.chunks,
        "documents": report.added,
        "failures": len(report.failures),
        "seconds": round(report.seconds, 2),
        "before_the_first_text_seconds": round(before, 2),
        "once_started_seconds": round(once_started, 2),
        "once_started_chunks_per_second": round(report.chunks / once_started, 1),
    }


def cost_of_batches(files: Path, settings: IngestSettings, most: int) -> dict[str, object]:
    """What making and sending batches takes in one process: reading them, and packing and unpacking at each of three hand-overs."""
    sources = tuple(Source(number, path) for number, path in enumerate(sorted(files.iterdir())[:most]))
    workplace = Workplace(settings, ReadOptions(), _nothing, _nothing)
    started = time.perf_counter()
    batches = list(read_sources(SourceBatch(sources), {}, workplace))
    reading = time.perf_counter() - started
    chunks = sum(batch.chunks for batch in batches)
    started = time.perf_counter()
    packed = [pickle.dumps(batch) for batch in batches]
    for batch in packed:
        pickle.loads(batch)
    packing = time.perf_counter() - started
    return {
        "chunks": chunks,
        "reading_ms_per_chunk": round(1000 * reading / chunks, 3),
        "packing_ms_per_chunk_and_hand_over": round(1000 * packing / chunks, 3),
        "bytes_per_chunk": round(sum(map(len, packed)) / chunks),
    }


def _nothing() -> object:
    raise AssertionError("reading opens neither a store nor a model")


def measure(chunks: int, workers: int) -> dict[str, object]:
    settings = IngestSettings(chunker=CHUNK, ray=RaySettings(workers=workers))
    with tempfile.TemporaryDirectory() as temporary, postgres(Path(temporary) / "postgres") as place:
        warm_up, files = Path(temporary) / "few", Path(temporary) / "files"
        warm_up.mkdir()
        files.mkdir()
        write_files(warm_up, 400)
        write_files(files, chunks)
        show_remark("warming up")
        add_locally(warm_up, place.settings.model_copy(update={"name": "warm_up"}), settings)
        load = os.getloadavg()[0]
        show_remark("local")
        local = add_locally(files, place.settings.model_copy(update={"name": "local"}), settings)
        show_remark("ray")
        ray = add_on_ray(files, place.settings.model_copy(update={"name": "ray"}), settings)
        batches = cost_of_batches(files, settings, 50)
    slower = float(str(ray["once_started_seconds"])) / float(str(local["once_started_seconds"])) - 1
    return {
        **circumstances(),
        "load_at_start": round(load, 1),
        "workers": workers,
        "local": local,
        "ray": ray,
        "batches": batches,
        "slower_once_started": round(slower, 3),
        "target": TARGET,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--chunks", type=int, default=20_000)
    parser.add_argument("--workers", type=int, default=2)
    arguments = parser.parse_args()
    results = measure(arguments.chunks, arguments.workers)
    show_remark(f"{save('ray_ingest', results)}: {results['slower_once_started']:+.1%} once started")


if __name__ == "__main__":
    main()
