"""A cross-encoder of a few hundred bytes: each word adds its own logits. Written as protobuf by hand, so that the tests need no
package that writes ONNX."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from tokenizers.pre_tokenizers import Whitespace
from tokenizers.processors import TemplateProcessing

INT64, FLOAT = 7, 1
SPECIAL = ("[PAD]", "[UNK]", "[CLS]", "[SEP]")


def varint(number: int) -> bytes:
    out = b""
    while number > 127:
        out += bytes([number & 127 | 128])
        number >>= 7
    return out + bytes([number])


def field(number: int, value: bytes | str | int) -> bytes:
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    data = value.encode() if isinstance(value, str) else value
    return varint(number << 3 | 2) + varint(len(data)) + data


def node(kind: str, inputs: tuple[str, ...], output: str, *attributes: bytes) -> bytes:
    parts = [field(1, name) for name in inputs] + [field(2, output), field(4, kind)]
    return b"".join(parts + [field(5, attribute) for attribute in attributes])


def value(name: str, kind: int, *shape: str) -> bytes:
    dimensions = b"".join(field(1, field(2, size)) for size in shape)
    return field(1, name) + field(2, field(1, field(1, kind) + field(2, dimensions)))


def summing_model(table: np.ndarray) -> bytes:
    """logits = sum over the tokens of ``table[token]``; ONNX opset 11."""
    tensor = (
        b"".join(field(1, size) for size in table.shape)
        + field(2, FLOAT)
        + field(8, "table")
        + field(9, table.astype("<f4").tobytes())
    )
    axis = field(1, "axes") + field(8, 1) + field(20, 7)
    flat = field(1, "keepdims") + field(3, 0) + field(20, 2)
    graph = (
        field(1, node("Gather", ("table", "input_ids"), "states"))
        + field(1, node("ReduceSum", ("states",), "logits", axis, flat))
        + field(2, "summing")
        + field(5, tensor)
        + field(11, value("input_ids", INT64, "batch", "tokens"))
        + field(12, value("logits", FLOAT, "batch", "labels"))
    )
    return field(1, 7) + field(7, graph) + field(8, field(1, "") + field(2, 11))


@pytest.fixture
def a_model(tmp_path):
    def build(words: dict[str, list[float]], labels: list[str], window: int = 64) -> Path:
        vocabulary = {word: i for i, word in enumerate([*SPECIAL, *words])}
        tokenizer = Tokenizer(WordLevel(vocabulary, unk_token="[UNK]"))
        tokenizer.pre_tokenizer = Whitespace()
        tokenizer.post_processor = TemplateProcessing(
            single="[CLS] $A [SEP]", pair="[CLS] $A [SEP] $B:1 [SEP]:1", special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
        )
        tokenizer.save(str(tmp_path / "tokenizer.json"))
        rows = [[0.0] * len(labels)] * len(SPECIAL) + list(words.values())
        (tmp_path / "model.onnx").write_bytes(summing_model(np.array(rows, dtype=np.float32)))
        config = {"id2label": dict(enumerate(labels)), "max_position_embeddings": window}
        (tmp_path / "config.json").write_text(json.dumps(config))
        return tmp_path

    return build
