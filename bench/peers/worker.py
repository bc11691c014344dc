"""One peer on one set, in its own environment: reads a job folder, indexes, searches, and writes what it found and cost.

    PYTHON bench/peers/worker.py PEER JOB OUT

Started by ``bench/peers/measure.py``. ``PEER_peer`` is a module of this folder with ``build_index(texts, embed, folder)``, which
gives a function from a question and a number to ids of texts, best first. Nothing here imports our package: only ``ascertain_peer`` does.
"""

from __future__ import annotations

import gc
import hashlib
import importlib
import json
import resource
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

K = 50
"""Texts asked for: ten documents even where several texts are of one."""


@dataclass(frozen=True)
class Text:
    """What is indexed: a chunk of a document with its title and headings before it, or a whole document."""

    id: str
    title: str
    text: str


class Vectors:
    """The embedding function of every peer: vectors made beforehand by one model, so that its time is nobody's."""

    def __init__(self, job: Path) -> None:
        held = np.load(job / "vectors.npz")
        self._rows = {bytes(key): row for key, row in zip(held["keys"], held["vectors"], strict=True)}
        self.dimension = int(held["vectors"].shape[1])
        self.name = str(held["name"])
        self._model = json.loads((job / "model.json").read_text("utf-8"))
        self._session = None

    def embed_documents(self, texts: Sequence[str]) -> np.ndarray:
        return np.stack([self._rows[hash_text(text)] for text in texts])

    def embed_query(self, text: str) -> np.ndarray:
        return self._rows[hash_text(text)]

    def embed_all(self, texts: Sequence[str]) -> np.ndarray:
        """As ``embed_documents``, by ``embed_any``."""
        return np.stack([self.embed_any(text) for text in texts])

    def embed_any(self, text: str) -> np.ndarray:
        """Also what nobody could know beforehand: by the model itself, in time that the peer is charged with."""
        key = hash_text(text)
        if key not in self._rows:
            self._rows[key] = self._embed_anew(text)
        return self._rows[key]

    def _embed_anew(self, text: str) -> np.ndarray:
        import onnxruntime
        from tokenizers import Tokenizer

        if self._session is None:
            self._session = onnxruntime.InferenceSession(self._model["weights"])
            self._tokenizer = Tokenizer.from_file(self._model["tokenizer"])
            self._tokenizer.no_padding()
            self._tokenizer.enable_truncation(self._model["max_tokens"])
        ids = np.array([self._tokenizer.encode(text).ids])
        given = {"input_ids": ids, "attention_mask": np.ones_like(ids), "token_type_ids": np.zeros_like(ids)}
        wanted = {each.name: given[each.name] for each in self._session.get_inputs()}
        mean = self._session.run(None, wanted)[0][0].mean(axis=0)
        return (mean / np.linalg.norm(mean)).astype(np.float32)


Search = Callable[[str, int], list[str]]


def hash_text(text: str) -> bytes:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()


def read_lines(path: Path) -> list[dict]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def processor_seconds() -> float:
    """Of this process, all its threads and the processes it has waited for."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(each.ru_utime + each.ru_stime for each in used)


def read_memory(field: str) -> float:
    """``VmRSS`` or ``VmHWM`` of this process, in MB."""
    lines = Path("/proc/self/status").read_text("ascii").splitlines()
    return int(next(line for line in lines if line.startswith(field)).split()[1]) / 1024


def main() -> None:
    peer, job, out = sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3])
    held = {name: [Text(**row) for row in read_lines(job / f"{name}.jsonl")] for name in ("chunks", "documents")}
    questions = read_lines(job / "questions.jsonl")
    embed = Vectors(job)
    before = read_memory("VmRSS")
    sys.path.insert(0, str(Path(__file__).parent))
    adapter = importlib.import_module(f"{peer}_peer")
    texts = held[getattr(adapter, "READS", "chunks")]
    with tempfile.TemporaryDirectory(prefix=f"peer-{peer}-") as kept:
        folder = Path(kept)
        gc.collect()
        started = processor_seconds(), time.perf_counter()
        search = adapter.build_index(texts, embed, folder)
        built = processor_seconds(), time.perf_counter()
        disk = sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())
        search(questions[0]["text"], K)  # what the first search loads is no time of a search
        warm = processor_seconds()
        seconds: list[float] = []
        rankings: dict[str, list[str]] = {}
        for question in questions:
            asked = time.perf_counter()
            rankings[question["id"]] = search(question["text"], K)
            seconds.append(time.perf_counter() - asked)
        searched = processor_seconds()
    out.write_text(
        json.dumps(
            {
                "rankings": rankings,
                "index_processor_s": round(built[0] - started[0], 3),
                "index_s": round(built[1] - started[1], 3),
                "search_processor_ms": round(1000 * (searched - warm) / len(questions), 3),
                "search_p50_ms": round(1000 * float(np.median(seconds)), 3),
                "search_p95_ms": round(1000 * float(np.percentile(seconds, 95)), 3),
                "memory_mb": round(read_memory("VmHWM") - before, 1),
                "disk_mb": round(disk / 1e6, 3),
            }
        ),
        "utf-8",
    )


if __name__ == "__main__":
    main()
