"""Writers side by side, and what stands in their way."""

import threading

import numpy as np
import pytest

from ascertain.core.asking.passages import Filter
from ascertain.core.documents.documents import DocumentState
from ascertain.core.errors import EmbeddingMismatch, StoreBusy
from ascertain.testing.store_documents import a_document, chunk_ids, found_by_meaning, found_by_words, vector_of

WRITE_ALL = """
store = open_store(settings, home, "model-a", 8)
names = list(range(20))[:: int({step})]
for turn in range(4):
    store.upsert([a_document(f"/{{number}}.md", (f"turn {{turn}} of {step}", "more")) for number in names])
    if turn == 2:
        store.delete(Filter(document_ids=(a_document("/3.md").document.id, a_document("/17.md").document.id)))
store.close()
"""


def test_writers_of_the_same_documents_in_any_order_do_not_deadlock(process, reopen, database):
    store = reopen()
    begin = "from ascertain.core.asking.passages import Filter\n"
    writers = [process(begin + WRITE_ALL.format(step=step)) for step in (1, -1, 1)]
    assert [writer.wait() for writer in writers] == [0, 0, 0]
    assert store.stats().documents == len(store.documents()) == 20
    assert store.count() == 40
    for record in store.documents():
        chunks = list(store.iterate_chunks(Filter(document_ids=(record.id,))))
        assert "\n".join(chunk.text for chunk in chunks) == store.document(record.id).text
    assert store.check().problems == ()
    found = database.execute("SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()")
    assert found.fetchone() == (0,)


def test_a_writer_killed_in_the_middle_leaves_the_old_version_and_nothing_locked(process, reopen):
    store = reopen()
    old = a_document(parts=("old words", "old too"))
    store.upsert([old])
    writer = process(
        "from ascertain.stores.postgres import record\n"
        "put = record._put_vectors\n"
        "def slowly(*arguments):\n"
        "    put(*arguments)\n"
        "    print('written', flush=True)\n"
        "    __import__('time').sleep(600)\n"
        "record._put_vectors = slowly\n"
        'store = open_store(settings, home, "model-a", 8)\n'
        "store.upsert([a_document(parts=('new words',)), a_document('/two.md')])\n"
    )
    assert writer.stdout.readline() == "written\n"
    assert found_by_words(store, "words", Filter()) == {old.chunks[0].id}
    writer.kill()
    writer.wait()
    new = a_document(parts=("newer words",))
    store.upsert([new])
    assert found_by_meaning(store, Filter()) == found_by_words(store, "words", Filter()) == set(chunk_ids(new))
    assert store.check().problems == ()


@pytest.fixture
def locked(reopen, database):
    """A store with a document that another writer has locked."""
    reopen().upsert([a_document()])
    with database.transaction(force_rollback=True):
        database.execute("SELECT * FROM documents FOR UPDATE")
        yield reopen(lock_seconds=0.2)


def test_a_writer_that_waited_long_enough_says_so(locked):
    with pytest.raises(StoreBusy, match=r"store\.lock_seconds"):
        locked.upsert([a_document(parts=("new",))])
    with pytest.raises(StoreBusy):
        locked.delete(Filter())
    assert found_by_words(locked, "part", Filter()) == set(chunk_ids(a_document()))


def test_writers_of_other_documents_and_readers_do_not_wait(locked):
    other = a_document("/other.md", ("other part",))
    locked.upsert([other])
    locked.mark_failed(a_document("/third.md").document, "unreadable")
    assert found_by_meaning(locked, Filter()) == {*chunk_ids(a_document()), *chunk_ids(other)}


def put(work, batch):
    """Give the chunks of ``batch`` their vectors of the new model."""
    vectors = np.array([vector_of(chunk.text, 16) for chunk in batch])
    work.put([chunk.id for chunk in batch], vectors)


class TestMovingToAnotherModel:
    def test_what_others_write_meanwhile_comes_too(self, reopen):
        store, other = reopen(), reopen()
        store.upsert([a_document(f"/{number}.md", (f"text {number}",)) for number in range(3)])
        replaced = a_document("/1.md", ("another text",))
        seen = []
        with store.reembed("model-b", 16) as work:
            for batch in work.pending(2):
                if not seen:
                    other.upsert([a_document("/new.md", ("new text",))])
                    # Of those in hand, one is written anew and one deleted before its vector is there.
                    other.upsert([replaced])
                    other.delete(Filter(sources=("/0.md",)))
                seen += [chunk.text for chunk in batch]
                put(work, batch)
            assert work.total == 0
        assert set(seen) == {"text 0", "text 1", "text 2", "new text", "another text"}
        hits = store.dense(vector_of("another text", 16), 10)
        assert hits[0].chunk_id == replaced.chunks[0].id
        assert hits[0].score == pytest.approx(1, abs=1e-2)
        assert len(hits) == 3
        assert store.check().problems == ()

    def test_a_store_opened_before_refuses_to_go_on_with_the_old_model(self, reopen):
        store, other = reopen(), reopen()
        store.upsert([a_document(parts=("text",))])
        with store.reembed("model-b", 16) as work:
            for batch in work.pending(9):
                put(work, batch)
        for attempt in (
            lambda: other.upsert([a_document("/2.md")]),
            lambda: other.dense(vector_of("text"), 1),
            lambda: other.similarities(vector_of("text"), []),
            lambda: other.export([]),
        ):
            with pytest.raises(EmbeddingMismatch, match="model-b"):
                attempt()
        assert other.lexical({"text": 1.0}, 1) != []
        assert store.check().problems == ()

    def test_only_one_moves_at_a_time(self, reopen):
        store, other = reopen(), reopen()
        with pytest.raises(StoreBusy, match="another process"), store.reembed("b", 16), other.reembed("c", 16):
            pass

    def test_the_graph_is_ready_when_it_switches(self, reopen, database):
        store = reopen(exact_limit=0, connections=1, timeout_seconds=5)
        store.upsert([a_document(f"/{number}.md") for number in range(5)])
        with store.reembed("model-b", 16) as work:
            for batch in work.pending(9):
                put(work, batch)
        assert store.check().problems == ()
        assert store.check().facts["vector index"].startswith("graph")
        tables = database.execute(
            "SELECT relname FROM pg_class WHERE relkind = 'r' AND relname LIKE 'vectors%' "
            "AND relnamespace = to_regnamespace(current_schema())"
        )
        assert tables.fetchall() == [("vectors_2",)]


def test_a_run_of_writes_is_counted_for_each_thread(reopen):
    store = reopen(exact_limit=0)

    def write():
        store.upsert([a_document("/2.md")])

    with store.writing():
        store.upsert([a_document("/1.md")])
        other = threading.Thread(target=write)
        other.start()
        other.join()
        assert store.check().facts["vector index"].startswith("graph")


def test_totals_are_folded_and_stay_right(reopen, database):
    store = reopen()
    for turn in range(120):
        store.upsert([a_document("/1.md", tuple(f"{turn} {part}" for part in range(turn % 4)), tags=(str(turn),))])
    assert database.execute("SELECT count(*) < 210 FROM tallies").fetchone() == (True,)
    assert store.count() == 119 % 4
    assert store.check().problems == ()


def test_a_failed_document_that_is_indexed_later_becomes_searchable(reopen):
    store = reopen()
    store.mark_failed(a_document().document, "unreadable")
    assert store.export([a_document().document.id]) == []
    store.upsert([a_document()])
    assert [record.state for record in store.documents()] == [DocumentState.INDEXED]
    assert store.count() == 2
