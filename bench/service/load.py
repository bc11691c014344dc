"""What the HTTP service does under load: ``ascertain serve`` in a process of its own over 10,000 chunks; into ``results/service_load.json``.

    python -m bench.service.load [--clients 50] [--seconds 60] [--chunks 10000] [--folder DIR] [--against WORKTREE]

One client alone comes first, then all at once. Three kinds of load, each measured alone and with all clients, who ask again as soon as they
have an answer, except in the third. *new*: no answer is used again, so that every question is worked out in full; as many clients as there are share the processors, so
the time of each cannot be less than clients / processors times that of one alone. *usual*: the settings as they come, questions by Zipf's law
(a few are asked often, most seldom), a tenth of the requests searches. *read*: the same, by people, who read an answer before they ask
again: half a minute in the mean, exponentially distributed. Memory is that of the service's process, once a second;
its growth is the mean of the last quarter over that of the third. The time to the first event is that of one client alone.

With ``--against`` the service of an earlier commit, checked out in that folder, answers the same new questions in turns with this
one, each over a copy of its own of a home that the earlier one has written, into ``results/service_against.json``: processor time of
the service for each request, and seconds. Packages that only the earlier one needs are found by ``PYTHONPATH``. What one client alone asks comes twice, before the others and after them, when the passages are known to the caches of both.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

import httpx

from ascertain.core.settings import StoreSettings
from ascertain.stores.registry import open_store
from bench.setting import RESULTS, ROOT, circumstances, save, show_remark
from bench.speed.corpus import read_corpus
from bench.speed.synthetic_chunks import DIMENSION, MODEL, questions

TARGET_TIMES = 20
TARGET_FIRST_EVENT = 0.3
QUESTIONS = 300
ALONE = 30
"""Requests of the client that is alone."""
WARMING = 20
"""Questions that are asked of either service before anything is compared."""
FIRST_EVENTS = 10
READING_SECONDS = 30.0
START_SECONDS = 300
_PATIENCE = 300.0
_BATCH = 50

Request = tuple[str, dict[str, object]]


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of load: what the next request is."""

    name: str
    next: Callable[[Random, list[str]], Request]
    pause: float = 0.0
    """Mean seconds between an answer and the next request of the same client, when there are many."""

    def wait(self, choose: Random, until: float) -> None:
        """Until the next request, or the end."""
        if self.pause:
            time.sleep(max(0.0, min(choose.expovariate(1 / self.pause), until - time.monotonic())))


def new_question(choose: Random, asked: list[str]) -> Request:
    return "/v1/ask", {"question": choose.choice(asked), "cache": False}


def usual_request(choose: Random, asked: list[str]) -> Request:
    question = choose.choices(asked, weights=[1 / rank for rank in range(1, len(asked) + 1)])[0]
    if choose.random() < 0.1:
        return "/v1/search", {"query": question}
    return "/v1/ask", {"question": question}


KINDS = (Kind("new", new_question), Kind("usual", usual_request), Kind("read", usual_request, READING_SECONDS))


@dataclass(slots=True)
class Seen:
    """What clients saw; filled from their threads."""

    seconds: list[float] = field(default_factory=list)
    failures: Counter[str] = field(default_factory=Counter)

    def request(self, client: httpx.Client, request: Request) -> None:
        path, body = request
        started = time.perf_counter()
        try:
            response = client.post(path, json=body)
        except httpx.HTTPError as error:
            self.failures[type(error).__name__] += 1
            return
        self.seconds.append(time.perf_counter() - started)
        if not response.is_success:
            self.failures[str(response.status_code)] += 1


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--clients", type=int, default=50)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--chunks", type=int, default=10_000)
    parser.add_argument("--folder", type=Path, help="keep the home here, and use one that is here")
    parser.add_argument("--against", type=Path, help="folder with an earlier commit")
    parser.add_argument("--out", type=Path, default=RESULTS, help="folder for the results file")
    given = parser.parse_args()
    if given.against:
        print(save("service_against", compare_services(given), given.out))
        return
    with ExitStack() as open_:
        passing = Path(open_.enter_context(tempfile.TemporaryDirectory()))
        # A copy: answers that an earlier run has left would be used again.
        home = passing / "asked.kb"
        shutil.copytree(filled_home(given.folder or passing, given.chunks), home)
        url, process = open_.enter_context(service(home))
        results: dict[str, object] = {
            "circumstances": circumstances(),
            "chunks": given.chunks,
            "clients": given.clients,
            "seconds": given.seconds,
            "first_event_seconds": first_events(url),
            "targets": {"times": TARGET_TIMES, "first_event_seconds": TARGET_FIRST_EVENT},
            "loads": {
                kind.name: measured(kind, url, process.pid, (given.clients, given.seconds), asked)
                for kind, asked in zip(KINDS, _shares(), strict=True)
            },
        }
    print(save("service_load", results, given.out))


