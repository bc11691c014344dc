import threading

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from ascertain.core.documents.documents import Document, DocumentKind
from ascertain.models.ports import TokenEmbedder, TokenVectors
from ascertain.models.vectors.remembered_vectors import KeptSentences, remember_vectors, restore_rows, round_rows
from ascertain.models.vectors.vector_file import VectorFile

DIMENSION = 4
DOCUMENT = Document("doc", "text", "Title", DocumentKind.PROSE, "doc.txt")


def embed(kept, texts):
    return kept.embed_sentences(texts, [DOCUMENT] * len(texts))


class CountingEmbedder:
    """Vectors that hang on the text alone; notes every text it was asked for."""

    name = "counting"
    dimension = DIMENSION

    def __init__(self):
        self.asked = []

    def embed_documents(self, texts):
        self.asked += texts
        return np.array([vector(text) for text in texts], np.float32).reshape(-1, DIMENSION)

    def embed_query(self, text):
        self.asked.append(text)
        return -vector(text)


class CountingTokenEmbedder(CountingEmbedder):
    def embed_tokens(self, texts):
        self.asked += texts
        return [TokenVectors(((0, len(text)),), vector(text)[None, :], vector(text)) for text in texts]


class WithoutTokens(CountingTokenEmbedder):
    def embed_tokens(self, texts):
        return None


def vector(text):
    return np.array([len(text), *(ord(letter) for letter in (text + "abc")[:3])], np.float32)


@given(st.lists(st.lists(st.text(max_size=4), max_size=6), max_size=12), st.integers(1, 400))
def test_vectors_are_those_of_the_model_whatever_was_forgotten(batches, most):
    plain, remembers = CountingEmbedder(), remember_vectors(CountingTokenEmbedder(), most)
    for texts in batches:
        found = remembers.embed_documents(texts)
        assert found.dtype == np.float32
        assert np.array_equal(found, plain.embed_documents(texts))
        for text in texts:
            assert np.array_equal(remembers.embed_query(text), plain.embed_query(text))
        told = remembers.embed_tokens(texts)
        assert [each.spans for each in told] == [((0, len(text)),) for text in texts]


def test_a_text_is_computed_once_also_within_a_batch():
    model = CountingEmbedder()
    remembers = remember_vectors(model, 10_000)
    remembers.embed_documents(["a", "b", "a"])
    remembers.embed_documents(["b", "c"])
    assert model.asked == ["a", "b", "c"]


def test_questions_and_documents_are_kept_apart():
    remembers = remember_vectors(CountingEmbedder(), 10_000)
    assert np.array_equal(remembers.embed_documents(["a"])[0], -remembers.embed_query("a"))


def test_the_least_recently_used_goes_first():
    model = CountingEmbedder()
    # a quarter is for documents: room for two vectors of 16 bytes
    remembers = remember_vectors(model, 4 * 2 * 16)
    for texts in (["a"], ["b"], ["a"], ["c"]):
        remembers.embed_documents(texts)
    model.asked.clear()
    remembers.embed_documents(["a", "c"])
    assert model.asked == []
    remembers.embed_documents(["b"])
    assert model.asked == ["b"]


def test_a_vector_handed_out_can_be_changed():
    remembers = remember_vectors(CountingEmbedder(), 10_000)
    remembers.embed_query("a")[:] = 0
    remembers.embed_documents(["a"])[:] = 0
    assert remembers.embed_query("a").any()
    assert remembers.embed_documents(["a"]).any()


def test_tokens_are_told_only_by_a_model_that_has_them():
    assert isinstance(remember_vectors(CountingTokenEmbedder(), 1), TokenEmbedder)
    assert not isinstance(remember_vectors(CountingEmbedder(), 1), TokenEmbedder)
    assert remember_vectors(WithoutTokens(), 1).embed_tokens(["a"]) is None


def test_without_memory_the_model_is_used_as_it_is():
    model = CountingEmbedder()
    assert remember_vectors(model, 0) is model


def test_threads_get_what_the_model_gives():
    remembers = remember_vectors(CountingEmbedder(), 300)
    wrong = []

    def ask(seed):
        for number in range(300):
            text = str((number * seed) % 17)
            if not np.array_equal(remembers.embed_documents([text])[0], vector(text)):
                wrong.append(text)

    threads = [threading.Thread(target=ask, args=(seed,)) for seed in range(1, 9)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


@given(st.lists(st.lists(st.text(max_size=4), max_size=6), max_size=12), st.integers(1, 4_000))
def test_sentences_have_the_same_vectors_whatever_was_forgotten(batches, most):
    plain, kept = CountingTokenEmbedder(), KeptSentences(CountingTokenEmbedder(), None, most)
    for texts in batches:
        found = embed(kept, texts)
        assert found.dtype == np.float32
        assert np.array_equal(found, restore_rows(round_rows(plain.embed_documents(texts))).reshape(found.shape))


def test_a_rounded_vector_points_where_it_did():
    rows = np.random.default_rng(3).normal(size=(50, 384)).astype(np.float32)
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    restored = restore_rows(round_rows(rows))
    assert (restored * rows).sum(axis=1).min() > 0.9999
    assert np.allclose(np.linalg.norm(restored, axis=1), 1.0)
    assert not restore_rows(round_rows(np.zeros((1, 4), np.float32))).any()


def test_sentences_that_are_in_the_file_are_not_embedded(tmp_path):
    first, second, other = CountingTokenEmbedder(), CountingTokenEmbedder(), CountingTokenEmbedder()
    texts = ["one", "two", "one", ""]
    file = VectorFile(tmp_path / "sentences.sqlite3", 1_000_000)
    file.begin_question()
    cold = KeptSentences(first, file)
    warm = KeptSentences(second, VectorFile(tmp_path / "sentences.sqlite3", 1_000_000))
    assert np.array_equal(embed(cold, texts), embed(warm, texts))
    assert second.asked == []
    other.name = "another model"
    embed(KeptSentences(other, file), texts)
    assert sorted(other.asked) == ["", "one", "two"]
