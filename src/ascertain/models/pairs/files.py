"""Where the files of an ONNX model are: a folder, or a repository of the Hugging Face hub."""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import Any, cast

from ascertain.core.errors import ConfigurationError, ModelError

_WANTED = ["model.onnx", "onnx/model.onnx", "model.onnx_data", "onnx/model.onnx_data", "*.json"]


def model_folder(name: str, setting: str) -> Path:
    """The folder of the model that ``setting`` names, fetched from the hub once where it is no folder.

    Raises ConfigurationError when it is neither, ModelError when the hub cannot be reached or has no such model.
    """
    folder = Path(name).expanduser()
    if folder.is_dir():
        return folder
    if name.count("/") != 1 or name.startswith((".", "/", "~")):
        raise ConfigurationError(
            f"{setting} = {name!r}: no such folder, and no name of the hub (owner/model) either."
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
            "Fetch it once while online, or name a folder with model.onnx, tokenizer.json and config.json."
        ) from error
