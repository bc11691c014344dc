"""Export a trained reader to one ONNX file with int8 weights, and say how far it is from the weights it came from.

    python training/export_reader.py --checkpoint FOLDER/checkpoint.pt --pairs pairs.npz --out reader.onnx [--average EARLIER]

``--average`` takes the mean with the weights of the stage before (Wortsman et al., "Model soups", ICML 2022): what the last stage
gained, without all that it forgot.
Weights are int8 by output channel; activations are scaled as they come, each pair by itself
(onnxruntime's dynamic quantisation). About 23 MB, of which half are the vectors of words.
"""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path

import numpy as np
import onnxruntime
import torch
from onnxruntime.quantization import QuantType, quantize_dynamic
from onnxruntime.quantization.shape_inference import quant_pre_process

from encoder import Reader
from train_reader import Pairs

INPUTS = ("input_ids", "attention_mask", "token_type_ids")
OUTPUTS = ("span", "answerable", "relevance", "support")
COMPARED = 300
"""Pairs, held back from training, on which both are compared."""


def export(reader: Reader, out: Path) -> None:
    """Write the model as float32."""
    example = (
        torch.tensor([[101, 2054, 102, 2003, 102]]),
        torch.ones((1, 5), dtype=torch.long),
        torch.zeros((1, 5), dtype=torch.long),
    )
    axes = {name: {0: "batch", 1: "tokens"} for name in INPUTS} | {name: {0: "batch"} for name in OUTPUTS}
    axes["span"][1] = "tokens"
    torch.onnx.export(
        reader.eval(), example, str(out), input_names=list(INPUTS), output_names=list(OUTPUTS), dynamic_axes=axes,
        opset_version=17, dynamo=False,
    )  # fmt: skip


def quantise(whole: Path, out: Path) -> None:
    """Write the model with int8 weights."""
    with tempfile.TemporaryDirectory() as folder:
        prepared = Path(folder) / "prepared.onnx"
        quant_pre_process(str(whole), str(prepared), skip_symbolic_shape=True)
        quantize_dynamic(
            str(prepared),
            str(out),
            weight_type=QuantType.QInt8,
            per_channel=True,
            op_types_to_quantize=["MatMul", "Gather"],
        )


def compare(reader: Reader, path: Path, pairs: Pairs) -> dict[str, float]:
    """How often both choose alike, and the mean distance of their logits."""
    session = onnxruntime.InferenceSession(str(path), providers=["CPUExecutionProvider"])
    same: dict[str, list[float]] = {name: [] for name in ("span", "support", "answerable distance", "support distance")}
    for pair in pairs.held[:COMPARED]:
        batch = pairs.collate(np.array([pair]))
        length = int(pairs.columns["length"][pair])
        feeds = {name: batch[name][:, :length] for name in INPUTS}
        with torch.no_grad():
            expected = [output.numpy() for output in reader(*feeds.values())]
        found = session.run(list(OUTPUTS), {name: each.numpy() for name, each in feeds.items()})
        same["span"].append(float((expected[0].argmax(1) == found[0].argmax(1)).all()))
        same["support"].append(float((expected[3].argmax(-1) == found[3].argmax(-1)).all()))
        same["answerable distance"].append(float(np.abs(expected[1] - found[1]).mean()))
        same["support distance"].append(float(np.abs(expected[3] - found[3]).mean()))
    return {name: round(float(np.mean(values)), 4) for name, values in same.items()}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--checkpoint", type=Path, required=True)
    parser.add_argument("--pairs", type=Path, required=True)
    parser.add_argument("--average", type=Path, help="checkpoint of the stage before")
    parser.add_argument("--share", type=float, default=0.65, help="weight of --checkpoint in the mean")
    parser.add_argument("--out", type=Path, required=True)
    given = parser.parse_args()
    state = torch.load(given.checkpoint, weights_only=True, map_location="cpu")
    weights = state["reader"]
    if given.average:
        earlier = torch.load(given.average, weights_only=True, map_location="cpu")["reader"]
        weights = {name: earlier[name].lerp(weight, given.share) for name, weight in weights.items()}
    reader = Reader()
    reader.load_state_dict(weights)
    reader.eval()
    with tempfile.TemporaryDirectory() as folder:
        whole = Path(folder) / "whole.onnx"
        export(reader, whole)
        quantise(whole, given.out)
    print(f"{given.out}: {given.out.stat().st_size / 1e6:.1f} MB after {state['step']} steps")
    print(compare(reader, given.out, Pairs(given.pairs, state["plan"]["seed"])))


if __name__ == "__main__":
    main()
