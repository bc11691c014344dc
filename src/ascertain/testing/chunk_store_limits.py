"""Sizes and shapes at the edges."""

# pyright: basic

from __future__ import annotations

import numpy as np
import pytest

from ascertain.core.errors import StoreError
from ascertain.core.filters import Filter
from ascertain.testing.store_documents import (
    a_document,
    chunk_ids,
    found_by_meaning,
    found_by_words,
    vector_of,
)


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
        "text",
        ["", " ", "\x00", "\n\n", "…", "\U0001f600", "\udc80", "a\x00b", "\ufeffbom", "e\u0301", "\ufdd0"],
    )
    def test_odd_texts_are_kept_and_do_no_harm(self, store, text):
        odd = a_document(
            f"/{text}.md", (text, "plain words"), title=text, heading=text, tags=(text or "none",)
        )
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
