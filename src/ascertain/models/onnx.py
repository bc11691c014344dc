"""Sentence embeddings from an ONNX encoder: the token states pooled, by default by their mean, then normalised to unit length.

Reimers & Gurevych, "Sentence-BERT", EMNLP 2019. The built-in model is all-MiniLM-L6-v2 (Apache-2.0), in ``data/`` with its
tokenizer file, so nothing is downloaded: weights and activations in eight bits (``training/quantise_embedder.py``).
"""

from __future__ import annotations

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
from ascertain.models.embed.folders import MAX_TOKENS, SETTING, FolderModel, read_folder
from ascertain.models.ports import TokenVectors, Vectors


def onnx_session(weights: Path, threads: int) -> Any:
    """A session with so many threads, 0 for one per core. Raises what the runtime raises: bare subclasses of Exception.

    Threads without work sleep. By default they spin for a while, which answers one caller 4 % earlier and takes the
    processor from everyone else: beside other work the embedding of a question on two threads cost twice the processor
    time. Memory is given back after each run: the runtime's own arena doubles for every
    larger input and keeps what it has (bench/speed/ingest_memory.py).
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

    Without, x64 sums pairs of them in 16 bits, which overflow, unless the runtime is set to take a slower way: it makes the weights
    unsigned as it loads them, as a file with unsigned weights would have them. With VNNI that way leads to the same numbers: a window of the reader of 135 tokens took 26 ms of processor time instead of 15, a sentence
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
BUILT_IN_MODEL = FolderModel(BUILT_IN, WEIGHTS, TOKENIZER, window=MAX_TOKENS)
POOLED = "sentence_embedding"
"""The output in which models that sentence-transformers exports have the vector of the text, all layers applied."""
REMEMBERED = 16
"""Texts by themselves that are remembered: a question is embedded to search, and then read word by word."""


class OnnxEmbedder:
    """A transformer encoder in ONNX form with its ``tokenizer.json``.

    Each text is run by itself, on one thread, as many at once as there are threads: nothing is padded, a text's vector
    does not depend on what it is embedded with, which scales taken from all that is run would make it, and two texts on a
    thread each are done before two on both threads (bench/results/embedding_speed.json).
    """

    def __init__(self, model: FolderModel, threads: int = 0) -> None:
        self._model = model
        self._threads = threads or len(os.sched_getaffinity(0))
        try:
            self._tokenizer = cast(Any, Tokenizer.from_file(str(model.tokenizer)))
            self._session = onnx_session(model.weights, threads=1)
        except Exception as error:  # both libraries raise bare Exception subclasses of their own
            raise ModelError(f"{model.name}: the embedding model could not be loaded: {error}") from error
        self._tokenizer.no_padding()
        self._tokenizer.enable_truncation(model.window)
        self._inputs: list[str] = [str(node.name) for node in self._session.get_inputs()]
        self._states, self._pooled = self._choose_outputs()
        self._read_remembered = lru_cache(maxsize=REMEMBERED)(self._read_text)
        self._dimension = len(self._embed_texts(["dimension"])[0])
        if self._dimension < model.dimensions:
            raise ConfigurationError(
                f"{SETTING}: the vectors of {model.weights} have {self._dimension} dimensions, fewer than "
                f"dimensions={model.dimensions}"
            )

    @classmethod
    def load(cls, name_or_path: str, threads: int = 0) -> OnnxEmbedder:
        """Open the built-in model by name, or a folder that holds ``model.onnx`` and ``tokenizer.json``; see ``read_folder``.

        Raises ConfigurationError for an unknown model, ModelError when it cannot be loaded.
        """
        return cls(BUILT_IN_MODEL if name_or_path == BUILT_IN else read_folder(name_or_path), threads)

    @property
    def name(self) -> str:
        return self._model.name

    @property
    def dimension(self) -> int:
        return self._dimension

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        """One unit vector a text; see the port."""
        if not texts:
            return np.zeros((0, self._dimension), dtype=np.float32)
        return self._embed_texts([self._model.passage + text for text in texts])

    def embed_query(self, text: str) -> Vectors:
        if self._gives_tokens:
            return self._read_remembered(text).whole.copy()
        return self._embed_texts([self._model.query + text])[0]

    def embed_tokens(self, texts: Sequence[str]) -> list[TokenVectors] | None:
        """Each text token by token; see the port. None for a model with prefixes, shortened vectors or no token states to be had."""
        if not self._gives_tokens:
            return None
        if len(texts) == 1:
            return [self._read_remembered(texts[0])]
        return self._read_texts(texts)

    @property
    def _gives_tokens(self) -> bool:
        model = self._model
        return not (model.query or model.passage or model.dimensions or self._pooled)

    def _choose_outputs(self) -> tuple[str, str]:
        """The output with the token states and the one with the vector of the text, of which only one is named. Raises
        ConfigurationError if neither can be identified, or a layer of the model is missing.
        """
        model = self._model
        ranks = {str(node.name): len(node.shape or ()) for node in self._session.get_outputs()}
        states = next((name for name, rank in ranks.items() if rank in {3, 0}), "")
        flat = [name for name, rank in ranks.items() if rank == 2]
        pooled = POOLED if POOLED in flat else "" if states or len(flat) != 1 else flat[0]
        if pooled and not model.is_pooling_chosen:
            return "", pooled
        if not states:
            raise ConfigurationError(
                f"{SETTING}: {model.weights} gives {', '.join(ranks)}, and none of them is a state for every token, which is what "
                f"pooling={model.pooling} needs"
            )
        if model.lacks:
            raise ConfigurationError(
                f"{SETTING}: the model has a layer {model.lacks} that {model.weights} does not apply; export it whole, with the "
                f"output {POOLED}"
            )
        return states, ""

    def _embed_texts(self, texts: Sequence[str]) -> Vectors:
        """Unit rows of texts with their prefixes, at least one."""
        encodings = self._encode_texts(texts)
        found = self._run_texts([cast("list[int]", each.ids) for each in encodings])
        return np.stack([self._pool(result) for result in found])

    def _read_text(self, text: str) -> TokenVectors:
        return self._read_texts([text])[0]

    def _read_texts(self, texts: Sequence[str]) -> list[TokenVectors]:
        encodings = self._encode_texts(texts)
        found: list[TokenVectors] = []
        for encoding, states in zip(encodings, self._run_texts([each.ids for each in encodings]), strict=True):
            kept = [i for i, special in enumerate(encoding.special_tokens_mask) if not special]
            spans = tuple(cast("tuple[int, int]", encoding.offsets[i]) for i in kept)
            found.append(TokenVectors(spans, _unit_rows(states[kept]), self._pool(states)))
        return found

    def _encode_texts(self, texts: Sequence[str]) -> list[Any]:
        return list(self._tokenizer.encode_batch([replace_surrogates(text) for text in texts]))

    def _run_texts(self, token_ids: Sequence[list[int]]) -> Iterator[Vectors]:
        """What the model gives for each text, in order: token states, ``(tokens, dimension)``, or the one vector, ``(dimension,)``."""
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
            wanted = [self._states or self._pooled]
            found = cast(
                NDArray[np.float32], self._session.run(wanted, {name: feeds[name] for name in self._inputs})[0]
            )
        except Exception as error:
            raise ModelError(f"{self._model.name}: the embedding model failed: {error}") from error
        return found[0]

    def _pool(self, found: Vectors) -> Vectors:
        """The unit vector of a text, cut to the dimensions wanted (Kusupati et al., "Matryoshka Representation Learning", NeurIPS 2022)."""
        if found.ndim == 2:
            pooling = self._model.pooling
            found = found.mean(axis=0) if pooling == "mean" else found[0 if pooling == "cls" else -1]
        return _unit_rows(found[None, : self._model.dimensions or None])[0]


def open_onnx_embedder(name: str, settings: ModelSettings) -> OnnxEmbedder:
    """The built-in model, or the one in a folder."""
    return OnnxEmbedder.load(name, settings.threads)


def _unit_rows(rows: Vectors) -> Vectors:
    norms = np.linalg.norm(rows, axis=1, keepdims=True)
    return (rows / np.maximum(norms, 1e-12)).astype(np.float32)


def replace_surrogates(text: str) -> str:
    """``text``, of the same length, as the tokenizer needs it: lone surrogates cannot be encoded as UTF-8."""
    return text.encode("utf-8", "replace").decode("utf-8")