def compare_services(given: argparse.Namespace) -> dict[str, object]:
    """What a new question costs the service of ``given.against`` and this one, by turns."""
    asked = questions()[:QUESTIONS]
    with ExitStack() as open_:
        passing = Path(open_.enter_context(tempfile.TemporaryDirectory()))
        filled = fill_earlier_home(given.against, given.folder or passing, given.chunks)
        services: dict[str, tuple[str, int]] = {}
        for name, source in (("before", given.against / "src"), ("now", ROOT / "src")):
            home = passing / name / "asked.kb"
            shutil.copytree(filled, home)
            url, process = open_.enter_context(service(home, source))
            services[name] = url, process.pid
            ask_alone(services[name], asked[-WARMING:])
        alone = {name: ask_alone(found, asked[:ALONE]) for name, found in services.items()}
        together = {name: ask_together(found, asked, given) for name, found in services.items()}
        again = {name: ask_alone(found, asked[:ALONE]) for name, found in services.items()}
    found = {
        name: {
            "alone": alone[name],
            "together": together[name],
            "alone_again": again[name],
            "p95_times_alone": round(together[name]["p95_seconds"] / alone[name]["median_seconds"], 1),
        }
        for name in services
    }
    ratios = {
        part: round(found["now"][part]["processor_ms"] / found["before"][part]["processor_ms"], 3)
        for part in ("alone", "together", "alone_again")
    }
    ratios["p95"] = round(found["now"]["together"]["p95_seconds"] / found["before"]["together"]["p95_seconds"], 3)
    p95_to_before = found["now"]["together"]["p95_seconds"] / found["before"]["alone"]["median_seconds"]
    show_remark(f"now in times of before: {ratios}")
    return {
        "circumstances": circumstances(),
        "chunks": given.chunks,
        "clients": given.clients,
        "seconds": given.seconds,
        "services": found,
        "ratios": ratios,
        "p95_times_alone_before": round(p95_to_before, 1),
    }


def fill_earlier_home(earlier: Path, folder: Path, chunks: int) -> Path:
    """A home that the earlier commit has written: this one opens it, the other way round it may be too new."""
    write = f"import pathlib, service_load; print(service_load.filled_home(pathlib.Path({str(folder)!r}), {chunks}))"
    paths = os.pathsep.join([str(earlier / "bench"), *_source_paths(earlier / "src")])
    done = subprocess.run(
        [sys.executable, "-c", write], env=os.environ | {"PYTHONPATH": paths}, stdout=subprocess.PIPE, check=True
    )
    return Path(done.stdout.decode().splitlines()[-1])


def _source_paths(source: Path) -> list[str]:
    """Where Python looks for the package of a commit, and for packages that only the earlier one needs."""
    return [str(source), *filter(None, os.environ.get("PYTHONPATH", "").split(os.pathsep))]


def ask_alone(found: tuple[str, int], asked: Sequence[str]) -> dict[str, float]:
    """One client asks these questions one after the other."""
    url, pid = found
    seen, used = Seen(), processor_seconds(pid)
    with client(url) as asking:
        for question in asked:
            seen.request(asking, ("/v1/ask", {"question": question, "cache": False}))
    return tell_cost(seen, processor_seconds(pid) - used)


