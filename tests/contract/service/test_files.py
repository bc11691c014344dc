"""What every store of uploaded files must do."""

import hashlib
import os
import signal
import threading

import pytest
from service_nouns import NOON, ODD, eventually, later

from ascertain.core.errors import StoreError, UsageError
from ascertain.stores.ports.service import StoredFile

PUT_AND_WAIT = """
def pieces():
    for _ in range(3):
        yield b"x" * 2_000_000
    say("under way")
    yield b"end"
service.files.put("f", "theirs.txt", pieces(), noon)
say("done")
"""


class Interrupted(Exception):
    pass


def broken_off(*pieces):
    yield from pieces
    raise Interrupted


def content(service, name, **arguments):
    with service.files.open(name, **arguments) as path:
        return path.read_bytes()


def room(service, home, backend, settings):
    """What all files take, in the home and on the server."""
    in_home = sum(path.stat().st_size for path in home.rglob("uploads/**/*") if path.is_file())
    return in_home + (backend.bytes_used(settings) if hasattr(backend, "bytes_used") else 0)


def test_there_are_no_files_at_first(service):
    assert service.files.files() == []
    assert service.files.get("f") is None
    assert not service.files.delete("f")
    with pytest.raises(UsageError, match="no uploaded file 'f'"), service.files.open("f"):
        pass


@pytest.mark.parametrize("sizes", [(), (0,), (5,), (1_000_000, 0, 1_500_000, 3), (3 << 20,)])
def test_a_file_comes_back_as_it_was(reopen, sizes):
    pieces = [os.urandom(size) for size in sizes]
    whole = b"".join(pieces)
    first = reopen()
    stored = first.files.put("f", "report.pdf", iter(pieces), later(microseconds=7))
    first.close()
    service = reopen()
    assert stored == StoredFile("f", "report.pdf", len(whole), hashlib.sha256(whole).hexdigest(), later(microseconds=7))
    assert service.files.get("f") == stored
    assert service.files.files() == [stored]
    assert content(service, "f") == whole


@pytest.mark.parametrize(
    ("name", "on_disk"),
    [
        ("report.pdf", "report.pdf"),
        ("folder/../../report.pdf", "report.pdf"),
        ("C:\\Users\\me\\report.pdf", "report.pdf"),
        ("..", "file"),
        ("", "file"),
        ("folder/", "file"),
        ("数学 🎈.pdf", "数学 🎈.pdf"),
        ("nul\0lone\udc80.pdf", "nul_lone_.pdf"),
        ("a" * 300 + ".pdf", "a" * 196 + ".pdf"),
    ],
)
def test_it_is_read_under_its_name(service, name, on_disk):
    service.files.put("f", name, [b"words"], NOON)
    assert service.files.get("f").name == name
    with service.files.open("f") as path:
        assert path.name == on_disk
        assert path.read_bytes() == b"words"
        folder = path.parent
    assert not folder.exists()


def test_ids_are_told_apart_to_the_character(service):
    for number, name in enumerate(ODD):
        service.files.put(name, "f.txt", [name.encode("utf-8", "surrogatepass")], later(seconds=number))
    assert [file.id for file in service.files.files()] == list(ODD)
    for name in ODD:
        assert content(service, name) == name.encode("utf-8", "surrogatepass")


def test_files_are_listed_by_the_beginning_of_their_ids(service):
    names = ("ab", "a", "b", "aB", "ab\U0010ffff", "ab\0", "ab\ud800", "x" * 70 + "1", "x" * 70 + "2")
    for number, name in enumerate(names):
        service.files.put(name, "f.txt", [b""], later(seconds=number))
    for beginning in ("", "a", "ab", "ab\0", "ab\U0010ffff", "x" * 64, "x" * 70 + "2", "none"):
        found = [file.id for file in service.files.files(beginning=beginning)]
        assert found == [name for name in names if name.startswith(beginning)], beginning


