"""The ingest on Ray, with real processes, real kills and a real server. Slow: Ray takes 10 s to start on an idle machine."""

from __future__ import annotations

import gc
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType

import numpy as np
import psutil
import pytest

from ascertain.app.ascertain import Ascertain
from ascertain.core.errors import StoreError
from ascertain.core.graph.nouns import DocumentGraph
from ascertain.core.settings import GraphSettings, StoreSettings
from ascertain.stores.registry import open_graph, open_store

Opened = Callable[..., Ascertain]
Place = Callable[..., StoreSettings]

pytestmark = [pytest.mark.slow, pytest.mark.timeout(900), pytest.mark.usefixtures("cluster")]


def content(settings: StoreSettings) -> list[object]:
    """Everything a store holds that does not depend on the clock; fails when the store finds itself damaged."""
    store = open_store(settings, Path(), "cheap", 16)
    try:
        assert store.check().problems == ()
        found: list[object] = []
        for record in store.documents():
            whole = store.export([record.id])
            found.append(
                (
                    (record.id, record.source, record.state, record.reason, record.duplicate_of),
                    (record.content_hash, record.chunks, record.document_profile, record.tags),
                    [(list(indexed.chunks), np.asarray(indexed.vectors).tolist()) for indexed in whole],
                )
            )
        return found
    finally:
        store.close()


def said(settings: StoreSettings) -> list[DocumentGraph]:
    """What the graph says of every document that is there."""
    graph = open_graph(GraphSettings(), settings, Path())
    store = open_store(settings, Path(), "cheap", 16)
    try:
        assert graph.known("default").keys() == store.known().keys()
        return graph.graphs("default", sorted(graph.known("default")))
    finally:
        graph.close()
        store.close()


class AtWork:
    """Calls ``act`` in a thread of its own once documents are being written."""

    def __init__(self, act: Callable[[], None], after_chunks: int = 1) -> None:
        self._thread = threading.Thread(target=act)
        self._left = after_chunks

    def found(self, total_documents: int | None, total_bytes: int) -> None:
        pass

    def report_progress(self, source: str, bytes_done: int, chunks: int) -> None:
        self._left -= chunks
        if self._left <= 0 and self._thread.ident is None:
            self._thread.start()

    def failed(self, source: str, reason: str) -> None:
        pass

    def has_acted(self) -> bool:
        if self._thread.ident is None:
            return False
        self._thread.join()
        return True


def workers(stage: str) -> list[psutil.Process]:
    """The processes of a stage, those that are ours."""
    children = psutil.Process().children(recursive=True)
    return [child for child in children if any(stage in part for part in command(child))]


def command(process: psutil.Process) -> list[str]:
    try:
        return process.cmdline()
    except psutil.NoSuchProcess:
        return []


def figures(report) -> tuple[object, ...]:
    counts = (report.added, report.changed, report.unchanged, report.deleted, report.duplicates, report.chunks)
    return (*counts, sorted((failure.source, failure.reason) for failure in report.failures), report.notes)


@pytest.mark.sample
def test_the_cluster_gives_what_this_process_gives(opened: Opened, place: Place, corpus: Path) -> None:
    here, there = place("_ray"), place("_local")
    on_ray, local = opened(here, "ray"), opened(there, "local")
    for change in (lambda: None, lambda: change_some(corpus)):
        change()
        by_ray, by_this = on_ray.add([corpus], sync=True), local.add([corpus], sync=True)
        assert figures(by_ray) == figures(by_this)
        assert by_ray.graph == by_this.graph
        assert content(here) == content(there)
        assert said(here) == said(there)
    runs = on_ray.ingest_runs()
    assert [(run.engine, run.state, run.failures) for run in runs] == [("ray", "finished", 1)] * 2
    assert runs[1].bytes_done == runs[1].bytes_total > 0
    _, left = psutil.wait_procs(workers("MapWorker"), timeout=60)
    assert left == []


def change_some(corpus: Path) -> None:
    (corpus / "note001.txt").write_text("Now it is about an owl.")
    (corpus / "note002.txt").unlink()
    (corpus / "note007.txt").write_text("The first of the stories became something else.")


@pytest.fixture
def no_garbage_collection() -> Iterator[None]:
    """As in a process that waits: nothing is collected unless asked for."""
    gc.collect()
    gc.disable()
    yield
    gc.enable()