def ask_together(found: tuple[str, int], asked: Sequence[str], given: argparse.Namespace) -> dict[str, float]:
    """All clients ask these questions, in an order of their own, without a pause."""
    url, pid = found
    seen, used = Seen(), processor_seconds(pid)
    until = time.monotonic() + given.seconds

    def live(seed: int) -> None:
        choose = Random(seed)
        with client(url) as asking:
            while time.monotonic() < until:
                seen.request(asking, new_question(choose, list(asked)))

    threads = [threading.Thread(target=live, args=(seed,)) for seed in range(given.clients)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return tell_cost(seen, processor_seconds(pid) - used)


def tell_cost(seen: Seen, processor: float) -> dict[str, float]:
    ordered = sorted(seen.seconds)
    told = {
        "requests": len(ordered),
        "errors": sum(seen.failures.values()),
        "processor_ms": round(1000 * processor / len(ordered), 1),
        "median_seconds": round(statistics.median(ordered), 4),
        "p95_seconds": round(ordered[int(0.95 * (len(ordered) - 1))], 4),
    }
    show_remark(str(told))
    return told


def processor_seconds(pid: int) -> float:
    """Of all threads of a process, since it began."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def filled_home(folder: Path, chunks: int) -> Path:
    """A home with so many chunks, made unless it is there."""
    home = folder / f"service-{chunks}.kb"
    if not home.exists():
        folder.mkdir(parents=True, exist_ok=True)
        documents = read_corpus(chunks, folder).documents
        store = open_store(StoreSettings(), home, MODEL, DIMENSION)
        for start in range(0, len(documents), _BATCH):
            store.upsert(documents[start : start + _BATCH])
        store.close()
    return home


@contextmanager
def service(home: Path, source: Path | None = None) -> Iterator[tuple[str, subprocess.Popen[str]]]:
    """``ascertain serve`` over ``home``, once it takes requests; of the package in the folder ``source``, where one is named."""
    command = [sys.executable, "-m", "ascertain", "serve", "--home", str(home), "--port", "0", "--json"]
    kept = {name: value for name, value in os.environ.items() if not name.startswith("ASCERTAIN_")}
    if source is not None:
        kept["PYTHONPATH"] = os.pathsep.join(_source_paths(source))
    with (home.parent / "service.log").open("w") as log:
        process = subprocess.Popen(command, env=kept, stdout=subprocess.PIPE, stderr=log, text=True)
        try:
            assert process.stdout is not None
            yield json.loads(process.stdout.readline())["url"], process
        finally:
            process.terminate()
            process.wait(START_SECONDS)


def first_events(url: str) -> dict[str, float]:
    """Seconds from the request to the first event of the stream, and to the first step of the work."""
    events: list[float] = []
    steps: list[float] = []
    with client(url) as asking:
        for question in questions()[:FIRST_EVENTS]:
            started = time.perf_counter()
            body = {"question": question, "cache": False}
            with asking.stream("POST", "/v1/ask/stream", json=body) as response:
                told = [time.perf_counter() - started for line in response.iter_lines() if line.startswith("data:")]
            events.append(told[0])
            steps.append(told[1])
    return {
        "median": round(statistics.median(events), 4),
        "worst": round(max(events), 4),
        "first_step_median": round(statistics.median(steps), 4),
    }


def _shares() -> Iterator[list[str]]:
    """Questions for each kind of load that no other kind asks."""
    every = questions()
    for start in range(0, len(KINDS) * QUESTIONS, QUESTIONS):
        yield every[start : start + QUESTIONS]


def measured(kind: Kind, url: str, pid: int, load: tuple[int, float], asked: list[str]) -> dict[str, object]:
    """One client alone, then all of them."""
    clients, seconds = load
    alone = Seen()
    with client(url) as asking:
        choose = Random(17)
        for _ in range(ALONE):
            alone.request(asking, kind.next(choose, asked))
    together, memory = Seen(), []
    until = time.monotonic() + seconds

    def live(seed: int) -> None:
        choose = Random(seed)
        with client(url) as asking:
            kind.wait(choose, until)
            while time.monotonic() < until:
                together.request(asking, kind.next(choose, asked))
                kind.wait(choose, until)

    threads = [threading.Thread(target=live, args=(seed,)) for seed in range(clients)]
    for thread in threads:
        thread.start()
    while time.monotonic() < until:
        memory.append(resident_megabytes(pid))
        time.sleep(min(1.0, max(0.0, until - time.monotonic())))
    for thread in threads:
        thread.join()
    took = time.monotonic() - until + seconds
    return summary(kind.name, alone, together, (memory, took))


def summary(name: str, alone: Seen, together: Seen, course: tuple[list[float], float]) -> dict[str, object]:
    """What people compare; ``course`` is the memory in the meantime, and how long it all took."""
    memory, seconds = course
    median_alone = statistics.median(alone.seconds)
    ordered = sorted(together.seconds)
    p95 = ordered[int(0.95 * (len(ordered) - 1))]
    third, last = (memory[int(len(memory) * share) :][: max(1, len(memory) // 4)] for share in (0.5, 0.75))
    result: dict[str, object] = {
        "requests": len(ordered),
        "errors": dict(alone.failures + together.failures),
        "alone_median_seconds": round(median_alone, 4),
        "median_seconds": round(statistics.median(ordered), 4),
        "p95_seconds": round(p95, 4),
        "times_alone": round(p95 / median_alone, 1),
        "requests_per_second": round(len(ordered) / seconds, 1),
        "memory_megabytes": [round(each) for each in memory],
        "memory_growth": round(statistics.fmean(last) / statistics.fmean(third) - 1, 4),
    }
    show_remark(f"{name}: { ({key: value for key, value in result.items() if key != 'memory_megabytes'}) }")
    return result


def resident_megabytes(pid: int) -> float:
    pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


def client(url: str) -> httpx.Client:
    return httpx.Client(base_url=url, timeout=_PATIENCE, trust_env=False)


if __name__ == "__main__":
    main()
