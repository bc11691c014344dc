"""What every chunk store does with what is written to it."""

# pyright: basic

from dataclasses import replace

import numpy as np
import pytest

from ascertain.core.asking.passages import Filter
from ascertain.core.documents.documents import DocumentState
from ascertain.core.documents.profiling import CorpusProfile, DocumentProfile, DocumentType
from ascertain.core.errors import StoreError
from ascertain.testing.store_documents import (
    a_document,
    a_rich_document,
    chunk_ids,
    found_by_meaning,
    found_by_words,
    vector_of,
)


def a_profiled_document(name, type, density=0.5, domains=(), **fields):
    profile = DocumentProfile(density, type, 0.75, domains)
    return a_document(name, document_profile=profile, **fields)


class ProfileContract:
    """What the documents are made of."""

    def test_an_empty_store_has_none(self, store):
        assert store.corpus_profile() == CorpusProfile()
        assert store.stats().corpus == CorpusProfile()

    def test_is_derived_from_the_profiles_of_the_documents(self, store):
        documents = [
            a_profiled_document("/a.md", DocumentType.MANUAL, 0.25, ("software", "law")),
            a_profiled_document("/b.md", DocumentType.MANUAL, 0.75, ("software",), state=DocumentState.DUPLICATE),
            a_profiled_document("/c.md", DocumentType.FAQ, 0.5),
        ]
        store.upsert(documents)
        expected = CorpusProfile.of(document.document.document_profile for document in documents)  # pyright: ignore[reportArgumentType]
        assert store.corpus_profile() == store.stats().corpus == expected
        assert expected.types == {DocumentType.MANUAL: 2 / 3, DocumentType.FAQ: 1 / 3}
        assert expected.domains == {"software": 2 / 3, "law": 1 / 3}
        assert expected.technical_density == 0.5

    def test_leaves_out_what_has_no_profile_failed_or_belongs_to_another_tenant(self, store):
        kept = a_profiled_document("/a.md", DocumentType.FAQ)
        store.upsert([kept, a_document("/b.md"), a_profiled_document("/c.md", DocumentType.PATENT, tenant="other")])
        store.mark_failed(a_profiled_document("/d.md", DocumentType.MANUAL).document, "unreadable")
        assert store.corpus_profile() == CorpusProfile.of([kept.document.document_profile])  # pyright: ignore[reportArgumentType]
        assert store.corpus_profile("other").types == {DocumentType.PATENT: 1.0}

    def test_follows_changes_and_deletions(self, store):
        store.upsert(
            [a_profiled_document("/a.md", DocumentType.FAQ), a_profiled_document("/b.md", DocumentType.LETTER)]
        )
        store.upsert([a_profiled_document("/a.md", DocumentType.MANUAL)])
        assert set(store.corpus_profile().types) == {DocumentType.MANUAL, DocumentType.LETTER}
        store.delete(Filter(sources=("/b.md",)))
        assert store.corpus_profile().types == {DocumentType.MANUAL: 1.0}
        store.delete(Filter())
        assert store.corpus_profile() == CorpusProfile()

    def test_a_profile_does_not_make_a_document_another_one(self, store):
        plain, with_profile = a_document("/a.md"), a_profiled_document("/a.md", DocumentType.FAQ)
        assert plain.document.content_hash == with_profile.document.content_hash