@pytest.mark.usefixtures("no_garbage_collection")
@pytest.mark.parametrize("stage", ["_Embedding", pytest.param("_Writing", marks=pytest.mark.sample), "_read_batch"])
def test_a_killed_worker_loses_nothing_and_doubles_nothing(
    opened: Opened, place: Place, corpus: Path, stage: str
) -> None:
    killed: list[int] = []

    def kill() -> None:
        deadline = time.monotonic() + 20
        while not killed and time.monotonic() < deadline:
            for process in workers(stage)[:1]:
                process.kill()
                killed.append(process.pid)
            time.sleep(0.02)

    here, there = place(f"{stage.lower()}_ray"), place(f"{stage.lower()}_local")
    at_work = AtWork(kill)
    report = opened(here, "ray", 0.2).add([corpus], listener=at_work)
    assert at_work.has_acted()
    assert killed or stage == "_read_batch"
    assert figures(report) == figures(opened(there, "local").add([corpus]))
    assert content(here) == content(there)


def test_what_kills_its_worker_is_reported_and_takes_nothing_with_it(
    opened: Opened, place: Place, corpus: Path, parts: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    (corpus / "kills the reader.txt").write_text("A fox.")
    (corpus / "note030.txt").write_text("This KILLS THE MODEL.")
    monkeypatch.setattr(parts.ray_data, "_read_batch", parts.read_or_die)
    knowledge = opened(place(), "ray")
    report = knowledge.add([corpus])
    died = {Path(failure.source).name for failure in report.failures if "3 times in a row" in failure.reason}
    assert died == {"kills the reader.txt", "note030.txt"}
    assert (report.added, len(report.failures)) == (59, 3)
    states = {Path(record.source).name: record.state for record in knowledge.documents()}
    assert {name for name, state in states.items() if state == "failed"} == {*died, "empty.txt"}


def test_a_server_away_for_seconds_is_waited_for(opened: Opened, place: Place, corpus: Path, postgres) -> None:
    def restart() -> None:
        postgres.stop()
        time.sleep(3)
        postgres.start()

    at_work = AtWork(restart)
    report = opened(place(), "ray", 0.2).add([corpus], listener=at_work)
    assert at_work.has_acted()
    assert (report.added, len(report.failures)) == (60, 1)


def test_a_server_that_stays_away_ends_the_run_and_the_next_goes_on(
    opened: Opened, place: Place, corpus: Path, postgres
) -> None:
    here, there = place("_ray"), place("_local")
    at_work = AtWork(postgres.stop)
    try:
        with pytest.raises(StoreError, match="server"):
            opened(here, "ray", 0.2, store_wait_seconds=1).add([corpus], listener=at_work)
        assert at_work.has_acted()
    finally:
        postgres.start()
    report = opened(here, "ray").add([corpus])
    assert report.unchanged > 0
    assert report.unchanged + report.added == 60
    opened(there, "local").add([corpus])
    assert content(here) == content(there)


def test_a_killed_driver_leaves_no_process_and_the_next_run_goes_on(
    opened: Opened, place: Place, corpus: Path, parts: ModuleType, tmp_path: Path
) -> None:
    here, there = place("_ray"), place("_local")
    driver = subprocess.Popen(
        [sys.executable, parts.__file__, here.url, here.name, str(tmp_path / "home"), str(corpus), "0.5"],
        stdout=subprocess.DEVNULL,
        text=True,
    )
    process = psutil.Process(driver.pid)
    knowledge = opened(here, "local")
    while driver.poll() is None and not (knowledge.exists and knowledge.stats().documents > 5):
        time.sleep(0.1)
    children = process.children(recursive=True)
    os.kill(driver.pid, signal.SIGKILL)
    assert driver.wait() == -signal.SIGKILL
    assert children
    _, alive = psutil.wait_procs(children, timeout=180)  # Ray's agents look for their server for a minute
    assert alive == []
    before = knowledge.stats().documents
    assert 0 < before < 60
    assert knowledge.ingest_runs()[0].state == "interrupted"
    finished = subprocess.run(
        [sys.executable, parts.__file__, here.url, here.name, str(tmp_path / "home"), str(corpus), "0"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert finished.stdout == f"done {60 - before} {before} 1\n"
    assert finished.stderr == ""
    opened(there, "local").add([corpus])
    assert content(here) == content(there)