def test_a_file_is_replaced_as_a_whole(service, home, backend, settings):
    service.files.put("f", "one.txt", [b"x" * 3_000_000], NOON)
    before = room(service, home, backend, settings)
    for number in range(3):
        service.files.put("f", "two.txt", [b"other"], later(days=number))
    assert content(service, "f") == b"other"
    assert [(file.name, file.created_at) for file in service.files.files()] == [("two.txt", later(days=2))]
    if not hasattr(backend, "bytes_used"):
        assert room(service, home, backend, settings) < before - 2_900_000


def test_who_reads_a_file_keeps_it_while_it_is_replaced_and_deleted(service):
    service.files.put("f", "f.txt", [b"first"], NOON)
    with service.files.open("f") as path:
        service.files.put("f", "f.txt", [b"second"], NOON)
        with service.files.open("f") as newer:
            assert service.files.delete("f")
            assert (path.read_bytes(), newer.read_bytes()) == (b"first", b"second")


def test_a_deleted_file_is_gone(service, home, backend, settings):
    service.files.put("f", "f.txt", [b"x" * 3_000_000], NOON)
    service.files.put("f", "f.txt", [b"of another"], NOON, "acme")
    assert service.files.delete("f")
    assert not service.files.delete("f")
    assert service.files.get("f") is None
    assert content(service, "f", tenant="acme") == b"of another"
    if not hasattr(backend, "bytes_used"):
        assert room(service, home, backend, settings) < 1_000


def test_nothing_is_left_of_a_file_that_was_broken_off(service, home):
    service.files.put("kept", "f.txt", [b"kept"], NOON)
    for name in ("kept", "new"):
        with pytest.raises(Interrupted):
            service.files.put(name, "f.txt", broken_off(b"x" * 3_000_000), NOON)
    assert [file.id for file in service.files.files()] == ["kept"]
    assert content(service, "kept") == b"kept"
    assert all(path.stat().st_size < 1_000 for path in home.rglob("uploads/*"))


def test_a_file_is_there_only_when_it_is_whole(reopen, process):
    service = reopen()
    service.files.put("f", "mine.txt", [b"mine"], NOON)
    other = process(PUT_AND_WAIT)
    assert other.stdout.readline() == "under way\n"
    assert content(service, "f") == b"mine"
    other.stdin.write("\n")
    other.stdin.flush()
    assert other.stdout.readline() == "done\n"
    assert content(service, "f") == b"x" * 6_000_000 + b"end"
    assert service.files.get("f").name == "theirs.txt"


def test_what_a_killed_process_was_writing_is_never_seen_and_swept_away(reopen, process, home, backend):
    service = reopen()
    other = process(PUT_AND_WAIT)
    assert other.stdout.readline() == "under way\n"
    reopen().files.put("while it lives", "f.txt", [b"mine"], NOON)
    os.kill(other.pid, signal.SIGKILL)
    other.wait()
    assert service.files.get("f") is None

    def is_swept():
        fresh = reopen()
        fresh.files.put("new", "f.txt", [b"mine"], NOON)
        left = service_contents(fresh, home)
        fresh.close()
        return left == 2

    assert eventually(is_swept)
    assert content(service, "while it lives") == b"mine"


def service_contents(service, home):
    """How many contents there are, noted or not."""
    if (home / "uploads").exists():
        return len(list((home / "uploads").iterdir()))
    with service.files._database.reading() as db:
        return len(db.fetch_rows("SELECT number FROM file_contents"))


def test_files_put_at_the_same_time_are_whole(reopen):
    stores = [reopen() for _ in range(4)]

    def put(number):
        for _ in range(5):
            stores[number].files.put("f", f"{number}.txt", [str(number).encode() * 700_000] * 2, NOON)

    threads = [threading.Thread(target=put, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    while any(thread.is_alive() for thread in threads):
        file = stores[0].files.get("f")
        if file is not None:
            whole = content(stores[0], "f")
            assert (len(whole), len(set(whole))) == (1_400_000, 1)
    for thread in threads:
        thread.join()
    assert len(reopen().files.files()) == 1


def test_a_closed_store_says_so(reopen):
    service = reopen()
    service.files.put("f", "f.txt", [b"x"], NOON)
    service.close()
    with pytest.raises(StoreError, match="closed"):
        service.files.put("f", "f.txt", [b"x"], NOON)
    with pytest.raises(StoreError, match="closed"):
        service.files.get("f")
