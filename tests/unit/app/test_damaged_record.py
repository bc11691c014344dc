"""Bytes of the record that are not what was written: every command says that it is damaged and what to do, doctor too."""

from __future__ import annotations

import random
import shutil
import sqlite3
import zlib
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from small_knowledge import WordHashes, a_document, opened

from ascertain import Ascertain
from ascertain.app import health
from ascertain.app.health import examine_health
from ascertain.core.asking.passages import Filter
from ascertain.core.errors import AscertainError, StoreDamaged

NAMES = ("Peter Aaskov", "Ana Flores", "Norland Lines", "Veltrix Bay", "Port Louis", "Ben Ito")

COMMANDS: dict[str, Callable[[Ascertain], object]] = {
    "documents": lambda knowledge: knowledge.documents(),
    "documents with their texts": lambda knowledge: [knowledge.document(one.id) for one in knowledge.documents()],
    "stats": lambda knowledge: (knowledge.stats(), knowledge.ingest_runs(), knowledge.graph.counts()),
    "search": lambda knowledge: knowledge.search("refunds days"),
    "ask": lambda knowledge: knowledge.ask("How many days do refunds take?"),
    "conversations": lambda knowledge: (knowledge.conversations(), knowledge.conversation("talk")),
    "graph entities": lambda knowledge: knowledge.graph.entities("", 50),
    "graph stats": lambda knowledge: knowledge.graph.stats(),
    "graph build": lambda knowledge: knowledge.graph.build(),
    "jobs": lambda knowledge: knowledge.service.jobs.jobs(),
    "add": lambda knowledge: knowledge.add_documents([a_document("new", "Karen Jones lives in Oakford.")]),
    "delete": lambda knowledge: knowledge.delete(Filter(sources=("d3",))),
}


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = tmp_path_factory.mktemp("whole") / "kb"
    chance = random.Random(1)
    with opened(home) as knowledge:
        said = [
            " ".join(f"{chance.choice(NAMES)} met {chance.choice(NAMES)}. Refunds take {n} days." for _ in range(8))
            for n in range(30)
        ]
        knowledge.add_documents([a_document(f"d{n}", text, tags=("tagged",)) for n, text in enumerate(said)])
        knowledge.ask("How many days do refunds take?", conversation_id="talk")
        knowledge.jobs.submit_files([("n.txt", [b"bridge"])])
    return home


