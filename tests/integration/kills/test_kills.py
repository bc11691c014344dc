"""SIGKILL over every command that writes: what is left is whole, and the next command makes it what a run without kills
would have made.
"""

from __future__ import annotations

import json
import os
import random
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import httpx
import numpy as np
import pytest
from killed_process import (
    COMMANDS,
    OTHER_MODEL,
    collection_of,
    is_on_server,
    open_knowledge,
    put_on_server,
    settings_of,
)
from qdrant_client import QdrantClient
from qdrant_client.models import OptimizersConfigDiff

from ascertain import Ascertain
from ascertain.app import health
from ascertain.app.adding import uploads
from ascertain.app.adding.uploads import forget_orphans
from ascertain.app.health import examine_health
from ascertain.app.jobs.runner import JobRunner
from ascertain.core.service.service import JobState
from ascertain.stores.qdrant import writes

HERE = Path(__file__).parent
SECONDS = 150.0
KILLS_OF_EACH = 12
"""Of five commands, and as many of a service with uploads: 72 over a home, and as many over a server."""
QUESTIONS = ("How many days do refunds take?", "Who repaired the bridge?")
BEHIND = "knowledge graph: it still has facts from deleted or changed documents; answers do not show them"
RANKED_BY_WORDS = "ranked by words"
"""Not in Qdrant until it has tidied up: points that are deleted count in the rarity of words, with and without kills."""
LEFT_BEHIND = "interrupted writes left parts behind: run `ascertain doctor --repair`"
"""Said of Qdrant, which has no transactions: no answer shows these parts."""
NAMES = ("Peter Aaskov", "Ana Flores", "Norland Lines", "Veltrix Bay", "Port Louis", "Ben Ito")


@dataclass(frozen=True)
class Kill:
    """At a commit, or after so many seconds where ``commit`` is 0."""

    commit: int = 0
    is_after: bool = False
    seconds: float = 0.0


@pytest.fixture(autouse=True)
def quick_doctor(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(health, "_examine_reader", lambda *arguments: None)
    monkeypatch.setattr(uploads, "_ORPHAN_SECONDS", -1.0)


def write_notes(folder: Path, numbers: range, version: int = 1) -> Path:
    folder.mkdir(exist_ok=True)
    for number in numbers:
        chance = random.Random(number * 100 + version)
        who, where = chance.choice(NAMES), chance.choice(NAMES)
        said = f"Refunds take {number} days. {who} met Guest{number} Jones at {where}, in version {version}."
        (folder / f"note{number:02}.txt").write_text(said + " The bridge was repaired by Ana Flores." * (number % 3))
    return folder


@pytest.fixture(scope="module")
def notes(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_notes(tmp_path_factory.mktemp("corpus") / "notes", range(24))


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory, notes: Path) -> Path:
    """A home with all notes, in an earlier version of every other."""
    home = tmp_path_factory.mktemp("filled") / "kb"
    fill(home, notes)
    return home


def fill(home: Path, notes: Path) -> None:
    write_notes(notes, range(0, 24, 2), version=0)
    with open_knowledge(home) as knowledge:
        knowledge.add([notes])
    write_notes(notes, range(24))


def start(command: str, home: Path, arguments: dict[str, Any], kill: Kill = Kill(), **pipes: Any) -> subprocess.Popen:
    given = {"command": command, "home": str(home), "arguments": arguments}
    given |= {"kill_at": kill.commit, "is_after": kill.is_after}
    places = [str(HERE.parents[1] / "unit" / "app"), os.environ.get("PYTHONPATH", "")]
    return subprocess.Popen(
        [sys.executable, str(HERE / "killed_process.py"), json.dumps(given)],
        env=os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, places)), "OMP_NUM_THREADS": "1"},
        stderr=subprocess.DEVNULL,
        **pipes,
    )


def run_killed(command: str, home: Path, arguments: dict[str, Any], kill: Kill) -> bool:
    """Whether it was killed; otherwise it came to its end before."""
    process = start(command, home, arguments, kill)
    if not kill.commit:
        time.sleep(kill.seconds)
        process.kill()
    return process.wait(SECONDS) < 0


