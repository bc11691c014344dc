from __future__ import annotations

import shutil

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ascertain.core.errors import ConfigurationError, ModelError
from ascertain.core.settings import ModelSettings
from ascertain.models import onnx
from ascertain.models.embed.cards import BUILT_IN
from ascertain.models.onnx import TOKENIZER, WEIGHTS, OnnxEmbedder
from ascertain.models.registry import open_embedder


@pytest.fixture(scope="module")
def embedder():
    return OnnxEmbedder.load(BUILT_IN, threads=1)


def test_meaning_decides_similarity(embedder):
    cat, kitten, stocks = embedder.embed_documents(
        ["A cat sleeps on the mat.", "A kitten naps on a rug.", "Share prices fell sharply."]
    )
    assert cat @ kitten > 0.5 > cat @ stocks


def test_rows_come_back_in_the_order_asked_whatever_their_length(embedder):
    texts = ["short", "a much longer text " * 30, "middle sized text here", ""]
    together = embedder.embed_documents(texts)
    alone = np.vstack([embedder.embed_documents([text]) for text in texts])
    assert together.shape == (4, embedder.dimension)
    assert np.array_equal(together, alone)


def test_the_number_of_threads_changes_no_vector(embedder):
    texts = [f"Sentence {number} of a text about rivers and banks." * (number % 5 + 1) for number in range(20)]
    with_two = OnnxEmbedder.load(BUILT_IN, threads=2)
    assert np.array_equal(embedder.embed_documents(texts), with_two.embed_documents(texts))


def test_nothing_to_embed_gives_no_rows(embedder):
    assert embedder.embed_documents([]).shape == (0, embedder.dimension)


def test_a_question_and_a_document_of_the_same_words_are_the_same_vector(embedder):
    assert embedder.embed_query("who?") @ embedder.embed_documents(["who?"])[0] == pytest.approx(1, abs=1e-6)


@settings(max_examples=25, deadline=None)
@given(st.text(st.characters(), max_size=200))
def test_any_text_gives_a_finite_unit_vector(embedder, text):
    vector = embedder.embed_query(text)
    assert np.isfinite(vector).all()
    assert np.linalg.norm(vector) == pytest.approx(1, abs=1e-3)


def test_a_lone_surrogate_is_no_error(embedder):
    assert np.isfinite(embedder.embed_query("a\ud800b")).all()


def test_opens_a_folder_with_an_exported_model(tmp_path, embedder):
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "model.onnx").symlink_to(WEIGHTS)
    shutil.copy(TOKENIZER, tmp_path / "mine" / "tokenizer.json")
    other = open_embedder(ModelSettings(embedder=str(tmp_path / "mine"), threads=1))
    assert (other.name, other.dimension) == ("mine", embedder.dimension)


def test_an_unknown_model_names_what_can_be_used(tmp_path):
    with pytest.raises(ConfigurationError, match="all-MiniLM-L6-v2"):
        open_embedder(ModelSettings(embedder=str(tmp_path / "absent")))


def test_a_damaged_model_file_is_a_clear_error(tmp_path):
    (tmp_path / "model.onnx").write_bytes(b"not a model")
    shutil.copy(TOKENIZER, tmp_path / "tokenizer.json")
    with pytest.raises(ModelError, match="could not be loaded"):
        OnnxEmbedder.load(str(tmp_path))


def test_tokens_carry_their_place_their_meaning_and_the_vector_of_the_text(embedder):
    texts = ["The bank of the river.", "A bank lends money, and 日本 too."]
    for text, tokens in zip(texts, embedder.embed_tokens(texts), strict=True):
        assert [text[a:b] for a, b in tokens.spans][:2] == text.split()[:2]
        assert tokens.vectors.shape == (len(tokens.spans), embedder.dimension)
        assert np.allclose(np.linalg.norm(tokens.vectors, axis=1), 1, atol=1e-5)
        assert np.array_equal(tokens.whole, embedder.embed_documents([text])[0])


def test_the_tokens_of_no_text_and_of_an_empty_one_are_none(embedder):
    assert embedder.embed_tokens([]) == []
    assert embedder.embed_tokens([""])[0].vectors.shape == (0, embedder.dimension)


def test_the_slower_way_of_summing_is_taken_only_where_the_quick_one_may_overflow(monkeypatch, tmp_path):
    for flags, exact in (("sse avx2 avx512f", False), ("avx2 avx512f avx512_vnni", True), ("avx2 avx_vnni", True)):
        cpuinfo = tmp_path / "cpuinfo"
        cpuinfo.write_text(f"model name\t: some\nflags\t\t: fpu {flags} rdpid\n")
        monkeypatch.setattr(onnx, "_CPUINFO", cpuinfo)
        assert onnx.sums_bytes_exactly.__wrapped__() is exact
    monkeypatch.setattr(onnx, "_CPUINFO", tmp_path / "none")
    assert not onnx.sums_bytes_exactly.__wrapped__()


def test_both_ways_of_summing_give_the_same_vectors_where_the_processor_sums_exactly(monkeypatch, embedder):
    if not onnx.sums_bytes_exactly():
        pytest.skip("this processor has no VNNI")
    texts = ["Rates rose by a quarter of a point.", "A cat sleeps on the mat, and nobody knows why it does so."]
    monkeypatch.setattr(onnx, "sums_bytes_exactly", lambda: False)
    slower = OnnxEmbedder.load(BUILT_IN, threads=1)
    assert np.array_equal(slower.embed_documents(texts), embedder.embed_documents(texts))
