"""Whole documents out of one store and into another."""

# pyright: basic

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

import numpy as np

from ascertain.core.documents import DocumentState
from ascertain.core.filters import Filter
from ascertain.testing.store_documents import a_document, a_rich_document, sign_words


def exported(store):
    """Everything in a store, by document."""
    found = [
        document
        for tenant in store.tenants()
        for document in store.export([record.id for record in store.documents(Filter(tenant=tenant))])
    ]
    return {document.document.id: comparable(document) for document in found}


def comparable(document):
    return (
        replace(document, vectors=None, chunks=()),
        {chunk.id: chunk for chunk in document.chunks},
        [chunk.id for chunk in document.chunks if not chunk.is_parent],
        document.vectors.astype(np.float16).tobytes(),
    )


def some_documents():
    signature = sign_words([])
    original = a_document("/original.md", signature=signature)
    repeated = a_document(
        "/repeated.md",
        state=DocumentState.DUPLICATE,
        duplicate_of=original.document.id,
        signature=signature,
    )
    return [
        original,
        replace(repeated, reason="near-duplicate of /original.md"),
        a_rich_document(),
        a_document("/parents.md", tuple(f"part {n}" for n in range(7)), with_parent=True),
        a_document("/empty.md", ()),
    ]


class ExportContract:
    """Whole documents."""

    def test_what_was_written_comes_back(self, store):
        documents = some_documents()
        before = datetime.now(UTC)
        store.upsert(documents)
        found = exported(store)
        assert set(found) == {document.document.id for document in documents}
        for document in documents:
            whole, chunks, order, vectors = found[document.document.id]
            assert before <= whole.added_at <= datetime.now(UTC)
            expected = comparable(replace(document, added_at=whole.added_at))
            assert whole == expected[0]
            assert chunks == expected[1]
            assert order == expected[2]
            assert np.allclose(
                np.frombuffer(vectors, np.float16), np.frombuffer(expected[3], np.float16), atol=2e-3
            )

    def test_written_to_another_store_it_is_the_same_to_the_bit(self, store, second):
        store.upsert(some_documents())
        store.mark_failed(some_documents()[0].document, "it is broken now")
        ids = [record.id for tenant in store.tenants() for record in store.documents(Filter(tenant=tenant))]
        second.upsert(store.export(ids))
        assert exported(second) == exported(store)
        assert second.known() == store.known()
        for tenant in store.tenants():
            assert second.documents(Filter(tenant=tenant)) == store.documents(Filter(tenant=tenant))

    def test_only_whole_documents_that_exist_in_the_order_asked(self, store):
        one, two = a_document("/1.md"), a_document("/2.md")
        store.upsert([one, two])
        store.mark_failed(a_document("/failed.md").document, "unreadable")
        wanted = [two.document.id, "unknown", a_document("/failed.md").document.id, one.document.id]
        assert [found.document.id for found in store.export(wanted)] == [two.document.id, one.document.id]
        assert store.export([]) == []

    def test_tenants_are_those_with_documents(self, store):
        assert store.tenants() == []
        store.upsert([a_document("/1.md", tenant="b"), a_document("/2.md", tenant="a")])
        store.mark_failed(a_document("/3.md", tenant="ç").document, "unreadable")
        assert store.tenants() == ["a", "b", "ç"]
        store.delete(Filter(tenant="b"))
        assert store.tenants() == ["a", "ç"]