def describe(knowledge: Ascertain) -> dict[str, object]:
    """Record, indexes, graph and answers, by what a user would see of them."""
    store = knowledge.container.store()
    records = store.documents()
    exported = store.export([record.id for record in records])
    vector = knowledge.embedder.embed_query("refunds")
    columns = knowledge.container.graph_store.columns("default")
    by_words = store.lexical({"refunds": 1.0, "bridge": 0.5}, 100)
    answers = [knowledge.ask(question, use_cache=False) for question in QUESTIONS]
    return {
        "documents": [(record.source, record.state, record.content_hash, record.chunks) for record in records],
        "chunks": {one.document.source: [(chunk.id, chunk.text) for chunk in one.chunks] for one in exported},
        "vectors": {one.document.source: np.asarray(one.vectors).tobytes() for one in exported},
        "found by words": sorted(hit.chunk_id for hit in by_words),
        RANKED_BY_WORDS: [(hit.chunk_id, round(hit.score, 6)) for hit in by_words],
        "by meaning": [(hit.chunk_id, round(hit.score, 6)) for hit in store.dense(vector, 100)],
        "graph": {
            field.name: np.asarray(getattr(columns, field.name)).tolist()
            if isinstance(getattr(columns, field.name), np.ndarray)
            else list(getattr(columns, field.name))
            for field in fields(columns)
            if field.name != "generation"
        },
        "answers": [(answer.text, [citation.quote for citation in answer.citations]) for answer in answers],
    }


def assert_equal(found: dict[str, object], expected: dict[str, object]) -> None:
    for part, value in expected.items():
        assert found[part] == value, part


def may_exist(home: Path) -> bool:
    return is_on_server(home) or (home / "record.sqlite3").exists()


def assert_whole(home: Path, model: tuple[str, int]) -> None:
    """Right after the kill: no damage, no half document, and nothing in the graph that no document says."""
    if not may_exist(home):
        return
    with open_knowledge(home, model) as knowledge:
        if not knowledge.exists:
            return
        # an index that was not written yet is told, and made by the next search; on a server the graph is no part of the
        # record's transaction: what it still holds is told, shown by no answer, and mended by the next command
        mended = ("the word index", BEHIND) if is_on_server(home) else ("the word index",)
        problems = examine_health(knowledge).problems
        assert [each for each in problems if not each.startswith(mended)] == []
        shown = set(knowledge.container.knowledge_graph.snapshot("default").documents)
        hashes = {record.id: record.content_hash for record in knowledge.documents()}
        for document, version in knowledge.container.graph_store.known("default").items():
            if is_on_server(home) and document not in shown:
                continue
            assert version.startswith(f"{hashes[document]}:"), "the graph says what no document says any more"


@dataclass(frozen=True)
class Case:
    """A command over a home, what it is given, and the home and the model that it leaves."""

    command: str
    home: Path
    arguments: dict[str, Any]
    target: Path
    model: tuple[str, int] = ("hashes", 64)

    def run(self) -> None:
        COMMANDS[self.command](self.home, **self.arguments)

    def describe(self) -> dict[str, object]:
        with open_knowledge(self.target, self.model) as knowledge:
            return describe_sound(knowledge)


def describe_sound(knowledge: Ascertain) -> dict[str, object]:
    """The same of a knowledge base of which the doctor tells nothing; of one in Qdrant, an hour later as well."""
    assert examine_health(knowledge).problems == ()
    found = describe(knowledge)
    if knowledge.settings.store.kind == "qdrant":
        del found[RANKED_BY_WORDS]
        return found | describe_later(knowledge)
    return found


