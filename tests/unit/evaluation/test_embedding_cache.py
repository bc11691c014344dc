import hashlib

import numpy as np
import pytest

from ascertain.core.errors import StoreError
from ascertain.evaluation.sets.knowledge import CachedEmbedder


class CountingEmbedder:
    """Vectors made from the text's hash; remembers what it was asked."""

    def __init__(self, name="a/model"):
        self.name = name
        self.dimension = 8
        self.asked = []

    def embed_documents(self, texts):
        self.asked.extend(texts)
        return np.stack([self.embed_query(text) for text in texts])

    def embed_query(self, text):
        digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()[:8]
        return np.frombuffer(digest, dtype=np.uint8).astype(np.float32)


@pytest.fixture
def open_cache(tmp_path):
    opened = []

    def build(inner):
        opened.append(CachedEmbedder(inner, tmp_path / "cache"))
        return opened[-1]

    yield build
    for cache in opened:
        cache.close()


def test_embeds_each_text_once_and_keeps_the_order(open_cache):
    inner = CountingEmbedder()
    cache = open_cache(inner)
    texts = ["b", "a", "b", "\ud800"]
    first = cache.embed_documents(texts)
    second = cache.embed_documents(list(reversed(texts)))
    assert inner.asked == ["b", "a", "\ud800"]
    assert np.array_equal(first, np.stack([inner.embed_query(text) for text in texts]))
    assert np.array_equal(second, first[::-1])


def test_remembers_across_runs_but_not_across_models(open_cache):
    open_cache(CountingEmbedder()).embed_documents(["a"])
    again, other = CountingEmbedder(), CountingEmbedder("another")
    open_cache(again).embed_documents(["a"])
    open_cache(other).embed_documents(["a"])
    assert (again.asked, other.asked) == ([], ["a"])


def test_looks_up_more_texts_than_one_statement_takes(open_cache):
    inner = CountingEmbedder()
    cache = open_cache(inner)
    texts = [str(number) for number in range(1200)]
    cache.embed_documents(texts)
    assert np.array_equal(cache.embed_documents(texts), np.stack([inner.embed_query(text) for text in texts]))
    assert len(inner.asked) == 1200


def test_no_texts_give_no_rows(open_cache):
    assert open_cache(CountingEmbedder()).embed_documents([]).shape == (0, 8)


def test_passes_name_dimension_and_queries_through(open_cache):
    inner = CountingEmbedder()
    cache = open_cache(inner)
    assert (cache.name, cache.dimension) == (inner.name, inner.dimension)
    assert np.array_equal(cache.embed_query("q"), inner.embed_query("q"))


def test_a_damaged_cache_is_one_clear_error(tmp_path):
    (tmp_path / "a_model.sqlite").write_bytes(b"not a database" * 100)
    with pytest.raises(StoreError, match=r"a_model\.sqlite: the embedding cache cannot be opened"):
        CachedEmbedder(CountingEmbedder(), tmp_path)
