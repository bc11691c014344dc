"""Small ONNX models, written as protobuf by hand, so that the tests need no package that writes them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from tokenizers.pre_tokenizers import Whitespace
from tokenizers.processors import TemplateProcessing

INT64, FLOAT = 7, 1
INPUTS = ("input_ids", "attention_mask", "token_type_ids")


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


def tensor(name: str, table: np.ndarray) -> bytes:
    sizes = b"".join(field(1, size) for size in table.shape)
    return sizes + field(2, FLOAT) + field(8, name) + field(9, table.astype("<f4").tobytes())


def sum_tokens(states: str, output: str) -> bytes:
    axis = field(1, "axes") + field(8, 1) + field(20, 7)
    flat = field(1, "keepdims") + field(3, 0) + field(20, 2)
    return node("ReduceSum", (states,), output, axis, flat)


def model(nodes: list[bytes], tensors: list[bytes], inputs: list[bytes], outputs: list[bytes]) -> bytes:
    """ONNX opset 11."""
    parts = [(1, nodes), (2, [b"small"]), (5, tensors), (11, inputs), (12, outputs)]
    graph = b"".join(field(number, each) for number, every in parts for each in every)
    return field(1, 7) + field(7, graph) + field(8, field(1, "") + field(2, 11))


def summing_model(table: np.ndarray) -> bytes:
    """logits = sum over the tokens of ``table[token]``."""
    return model(
        [node("Gather", ("table", "input_ids"), "states"), sum_tokens("states", "logits")],
        [tensor("table", table)],
        [value("input_ids", INT64, "batch", "tokens")],
        [value("logits", FLOAT, "batch", "labels")],
    )


def embedding_model(table: np.ndarray, outputs: tuple[str, ...] = ("last_hidden_state",)) -> bytes:
    """An embedder of words: ``last_hidden_state`` is ``table[token]`` for each, ``sentence_embedding`` the sum over the tokens."""
    shapes = {"last_hidden_state": ("batch", "tokens", "width"), "sentence_embedding": ("batch", "width")}
    nodes = [node("Gather", ("table", "input_ids"), "last_hidden_state")]
    if "sentence_embedding" in outputs:
        nodes.append(sum_tokens("last_hidden_state", "sentence_embedding"))
    return model(
        nodes,
        [tensor("table", table)],
        [value("input_ids", INT64, "batch", "tokens")],
        [value(name, FLOAT, *shapes[name]) for name in outputs],
    )


SPECIAL = ("[PAD]", "[UNK]", "[CLS]", "[SEP]")


def word_tokenizer(words: Sequence[str]) -> str:
    """``tokenizer.json`` of a tokenizer that knows these words, after four special tokens."""
    tokenizer = Tokenizer(WordLevel({word: i for i, word in enumerate([*SPECIAL, *words])}, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = Whitespace()
    tokenizer.post_processor = TemplateProcessing(
        single="[CLS] $A [SEP]", pair="[CLS] $A [SEP] $B:1 [SEP]:1", special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
    )
    return tokenizer.to_str()


def reading_model(tables: Mapping[str, np.ndarray]) -> bytes:
    """A reader of words: ``span`` is ``table[token]``; the others are its sum over the tokens of type 1, the text."""
    nodes = [node("Gather", ("types", "token_type_ids"), "is_text")]
    outputs: list[bytes] = []
    for name, table in tables.items():
        if name == "span":
            nodes.append(node("Gather", (f"{name}_table", "input_ids"), name))
            outputs.append(value(name, FLOAT, "batch", "tokens", "two"))
            continue
        mask = "is_text"
        if table.ndim == 2:
            mask = f"{name}_mask"
            nodes.append(node("Unsqueeze", ("is_text",), mask, field(1, "axes") + field(8, 2) + field(20, 7)))
        nodes += [
            node("Gather", (f"{name}_table", "input_ids"), f"{name}_states"),
            node("Mul", (f"{name}_states", mask), f"{name}_of_text"),
            sum_tokens(f"{name}_of_text", name),
        ]
        outputs.append(value(name, FLOAT, "batch", *(["labels"] if table.ndim == 2 else [])))
    tensors = [tensor(f"{name}_table", table) for name, table in tables.items()]
    tensors.append(tensor("types", np.array([0.0, 1.0])))
    return model(nodes, tensors, [value(name, INT64, "batch", "tokens") for name in INPUTS], outputs)