def describe_later(knowledge: Ascertain) -> dict[str, object]:
    """What is seen of a collection once what a killed writer left in it is too old to be that of one at work.

    Then it is told, and mended by the doctor; and the optimizer has forgotten what is deleted.
    """
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(writes, "ABANDONED_SECONDS", 0)
        if problems := examine_health(knowledge).problems:
            assert all(LEFT_BEHIND in each for each in problems)
            knowledge.check(repair=True)
        assert examine_health(knowledge).problems == ()
    store = knowledge.settings.store
    client = QdrantClient(url=store.url, timeout=60)
    tidy = OptimizersConfigDiff(deleted_threshold=0.0001, vacuum_min_vector_number=1)
    client.update_collection(store.name, optimizers_config=tidy)
    client.close()
    return {f"later, {part}": value for part, value in describe(knowledge).items()}


Make = Callable[[str, Path], Case]


@pytest.fixture
def make_case(filled: Path, notes: Path) -> Make:
    def make(command: str, folder: Path) -> Case:
        folder.mkdir()
        shutil.copytree(filled, folder / "kb")
        return build_case(command, folder, notes)

    return make


@pytest.fixture
def make_server_case(notes: Path, postgres_url: str) -> Make:
    """Knowledge bases on PostgreSQL, and moves from one to another."""

    def make(command: str, folder: Path) -> Case:
        folder.mkdir()
        for name in ("kb", "target"):
            put_on_server(folder / name, postgres_url)
        fill(folder / "kb", notes)
        return build_case(command, folder, notes)

    return make


@pytest.fixture
def make_qdrant_case(notes: Path, backends: Callable[[str], Any]) -> Make:
    """The same on Qdrant, which has no transactions."""
    url = backends("qdrant").url

    def make(command: str, folder: Path) -> Case:
        folder.mkdir()
        for name in ("kb", "target"):
            put_on_server(folder / name, url, "qdrant")
        fill(folder / "kb", notes)
        return build_case(command, folder, notes)

    return make


def drop_collections(case: Case) -> None:
    """An open collection takes hundreds of memory maps of its server."""
    for home in {case.home, case.target}:
        if name := collection_of(home):
            client = QdrantClient(url=settings_of(home).store.url)
            client.delete_collection(name)
            client.close()


def build_case(command: str, folder: Path, notes: Path) -> Case:
    home = folder / "kb"
    if command == "delete":
        return Case(command, home, {"sources": [str(notes / f"note{n:02}.txt") for n in range(5, 15)]}, home)
    if command == "migrate":
        return Case(command, home, {"target": str(folder / "target")}, folder / "target")
    if command == "reindex":
        return Case(command, home, {}, home, OTHER_MODEL)
    return Case(command, home, {"folder": str(notes)} if command == "add" else {}, home)


def survive_kills(command: str, kills: list[Kill], make_case: Make, folder: Path) -> int:
    """How many of the runs were killed, the others having been quicker."""
    folder.mkdir(exist_ok=True)
    whole = make_case(command, folder / "whole")
    whole.run()
    expected = whole.describe()
    drop_collections(whole)
    killed = 0
    for number, kill in enumerate(kills):
        case = make_case(command, folder / str(number))
        killed += run_killed(command, case.home, case.arguments, kill)
        for home in {case.home, case.target}:
            assert_whole(home, _model_of(home))
        case.run()
        assert_equal(case.describe(), expected)
        drop_collections(case)
        shutil.rmtree(folder / str(number))
    return killed


def _model_of(home: Path) -> tuple[str, int]:
    """A move to another model that was killed may be over or not."""
    if not may_exist(home):
        return ("hashes", 64)
    with open_knowledge(home) as knowledge:
        if not knowledge.exists:
            return ("hashes", 64)
        stats = knowledge.stats()
        return (stats.embedding_model, stats.dimension)


COMMITS = {"add": 8, "delete": 2, "reindex": 9, "migrate": 4, "build": 2}
"""How many commits each makes to the record: moments to be killed at."""
WRITES = {"add": 17, "delete": 4, "reindex": 10, "migrate": 8, "build": 2}
"""The same over Qdrant: writes to it, each of which stands by itself, and commits in the home."""
QUICK = {"add": 5, "delete": 1, "reindex": 3, "migrate": 3, "build": 1}
"""The commit at which each is killed: in the middle of its work."""


