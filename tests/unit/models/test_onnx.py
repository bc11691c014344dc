from __future__ import annotations

import shutil
from pathlib import Path

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

READER = WEIGHTS.with_name("reader.onnx")
CPUINFO = Path("/proc/cpuinfo")


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


@pytest.mark.parametrize("inputs", [64, 384, 1536])
def test_sums_of_the_largest_products_are_exact(tmp_path, inputs):
    """Where they are not, each pair of products overflows 16 bits: 2 · 255 · 127 is 64,770."""
    rng = np.random.default_rng(inputs)
    weights = rng.choice(np.array([-127, 127], np.int8), (inputs, 48))
    weights[:, :2] = 127, -127
    activations = rng.integers(250, 256, (9, inputs)).astype(np.uint8)
    activations[0] = 255
    (tmp_path / "product.onnx").write_bytes(a_product(weights))
    session = onnx.onnx_session(tmp_path / "product.onnx", threads=1)
    for rows in (activations, activations[:1]):  # one row by itself takes a kernel of its own
        (sums,) = session.run(None, {"activations": rows})
        assert np.array_equal(sums, rows.astype(np.int32) @ weights.astype(np.int32))


def test_both_ways_of_summing_give_the_same_vectors_where_the_processor_sums_exactly(monkeypatch, embedder):
    if not onnx.sums_bytes_exactly():
        pytest.skip("this processor has no VNNI")
    texts = ["Rates rose by a quarter of a point.", "A cat sleeps on the mat, and nobody knows why it does so."]
    monkeypatch.setattr(onnx, "sums_bytes_exactly", lambda: False)
    slower = OnnxEmbedder.load(BUILT_IN, threads=1)
    assert np.array_equal(slower.embed_documents(texts), embedder.embed_documents(texts))


@pytest.mark.parametrize("model", [WEIGHTS, READER], ids=lambda path: path.stem)
def test_the_models_hold_no_operator_whose_last_bits_hang_on_the_processor(model):
    content = model.read_bytes()
    for operator in ("Softmax", "MultiHeadAttention", "Attention", "Gelu", "FastGelu", "BiasGelu", "MatMulNBits"):
        assert _field(4, operator.encode()) not in content, operator
    assert _field(4, b"MatMulInteger") in content


def a_product(weights: np.ndarray) -> bytes:
    """An ONNX file that multiplies rows of unsigned bytes with ``weights``."""

    def describe(name: str, kind: int, width: int) -> bytes:
        shape = _field(1, _field(2, b"rows")) + _field(1, _field(1, width))
        return _field(1, name.encode()) + _field(2, _field(1, _field(1, kind) + _field(2, shape)))

    uint8, int8, int32 = 2, 3, 6
    held = b"".join(_field(1, size) for size in weights.shape) + _field(2, int8)
    held += _field(8, b"weights") + _field(9, weights.tobytes())
    node = _field(1, b"activations") + _field(1, b"weights") + _field(2, b"sums") + _field(4, b"MatMulInteger")
    graph = _field(1, node) + _field(2, b"product") + _field(5, held)
    graph += _field(11, describe("activations", uint8, weights.shape[0]))
    graph += _field(12, describe("sums", int32, weights.shape[1]))
    return _field(1, 9) + _field(7, graph) + _field(8, _field(1, b"") + _field(2, 18))


def _field(number: int, value: int | bytes) -> bytes:
    """A field of a protobuf message."""
    if isinstance(value, int):
        return _number(number << 3) + _number(value)
    return _number(number << 3 | 2) + _number(len(value)) + value


def _number(value: int) -> bytes:
    shown = bytearray()
    while value > 127:
        shown.append(value & 127 | 128)
        value >>= 7
    return bytes([*shown, value])
