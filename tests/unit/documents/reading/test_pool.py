"""Files are read by processes of their own, which end within their limits and take nothing else with them."""

import os
import pickle
import subprocess
import sys
import tempfile
import threading
import time
import zipfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest
from bombs import BOMBS, one_page_many_times, packed_operators

from ascertain.core.documents.blocks import BlockKind, Span
from ascertain.core.errors import SourceError
from ascertain.documents.formats.reader import ReadLimits, ReadOptions, SourceFile
from ascertain.documents.reading.messages import unpack_answer
from ascertain.documents.reading.pool import READERS, ReaderPool, ReadingStopped
from ascertain.documents.sources.files import read_apart, read_path

TIGHT = ReadLimits(seconds=5, memory_bytes=500_000_000)
READ_WHOLE = {
    "xref-in-circles.pdf",
    "archives-in-archives.docx",
    "wide-cell.docx",
    "laughs.rss",
    "blown-up.rss",
    "deep.html",
    "unclosed.html",
    "lists.html",
    "deep.md",
    "brackets.md",
    "emphasis.md",
}
"""Those that are harmless to read within the limits, as what there is of them."""
READ_IN_TIME = {"short-rows.csv", "bad-rows.csv", "entities.html"}
"""Those that take about as long as they may: a fast machine reads them."""
BESIDE_SECONDS = 30.0
"""For a file of a line that is read beside: a hundredth of a second, and this on a machine with ten times too much to do."""
BREAKING = "one-page-many-times.pdf"


@pytest.fixture
def pool():
    pool = ReaderPool()
    yield pool
    pool.close()


def processes() -> set[int]:
    """Of reading, below this one."""
    return {process._process.pid for process in READERS._started}


def is_there(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def read_bomb(folder: Path, name: str, limits: ReadLimits) -> str | None:
    """Why it could not be read; None when it could."""
    path = folder / name
    path.write_bytes(BOMBS[name]())
    try:
        for number, _ in enumerate(read_apart(path, ReadOptions(limits=limits))):
            if number > 1000:
                return None  # of a table with millions of rows
    except SourceError as error:
        return str(error)
    finally:
        path.unlink()
    return None


def check_bomb(folder: Path, name: str) -> None:
    """It ends in its limits, with one line that names it, while another file is read as if nothing was."""
    other = folder / "other.md"
    other.write_text("# Other\n\nAnother tenant's text.")
    # the model of languages is loaded by the first
    list(read_apart(other, ReadOptions()))
    is_over = threading.Event()

    def read_others() -> float:
        longest = 0.0
        while not is_over.is_set():
            started = time.monotonic()
            assert [document.title for document in read_apart(other, ReadOptions())] == ["Other"]
            longest = max(longest, time.monotonic() - started)
            time.sleep(0.05)
        return longest

    with ThreadPoolExecutor(1) as beside:
        reading = beside.submit(read_others)
        started = time.monotonic()
        try:
            reason = read_bomb(folder, name, TIGHT)
        finally:
            is_over.set()
        assert time.monotonic() - started < 60
        assert reading.result() < BESIDE_SECONDS
    if reason is None:
        assert name in READ_WHOLE | READ_IN_TIME
    else:
        assert reason.startswith(name)
        assert "\n" not in reason
        assert len(reason) < 300


@pytest.mark.parametrize(
    "name", ["nested-forms.pdf", "huge-part.docx", "laughs.rss", "deep.html", "open-quotes.csv", "deep.json"]
)
def test_a_bomb_of_each_kind_ends_in_its_limits(tmp_path, name):
    check_bomb(tmp_path, name)


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(BOMBS))
def test_every_bomb_ends_in_its_limits(tmp_path, name):
    check_bomb(tmp_path, name)


def test_what_takes_too_long_is_named_with_the_setting_and_its_process_is_gone(tmp_path):
    reason = read_bomb(tmp_path, BREAKING, replace(TIGHT, seconds=0.5))
    assert reason == (
        f"{BREAKING}: takes longer than 0.5 s to read; split it, or raise ingest.reading.seconds if it is known to be good"
    )


def test_what_takes_too_much_memory_is_named_with_the_setting(tmp_path):
    assert read_bomb(tmp_path, "many-paragraphs.docx", ReadLimits(seconds=100, memory_bytes=300_000_000)) == (
        "many-paragraphs.docx: needs more than 300,000,000 bytes of memory to be read; split it, or raise "
        "ingest.reading.memory_bytes if it is known to be good"
    )


