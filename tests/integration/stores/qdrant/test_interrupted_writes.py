"""A writer that is killed between two steps leaves the old document or the new one, and nothing that shows."""

import pytest
from qdrant_client import QdrantClient

from ascertain.core.asking.passages import Filter
from ascertain.core.documents.documents import DocumentState
from ascertain.stores.qdrant.schema import AnyOf, Where
from ascertain.testing.store_documents import a_document, chunk_ids, found_by_meaning, found_by_words

STEPS = range(6)
"""A write of one document takes at most so many."""

PARTS = Where((AnyOf("what", ["chunk", "parent", "text"]),))


def shown(store):
    """The texts of everything that can be found, each way."""
    listed = [chunk.text for chunk in store.iterate_chunks()]
    ids = {chunk.id for chunk in store.iterate_chunks()}
    assert found_by_meaning(store, Filter()) == found_by_words(store, "part", Filter()) == ids
    assert {chunk.id for chunk in store.get(sorted(ids))} == ids
    assert store.count() == store.stats().chunks == len(ids)
    for chunk in store.get(sorted(ids)):
        assert len(store.neighbours(chunk.id, 9, 9)) == len(listed)
    return listed


@pytest.mark.parametrize("steps", STEPS)
def test_a_first_version_is_there_as_a_whole_or_not_at_all(store, killed_after, steps):
    written = a_document(parts=("part one", "part two", "part three"), with_parent=True)
    with killed_after(steps):
        store.upsert([written])
    assert shown(store) in ([], ["part one", "part two", "part three"])
    assert (store.document(written.document.id) is None) == (shown(store) == [])


@pytest.mark.parametrize("steps", STEPS)
def test_a_new_version_replaces_the_old_one_as_a_whole_or_not_at_all(store, points, killed_after, steps):
    store.upsert([a_document(parts=("part one", "part two"))])
    before = points.count(PARTS)
    with killed_after(steps):
        store.upsert([a_document(parts=("part three", "part four", "part five"))])
    assert shown(store) in (["part one", "part two"], ["part three", "part four", "part five"])
    store.upsert([a_document(parts=("part six", "part seven"))])
    assert shown(store) == ["part six", "part seven"]
    assert points.count(PARTS) == before
    assert store.check().problems == ()


@pytest.mark.parametrize("steps", STEPS)
def test_a_document_is_deleted_as_a_whole_or_not_at_all(store, points, killed_after, steps):
    store.upsert([a_document(parts=("part one", "part two"))])
    with killed_after(steps):
        store.delete(Filter())
    assert shown(store) in ([], ["part one", "part two"])
    store.delete(Filter())
    store.check(repair=True)
    assert points.count(PARTS) == 0
    assert store.check().problems == ()


@pytest.mark.parametrize("steps", [1, 2])
def test_what_an_interrupted_write_left_is_found_and_removed_by_repair(store, points, killed_after, steps):
    store.upsert([a_document("/other.md", ("part of another",))])
    before = points.count(PARTS)
    with killed_after(steps):
        store.upsert([a_document(parts=("part one",))])
    if points.count(PARTS) > before and store.stats().documents == 1:
        assert "interrupted" in " ".join(store.check().problems)
        repaired = store.check(repair=True)
        assert repaired.problems == ()
        assert "1 interrupted" in repaired.facts["repaired"]
        assert points.count(PARTS) == before
    assert "part of another" in shown_texts(store)


def shown_texts(store):
    return [chunk.text for chunk in store.iterate_chunks()]


def test_an_index_that_is_missing_is_found_and_made_by_repair(store, points, settings):
    store.upsert([a_document()])
    client = QdrantClient(url=settings.url)
    client.delete_payload_index(settings.name, "kind")
    client.close()
    assert "no index: kind" in " ".join(store.check().problems)
    assert store.check(repair=True).problems == ()
    assert "kind" in points.indexes()


@pytest.mark.parametrize("steps", STEPS)
def test_the_duplicates_of_a_deleted_document_never_hang_in_the_air(store, killed_after, steps):
    original = a_document("/1.md")
    others = [a_document(f"/{n}.md", state=DocumentState.DUPLICATE, duplicate_of=original.document.id) for n in (2, 3)]
    store.upsert([original, *others])
    with killed_after(steps):
        store.delete(Filter(document_ids=(original.document.id,)))
    store.delete(Filter(document_ids=(original.document.id,)))
    second, third = store.documents()
    assert (second.state, second.duplicate_of) == (DocumentState.INDEXED, None)
    assert (third.state, third.duplicate_of) == (DocumentState.DUPLICATE, second.id)
    assert chunk_ids(*others)[0] in found_by_meaning(store, Filter())
