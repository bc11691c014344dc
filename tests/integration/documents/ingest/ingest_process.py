"""A real ingest in a process of its own, for tests that kill it: ``python ingest_process.py HOME FOLDER [SLEEP] [LOCK]``.

Everything is real but the embedding model, which gives cheap vectors. Each acknowledged write is told on standard output.
"""

from __future__ import annotations

import sys
import time
import zlib
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from ascertain.core.errors import AscertainError
from ascertain.core.settings import IngestSettings, StoreSettings
from ascertain.documents.ingest.pipeline import Ingestor
from ascertain.stores.ports.chunks import ChunkStore, IndexedDocument
from ascertain.stores.registry import open_store


class CheapEmbedder:
    name = "cheap"
    dimension = 16

    def __init__(self, pause: float = 0.0) -> None:
        self._pause = pause

    def embed_documents(self, texts: Sequence[str]) -> np.ndarray:
        time.sleep(self._pause)
        return np.stack([self.embed_query(text) for text in texts])

    def embed_query(self, text: str) -> np.ndarray:
        vector = np.random.default_rng(zlib.crc32(text.encode())).normal(size=self.dimension)
        return (vector / np.linalg.norm(vector)).astype(np.float32)


def open_home(home: Path, lock_seconds: float = 60.0) -> ChunkStore:
    return open_store(StoreSettings(lock_seconds=lock_seconds), home, CheapEmbedder.name, CheapEmbedder.dimension)


def tell(*words: object) -> None:
    sys.stdout.write(" ".join(map(str, words)) + "\n")
    sys.stdout.flush()


def acknowledge_writes(store: ChunkStore) -> None:
    write = store.upsert

    def upsert(documents: Sequence[IndexedDocument]) -> None:
        write(documents)
        for document in documents:
            tell("written", document.document.id, document.document.content_hash)

    store.upsert = upsert  # type: ignore[method-assign]


def main() -> int:
    home, folder = Path(sys.argv[1]), Path(sys.argv[2])
    pause = float(sys.argv[3]) if len(sys.argv) > 3 else 0.0
    lock_seconds = float(sys.argv[4]) if len(sys.argv) > 4 else 60.0
    try:
        store = open_home(home, lock_seconds)
        acknowledge_writes(store)
        ingestor = Ingestor(store, CheapEmbedder(pause), IngestSettings(write_batch=6, embed_batch=8))
        report = ingestor.add_paths([folder], profile="docs")
        store.close()
    except AscertainError as error:
        sys.stderr.write(f"{type(error).__name__}: {error}\n")
        return 1
    tell("done", report.added, report.changed, report.unchanged, len(report.failures))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
