"""Cross-encoders in ONNX form: no torch needed."""

from __future__ import annotations

import importlib
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal, cast

import numpy as np
from numpy.typing import NDArray
from tokenizers import Tokenizer

from ascertain.core.errors import ConfigurationError, ModelError
from ascertain.models.onnx import onnx_session, replace_surrogates
from ascertain.models.pairs.ports import Logits

_WANTED = ["model.onnx", "onnx/model.onnx", "model.onnx_data", "onnx/model.onnx_data", "*.json"]


def model_folder(name: str, setting: str) -> Path:
    """The folder of the model that ``setting`` names, fetched from the hub once unless it is a folder.

    Raises ConfigurationError when it is neither, ModelError when the hub cannot be reached or has no such model.
    """
    folder = Path(name).expanduser()
    if folder.is_dir():
        return folder
    if name.count("/") != 1 or name.startswith((".", "/", "~")):
        raise ConfigurationError(
            f"{setting} = {name!r}: no such folder, and not a name of the hub (owner/model) either."
        )
    return _from_hub(name, setting)


def model_file(folder: Path, setting: str) -> Path:
    """The weights in ``folder``; raises ConfigurationError when they or the tokenizer are not there."""
    weights = next((f for f in (folder / "model.onnx", folder / "onnx" / "model.onnx") if f.is_file()), None)
    missing = "model.onnx" if weights is None else "tokenizer.json"
    if weights is None or not (folder / "tokenizer.json").is_file():
        raise ConfigurationError(
            f"{setting}: no {missing} in {folder}. An exported model has model.onnx, tokenizer.json and config.json."
        )
    return weights


def _from_hub(name: str, setting: str) -> Path:
    hub = cast(Any, importlib.import_module("huggingface_hub"))  # comes with tokenizers; 0.3 s to import
    try:
        return Path(hub.snapshot_download(name, allow_patterns=_WANTED))
    except Exception as error:  # the hub's own, httpx's and the system's
        raise ModelError(
            f"{setting} = {name!r}: could not be fetched from the hub ({type(error).__name__}: {error}). "
            "Fetch it once while online, or give a folder with model.onnx, tokenizer.json and config.json."
        ) from error


BATCH = 16
WINDOW = 512
"""Tokens of a window where the model's files name none: that of BERT and its kin."""
LARGEST_WINDOW = 8192
"""Some tokenizer files say 10^30 for "no limit"."""
OVERLAP = 64
"""Tokens shared by neighbouring windows: about two sentences, so that one is whole somewhere."""


class OnnxPairModel:
    """A folder with ``model.onnx`` (or ``onnx/model.onnx``), ``tokenizer.json`` and ``config.json``.

    ``long`` says which text of a pair is read in windows when both are too long for the model; the other is never cut.
    """

    def __init__(
        self, name: str, folder: Path, setting: str, *, long: Literal["first", "second"], threads: int = 0
    ) -> None:
        weights = model_file(folder, setting)
        try:
            self._tokenizer = cast(Any, Tokenizer.from_file(str(folder / "tokenizer.json")))
            self._session = onnx_session(weights, threads)
        except Exception as error:  # both libraries raise bare Exception subclasses of their own
            raise ModelError(f"{setting} = {name!r}: the model could not be loaded: {error}") from error
        self._name = name
        self._tokenizer.no_padding()
        window = _read_window(folder)
        self._tokenizer.enable_truncation(window, stride=min(OVERLAP, window // 4), strategy=f"only_{long}")
        self._inputs: list[str] = [str(node.name) for node in self._session.get_inputs()]
        self._labels = _read_labels(folder)

    @classmethod
    def load(
        cls, name_or_path: str, setting: str, *, long: Literal["first", "second"], threads: int = 0
    ) -> OnnxPairModel:
        """Open a folder or a name of the hub; ``setting`` is named in errors.

        Raises ConfigurationError when there is no such model, ModelError when it cannot be fetched or loaded.
        """
        return cls(name_or_path, model_folder(name_or_path, setting), setting, long=long, threads=threads)

    @property
    def name(self) -> str:
        return self._name

    @property
    def labels(self) -> tuple[str, ...]:
        return self._labels

    def logits(self, pairs: Sequence[tuple[str, str]]) -> list[Logits]:
        windows: list[Any] = []
        owners: list[int] = []
        for index, encoding in enumerate(self._encode_pairs(pairs)):
            every = [encoding, *encoding.overflowing]
            windows += every
            owners += [index] * len(every)
        order = sorted(range(len(windows)), key=lambda i: -len(windows[i].ids))
        found: dict[int, NDArray[np.float64]] = {}
        for start in range(0, len(order), BATCH):
            rows = order[start : start + BATCH]
            found |= dict(zip(rows, self._run_batch([windows[i] for i in rows]), strict=True))
        gathered: list[list[NDArray[np.float64]]] = [[] for _ in pairs]
        for i, owner in enumerate(owners):
            gathered[owner].append(found[i])
        return [np.stack(each) for each in gathered]

    def _encode_pairs(self, pairs: Sequence[tuple[str, str]]) -> list[Any]:
        clean = [tuple(replace_surrogates(text) for text in pair) for pair in pairs]
        try:
            return cast("list[Any]", self._tokenizer.encode_batch(clean))
        except BaseException as error:  # tokenizers panics where the other text alone fills the window
            if isinstance(error, KeyboardInterrupt | SystemExit):
                raise
            raise ModelError(f"{self._name}: a claim or question is too long for the model: {error}") from error

    def _run_batch(self, encodings: Sequence[Any]) -> NDArray[np.float64]:
        length = max(len(encoding.ids) for encoding in encodings)
        feeds = {
            name: np.zeros((len(encodings), length), dtype=np.int64)
            for name in ("input_ids", "attention_mask", "token_type_ids")
        }
        for row, encoding in enumerate(encodings):
            count = len(encoding.ids)
            feeds["input_ids"][row, :count] = encoding.ids
            feeds["attention_mask"][row, :count] = 1
            feeds["token_type_ids"][row, :count] = encoding.type_ids
        try:
            output = self._session.run(None, {name: feeds[name] for name in self._inputs})[0]
        except Exception as error:
            raise ModelError(f"{self._name}: the model failed: {error}") from error
        logits = np.asarray(output, dtype=np.float64)
        return logits.reshape(len(encodings), -1)


def _read_labels(folder: Path) -> tuple[str, ...]:
    named = cast("dict[str, str]", _read_json(folder / "config.json").get("id2label") or {})
    return tuple(str(named[key]).lower() for key in sorted(named, key=int))


def _read_window(folder: Path) -> int:
    said = (
        _read_json(folder / "tokenizer_config.json").get("model_max_length"),
        _read_json(folder / "config.json").get("max_position_embeddings"),
    )
    known = [int(value) for value in said if value and int(value) <= LARGEST_WINDOW]
    return min(known, default=WINDOW)


def _read_json(file: Path) -> dict[str, Any]:
    return cast("dict[str, Any]", json.loads(file.read_text("utf-8"))) if file.is_file() else {}
