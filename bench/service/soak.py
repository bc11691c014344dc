"""Whether a service that goes on and on grows: its memory over thousands of mixed requests; into ``results/soak.json`` and a plot.

    python -m bench.service.soak [--requests 20000] [--clients 4] [--documents 100]
    python -m bench.service.soak --seconds 60 --clients 50 [--documents 1000]

``ascertain serve`` with the built-in model and no chat model, in a process of its own. Clients ask, search, stream, upload, delete,
list documents and take statistics, by chance in the shares below; questions and texts are seldom the same. Memory is that of the
service's process (RSS), every hundred requests; its growth is the median of the last thousand requests over that of the second
thousand: the first fills caches that have bounds. Processes that read files are counted apart. At the end every upload that was
accepted and not deleted has to be there. With ``--seconds`` the clients end after that time, and what they waited is told instead
of memory, in ``results/mixed_load.json``.

A client that is told to come again (503 with ``Retry-After``) waits as long as it is told and does, within the time of the same request; how often
that was is told apart from the failures, with what was said: a failure is every other status from 400 on, a 503 without that header, a
connection that broke, and a request that was put off for longer than ``PATIENCE_SECONDS``.
"""

from __future__ import annotations

import argparse
import json
import statistics
import tempfile
import threading
import time
from collections import Counter
from functools import partial
from itertools import count
from pathlib import Path
from random import Random
from typing import Any

import httpx
import matplotlib.pyplot as plt

from bench.service.load import client, resident_megabytes, service
from bench.setting import RESULTS, ROOT, circumstances, save, show_remark
from bench.speed.ingest_memory import family_of

EVERY = 100
PATIENCE_SECONDS = 120.0
AT_ONCE = 50
"""Files in one request of the first ones; a service takes 100."""
TARGET_GROWTH = 0.1
SHARES = {"search": 40, "ask": 20, "stream": 10, "upload": 8, "delete": 8, "documents": 7, "stats": 7}
PEOPLE = ("Ana Flores", "Peter Aaskov", "Ben Ito", "Norland Lines", "Veltrix Bay", "Port Louis", "Marta Quist")
THINGS = (
    "bridge",
    "ferry",
    "library",
    "refund",
    "harbour light",
    "turbine",
    "school roof",
    "archive",
    "pump",
    "tramway",
)
PLOT = ROOT / "docs" / "images" / "soak.svg"


class Course:
    """The requests so far, what went wrong, and the memory on the way."""

    def __init__(self, pid: int, requests: int, seconds: float) -> None:
        self._pid = pid
        self._requests = requests
        self._until = time.monotonic() + seconds
        self.accepted: set[str] = set()
        self.deleted: set[str] = set()
        self.waits: dict[str, list[float]] = {kind: [] for kind in SHARES}
        self._numbers = count(1)
        self._lock = threading.Lock()
        self.done: Counter[str] = Counter()
        self.failures: Counter[str] = Counter()
        self.put_off: Counter[str] = Counter()
        self.memory: list[tuple[int, float, float]] = []

    def take_number(self) -> int | None:
        """The number of the next request; None after the last."""
        with self._lock:
            number = next(self._numbers)
            if number % EVERY == 0:
                children = sum(resident_megabytes(pid) for pid in family_of(self._pid)[1:])
                self.memory.append((number, resident_megabytes(self._pid), children))
                if number % 1000 == 0:
                    show_remark(f"{number}: {self.memory[-1][1]:.0f} MB, {dict(self.failures)}, {dict(self.put_off)}")
            return number if number <= self._requests and time.monotonic() < self._until else None

    def live(self, url: str, seed: int) -> None:
        """Send requests until there are enough."""
        chance = Random(seed)
        with client(url) as asking:
            while (number := self.take_number()) is not None:
                kind = chance.choices(list(SHARES), weights=SHARES.values())[0]
                started = time.monotonic()
                try:
                    answer = self._send_request(asking, kind, number, chance)
                except httpx.HTTPError as error:
                    self.failures[f"{kind}: {type(error).__name__}"] += 1
                    continue
                self.done[kind] += 1
                self.waits[kind].append(time.monotonic() - started)
                # two clients may choose the same document to delete
                if answer.is_error and (kind, answer.status_code) != ("delete", 404):
                    self.failures[tell_refusal(kind, answer)] += 1

    def _send_request(self, asking: httpx.Client, kind: str, number: int, chance: Random) -> httpx.Response:
        """The answer to a request of that kind."""
        send = partial(self._send_patiently, asking, kind)
        question = (
            f"When did {chance.choice(PEOPLE)} repair the {chance.choice(THINGS)} number {chance.randrange(2000)}?"
        )
        if kind == "search":
            return send("POST", "/v1/search", json={"query": question})
        if kind == "ask":
            return send("POST", "/v1/ask", json={"question": question})
        if kind == "stream":
            answer = send("POST", "/v1/ask/stream", json={"question": question})
            if answer.is_success and "event: answer" not in answer.text:
                self.failures["stream: no end"] += 1
            return answer
        if kind == "upload":
            answer = send(
                "POST", "/v1/documents", files={"files": (f"note{number}.md", write_note(number, chance).encode())}
            )
            if answer.is_success:
                self.accepted.add(f"upload:note{number}.md")
            return answer
        if kind == "delete":
            answer = send("GET", "/v1/documents", params={"limit": 50})
            if answer.is_error or len(listed := answer.json()["documents"]) <= 20:
                return answer
            chosen = chance.choice(listed)
            self.deleted.add(chosen["source"])
            return send("DELETE", f"/v1/documents/{chosen['id']}")
        return send("GET", f"/v1/{kind}")

    def _send_patiently(self, asking: httpx.Client, kind: str, method: str, path: str, **parts: Any) -> httpx.Response:
        """The answer, once the service has room for the request."""
        until = time.monotonic() + PATIENCE_SECONDS
        while True:
            answer = asking.request(method, path, **parts)
            wait = answer.headers.get("Retry-After")
            if answer.status_code != 503 or wait is None or time.monotonic() + float(wait) > until:
                return answer
            self.put_off[tell_refusal(kind, answer)] += 1
            time.sleep(float(wait))


