"""Sentence embeddings from an ONNX encoder: mean of the token states under the mask, then unit length.

Reimers & Gurevych, "Sentence-BERT", EMNLP 2019. The built-in model is all-MiniLM-L6-v2 (Apache-2.0), in ``data/`` with its
tokenizer file, so nothing is downloaded: weights and activations in eight bits (``training/quantise_embedder.py``).
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache, lru_cache
from pathlib import Path
from typing import Any, cast

import numpy as np
import onnxruntime  # pyright: ignore[reportMissingTypeStubs]
from numpy.typing import NDArray
from tokenizers import Tokenizer

from ascertain.core.errors import ConfigurationError, ModelError
from ascertain.core.settings import ModelSettings
from ascertain.models.embed.cards import BUILT_IN
from ascertain.models.ports import TokenVectors, Vectors


def onnx_session(weights: Path, threads: int) -> Any:
    """A session with so many threads, 0 for one a core. Raises what the runtime raises: bare subclasses of Exception.

    Threads without work sleep. By default they spin for a while, which answers one caller 4 % earlier and takes the
    processor from everybody else: beside other work the embedding of a question on two threads cost twice the processor
    time. Memory is given back after each run: the runtime's own arena doubles for every
    larger input and keeps what it has (bench/ingest_memory.py).
    """
    runtime = cast(Any, onnxruntime)  # ships no types
    options = runtime.SessionOptions()
    options.intra_op_num_threads = threads or len(os.sched_getaffinity(0))
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    options.enable_cpu_mem_arena = False
    if not sums_bytes_exactly():
        options.add_session_config_entry("session.x64quantprecision", "1")
    options.log_severity_level = 3  # warnings about unused initialisers are noise to a user
    return runtime.InferenceSession(str(weights), options, providers=["CPUExecutionProvider"])


_CPUINFO = Path("/proc/cpuinfo")


@cache
def sums_bytes_exactly() -> bool:
    """Whether the processor sums products of signed and unsigned bytes in 32 bits, by VNNI; False where it does not tell.

    Without, x64 sums pairs of them in 16 bits, which overflow, unless the runtime is told to take a slower way. With VNNI that
    way leads to the same numbers: a window of the reader of 135 tokens took 26 ms of processor time instead of 15, a sentence
    of 32 tokens 6.2 instead of 4.5.
    """
    try:
        lines = _CPUINFO.read_text("utf-8", "replace").splitlines()
    except OSError:
        return False
    flags = next((line for line in lines if line.startswith("flags")), "")
    return not {"avx512_vnni", "avx_vnni"}.isdisjoint(flags.split())


WEIGHTS = Path(__file__).with_name("data") / f"{BUILT_IN}.onnx"
TOKENIZER = WEIGHTS.with_name(f"{BUILT_IN}.tokenizer.json")
MAX_TOKENS = 256
"""Window the built-in model was trained with (its model card); longer texts are cut."""
REMEMBERED = 16
"""Texts by themselves that are remembered: a question is embedded to search, and then read word by word."""


class OnnxEmbedder:
    """A transformer encoder in ONNX form with its ``tokenizer.json``.

    Each text is run by itself, on one thread, as many at once as there are threads: nothing is padded, a text's vector
    does not hang on what it is embedded with, which scales taken from all that is run would make it, and two texts on a
    thread each are done before two on both threads (bench/results/embedding_speed.json).
    """

    def __init__(self, name: str, model: Path, tokenizer: Path, threads: int = 0, max_tokens: int = MAX_TOKENS) -> None:
        self._name = name
        self._threads = threads or len(os.sched_getaffinity(0))
        try:
            self._tokenizer = cast(Any, Tokenizer.from_file(str(tokenizer)))
            self._session = onnx_session(model, threads=1)
        except Exception as error:  # both libraries raise bare Exception subclasses of their own
            raise ModelError(f"{name}: the embedding model could not be loaded: {error}") from error
        self._tokenizer.no_padding()
        self._tokenizer.enable_truncation(max_tokens)
        self._inputs: list[str] = [str(node.name) for node in self._session.get_inputs()]
        self._read_remembered = lru_cache(maxsize=REMEMBERED)(self._read_text)
        self._dimension = int(self.embed_query("dimension").shape[0])

    @classmethod
    def load(cls, name_or_path: str, threads: int = 0) -> OnnxEmbedder:
        """Open the built-in model by name, or a folder that holds ``model.onnx`` and ``tokenizer.json``.

        Raises ConfigurationError when there is no such model, ModelError when it cannot be loaded.
        """
        if name_or_path == BUILT_IN:
            return cls(BUILT_IN, WEIGHTS, TOKENIZER, threads)
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
        """One unit vector a text; see the port."""
        out = np.zeros((len(texts), self._dimension), dtype=np.float32)
        for row, states in enumerate(
            self._run_texts([cast("list[int]", each.ids) for each in self._encode_texts(texts)])
        ):
            out[row] = _pool_states(states)
        return out

    def embed_query(self, text: str) -> Vectors:
        return self._read_remembered(text).whole.copy()

    def embed_tokens(self, texts: Sequence[str]) -> list[TokenVectors]:
        """Each text token by token; see the port."""
        if len(texts) == 1:
            return [self._read_remembered(texts[0])]
        return self._read_texts(texts)

    def _read_text(self, text: str) -> TokenVectors:
        return self._read_texts([text])[0]

    def _read_texts(self, texts: Sequence[str]) -> list[TokenVectors]:
        encodings = self._encode_texts(texts)
        found: list[TokenVectors] = []
        for encoding, states in zip(encodings, self._run_texts([each.ids for each in encodings]), strict=True):
            kept = [i for i, special in enumerate(encoding.special_tokens_mask) if not special]
            spans = tuple(cast("tuple[int, int]", encoding.offsets[i]) for i in kept)
            found.append(TokenVectors(spans, _unit_rows(states[kept]), _pool_states(states)))
        return found

    def _encode_texts(self, texts: Sequence[str]) -> list[Any]:
        return list(self._tokenizer.encode_batch([replace_surrogates(text) for text in texts]))

    def _run_texts(self, token_ids: Sequence[list[int]]) -> Iterator[Vectors]:
        """Token states of each text, of shape ``(tokens, dimension)``, in order."""
        workers = min(self._threads, len(token_ids))
        if workers <= 1:
            yield from map(self._run_text, token_ids)
            return
        with ThreadPoolExecutor(workers, thread_name_prefix="embed") as pool:
            yield from pool.map(self._run_text, token_ids)

    def _run_text(self, token_ids: list[int]) -> Vectors:
        ids = np.array([token_ids], dtype=np.int64)
        feeds = {"input_ids": ids, "attention_mask": np.ones_like(ids), "token_type_ids": np.zeros_like(ids)}
        try:
            states = cast(NDArray[np.float32], self._session.run(None, {name: feeds[name] for name in self._inputs})[0])
        except Exception as error:
            raise ModelError(f"{self._name}: the embedding model failed: {error}") from error
        return states[0]


def open_onnx_embedder(name: str, settings: ModelSettings) -> OnnxEmbedder:
    """The built-in model, or the one in a folder."""
    return OnnxEmbedder.load(name, settings.threads)


def _pool_states(states: Vectors) -> Vectors:
    return _unit_rows(states.mean(axis=0, keepdims=True))[0]


def _unit_rows(rows: Vectors) -> Vectors:
    norms = np.linalg.norm(rows, axis=1, keepdims=True)
    return (rows / np.maximum(norms, 1e-12)).astype(np.float32)


def _read_window(folder: Path) -> int:
    """``max_seq_length`` of a sentence-transformers export, where it says so."""
    config = folder / "sentence_bert_config.json"
    if not config.is_file():
        return MAX_TOKENS
    return int(json.loads(config.read_text("utf-8")).get("max_seq_length", MAX_TOKENS))


def replace_surrogates(text: str) -> str:
    """``text``, of the same length, as the tokenizer needs it: lone surrogates cannot be encoded as UTF-8."""
    return text.encode("utf-8", "replace").decode("utf-8")
