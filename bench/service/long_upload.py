"""How long other tenants wait while one uploads a very long text; into ``results/long_upload.json``.

    python -m bench.service.long_upload [--characters 18000000] [--source PATH] [--name before]

A service of its own, whose embedding model gives cheap vectors: what is measured is all work but the model's, which does not
hold the interpreter. While the file is read, cut, embedded and written, another tenant searches and asks for ``/healthz``, each as
soon as the last answer is there; the longest and the 99th percentile of both are kept, beside those of a minute without uploads.
``--source`` is the ``src`` of another checkout, to measure it in the same circumstances; ``--name`` what its figures are kept as.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import threading
import time
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from random import Random

import httpx
import numpy as np
from numpy.typing import NDArray

from bench.setting import RESULTS, ROOT, circumstances, save, show_remark

QUIET_SECONDS = 20.0
PAUSE_SECONDS = 0.02
"""Between two requests, so that the requests themselves leave the service time."""
PATIENCE = 1800.0
SHORT = {
    "aids.md": b"# First aid\n\nRefunds of the first aid course take thirty days. The bridge was repaired by Ana Flores."
}


class CheapVectors:
    """Vectors by the checksum of a text."""

    name = "checksums"
    dimension = 384

    def embed_documents(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """One row for each text."""
        return np.stack([self.embed_query(text) for text in texts])

    def embed_query(self, text: str) -> NDArray[np.float32]:
        """A direction by chance, the same for the same text."""
        vector = np.random.default_rng(zlib.crc32(text.encode())).standard_normal(self.dimension, np.float32)
        return vector / np.linalg.norm(vector)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--characters", type=int, default=18_000_000)
    parser.add_argument("--source", type=Path, default=ROOT / "src")
    parser.add_argument("--name", default="now")
    parser.add_argument("--out", type=Path, default=RESULTS, help="folder for the results file")
    parser.add_argument("--serve", type=Path, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.serve:
        serve(given.serve)
        return
    with tempfile.TemporaryDirectory() as folder, service(Path(folder), given.source) as (url, keys):
        upload(url, keys["other"], SHORT)
        quiet = watch(url, keys["other"], threading.Event(), QUIET_SECONDS)
        is_over = threading.Event()
        loud: dict[str, object] = {}
        watching = threading.Thread(target=lambda: loud.update(watch(url, keys["other"], is_over, PATIENCE)))
        watching.start()
        started = time.monotonic()
        job = upload(url, keys["long"], {"long.txt": write_text(given.characters).encode()})
        loud["job_seconds"] = round(time.monotonic() - started, 1)
        is_over.set()
        watching.join()
    path = given.out / "long_upload.json"
    results = json.loads(path.read_text()) if path.exists() else {}
    results |= {"circumstances": circumstances(), "characters": given.characters}
    results[given.name] = {"chunks": job["report"]["chunks"], "without_uploads": quiet, "while_uploading": loud}
    show_remark(json.dumps(results[given.name], indent=1))
    print(save("long_upload", results, given.out))


def serve(home: Path) -> None:
    """A service with two tenants; tells its address and their keys."""
    from ascertain import Ascertain
    from ascertain.app.access.api_keys import create_key
    from ascertain.core.settings import load_settings
    from ascertain.interfaces.server.application import run_service

    settings = load_settings(home=home, environ={}, arguments={"server.port": 0}).settings
    with Ascertain(settings, embedder=CheapVectors()) as knowledge:
        knowledge.set_up()
        keys = {name: create_key(knowledge.service, name, name, requests_per_minute=0)[1] for name in ("long", "other")}
        run_service(knowledge, lambda url, _: print(json.dumps({"url": url, "keys": keys}), flush=True))


@contextmanager
def service(folder: Path, source: Path) -> Iterator[tuple[str, dict[str, str]]]:
    """A running service with the package under ``source``."""
    command = [sys.executable, "-m", "bench.service.long_upload", "--serve", str(folder / "kb")]
    environ = os.environ | {"PYTHONPATH": str(source)}
    with (folder / "service.log").open("w") as log:
        process = subprocess.Popen(command, env=environ, stdout=subprocess.PIPE, stderr=log, text=True)
        try:
            assert process.stdout is not None
            told = json.loads(process.stdout.readline())
            yield told["url"], told["keys"]
        finally:
            process.terminate()
            process.wait(PATIENCE)


def upload(url: str, key: str, files: dict[str, bytes]) -> dict[str, dict[str, int]]:
    """The finished job of an upload."""
    with httpx.Client(base_url=url, timeout=PATIENCE, trust_env=False, headers={"X-API-Key": key}) as client:
        accepted = client.post("/v1/documents", files=[("files", each) for each in files.items()]).raise_for_status()
        job = accepted.json()["job"]
        while job["state"] not in ("finished", "failed", "cancelled"):
            time.sleep(0.2)
            job = client.get(f"/v1/jobs/{job['id']}").raise_for_status().json()
        assert job["state"] == "finished", job
        return job


def watch(url: str, key: str, is_over: threading.Event, seconds: float) -> dict[str, object]:
    """What another tenant waits for a search and for a sign of life, in turn."""
    waits: dict[str, list[float]] = {"health": [], "search": []}
    until = time.monotonic() + seconds
    with httpx.Client(base_url=url, timeout=PATIENCE, trust_env=False, headers={"X-API-Key": key}) as client:
        for number in count():
            if is_over.is_set() or time.monotonic() > until:
                break
            started = time.perf_counter()
            client.get("/healthz").raise_for_status()
            between = time.perf_counter()
            client.post("/v1/search", json={"query": f"refunds of course {number}"}).raise_for_status()
            waits["health"].append(between - started)
            waits["search"].append(time.perf_counter() - between)
            time.sleep(PAUSE_SECONDS)
    return {
        name: {
            "requests": len(found),
            "median": round(float(np.median(found)), 4),
            "p99": round(float(np.quantile(found, 0.99)), 3),
            "longest": round(max(found), 3),
        }
        for name, found in waits.items()
    }


def write_text(characters: int) -> str:
    """Sentences of made words in paragraphs, as long as wanted."""
    chance = Random(1)
    words = ["".join(chance.choices("abcdefghijklmnoprstuvwxyz", k=chance.randint(2, 10))) for _ in range(5000)]
    parts: list[str] = []
    length = 0
    while length < characters:
        sentence = " ".join(chance.choices(words, k=chance.randint(6, 22))).capitalize()
        parts.append(sentence + (".\n\n" if chance.random() < 0.1 else ". "))
        length += len(parts[-1])
    return "".join(parts)[:characters]


if __name__ == "__main__":
    main()