def tell_refusal(kind: str, answer: httpx.Response) -> str:
    """What was asked for, and what was said of it."""
    told = answer.json().get("detail", "") if "json" in answer.headers.get("Content-Type", "") else ""
    return f"{kind}: {answer.status_code} {told}"


def write_note(number: int, chance: Random) -> str:
    """A short text about who repaired what."""
    lines = (
        f"{chance.choice(PEOPLE)} repaired the {chance.choice(THINGS)} number {chance.randrange(2000)} in "
        f"{chance.randint(1950, 2024)}. It took {chance.randint(2, 90)} days and word{chance.randrange(10**6)}."
        for _ in range(6)
    )
    return f"# Note {number}\n\n" + " ".join(lines) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--requests", type=int, default=20_000)
    parser.add_argument("--clients", type=int, default=4)
    parser.add_argument("--documents", type=int, default=100)
    parser.add_argument("--out", type=Path, default=RESULTS, help="folder for the results file")
    parser.add_argument("--seconds", type=float, help="end after that time, for a measure of load")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, service(Path(folder) / "kb") as (url, process):
        fill_home(url, given.documents)
        course = Course(process.pid, given.requests, given.seconds or float("inf"))
        started = time.monotonic()
        threads = [threading.Thread(target=course.live, args=(url, seed)) for seed in range(given.clients)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        seconds = time.monotonic() - started
        lost = find_lost(url, course)
    results: dict[str, object] = {
        "circumstances": circumstances(),
        "clients": given.clients,
        "seconds": round(seconds),
        "requests": dict(course.done),
        "failures": dict(course.failures),
        "put_off": dict(course.put_off),
        "accepted": len(course.accepted),
        "lost": lost,
    }
    if given.seconds:
        results["p95_seconds"] = {kind: quantile_of(waits, 0.95) for kind, waits in course.waits.items() if waits}
        show_remark(json.dumps(results, indent=1))
        print(save("mixed_load", results, given.out))
        return
    first, last = median_of(course, 1000, 2000), median_of(course, given.requests - 1000, given.requests)
    results |= {
        "after_first_thousand_mb": first,
        "at_the_end_mb": last,
        "growth": round(last / first - 1, 4),
        "target_growth": TARGET_GROWTH,
        "memory_mb": [[number, round(own), round(children)] for number, own, children in course.memory],
    }
    show_remark(json.dumps({name: value for name, value in results.items() if name != "memory_mb"}, indent=1))
    print(save("soak", results, given.out))
    plot_memory(course, given.out / "soak.svg" if given.out != RESULTS else PLOT)


def fill_home(url: str, documents: int) -> None:
    """So many notes, once they are in."""
    chance = Random(7)
    with client(url) as asking:
        files = [("files", (f"first{number}.md", write_note(number, chance).encode())) for number in range(documents)]
        for start in range(0, documents, AT_ONCE):
            job = asking.post("/v1/documents", files=files[start : start + AT_ONCE]).raise_for_status().json()["job"]
            while job["state"] in ("queued", "running"):
                time.sleep(0.5)
                job = asking.get(f"/v1/jobs/{job['id']}").raise_for_status().json()
            assert job["state"] == "finished", job


def find_lost(url: str, course: Course) -> list[str]:
    """Uploads that were accepted, that nobody deleted, and that are not there once every job has ended."""
    with client(url) as asking:
        while any(job["state"] in ("queued", "running") for job in asking.get("/v1/jobs").json()["jobs"]):
            time.sleep(0.5)
        there: set[str] = set()
        total = 1
        while len(there) < total:
            page = {"limit": 200, "offset": len(there)}
            listed = asking.get("/v1/documents", params=page).raise_for_status().json()
            there |= {document["source"] for document in listed["documents"]}
            total = listed["total"]
        return sorted(course.accepted - course.deleted - there)


def quantile_of(waits: list[float], share: float) -> float:
    """So many of them took at most that long."""
    return round(sorted(waits)[int(share * (len(waits) - 1))], 3)


def median_of(course: Course, after: int, until: int) -> float:
    """The median memory between two requests."""
    return round(statistics.median(own for number, own, _ in course.memory if after < number <= until), 1)


def plot_memory(course: Course, path: Path) -> None:
    """Memory over requests, with what it may be."""
    figure, axes = plt.subplots(figsize=(7, 3))
    numbers, own, children = zip(*course.memory, strict=True)
    axes.plot(numbers, own, label="service")
    axes.plot(numbers, children, label="processes that read files")
    axes.axhline((1 + TARGET_GROWTH) * median_of(course, 1000, 2000), linestyle=":", color="grey", label="target")
    axes.set(xlabel="requests", ylabel="MB", ylim=(0, None))
    axes.legend(frameon=False)
    figure.tight_layout()
    figure.savefig(path, metadata={"Date": None})


if __name__ == "__main__":
    main()
