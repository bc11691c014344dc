"""Chroma beside the record: behind, ahead, lost or damaged, it is never believed and always caught up."""

import logging
import shutil
import sys
from pathlib import Path

import numpy as np
import pytest

from ascertain.core.asking.passages import Filter
from ascertain.core.settings import StoreSettings
from ascertain.stores.chroma import search
from ascertain.stores.registry import open_store

sys.path.insert(0, str(Path(__file__).parents[3] / "contract"))

from ascertain.testing.store_documents import a_document, chunk_ids, found_by_meaning, vector_of


@pytest.fixture
def home(tmp_path):
    return tmp_path / "home"


@pytest.fixture
def reopen(home):
    opened = []

    def open_again(model="model-a", dimension=8, kind="chroma"):
        settings = StoreSettings(kind=kind, exact_limit=0)
        opened.append(open_store(settings, home, model, dimension))
        return opened[-1]

    yield open_again
    for store in opened:
        store.close()


@pytest.fixture
def store(reopen):
    return reopen()


def client_of(store):
    return store._dense._chroma.using()


def collections(store):
    with client_of(store) as client:
        return [collection.name for collection in client.list_collections()]


def written(numbers):
    return [a_document(f"/{number}.md", (f"text {number}", f"more of {number}")) for number in numbers]


def test_finds_nearly_all_that_a_comparison_with_every_vector_finds(reopen):
    store, exact = reopen(dimension=32), reopen(dimension=32, kind="embedded")
    store.upsert(
        [a_document(f"/{n}.md", tuple(f"part {part} of {n}" for part in range(40)), dimension=32) for n in range(50)]
    )
    for filter in (Filter(), Filter(sources=tuple(f"/{n}.md" for n in range(0, 50, 2)))):
        found = expected = 0
        for number in range(50):
            query = vector_of(f"question {number}", 32)
            wanted = {hit.chunk_id for hit in exact.dense(query, 50, filter)}
            expected += len(wanted)
            found += len(wanted & {hit.chunk_id for hit in store.dense(query, 50, filter)})
        assert found >= 0.98 * expected


def test_what_another_store_wrote_to_the_record_is_found(reopen, monkeypatch, caplog):
    first = reopen()
    first.upsert(written(range(5)))
    plain = reopen(kind="embedded")
    plain.upsert(written(range(3, 8)))
    plain.delete(Filter(sources=("/0.md",)))
    expected = set(chunk_ids(*written(range(1, 8))))
    monkeypatch.setattr(search, "_FOLLOW_AT_MOST", 0)
    with caplog.at_level(logging.WARNING, "ascertain.stores"):
        assert found_by_meaning(first, Filter()) == found_by_meaning(reopen(), Filter()) == expected
    assert "behind" in caplog.text
    monkeypatch.undo()
    assert found_by_meaning(first, Filter()) == expected
    assert first.check().problems == ()
    assert first._dense._vectors.count(first._dense.generation) == len(expected)


def test_a_collection_deleted_behind_its_back_is_noticed_and_written_again(store):
    documents = written(range(20))
    store.upsert(documents)
    [name] = collections(store)
    with client_of(store) as client:
        client.delete_collection(name)
    assert any("lacks the vectors" in problem for problem in store.check().problems)
    assert found_by_meaning(store, Filter()) == set(chunk_ids(*documents))
    assert store.check().problems == ()
    assert collections(store) == [name]


def test_vectors_deleted_behind_its_back_are_found_by_a_check_and_repaired(store):
    documents = written(range(20))
    store.upsert(documents)
    with client_of(store) as client:
        client.get_collection(collections(store)[0], None).delete(["1", "5"])
    [problem] = store.check().problems
    assert "38 chunks, the record 40" in problem
    report = store.check(repair=True)
    assert report.problems == () and "38 chunks" in report.facts["repaired"]
    assert found_by_meaning(store, Filter()) == set(chunk_ids(*documents))


def test_a_folder_that_is_gone_or_damaged_is_built_again(home, reopen):
    documents = written(range(20))
    store = reopen()
    store.upsert(documents)
    store.close()
    shutil.rmtree(home / "chroma")
    store = reopen()
    assert found_by_meaning(store, Filter()) == set(chunk_ids(*documents))
    store.close()
    (home / "chroma" / "chroma.sqlite3").write_bytes(b"not a database" * 1000)
    store = reopen()
    assert any("doctor --repair" in problem for problem in store.check().problems)
    assert store.check(repair=True).problems == ()
    assert found_by_meaning(store, Filter()) == set(chunk_ids(*documents))


def test_a_record_restored_from_a_backup_is_not_mixed_with_what_came_after(home, reopen, tmp_path):
    store = reopen()
    store.upsert(written(range(5)))
    store.close()
    shutil.copytree(home, tmp_path / "backup", ignore=shutil.ignore_patterns("chroma"))
    store = reopen()
    store.upsert(written(range(5, 9)))
    store.close()
    for path in (tmp_path / "backup").iterdir():
        if path.is_file():
            shutil.copy(path, home / path.name)
    for name in ("record.sqlite3-wal", "record.sqlite3-shm"):
        (home / name).unlink(missing_ok=True)
    store = reopen()
    assert found_by_meaning(store, Filter()) == set(chunk_ids(*written(range(5))))
    other = a_document("/other.md", ("something else",))
    store.upsert([other])
    assert store.dense(vector_of("something else"), 1)[0].chunk_id == chunk_ids(other)[0]
    assert store.check().problems == ()


def test_another_model_moves_to_a_collection_of_its_own(store, reopen):
    documents = written(range(5))
    store.upsert(documents)
    [before] = collections(store)
    with store.reembed("model-b", 16) as work:
        for batch in work.pending(3):
            vectors = np.array([vector_of(chunk.text, 16) for chunk in batch])
            work.put([chunk.id for chunk in batch], vectors)
        assert found_by_meaning(store, Filter()) == set(chunk_ids(*documents))
    [after] = collections(store)
    assert before != after
    assert len(store.dense(vector_of("text 1", 16), 5)) == 5
    with client_of(store) as client:
        noted = client.get_collection(after, None).metadata
    assert (noted["model"], noted["dimension"]) == ("model-b", 16)


def test_two_knowledge_bases_in_one_chroma_do_not_mix(tmp_path, home, store):
    store.upsert(written(range(5)))
    other_home = tmp_path / "other"
    (other_home).mkdir()
    (other_home / "chroma").symlink_to(home / "chroma")
    other = open_store(StoreSettings(kind="chroma", exact_limit=0), other_home, "model-a", 8)
    try:
        other.upsert(written(range(5, 7)))
        assert found_by_meaning(other, Filter()) == set(chunk_ids(*written(range(5, 7))))
        assert found_by_meaning(store, Filter()) == set(chunk_ids(*written(range(5))))
        assert len(collections(store)) == 2
    finally:
        other.close()