def test_it_is_named_as_well_when_not_a_byte_is_left_to_name_it_with(monkeypatch, tmp_path, pool):
    code = (
        "import resource\n"
        "from ascertain.documents.reading import child\n"
        "def fill_memory(*arguments):\n"
        "    if resource.getrlimit(resource.RLIMIT_AS)[0] != resource.RLIM_INFINITY: raise MemoryError\n"
        "    return pack(*arguments)\n"
        "def read_much(file):\n"
        "    child.pack_message = fill_memory\n"
        "    raise MemoryError\n"
        "pack, child.extract_texts = child.pack_message, read_much\n"
        "child.serve_requests()\n"
    )
    monkeypatch.setattr(
        "ascertain.documents.reading.pool._START", f"import sys; sys.path[:] = {{path!r}}; exec({code!r})"
    )
    options = ReadOptions(limits=ReadLimits(seconds=100, memory_bytes=300_000_000))
    with pytest.raises(SourceError, match=r"^notes\.txt: needs more than 300,000,000 bytes of memory"):
        list(pool.read_file(SourceFile(tmp_path / "notes.txt", options)))


def test_what_unpacks_to_too_much_is_named_with_the_setting(tmp_path):
    path = tmp_path / "packed.pdf"
    path.write_bytes(packed_operators(3_000_000))
    with pytest.raises(SourceError) as refused:
        list(read_apart(path, ReadOptions(limits=replace(TIGHT, unpacked_bytes=2_000_000))))
    assert str(refused.value) == (
        "packed.pdf: holds a part that unpacks to more than 2,000,000 bytes; print it into a new PDF, or raise "
        "ingest.reading.unpacked_bytes"
    )


def test_a_file_is_left_at_once_when_nobody_wants_it_and_its_process_ends(tmp_path):
    path = tmp_path / BREAKING
    path.write_bytes(BOMBS[BREAKING]())
    started = time.monotonic()
    seen: set[int] = set()

    def goes_on() -> bool:
        seen.update(processes())
        return time.monotonic() - started < 1

    with pytest.raises(ReadingStopped):
        list(read_apart(path, ReadOptions(goes_on=goes_on)))
    # the one that read; others may wait for the next file
    assert any(not is_there(pid) for pid in seen)
    assert seen - processes()


def test_reads_what_this_process_would_read(write):
    files = [
        write("a.md", "# Title\n\nSome text.\n\n## Part\n\nMore of it."),
        write("b.csv", "title,content,date\nOne,First text.,2024-01-02\nTwo,Second.,x\nThree,a,b,c\n"),
        write("c.vtt", "WEBVTT\n\n00:00:01.000 --> 00:00:02.000\n<v Ann>Hello.\n"),
        write("name with\udcff.txt".encode("utf-8", "surrogateescape").decode("latin-1"), "Text."),
    ]
    for path in files:
        here: list[tuple[str, str]] = []
        there: list[tuple[str, str]] = []
        expected = list(read_path(path, ReadOptions(on_bad_row=lambda *row, to=here: to.append(row))))
        options = ReadOptions(on_bad_row=lambda *row, to=there: to.append(row))
        assert list(read_apart(path, options)) == expected
        assert there == here


def test_the_same_process_reads_the_next_file_even_after_one_that_is_damaged(write, pool):
    from ascertain.documents.formats.reader import SourceFile

    good, damaged = write("a.txt", "Text."), write("b.json", "{")
    list(pool.read_file(SourceFile(good, ReadOptions())))
    (process,) = pool._idle
    with pytest.raises(
        SourceError, match=r"^b\.json:1: not valid JSON: a name in double quotes is missing \(column 2\)"
    ):
        list(pool.read_file(SourceFile(damaged, ReadOptions())))
    list(pool.read_file(SourceFile(good, ReadOptions())))
    assert pool._idle == [process]


def test_a_process_that_ended_while_it_waited_is_replaced(write, pool):
    from ascertain.documents.formats.reader import SourceFile

    file = SourceFile(write("a.txt", "Text."), ReadOptions())
    list(pool.read_file(file))
    pool._idle[0]._process.kill()
    pool._idle[0]._process.wait()
    assert [found.text for found in pool.read_file(file)] == ["Text."]


def test_a_process_knows_no_secrets(write, pool, monkeypatch):
    from ascertain.documents.formats.reader import SourceFile

    monkeypatch.setenv("SOME_API_KEY", "hidden")
    list(pool.read_file(SourceFile(write("a.txt", "Text."), ReadOptions())))
    environ = Path(f"/proc/{pool._idle[0]._process.pid}/environ").read_bytes()
    assert b"PATH=" in environ
    assert b"hidden" not in environ


def test_an_answer_of_anything_but_plain_classes_is_refused():
    class Harm:
        def __reduce__(self):
            return os.system, ("true",)

    with pytest.raises(pickle.UnpicklingError):
        unpack_answer(pickle.dumps(Harm()))


@pytest.mark.parametrize(("name", "is_taken"), [("PARAGRAPH", True), ("mro", False), ("__class__", False)])
def test_members_of_enumerations_are_taken_as_python_3_11_2_pickles_them(name, is_taken):
    class Member:
        def __reduce__(self):
            return getattr, (BlockKind, name)

    answer = pickle.dumps(Member())
    if is_taken:
        assert unpack_answer(answer) is BlockKind.PARAGRAPH
    else:
        with pytest.raises(KeyError):
            unpack_answer(answer)


