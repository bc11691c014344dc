"""Fingerprints: equal exactly when the same versions of the same documents can be found."""

# pyright: basic

from __future__ import annotations

import random
from dataclasses import replace

import pytest

from ascertain.core.documents import DocumentKind
from ascertain.core.filters import OWN, Filter
from ascertain.stores.fingerprints import fingerprint, version_number
from ascertain.testing.store_documents import a_document

FILTERS = (
    Filter(),
    Filter(within=(OWN,)),
    Filter(within=(OWN, "talk")),
    Filter(within=("talk",)),
    Filter(within=()),
    Filter(conversation_id="talk"),
    Filter(tags=("red",)),
    Filter(sources=("/a",)),
    Filter(kinds=(DocumentKind.PAPER,), within=(OWN,)),
    Filter(tenant="acme"),
    Filter(tenant="nobody"),
)

SOURCES = ("/a/1", "/a/2", "/b/1", "/a/lone\udc80")


def random_document(choose):
    parts = tuple(f"part {choose.randint(0, 2)}" for _ in range(choose.randint(0, 2)))
    return a_document(
        choose.choice(SOURCES),
        tuple(f"{place} {part}" for place, part in enumerate(parts)),
        conversation_id=choose.choice((None, None, "talk", "other")),
        tenant=choose.choice(("default", "default", "acme")),
        tags=choose.choice(((), ("red",))),
        kind=choose.choice((DocumentKind.PROSE, DocumentKind.PAPER)),
    )


def found(store, filter):
    """What a search can find, by what it was made from."""
    owners = {chunk.document_id for chunk in store.iterate_chunks(filter)}
    return frozenset(
        (record.id, record.content_hash) for record in store.documents(filter) if record.id in owners
    )


def change(store, choose):
    match choose.randint(0, 5):
        case 0:
            store.delete(Filter(sources=(choose.choice(SOURCES),), tenant=choose.choice(("default", "acme"))))
        case 1:
            store.mark_failed(random_document(choose).document, "unreadable")
        case 2:
            store.upsert([random_document(choose) for _ in range(3)])
        case _:
            store.upsert([random_document(choose)])


class FingerprintContract:
    """What tells that nothing has changed."""

    @pytest.mark.parametrize("seed", range(3))
    def test_equal_exactly_when_the_same_can_be_found(self, store, seed):
        choose = random.Random(seed)
        by_fingerprint, by_found = {}, {}
        for _ in range(12):
            change(store, choose)
            for filter in FILTERS:
                told, documents = store.fingerprint(filter), found(store, filter)
                assert by_fingerprint.setdefault(told, documents) == documents, filter
                assert by_found.setdefault(documents, told) == told, filter

    def test_does_not_hang_on_the_order_of_writing_nor_on_the_process(self, store, reopen):
        documents = [a_document(source) for source in SOURCES]
        store.upsert(documents)
        before = store.fingerprint()
        for document in reversed(documents):
            store.upsert([document])
            assert store.fingerprint() == before
        assert reopen().fingerprint() == before
        store.delete(Filter())
        store.upsert(documents[::-1])
        assert store.fingerprint() == before

    def test_chunks_that_are_named_select_their_documents(self, store):
        one, other = a_document("/a/1"), a_document("/a/2")
        store.upsert([one, other])
        named = Filter(chunk_ids=(one.chunks[0].id,))
        assert store.fingerprint(named) == store.fingerprint(Filter(document_ids=(one.document.id,)))
        before = store.fingerprint(named)
        store.upsert([a_document("/a/2", ("another text",))])
        assert store.fingerprint(named) == before
        store.upsert([replace(one, document=replace(one.document, title="another title"))])
        assert store.fingerprint(named) != before

    def test_every_store_gives_the_same(self, store):
        documents = [a_document(source) for source in SOURCES]
        store.upsert(documents)
        versions = [version_number(each.document.id, each.document.content_hash) for each in documents]
        assert store.fingerprint() == fingerprint(sum(versions))
