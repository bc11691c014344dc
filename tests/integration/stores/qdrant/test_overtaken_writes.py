"""Another writer that comes between the moment a version becomes current and the moment its writer looks."""

from contextlib import contextmanager
from dataclasses import replace

import pytest

from ascertain.core.asking.passages import Filter
from ascertain.stores.qdrant.points import Points
from ascertain.stores.qdrant.schema import AnyOf, Where
from ascertain.testing.store_documents import a_document, found_by_meaning, found_by_words

PARTS = Where((AnyOf("what", ["chunk", "parent", "text"]),))

DOCUMENTS = Where((AnyOf("what", ["document"]),))

OLD, NEW, OTHER = (
    a_document(parts=tuple(f"part {number} {name}" for number in range(count)), with_parent=True)
    for name, count in (("old", 2), ("new", 3), ("other", 4))
)


def upsert(store):
    store.upsert([OTHER])


def delete(store):
    store.delete(Filter())


def delete_and_upsert(store):
    store.delete(Filter())
    store.upsert([OTHER])


def fail(store):
    store.mark_failed(OTHER.document, "no text")


@pytest.fixture
def between(store, monkeypatch):
    """``with between(steps, act):`` lets another writer act after each of the first ``steps`` times that a version became current."""

    @contextmanager
    def acting(steps, act):
        left = steps

        def followed(original):
            def call(self, points, *arguments):
                nonlocal left
                original(self, points, *arguments)
                if left:
                    left -= 1
                    # what the other writes is not followed by anybody
                    kept, left = left, 0
                    act(store)
                    left = kept

            return call

        with monkeypatch.context() as patch:
            for name in ("insert", "replace"):
                patch.setattr(Points, name, followed(getattr(Points, name)))
            yield

    return acting


def whole(store, points):
    """The texts that are found, the same in each way; nothing else is there."""
    texts = [chunk.text for chunk in store.iterate_chunks()]
    ids = {chunk.id for chunk in store.iterate_chunks()}
    assert found_by_meaning(store, Filter()) == found_by_words(store, "part", Filter()) == ids
    assert store.document_frequencies(["part"]) == {"part": len(ids)}
    assert store.count() == len(ids)
    assert store.check().problems == ()
    current = {point.payload["version"] for point in points.scroll(DOCUMENTS, ("version",))}
    assert {point.payload["version"] for point in points.scroll(PARTS, ("version",))} == current
    for record in store.documents():
        assert store.document(record.id).text
    return texts


@pytest.mark.parametrize("before", ([], [OLD]), ids=("new", "replacing"))
@pytest.mark.parametrize("act", (upsert, delete, delete_and_upsert))
def test_one_version_is_there_as_a_whole_and_nothing_of_the_others(store, points, between, act, before):
    store.upsert(before)
    with between(3, act):
        store.upsert([NEW])
    assert whole(store, points) == [f"part {number} new" for number in range(3)]


def test_a_failure_that_is_noted_at_the_same_moment_takes_nothing_away(store, points, between):
    store.upsert([OLD])
    with between(1, fail):
        store.upsert([NEW])
    assert whole(store, points) == [f"part {number} new" for number in range(3)]


def test_a_document_that_comes_back_while_it_is_deleted_leaves_nothing_of_the_old_one(store, points, monkeypatch):
    store.upsert([replace(OLD, document=replace(OLD.document, tags=("old",)))])
    original = Points.delete

    def delete(self, where):
        original(self, where)
        monkeypatch.setattr(Points, "delete", original)
        store.upsert([OTHER])

    monkeypatch.setattr(Points, "delete", delete)
    store.delete(Filter(tags=("old",)))
    assert whole(store, points) == [f"part {number} other" for number in range(4)]
