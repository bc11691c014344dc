"""What tests of an ingest on a cluster send to its workers, by value: a cheap embedding model, and ways to die.

As a program it is an ingest of its own, for tests that kill its driver: ``python worker_parts.py URL NAME HOME FOLDER PAUSE``.
"""

from __future__ import annotations

import os
import signal
import sys
import time
import zlib
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from ascertain.app.ascertain import Ascertain
from ascertain.core.settings import IngestSettings, RaySettings, Settings, StoreSettings
from ascertain.documents.ingest.cluster import ray_data


class CheapEmbedder:
    """Vectors that depend on nothing but the text; takes its time, and kills its process at some texts."""

    name = "cheap"
    dimension = 16

    def __init__(self, pause: float = 0.0) -> None:
        self._pause = pause

    def embed_documents(self, texts: Sequence[str]) -> np.ndarray:
        time.sleep(self._pause)
        if any("KILLS THE MODEL" in text for text in texts):
            os.kill(os.getpid(), signal.SIGKILL)
        return np.stack([self.embed_query(text) for text in texts])

    def embed_query(self, text: str) -> np.ndarray:
        vector = np.random.default_rng(zlib.crc32(text.encode())).normal(size=self.dimension)
        return (vector / np.linalg.norm(vector)).astype(np.float32)


read = ray_data._read_batch


def read_or_die(rows: dict, known: object, workplace: object) -> Iterator[dict]:
    """Reads as the product does, but a file of some name kills its reader, as a parser does that crashes."""
    import pickle

    for batch in rows["sources"]:
        for source in pickle.loads(batch).sources:
            if source.content.name == "kills the reader.txt":
                os.kill(os.getpid(), signal.SIGKILL)
    yield from read(rows, known, workplace)


def settings_of(store: StoreSettings, home: Path, engine: str, **ray: object) -> Settings:
    return Settings(
        home=home,
        store=store,
        ingest=IngestSettings(engine=engine, write_batch=12, embed_batch=8, ray=RaySettings(**{"workers": 2, **ray})),
    )


def main() -> None:
    url, name, home, folder, pause = sys.argv[1:]
    store = StoreSettings(kind="postgres", url=url, name=name)
    with Ascertain(settings_of(store, Path(home), "ray"), embedder=CheapEmbedder(float(pause))) as knowledge:
        report = knowledge.add([folder])
    sys.stdout.write(f"done {report.added} {report.unchanged} {len(report.failures)}\n")


if __name__ == "__main__":
    main()
