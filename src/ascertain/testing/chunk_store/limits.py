"""Whole documents out of one store and into another; sizes and shapes at the edges."""

# pyright: basic

from dataclasses import replace
from datetime import UTC, datetime

import numpy as np
import pytest

from ascertain.core.asking.passages import Filter
from ascertain.core.documents.documents import DocumentState
from ascertain.core.errors import StoreError
from ascertain.testing.store_documents import (
    a_document,
    a_rich_document,
    chunk_ids,
    found_by_meaning,
    found_by_words,
    sign_words,
    vector_of,
)


def export_all(store):
    """Everything in a store, by document."""
    found = [
        document
        for tenant in store.tenants()
        for document in store.export([record.id for record in store.documents(Filter(tenant=tenant))])
    ]
    return {document.document.id: make_comparable(document) for document in found}


def make_comparable(document):
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
        "/repeated.md", state=DocumentState.DUPLICATE, duplicate_of=original.document.id, signature=signature
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
        found = export_all(store)
        assert set(found) == {document.document.id for document in documents}
        for document in documents:
            whole, chunks, order, vectors = found[document.document.id]
            assert before <= whole.added_at <= datetime.now(UTC)
            expected = make_comparable(replace(document, added_at=whole.added_at))
            assert whole == expected[0]
            assert chunks == expected[1]
            assert order == expected[2]
            assert np.allclose(np.frombuffer(vectors, np.float16), np.frombuffer(expected[3], np.float16), atol=2e-3)

    def test_written_to_another_store_it_is_the_same_to_the_bit(self, store, second):
        store.upsert(some_documents())
        store.mark_failed(some_documents()[0].document, "it is broken now")
        ids = [record.id for tenant in store.tenants() for record in store.documents(Filter(tenant=tenant))]
        second.upsert(store.export(ids))
        assert export_all(second) == export_all(store)
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


class LimitContract:
    """Sizes and shapes at the edges."""

    def test_ten_thousand_chunks_of_one_document_by_id(self, store):
        large = a_document("/large.md", tuple(f"part number {number}" for number in range(10_000)))
        store.upsert([large, a_document("/small.md")])
        ids = chunk_ids(large)
        backwards = ids[::-1]
        assert [chunk.id for chunk in store.get(backwards)] == backwards
        assert store.vectors(backwards).shape == (10_000, 8)
        assert len(store.similarities(vector_of("x"), ids)) == 10_000
        assert store.lexical_scores({"part": 1.0}, ids).keys() == set(ids)
        assert found_by_meaning(store, Filter(document_ids=(large.document.id,)), 10_000) == set(ids)
        assert [chunk.index for chunk in store.neighbours(ids[5000], 2, 2)] == list(range(4998, 5003))
        assert store.count() == 10_002
        assert store.delete(Filter(document_ids=(large.document.id,))) == 1
        assert store.count() == 2

    def test_all_hits_come_when_more_are_asked_for_than_there_are(self, store):
        documents = [a_document(f"/{number}.md", (f"word {number}",)) for number in range(50)]
        store.upsert(documents)
        assert len(store.dense(vector_of("x"), 10_000)) == 50
        assert len(store.lexical({"word": 1.0}, 10_000)) == 50

    def test_long_ties_are_cut_by_chunk_id(self, store):
        same = [a_document(f"/{number}.md", ("the same words",)) for number in range(300)]
        store.upsert(same)
        ids = sorted(chunk_ids(*same))
        for hits in (store.dense(vector_of("the same words"), 7), store.lexical({"words": 1.0}, 7)):
            assert [hit.chunk_id for hit in hits] == ids[:7]
            assert len({hit.score for hit in hits}) == 1

    @pytest.mark.parametrize("size", [1_000_000])
    def test_a_long_text_of_one_word_after_another(self, store, size):
        words = " ".join(f"word{number}" for number in range(size // 10))
        long = a_document("/long.md", (words[: size // 2], "the end of it"))
        store.upsert([long])
        assert store.document(long.document.id).text == long.document.text
        assert found_by_words(store, "word7", Filter()) == {chunk_ids(long)[0]}
        assert found_by_words(store, "end", Filter()) == {chunk_ids(long)[1]}

    def test_words_longer_than_any_index_takes_them(self, store):
        odd = a_document("/odd.md", ("x" * 5_000 + " findable", "ab" * 70_000))
        store.upsert([odd])
        assert found_by_words(store, "findable", Filter()) == {chunk_ids(odd)[0]}
        assert found_by_words(store, "x" * 5_000, Filter()) == set()

    @pytest.mark.parametrize(
        "text", ["", " ", "\x00", "\n\n", "…", "\U0001f600", "\udc80", "a\x00b", "\ufeffbom", "e\u0301", "\ufdd0"]
    )
    def test_odd_texts_are_kept_and_do_no_harm(self, store, text):
        odd = a_document(f"/{text}.md", (text, "plain words"), title=text, heading=text, tags=(text or "none",))
        store.upsert([odd])
        assert [chunk.text for chunk in store.get(chunk_ids(odd))] == [text, "plain words"]
        assert store.documents()[0].source == f"/{text}.md"
        assert len(found_by_meaning(store, Filter(tags=(text or "none",)))) == 2
        assert chunk_ids(odd)[1] in found_by_words(store, "plain", Filter())
        assert store.lexical({text: 1.0}, 5) == store.lexical({text: 1.0}, 5)
        assert store.document_frequencies([text]).keys() == {text}

    def test_a_zero_vector_is_like_nothing(self, store):
        zero = a_document("/zero.md", ("of no direction", "other"))
        vectors = np.array([np.zeros(8), vector_of("other")], np.float32)
        object.__setattr__(zero, "vectors", vectors)
        store.upsert([zero])
        scores = {hit.chunk_id: hit.score for hit in store.dense(vector_of("other"), 5)}
        assert scores[chunk_ids(zero)[0]] == 0
        assert store.vectors(chunk_ids(zero))[0].tolist() == [0] * 8

    def test_nothing_is_written_by_an_empty_call(self, store):
        store.upsert([])
        assert store.documents() == []
        assert store.get([]) == []
        assert store.similarities(vector_of("x"), []) == {}
        assert store.lexical_scores({"x": 1.0}, []) == {}
        assert store.document_frequencies([]) == {}
        assert store.vectors([]).shape == (0, 8)

    def test_a_query_that_is_not_finite_is_refused(self, store):
        store.upsert([a_document()])
        with pytest.raises(StoreError, match="finite"):
            store.dense(np.full(8, np.nan, np.float32), 3)
