"""Two words that share a dimension of the sparse vector are two words nevertheless."""

import pytest

from ascertain.core.asking.passages import Filter
from ascertain.stores.qdrant import lexical_leg
from ascertain.testing.store_documents import a_document, chunk_ids, found_by_words


@pytest.fixture
def one_place(monkeypatch):
    """Every word has the same place."""
    monkeypatch.setattr(lexical_leg.zlib, "crc32", lambda text: 7)


def test_only_chunks_with_the_word_are_found(one_place, store):
    written = a_document(parts=("apples", "pears", "apples and pears"), heading="")
    store.upsert([written])
    one, two, both = chunk_ids(written)
    assert found_by_words(store, "apple", Filter()) == {one, both}
    assert found_by_words(store, "pear", Filter()) == {two, both}
    assert found_by_words(store, "plum", Filter()) == set()
    assert store.lexical_scores({"plum": 1.0}, [one, two]) == {}


def test_the_best_are_found_behind_many_others(one_place, store):
    written = a_document(parts=("needle " + "filler " * 50, *("hay " * 3 for _ in range(200))), heading="")
    store.upsert([written])
    assert found_by_words(store, "needle", Filter(), k=1) == {chunk_ids(written)[0]}
    assert store.document_frequencies(["needle", "hay"]) == {"needle": 1, "hay": 200}
