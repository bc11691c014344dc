"""The derived indexes can be damaged or deleted at any time; the record gives them back."""

import json
import logging
import shutil

import pytest

from ascertain.core.asking.passages import Filter
from ascertain.core.errors import StoreError
from ascertain.testing.store_documents import a_document, chunk_ids, vector_of

# Enough chunks for a snapshot of the vectors to be written.
COUNT = 2100


@pytest.fixture(scope="module")
def pristine(tmp_path_factory):
    """A closed home with both indexes on disk."""
    from ascertain.core.settings import StoreSettings
    from ascertain.stores.registry import open_store

    folder = tmp_path_factory.mktemp("pristine") / "home"
    store = open_store(StoreSettings(), folder, "model-a", 8)
    with store.writing():
        store.upsert(
            [a_document(f"/{n}.md", (f"common {n}", f"{'rare ' * (n % 7)}common text {n}")) for n in range(COUNT // 2)]
        )
        store.upsert([a_document("/0.md", ("common again", "replaced"))])
    store.close()
    return folder


@pytest.fixture
def copied(pristine, home):
    shutil.copytree(pristine, home)
    return home


def answers(store):
    return (
        store.lexical({"rare": 1.0, "common": 0.5}, 20),
        store.lexical({"again": 1.0}, 20),
        store.dense(vector_of("a question"), 20),
        store.dense(vector_of("a question"), 20, Filter(sources=("/1*",))),
    )


def truncate(path):
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


def overwrite(path):
    content = bytearray(path.read_bytes())
    middle = len(content) // 2
    content[middle : middle + 16] = b"\xa5" * len(content[middle : middle + 16])
    path.write_bytes(content)


def empty(path):
    path.write_bytes(b"")


def delete(path):
    path.unlink()


def index_files(home):
    return sorted(
        path
        for folder in ("lexical", "vectors")
        for path in (home / folder).iterdir()
        if not path.name.endswith(".lock")
    )


def same(found, expected):
    for one, other in zip(found, expected, strict=True):
        assert [hit.chunk_id for hit in one] == [hit.chunk_id for hit in other]
        assert [hit.score for hit in one] == pytest.approx([hit.score for hit in other], rel=1e-2)


@pytest.mark.parametrize("damage", [truncate, overwrite, empty, delete])
def test_any_damaged_file_of_an_index_is_noticed_and_the_index_rebuilt(pristine, home, reopen, damage):
    store = reopen()
    store.close()
    shutil.rmtree(home)
    shutil.copytree(pristine, home)
    expected = answers(reopen())
    for name in [path.relative_to(pristine) for path in index_files(pristine)]:
        shutil.rmtree(home)
        shutil.copytree(pristine, home)
        damage(home / name)
        store = reopen()
        same(answers(store), expected)
        assert store.check().problems == (), name
        store.close()


@pytest.mark.parametrize("name", ["lexical", "vectors"])
def test_a_deleted_index_comes_back(copied, reopen, name):
    store = reopen()
    expected = answers(store)
    store.close()
    shutil.rmtree(copied / name)
    again = reopen()
    same(answers(again), expected)
    assert (copied / name / "state.json").exists()


def test_damage_is_logged(copied, reopen, caplog):
    overwrite(next((copied / "lexical").glob("*.idx")))
    with caplog.at_level(logging.WARNING, "ascertain.stores"):
        answers(reopen())
    assert "building the word index" in caplog.text
    assert ".idx is damaged" in caplog.text


def test_the_examination_finds_damage_and_repairs_it(copied, reopen):
    store = reopen()
    expected = answers(store)
    overwrite(next((copied / "lexical").glob("*.pos")))
    truncate(next((copied / "vectors").glob("alive-*")))
    assert len(store.check().problems) == 2
    repaired = store.check(repair=True)
    assert repaired.problems == ()
    assert "damaged" in repaired.facts["repaired"]
    same(answers(store), expected)


@pytest.mark.parametrize(
    "difference",
    [({"format": 999}, "format 999"), ({"identity": "x"}, "another record"), ({"sequence": 10**6}, "ahead")],
)
@pytest.mark.parametrize("name", ["lexical", "vectors"])
def test_an_index_of_something_else_is_rebuilt(copied, reopen, caplog, name, difference):
    change, reason = difference
    store = reopen()
    expected = answers(store)
    store.close()
    path = copied / name / "state.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), **change}))
    again = reopen()
    same(answers(again), expected)
    assert reason in caplog.text


def test_an_index_from_before_a_later_commit_is_not_taken_for_current(pristine, copied, reopen):
    store = reopen()
    store.upsert([a_document("/new.md", ("brand new",))])
    store.close()
    for name in ("lexical", "vectors"):
        shutil.rmtree(copied / name)
        shutil.copytree(pristine / name, copied / name)
    again = reopen()
    assert [hit.chunk_id for hit in again.lexical({"brand": 1.0}, 5)] == chunk_ids(
        a_document("/new.md", ("brand new",))
    )
    assert again.dense(vector_of("brand new"), 1)[0].score == pytest.approx(1, abs=1e-2)
    assert again.check().problems == ()


def test_a_record_that_is_no_database_is_named_with_the_remedy(copied, reopen):
    overwrite(copied / "record.sqlite3")
    (copied / "record.sqlite3").write_bytes(b"not a database at all" * 1000)
    with pytest.raises(StoreError, match=r"record\.sqlite3 is damaged.*backup"):
        reopen()


def test_vectors_above_the_exact_limit_get_a_graph_that_agrees_with_the_scan(pristine, home, reopen):
    shutil.copytree(pristine, home)
    exact = reopen()
    expected = [{hit.chunk_id for hit in exact.dense(vector_of(f"q{n}"), 20)} for n in range(20)]
    filtered = exact.dense(vector_of("x"), 20, Filter(sources=("/1*",)))
    exact.close()
    store = reopen(exact_limit=1000)
    store.upsert([a_document("/trigger.md", ("trigger",))])
    store.delete(Filter(sources=("/trigger.md",)))
    assert "graph" in store.check().facts["vector index"]
    found = [{hit.chunk_id for hit in store.dense(vector_of(f"q{n}"), 20)} for n in range(20)]
    assert sum(len(a & b) for a, b in zip(found, expected, strict=True)) / 400 >= 0.98
    same([store.dense(vector_of("x"), 20, Filter(sources=("/1*",)))], [filtered])
    added = a_document("/added.md", ("added later",))
    store.upsert([added])
    assert [hit.chunk_id for hit in store.dense(vector_of("added later"), 1)] == chunk_ids(added)
    store.delete(Filter(sources=("/1*", "/2*", "/3*")))
    assert store.check().problems == ()
    remaining = {hit.chunk_id for hit in store.dense(vector_of("x"), 5000)}
    assert remaining == {chunk.id for chunk in store.iterate_chunks()}
