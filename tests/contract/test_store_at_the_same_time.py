"""Several threads and processes on one store."""

import threading
from pathlib import Path

import pytest

from ascertain.core.asking.passages import Filter
from ascertain.testing.store_documents import a_document, chunk_ids, found_by_meaning, found_by_words, vector_of

START = """
import sys
sys.path.insert(0, sys.argv[3])
from pathlib import Path
from ascertain.testing.store_documents import a_document
from ascertain.core.settings import StoreSettings
from ascertain.stores.registry import open_store
settings = StoreSettings.model_validate_json(sys.argv[1]).model_copy(update={"lock_seconds": 60})
store = open_store(settings, Path(sys.argv[2]), "model-a", 8)
name = sys.argv[4]
"""

WRITE_THE_SAME = """
for round in range(5):
    for number in range(8):
        parts = (f"text {number}", f"round {round} of {name}", *(f"more {name}" for _ in range(int(name))))
        store.upsert([a_document(f"/{number}.md", parts)])
    batch = [a_document(f"/{number}.md", (f"text {number}", f"batch {name}")) for number in range(8)]
    store.upsert(batch if name == "0" else batch[::-1])
store.close()
"""

WRITE_FOR_EVER = """
import itertools
for number in itertools.count():
    store.upsert([a_document(f"/{number % 3}.md", tuple(f"version {number} part {part}" for part in range(5)))])
    print(number, flush=True)
"""


@pytest.fixture
def process(run_script):
    """Start a script in another process, which has ``store`` and ``name``."""
    return lambda script, name: run_script(START + script, Path(__file__).parent, name)


def test_two_processes_that_write_the_same_documents_leave_each_once(store, process):
    writers = [process(WRITE_THE_SAME, number) for number in range(2)]
    assert [writer.wait() for writer in writers] == [0, 0]
    assert store.stats().documents == 8
    assert store.stats().chunks == store.count() == 16
    assert len(found_by_meaning(store, Filter())) == len(found_by_words(store, "text batch", Filter())) == 16
    for record in store.documents():
        whole = store.document(record.id)
        texts = [chunk.text for chunk in store.iterate_chunks(Filter(document_ids=(record.id,)))]
        assert "\n".join(texts) == whole.text
    assert store.document_frequencies(["text", "batch", "round", "more"]) == {
        "text": 8,
        "batch": 8,
        "round": 0,
        "more": 0,
    }
    assert store.check().problems == ()


@pytest.mark.parametrize("moment", [1, 4, 9])
def test_a_writer_killed_at_any_moment_leaves_the_old_version_or_the_new_one(store, process, moment):
    writer = process(WRITE_FOR_EVER, "killed")
    acknowledged = [int(writer.stdout.readline()) for _ in range(moment)][-1]
    writer.kill()
    writer.wait()
    versions = []
    for record in store.documents():
        chunks = list(store.iterate_chunks(Filter(document_ids=(record.id,))))
        assert len(chunks) == record.chunks == 5
        assert len({chunk.text.split()[1] for chunk in chunks}) == 1
        assert {chunk.id for chunk in chunks} == found_by_meaning(store, Filter(document_ids=(record.id,)))
        assert {chunk.id for chunk in chunks} == found_by_words(store, "version", Filter(document_ids=(record.id,)))
        versions.append(int(chunks[0].text.split()[1]))
    assert max(versions) >= acknowledged
    assert store.count() == 5 * len(versions)
    again = a_document("/0.md", ("written after",))
    store.upsert([again])
    store.delete(Filter(sources=("/1.md", "/2.md")))
    assert found_by_words(store, "written version", Filter()) == set(chunk_ids(again))
    store.check(repair=True)
    assert store.check().problems == ()


def test_searches_see_whole_documents_while_others_are_replaced_and_deleted(store):
    stop = threading.Event()
    failures = []

    def search():
        while not stop.is_set():
            for hit in [*store.dense(vector_of("x"), 20), *store.lexical({"words": 1.0}, 20)]:
                chunks = store.get([hit.chunk_id])
                if chunks and len(store.neighbours(chunks[0].id, 9, 9)) not in {0, 3}:
                    failures.append(hit)

    def watch():
        while not stop.is_set():
            found = [hit.chunk_id for hit in store.dense(vector_of("x"), 100)]
            by_document = [chunk_id.partition(":")[0] for chunk_id in found]
            if any(by_document.count(name) != 3 for name in by_document) or len(set(found)) != len(found):
                failures.append(found)

    readers = [threading.Thread(target=task) for task in (search, search, watch)]
    for reader in readers:
        reader.start()
    try:
        for turn in range(10):
            for n in range(5):
                store.upsert([a_document(f"/{n}.md", tuple(f"words {turn} {p} {'y' * turn}" for p in range(3)))])
            store.delete(Filter(sources=(f"/{turn % 5}.md",)))
    finally:
        stop.set()
        for reader in readers:
            reader.join()
    assert failures == []
    assert len(found_by_meaning(store, Filter())) == len(found_by_words(store, "words", Filter())) == 12


def test_threads_write_side_by_side(store):
    def write(name):
        for turn in range(5):
            store.upsert([a_document(f"/{name}/{turn}.md"), a_document("/shared.md", (f"by {name} {turn}",))])

    writers = [threading.Thread(target=write, args=(name,)) for name in range(4)]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
    assert store.stats().documents == 21
    assert store.count() == 41
    assert store.check().problems == ()


def test_a_document_is_found_by_another_opening_as_soon_as_it_is_written(store, reopen):
    other = reopen()
    assert other.lexical({"part": 1.0}, 5) == []
    written = a_document()
    store.upsert([written])
    assert found_by_words(other, "part", Filter()) == found_by_meaning(other, Filter()) == set(chunk_ids(written))
    assert other.count() == 2
    store.delete(Filter())
    assert found_by_words(other, "part", Filter()) == found_by_meaning(other, Filter()) == set()
