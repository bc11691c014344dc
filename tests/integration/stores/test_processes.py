"""Several processes on one home: one writes, the others wait or read; any of them may be killed."""

import logging
import os
import random
import signal
import subprocess
import sys
import time

import pytest

from ascertain.core.asking.passages import Filter
from ascertain.core.errors import StoreBusy
from ascertain.testing.store_documents import a_document, found_by_meaning, found_by_words, vector_of

HOLD = """
with store.writing():
    print("holding", flush=True)
    sys.stdin.readline()
"""

# Every version of a document has three chunks that name the version, so a mixture would show.
WRITE_FOREVER = """
import itertools
with store.writing():
    for turn in itertools.count(int(sys.argv[1])):
        for number in range(6):
            parts = tuple(f"word version{turn} part{p} of {number}" for p in range(3))
            store.upsert([a_document(f"/{number}.md", parts)])
            print(turn, number, flush=True)
        store.delete(Filter(sources=(f"/{turn % 6}.md",)))
"""

READ_UNTIL_ENOUGH = """
import time
deadline = time.monotonic() + 60
seen = set()
while len(seen) < 12 and time.monotonic() < deadline:
    hits = store.lexical({"word": 1.0}, 100)
    for hit in [*hits, *store.dense(vector_of("x"), 100)]:
        chunks = store.neighbours(hit.chunk_id, 9, 9)
        assert len(chunks) in (0, 3), chunks
    seen |= {hit.chunk_id for hit in hits}
print(len(seen))
store.close()
"""


def start(script, *arguments):
    return subprocess.Popen(
        [sys.executable, "-c", script, *arguments], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )


@pytest.fixture
def holder(process):
    other = start(process + HOLD)
    assert other.stdout.readline() == "holding\n"
    yield other
    other.communicate("\n")
    assert other.returncode == 0


def test_a_second_writer_says_for_whom_it_waits_and_then_gives_up(reopen, process, home, caplog):
    store = reopen(lock_seconds=0.3)
    other = start(process + HOLD)
    assert other.stdout.readline() == "holding\n"
    with caplog.at_level(logging.WARNING, "ascertain.stores"), pytest.raises(StoreBusy, match=str(other.pid)):
        store.upsert([a_document()])
    assert f"waiting for another ascertain process (pid {other.pid}) that is writing to {home}" in caplog.text
    other.communicate("\n")
    store.upsert([a_document()])
    assert store.stats().documents == 1


def test_a_second_writer_proceeds_when_the_first_is_killed(reopen, process):
    store = reopen(lock_seconds=20)
    other = start(process + HOLD)
    assert other.stdout.readline() == "holding\n"
    other.kill()
    store.upsert([a_document()])
    other.communicate()
    assert store.stats().documents == 1


def test_searches_go_on_while_another_process_writes(reopen, holder):
    store = reopen()
    assert store.dense(vector_of("x"), 5) == store.lexical({"word": 1.0}, 5) == []


def test_words_are_searched_in_memory_when_the_index_is_gone_and_another_process_writes(reopen, process, home):
    import shutil

    store = reopen()
    written = a_document()
    store.upsert([written])
    store.close()
    shutil.rmtree(home / "lexical")
    other = start(process + HOLD)
    assert other.stdout.readline() == "holding\n"
    again = reopen()
    assert len(found_by_words(again, "part", Filter())) == 2
    other.communicate("\n")
    assert len(found_by_words(again, "part", Filter())) == 2


def test_two_readers_see_whole_documents_while_one_writes(process):
    writer = start(process + WRITE_FOREVER, "0")
    # the record is there: whoever finds none waits for the writer, who seldom pauses
    assert writer.stdout.readline()
    readers = [start(process + READ_UNTIL_ENOUGH) for _ in range(2)]
    results = [reader.communicate(timeout=100) for reader in readers]
    writer.kill()
    writer.communicate()
    assert [reader.returncode for reader in readers] == [0, 0], results
    assert all(int(out) >= 12 for out, _ in results)


def kill_and_look(reopen, process, turns):
    """Kill a writer at random moments; after each kill the home is whole and holds what was acknowledged."""
    moments = random.Random(5)
    for turn in range(turns):
        writer = start(process + WRITE_FOREVER, str(turn * 1000))
        acknowledged = [writer.stdout.readline()]
        deadline = time.monotonic() + moments.uniform(0, 0.5)
        while time.monotonic() < deadline:
            acknowledged.append(writer.stdout.readline())
        os.kill(writer.pid, signal.SIGKILL)
        rest, _ = writer.communicate()
        acknowledged += rest.splitlines()
        version, number = map(int, [line for line in acknowledged if line.count(" ") == 1][-1].split())
        store = reopen()
        look(store, version, number)
        assert store.check().problems == ()
        store.close()


def look(store, version, number):
    by_words, by_meaning = found_by_words(store, "word", Filter()), found_by_meaning(store, Filter())
    stored = {chunk.id for chunk in store.iterate_chunks()}
    assert by_words == by_meaning == stored
    for record in store.documents():
        chunks = list(store.iterate_chunks(Filter(document_ids=(record.id,))))
        assert len(chunks) == 3
        assert len({chunk.text.split()[1] for chunk in chunks}) == 1
    newest = store.documents(Filter(sources=(f"/{number}.md",)))
    if newest:
        text = store.document(newest[0].id).text
        assert int(text.split()[1].removeprefix("version")) >= version


def test_a_kill_at_any_moment_leaves_whole_documents(reopen, process):
    kill_and_look(reopen, process, 4)


@pytest.mark.slow
@pytest.mark.timeout(1200)
def test_fifty_kills(reopen, process):
    kill_and_look(reopen, process, 50)