@pytest.mark.parametrize("command", QUICK)
def test_a_killed_command_is_made_good_by_the_next(command: str, make_case: Make, tmp_path: Path) -> None:
    assert survive_kills(command, [Kill(QUICK[command], is_after=True)], make_case, tmp_path / command) == 1


def test_an_add_to_a_server_that_was_killed_is_made_good_by_the_next(make_server_case: Make, tmp_path: Path) -> None:
    assert survive_kills("add", [Kill(QUICK["add"], is_after=True)], make_server_case, tmp_path / "add") == 1


@pytest.mark.slow
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("command", QUICK)
def test_commands_over_a_server_killed_at_any_moment_are_made_good_by_the_next(
    command: str, make_server_case: Make, tmp_path: Path
) -> None:
    kills = choose_kills(command)
    assert survive_kills(command, kills, make_server_case, tmp_path / command) >= KILLS_OF_EACH // 2


@pytest.mark.slow
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("command", QUICK)
def test_commands_killed_at_any_moment_are_made_good_by_the_next(command: str, make_case: Make, tmp_path: Path) -> None:
    assert survive_kills(command, choose_kills(command), make_case, tmp_path / command) >= KILLS_OF_EACH // 2


@pytest.mark.slow
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("command", QUICK)
def test_commands_over_qdrant_killed_at_any_moment_are_made_good_by_the_next(
    command: str, make_qdrant_case: Make, tmp_path: Path
) -> None:
    kills = choose_kills(command, WRITES)
    assert survive_kills(command, kills, make_qdrant_case, tmp_path / command) >= KILLS_OF_EACH // 2


def choose_kills(command: str, moments: dict[str, int] = COMMITS) -> list[Kill]:
    chance = random.Random(len(command))
    kills = [Kill(chance.randint(1, moments[command]), chance.random() < 0.5) for _ in range(KILLS_OF_EACH - 4)]
    return kills + [Kill(seconds=chance.uniform(0.5, 4)) for _ in range(4)]