class WritingContract:
    """What is written comes back whole."""

    def test_gives_back_exactly_what_was_written(self, store, reopen):
        written = a_rich_document()
        store.upsert([written])
        again = reopen()
        assert again.document(written.document.id) == written.document
        assert again.get([chunk.id for chunk in written.chunks]) == list(written.chunks)

    def test_records_what_is_known_of_a_document(self, store):
        written = a_rich_document()
        store.upsert([written])
        [record] = store.documents(Filter(tenant="acme"))
        document = written.document
        assert (record.id, record.title, record.kind) == (document.id, document.title, document.kind)
        assert (record.source, record.content_hash) == (document.source, document.content_hash)
        assert (record.chunks, record.characters) == (2, len(document.text))
        assert (record.published_at, record.tags) == (document.published_at, document.tags)
        assert record.state is DocumentState.INDEXED
        assert record.document_profile == document.document_profile
        assert store.known("acme") == {document.id: document.content_hash}

    def test_keeps_unusual_characters(self, store):
        odd = a_document("/x/\udcff.md", ("nul \0 here", "emoji 👩‍👩‍👧 and \u202e right to left", "שלום"))
        store.upsert([odd])
        assert store.document(odd.document.id) == odd.document
        assert [chunk.text for chunk in store.get(chunk_ids(odd))] == [chunk.text for chunk in odd.chunks]
        assert found_by_words(store, "שלום", Filter()) == {odd.chunks[2].id}

    def test_gets_chunks_in_the_order_asked_and_leaves_out_unknown_ones(self, store):
        written = a_document(parts=("one", "two", "three"))
        store.upsert([written])
        one, two, three = chunk_ids(written)
        assert [chunk.id for chunk in store.get([three, "unknown", one, two])] == [three, one, two]

    def test_handles_thousands_of_ids_at_once(self, store):
        written = a_document(parts=tuple(f"part number {number}" for number in range(3000)))
        store.upsert([written])
        ids = chunk_ids(written)
        assert len(store.get([*ids, *(f"unknown-{number}" for number in range(40_000))])) == 3000
        assert len(store.similarities(vector_of("x"), ids)) == 3000
        assert len(store.lexical_scores({"part": 1.0}, ids)) == 3000
        assert found_by_meaning(store, Filter(chunk_ids=tuple(ids[:2000])), 3000) == set(ids[:2000])
        assert found_by_words(store, "part", Filter(chunk_ids=tuple(ids[:2000])), 3000) == set(ids[:2000])

    def test_an_empty_store_finds_nothing(self, store):
        assert store.dense(vector_of("x"), 10) == []
        assert store.lexical({"word": 1.0}, 10) == []
        assert store.similarities(vector_of("x"), ["a"]) == {}
        assert store.lexical_scores({"word": 1.0}, ["a"]) == {}
        assert store.document_frequencies(["word"]) == {"word": 0}
        assert (store.get(["a"]), store.documents(), store.known()) == ([], [], {})
        assert (list(store.iterate_chunks()), store.neighbours("a", 1, 1), store.document("a")) == ([], [], None)
        assert store.vectors([]).shape == (0, 8)
        assert store.delete(Filter()) == 0
        assert store.check().problems == ()

    def test_a_document_without_chunks_is_listed(self, store):
        store.upsert([a_document(parts=())])
        assert [record.chunks for record in store.documents()] == [0]
        assert store.dense(vector_of("x"), 10) == []

    def test_replaces_a_document_as_a_whole(self, store):
        old = a_document(parts=("old words here", "kept words here"))
        new = a_document(parts=("new words here",))
        store.upsert([old])
        store.upsert([new])
        assert found_by_words(store, "words", Filter()) == set(chunk_ids(new))
        assert found_by_meaning(store, Filter()) == set(chunk_ids(new))
        assert found_by_words(store, "old", Filter()) == set()
        assert store.get([old.chunks[1].id]) == []
        assert store.stats().chunks == 1

    def test_the_last_of_two_versions_in_one_call_wins(self, store):
        store.upsert([a_document(parts=("earlier",)), a_document(parts=("later",))])
        assert [chunk.text for chunk in store.iterate_chunks()] == ["later"]

    def test_vectors_come_back_as_unit_vectors_in_the_order_asked(self, store):
        written = a_document(parts=("one", "two"))
        store.upsert([replace(written, vectors=written.vectors * 7)])
        one, two = chunk_ids(written)
        assert np.allclose(store.vectors([two, one]), [vector_of("two"), vector_of("one")], atol=1e-3)

    def test_a_vector_of_an_unknown_chunk_is_an_error(self, store):
        with pytest.raises(StoreError, match="nothing-such"):
            store.vectors(["nothing-such"])

    @pytest.mark.parametrize("vectors", [np.zeros((1, 8)), np.full((2, 8), np.nan)])
    def test_refuses_vectors_that_do_not_fit_the_chunks(self, store, vectors):
        with pytest.raises(StoreError, match=r"one\.md"):
            store.upsert([replace(a_document(), vectors=vectors.astype(np.float32))])
        assert store.documents() == []

    def test_nothing_of_a_call_is_written_when_one_document_is_bad(self, store):
        bad = replace(a_document("/bad.md"), vectors=np.zeros((1, 8), np.float32))
        with pytest.raises(StoreError):
            store.upsert([a_document("/good.md"), bad])
        assert store.documents() == []

    def test_further_calls_after_closing_are_refused(self, store):
        store.close()
        with pytest.raises(StoreError, match="closed"):
            store.documents()


class DeletingContract:
    """What goes, and what could not be read."""

    def test_deletes_what_the_filter_selects(self, store):
        one, two = a_document("/a/1.md"), a_document("/b/2.md")
        store.upsert([one, two])
        assert store.delete(Filter(sources=("/a",))) == 1
        assert found_by_meaning(store, Filter()) == found_by_words(store, "part", Filter()) == set(chunk_ids(two))
        assert store.document(one.document.id) is None

    def test_a_failed_document_is_listed_with_its_reason_and_not_known(self, store):
        store.mark_failed(a_document().document, "page 3 is unreadable")
        [record] = store.documents()
        assert (record.state, record.reason, record.chunks) == (DocumentState.FAILED, "page 3 is unreadable", 0)
        assert store.known() == {}

    def test_a_failure_leaves_the_earlier_version_searchable(self, store):
        written = a_document()
        store.upsert([written])
        store.mark_failed(written.document, "unreadable now")
        assert found_by_words(store, "first", Filter()) == {written.chunks[0].id}
        assert store.documents()[0].state is DocumentState.FAILED
        store.upsert([written])
        assert store.documents()[0].state is DocumentState.INDEXED

    def test_a_duplicate_becomes_the_original_when_that_is_deleted(self, store):
        first = a_document("/1.md")
        others = [a_document(f"/{n}.md", state=DocumentState.DUPLICATE, duplicate_of=first.document.id) for n in (2, 3)]
        store.upsert([first, *others])
        store.delete(Filter(document_ids=(first.document.id,)))
        second, third = store.documents()
        assert (second.state, second.duplicate_of) == (DocumentState.INDEXED, None)
        assert (third.state, third.duplicate_of) == (DocumentState.DUPLICATE, second.id)
