"""The file that vectors of sentences are kept in: bounded, shared by processes, and never worth an error."""

import contextvars
import logging
import os
import sqlite3
import subprocess
import sys
import time

import pytest

from ascertain.models.vectors.vector_file import VectorFile, identify_document

MOST = 1_000_000
VALUES = {b"one": b"1" * 384, b"two": b"2" * 384}
OWNER = identify_document("default", "doc")
OTHER = identify_document("default", "other")


def keep(file, values, owner=OWNER):
    file.write(values, dict.fromkeys(values, owner))


def forget(file, *ids):
    return file.forgetting("default", ids or ("doc",))


@pytest.fixture
def path(tmp_path):
    return tmp_path / "sentences.sqlite3"


@pytest.fixture(autouse=True)
def _of_one_question():
    """What a test begins is over with it."""
    token = contextvars.copy_context()
    yield
    for variable, value in token.items():
        variable.set(value)


def begun(path, most=MOST):
    file = VectorFile(path, most)
    file.begin_question()
    return file


def test_what_was_written_is_read_by_another_process(path):
    keep(begun(path), VALUES)
    code = f"""
from pathlib import Path
from ascertain.models.vectors.vector_file import VectorFile
file = VectorFile(Path({str(path)!r}), {MOST})
assert file.read([b"one", b"three"]) == {{b"one": b"1" * 384}}
file.begin_question()
file.write({{b"three": b"3" * 384}}, {{b"three": b"owner"}})
"""
    subprocess.run([sys.executable, "-c", code], check=True, env=os.environ)
    assert set(VectorFile(path, MOST).read([*VALUES, b"three"])) == {*VALUES, b"three"}


def test_the_file_stays_bounded_and_the_latest_stay_in_it(path):
    file = begun(path, 100_000)
    for number in range(100):
        keep(file, {f"{number}-{i}".encode(): bytes(384) for i in range(10)})
    file.close()
    assert path.stat().st_size < 150_000
    kept = VectorFile(path, MOST).read([f"{number}-0".encode() for number in range(100)])
    assert b"99-0" in kept
    assert b"0-0" not in kept


def test_nothing_is_left_of_what_was_forgotten_not_even_in_free_pages(path):
    file, other = begun(path), VectorFile(path, MOST)
    keep(file, {b"key": b"a vector that tells of a secret" * 20})
    assert other.read([b"key"])
    with forget(file):
        pass
    assert file.read([b"key"]) == other.read([b"key"]) == {}
    other.close()
    file.close()
    assert b"secret" not in b"".join(each.read_bytes() for each in path.parent.iterdir())


def test_what_a_question_computes_that_began_before_a_deletion_is_not_kept(path):
    file, other = begun(path), VectorFile(path, MOST)
    with forget(other):
        keep(file, VALUES)
    keep(file, VALUES)
    assert file.read(list(VALUES)) == {}
    file.begin_question()
    keep(file, VALUES)
    assert file.read(list(VALUES)) == VALUES


def test_a_question_that_begins_in_the_midst_of_a_deletion_keeps_nothing(path):
    keep(begun(path), VALUES)
    deleting = VectorFile(path, MOST)
    with forget(deleting):
        asking = begun(path)
        keep(asking, VALUES)
        assert asking.read(list(VALUES)) == {}
    keep(asking, VALUES)
    assert asking.read(list(VALUES)) == {}


def test_a_deletion_that_was_killed_does_not_keep_the_file_from_use_for_good(path):
    keep(begun(path), VALUES)
    killed = forget(VectorFile(path, MOST))
    killed.__enter__()
    with sqlite3.connect(path) as db:
        db.execute("UPDATE forgotten SET changing_since = ?", (time.time() - 3600,))
    asking = begun(path)
    keep(asking, VALUES)
    assert asking.read(list(VALUES)) == VALUES


def test_a_thread_without_a_question_keeps_nothing(path):
    file = VectorFile(path, MOST)
    keep(file, VALUES)
    assert file.read(list(VALUES)) == {}


@pytest.mark.parametrize("damage", ["header", "middle", "value"])
def test_a_damaged_file_costs_no_more_than_what_was_in_it(path, caplog, damage):
    file = begun(path)
    keep(file, {f"{i}".encode(): bytes([i]) * 384 for i in range(100)})
    file.close()
    if damage == "value":
        with sqlite3.connect(path) as db:
            db.execute("UPDATE vectors SET value = zeroblob(388)")
    else:
        content = bytearray(path.read_bytes())
        start = 0 if damage == "header" else 4096
        content[start : start + 4000] = os.urandom(4000)
        path.write_bytes(content)
    again = VectorFile(path, MOST)
    with caplog.at_level(logging.WARNING):
        for key in range(1, 100):
            assert again.read([f"{key}".encode()]) in ({}, {f"{key}".encode(): bytes([key]) * 384})
        again.begin_question()
        keep(again, VALUES)
    if damage != "value":
        assert "embedded again" in caplog.text
    assert again.read(list(VALUES)) == VALUES


def test_a_place_that_cannot_be_written_is_told_once(tmp_path, caplog):
    (tmp_path / "sentences.sqlite3").mkdir()
    file = VectorFile(tmp_path / "sentences.sqlite3", MOST)
    with caplog.at_level(logging.WARNING):
        for _ in range(3):
            file.begin_question()
            keep(file, VALUES)
            assert file.read(list(VALUES)) == {}
    assert caplog.text.count("not stored on disk") == 1


def test_a_file_that_another_process_writes_is_not_waited_for(path):
    file = begun(path)
    keep(file, VALUES)
    with sqlite3.connect(path, isolation_level=None) as db:
        db.execute("BEGIN IMMEDIATE")
        started = time.monotonic()
        keep(file, {b"three": b"3"})
        assert time.monotonic() - started < 5
        db.execute("ROLLBACK")
    keep(file, {b"four": b"4"})
    assert set(file.read([*VALUES, b"three", b"four"])) == {*VALUES, b"four"}


def test_no_folder_is_made_for_it(tmp_path):
    file = VectorFile(tmp_path / "no" / "sentences.sqlite3", MOST)
    with forget(file):
        file.begin_question()
    assert file.read([b"one"]) == {}
    assert not (tmp_path / "no").exists()


def test_what_belongs_to_others_stays_when_a_document_goes(path):
    file, other_process = begun(path), VectorFile(path, MOST)
    keep(file, VALUES)
    keep(file, {b"theirs": b"3" * 384}, OTHER)
    with forget(other_process):
        keep(file, {b"late": b"4" * 384})
        keep(file, {b"theirs too": b"5" * 384}, OTHER)
    assert set(file.read([*VALUES, b"late", b"theirs", b"theirs too"])) == {b"theirs", b"theirs too"}


def test_documents_of_two_tenants_are_told_apart(path):
    file = begun(path)
    keep(file, VALUES)
    with file.forgetting("another", ["doc"]):
        pass
    assert file.read(list(VALUES)) == VALUES


def test_after_many_deletions_no_question_that_began_before_them_keeps_anything_of_what_went(path):
    asking = begun(path)
    deleting = VectorFile(path, MOST)
    with forget(deleting):
        pass
    with forget(deleting, *(f"d{number}" for number in range(2_000))):
        pass
    keep(asking, VALUES)
    assert asking.read(list(VALUES)) == {}
    asking.begin_question()
    keep(asking, VALUES)
    assert asking.read(list(VALUES)) == VALUES
    with sqlite3.connect(path) as db:
        assert db.execute("SELECT count(*) FROM forgotten").fetchone()[0] <= 1_000