class Uploading:
    """A service that is killed and started again, and what it has accepted."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self.accepted: dict[str, bytes] = {}
        self._process: subprocess.Popen | None = None
        self._client: httpx.Client | None = None

    def start(self, kill: Kill = Kill()) -> None:
        self._process = start("serve", self.home, {}, kill, stdout=subprocess.PIPE, text=True)
        url = self._process.stdout.readline().strip()
        self._client = httpx.Client(base_url=url, timeout=SECONDS, trust_env=False) if url else None

    def upload(self, files: dict[str, bytes]) -> None:
        """Upload; a service that is killed meanwhile has accepted nothing."""
        if self._client is None:
            return
        try:
            response = self._client.post("/v1/documents", files=[("files", each) for each in files.items()])
        except httpx.TransportError:
            return
        assert response.status_code == 202, response.text
        self.accepted |= files

    def end(self) -> None:
        if self._client is not None:
            self._client.close()
        if self._process is not None:
            self._process.kill()
            self._process.communicate()
        self._client = self._process = None

    def finish_jobs(self) -> None:
        """Every job comes to its end; those that failed for the kills are run again."""
        until = time.monotonic() + SECONDS
        while time.monotonic() < until:
            jobs = self._client.get("/v1/jobs").raise_for_status().json()["jobs"]
            for job in jobs:
                if job["state"] == "failed":
                    assert "given up" in job["reason"], job
                    self._client.post(f"/v1/jobs/{job['id']}/retry").raise_for_status()
            if all(job["state"] == "finished" for job in jobs):
                return
            time.sleep(0.1)
        raise AssertionError("jobs do not end")


@pytest.fixture
def uploading(tmp_path: Path) -> Iterator[Uploading]:
    uploading = Uploading(tmp_path / "kb")
    yield uploading
    uploading.end()


def some_files(kill: int) -> dict[str, bytes]:
    chance = random.Random(kill)
    # some are of a name that was uploaded before
    return {
        f"upload{number:02}.txt": (
            f"Refunds take {kill} days in note {number}. {chance.choice(NAMES)} met Guest{kill} Jones in Oakford."
        ).encode()
        for number in range(kill * 2, kill * 2 + 4)
    }


def survive_killed_services(uploading: Uploading, kills: list[Kill], folder: Path) -> None:
    for number, kill in enumerate(kills):
        uploading.start(kill)
        uploading.upload(some_files(number))
        time.sleep(kill.seconds)
        uploading.end()
        assert_whole(uploading.home, ("hashes", 64))
    uploading.start()
    uploading.finish_jobs()
    uploading.end()
    with open_knowledge(uploading.home) as knowledge:
        assert {job.state for job in knowledge.service.jobs.jobs()} <= {JobState.FINISHED}
        texts = {
            record.source.removeprefix("upload:"): knowledge.document(record.id).text.encode()
            for record in knowledge.documents()
        }
        found = describe_sound(knowledge)
        # a request that was killed may leave files that no job ever named
        forget_orphans(knowledge.service, "default", knowledge.documents)
        assert sorted(file.name for file in knowledge.service.files.files()) == sorted(texts)
    # what a kill kept from being answered may be in as well, but then nothing older of that name
    assert texts.keys() >= uploading.accepted.keys()
    assert {name for name, text in uploading.accepted.items() if texts[name] != text} <= _sent_again(kills, uploading)
    with open_knowledge(folder / "whole") as whole:
        runner = JobRunner(whole.access)
        whole.jobs.submit_files([(name, [text]) for name, text in texts.items()])
        runner.start(1)
        until = time.monotonic() + SECONDS
        while not all(job.state.is_ended for job in whole.service.jobs.jobs()):
            assert time.monotonic() < until
            time.sleep(0.05)
        assert runner.stop(SECONDS)
        assert_equal(found, describe_sound(whole))


def _sent_again(kills: list[Kill], uploading: Uploading) -> set[str]:
    """Names whose last upload was not answered, so that either text may stand."""
    last = {name: text for number in range(len(kills)) for name, text in some_files(number).items()}
    return {name for name, text in uploading.accepted.items() if last[name] != text}


def test_a_killed_service_loses_no_upload_that_it_accepted(uploading: Uploading, tmp_path: Path) -> None:
    survive_killed_services(uploading, [Kill(seconds=0.2)], tmp_path)
    assert len(uploading.accepted) == 4


@pytest.mark.slow
@pytest.mark.timeout(1800)
def test_a_service_killed_again_and_again_loses_no_upload_that_it_accepted(
    uploading: Uploading, tmp_path: Path
) -> None:
    survive_killed_services(uploading, choose_kills_of_service(), tmp_path)
    assert uploading.accepted


@pytest.mark.slow
@pytest.mark.timeout(1800)
def test_a_service_over_a_server_killed_again_and_again_loses_no_upload_that_it_accepted(
    uploading: Uploading, postgres_url: str, tmp_path: Path
) -> None:
    put_on_server(uploading.home, postgres_url)
    put_on_server(tmp_path / "whole", postgres_url)
    survive_killed_services(uploading, choose_kills_of_service(), tmp_path)
    assert uploading.accepted


@pytest.mark.slow
@pytest.mark.timeout(1800)
def test_a_service_over_qdrant_killed_again_and_again_loses_no_upload_that_it_accepted(
    uploading: Uploading, backends: Callable[[str], Any], tmp_path: Path
) -> None:
    for home in (uploading.home, tmp_path / "whole"):
        put_on_server(home, backends("qdrant").url, "qdrant")
    survive_killed_services(uploading, choose_kills_of_service(), tmp_path)
    assert uploading.accepted


def choose_kills_of_service() -> list[Kill]:
    chance = random.Random(9)
    kills = [Kill(seconds=chance.uniform(0, 0.8)) for _ in range(KILLS_OF_EACH // 2)]
    return kills + [Kill(chance.randint(2, 20), chance.random() < 0.5, 2.0) for _ in range(KILLS_OF_EACH // 2)]