@pytest.fixture
def home(whole: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(health, "_examine_reader", lambda *arguments: None)
    shutil.copytree(whole, tmp_path / "kb")
    return tmp_path / "kb"


def replace_bytes(home: Path, written: bytes, put: bytes) -> None:
    record = home / "record.sqlite3"
    content = record.read_bytes()
    assert written in content
    assert len(put) == len(written)
    record.write_bytes(content.replace(written, put))


def run_command(home: Path, name: str) -> str:
    """What the command says of damage; empty where it does not come across any."""
    with opened(home, WordHashes()) as knowledge:
        try:
            COMMANDS[name](knowledge)
        except StoreDamaged as error:
            assert "restore it from a backup" in str(error)
            assert str(error).endswith("; see `ascertain doctor`")
            assert str(error).isprintable()
            return str(error)
    return ""


def problems_of(home: Path) -> tuple[str, ...]:
    with opened(home) as knowledge:
        problems = examine_health(knowledge).problems
    assert not any("doctor" in problem for problem in problems), "doctor sends people to doctor"
    return problems


def test_a_whole_record_has_no_problems(home):
    assert problems_of(home) == ()
    assert [name for name in COMMANDS if run_command(home, name)] == []


@pytest.mark.parametrize("name", ["documents with their texts", "search"])
def test_a_text_that_is_no_text_any_more_is_damage_and_not_a_bug(home, name):
    replace_bytes(home, b"Refunds take 7 days.", b"Refunds \xff\xfe\xff\xfe 7 days.")
    assert "record.sqlite3 is damaged (Could not decode to UTF-8 column" in run_command(home, name)
    assert any("is damaged" in problem for problem in problems_of(home))


@pytest.mark.parametrize("name", ["documents", "search", "ask", "documents with their texts"])
def test_a_field_that_cannot_be_read_is_damage_and_not_a_bug(home, name):
    replace_bytes(home, b'["tagged"]', b'["tagged",')
    assert "is damaged (JSONDecodeError" in run_command(home, name)
    assert problems_of(home)


def test_a_name_that_is_no_text_any_more_is_told_by_doctor(home):
    replace_bytes(home, b"veltrix bay", b"veltrix \xff\xfe\xff")
    assert "is damaged" in run_command(home, "graph entities")
    (problem,) = problems_of(home)
    assert problem.startswith("knowledge graph: ")
    assert "is damaged (Could not decode to UTF-8 column 'key')" in problem


def test_an_answer_that_cannot_be_read_any_more_is_told_by_doctor(home):
    with closing(sqlite3.connect(home / "record.sqlite3")) as record, record:
        record.execute("UPDATE turns SET answer = ?", (zlib.compress(b"{}")[:-3] + b"\xbd\xbd\xbd",))
    assert "is damaged" in run_command(home, "conversations")
    (problem,) = problems_of(home)
    assert problem.startswith("conversations: ")
    assert "is damaged" in problem


def test_doctor_tells_of_a_letter_that_has_become_another(home):
    replace_bytes(home, b"Refunds take 7 days.", b"Refunds take 9 days.")
    (problem,) = problems_of(home)
    assert problem.startswith("what is stored is damaged in 1 document, the first is d7: delete and add again")


def test_a_schema_that_cannot_be_read_is_damage_and_not_a_bug(home):
    record = home / "record.sqlite3"
    content = record.read_bytes()
    record.write_bytes(content.replace(b"CREATE TABLE chunks", b"CREATE \xbd\xbd\xbd\xbd\xbd chunks", 1))
    assert "is damaged" in run_command(home, "documents")
    assert "is damaged" in problems_of(home)[0]


def test_pages_that_are_none_are_told_with_the_remedy(home):
    record = home / "record.sqlite3"
    content = bytearray(record.read_bytes())
    content[100:2_000] = bytes(len(content[100:2_000]))
    record.write_bytes(content)
    assert "is damaged" in run_command(home, "documents")
    (problem,) = problems_of(home)
    assert "restore it from a backup" in problem


def flip_bytes(whole: Path, folder: Path, runs: int, seed: int) -> None:
    """Nothing but damage is ever told, and where a command comes across some, doctor does."""
    chance = random.Random(seed)
    for run in range(runs):
        home = folder / str(run)
        shutil.copytree(whole, home)
        record = home / "record.sqlite3"
        content = bytearray(record.read_bytes())
        at = chance.randrange(len(content) - 8)
        for place in range(at, at + 8):
            content[place] ^= chance.randrange(1, 256)
        record.write_bytes(content)
        problems = _problems_or_none(home)
        told = {name: _tell_damage(home, name) for name in COMMANDS}
        assert problems or not any(told.values()), (at, told)
        shutil.rmtree(home)


def _problems_or_none(home: Path) -> tuple[str, ...]:
    try:
        return problems_of(home)
    except AscertainError as error:
        return (str(error),)


def _tell_damage(home: Path, name: str) -> str:
    """An error that is none of ours comes through and fails the test."""
    try:
        return run_command(home, name)
    except AscertainError as error:
        return str(error)


def test_flipped_bytes_are_damage_and_never_a_bug(whole, tmp_path, monkeypatch):
    monkeypatch.setattr(health, "_examine_reader", lambda *arguments: None)
    flip_bytes(whole, tmp_path, 4, 3)


@pytest.mark.slow
@pytest.mark.timeout(1200)
def test_two_hundred_flips_are_damage_and_never_a_bug(whole, tmp_path, monkeypatch):
    monkeypatch.setattr(health, "_examine_reader", lambda *arguments: None)
    flip_bytes(whole, tmp_path, 200, 5)


@pytest.mark.parametrize("command", ["documents", "search", "ask", "add", "jobs"])
def test_a_record_of_no_bytes_is_damage_and_not_a_new_knowledge_base(home: Path, command: str) -> None:
    for name in ("record.sqlite3-wal", "record.sqlite3-shm"):
        (home / name).unlink(missing_ok=True)
    (home / "record.sqlite3").write_bytes(b"")
    with pytest.raises(StoreDamaged, match=r"record\.sqlite3 has 0 bytes"), opened(home) as knowledge:
        COMMANDS[command](knowledge)
    assert (home / "record.sqlite3").stat().st_size == 0