def test_no_other_attribute_is_taken_from_an_answer():
    class Method:
        def __reduce__(self):
            return getattr, (Span, "of")

    with pytest.raises(pickle.UnpicklingError, match="an attribute"):
        unpack_answer(pickle.dumps(Method()))


def test_a_process_that_reads_loads_no_models_stores_or_settings():
    code = (
        "import sys, ascertain.documents.reading.child; "
        "print([name for name in ('numpy', 'onnxruntime', 'pydantic', 'sqlite3', 'py3langid', 'httpx') if name in sys.modules])"
    )
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert out.stdout.strip() == "[]"


@pytest.mark.parametrize("is_at_work", [True, False])
def test_a_process_ends_when_its_parent_is_killed(tmp_path, is_at_work):
    path = tmp_path / (BREAKING if is_at_work else "a.txt")
    path.write_bytes(BOMBS[BREAKING]() if is_at_work else b"Text.")
    code = (
        "import sys, threading, time; from pathlib import Path\n"
        "from ascertain.documents.sources.files import read_apart; from ascertain.documents.formats.reader import ReadOptions\n"
        "from ascertain.documents.reading.pool import READERS\n"
        "threading.Thread(target=lambda: list(read_apart(Path(sys.argv[1]), ReadOptions())), daemon=True).start()\n"
        "while not READERS._started: time.sleep(0.05)\n"
        "time.sleep(1); print(*(each._process.pid for each in READERS._started), flush=True); time.sleep(60)\n"
    )
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    environ = os.environ | {"TMPDIR": str(temporary)}
    with subprocess.Popen(
        [sys.executable, "-c", code, str(path)], stdout=subprocess.PIPE, text=True, env=environ
    ) as parent:
        child = int(parent.stdout.readline())
        assert list(temporary.iterdir()) != []
        assert is_there(child)
        parent.kill()
    until = time.monotonic() + 20
    while is_there(child):
        assert time.monotonic() < until
        time.sleep(0.1)
    assert list(temporary.iterdir()) == []


def test_nothing_that_was_unpacked_stays_when_a_process_is_ended(tmp_path, pool, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "temporary"))
    monkeypatch.setenv("TMPDIR", str(tmp_path / "temporary"))
    (tmp_path / "temporary").mkdir()
    path = tmp_path / "packed.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("bomb.pdf", one_page_many_times())
    with pytest.raises(SourceError):
        list(pool.read_file(SourceFile(path, ReadOptions(limits=replace(TIGHT, seconds=1.5)))))
    assert list((tmp_path / "temporary").iterdir()) == []


def test_a_file_whose_readers_are_killed_from_outside_is_read_by_another(write, pool, monkeypatch):
    monkeypatch.setattr("ascertain.documents.reading.pool._WAIT_SECONDS", 0.0)
    lines = "".join(f"row {number},{'word ' * 20}\n" for number in range(5_000))
    rows = pool.read_file(SourceFile(write("table.csv", f"name,text\n{lines}"), ReadOptions()))
    found = [next(rows).text]
    dead = set()
    while len(dead) < 6:
        for process in pool._started - dead:
            process._process.kill()
            dead.add(process)
        found.append(next(rows).text)
    found += [row.text for row in rows]
    assert len(found) == 5_000
    assert len(set(found)) == 5_000


def test_readers_that_are_killed_before_they_have_the_file_do_not_count_against_it(write, pool, monkeypatch):
    monkeypatch.setattr("ascertain.documents.reading.pool._WAIT_SECONDS", 0.0)
    dead = set()

    def kill_eight():
        while len(dead) < 8:
            for process in list(pool._started):
                process._process.kill()
                dead.add(process)
            time.sleep(0.001)

    killer = threading.Thread(target=kill_eight)
    killer.start()
    try:
        assert [found.text for found in pool.read_file(SourceFile(write("a.txt", "Text."), ReadOptions()))] == ["Text."]
    finally:
        killer.join()


def test_a_reader_that_is_killed_again_and_again_is_said_to_be_and_nothing_of_the_file(write, pool, monkeypatch):
    monkeypatch.setattr("ascertain.documents.reading.pool._WAIT_SECONDS", 0.0)
    monkeypatch.setattr("ascertain.documents.reading.pool._TRIED_SECONDS", 0.0)
    over = threading.Event()

    def kill_all():
        while not over.wait(0.01):
            for process in list(pool._started):
                process._process.kill()

    killer = threading.Thread(target=kill_all)
    killer.start()
    try:
        with pytest.raises(
            SourceError, match=r"^a\.txt: could not be read: its reader was killed from outside \d+ times"
        ):
            list(pool.read_file(SourceFile(write("a.txt", "Text."), ReadOptions())))
    finally:
        over.set()
        killer.join()
    assert [found.text for found in pool.read_file(SourceFile(write("a.txt", "Text."), ReadOptions()))] == ["Text."]
