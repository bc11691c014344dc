"""An embedding model in a folder: its files, and what they and the setting say of pooling, prefixes, dimensions and window.

The files are those that sentence-transformers saves: ``modules.json``, ``1_Pooling/config.json``, ``config_sentence_transformers.json`` and
``sentence_bert_config.json``; each may be missing. Options behind the folder's name, ``/path?pooling=cls``, come before them, and
they before what is known of a model that is called as the folder is.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, cast
from urllib.parse import urlencode

from ascertain.core.errors import ConfigurationError
from ascertain.models.embed.cards import BUILT_IN, KnownModel, read_card

SETTING = "models.embedder"
MAX_TOKENS = 256
"""Window where the files name none: the built-in model was trained with it (its model card)."""
Pooling = Literal["mean", "cls", "last"]
_OPTIONS = ("query", "passage", "pooling", "dimensions", "window", "revision")
_POOLING: Mapping[str, Pooling] = {
    "mean": "mean",
    "mean_tokens": "mean",
    "cls": "cls",
    "cls_token": "cls",
    "lasttoken": "last",
}
"""By the names that sentence-transformers has for them."""


@dataclass(frozen=True, slots=True)
class FolderModel:
    """``name`` is what vectors are stored under: the folder's, and what makes other vectors than the mean of a text's tokens.

    ``is_pooling_chosen``: the setting says how tokens are pooled, so that what the model may have pooled itself does not count.
    ``lacks`` names a layer of the original that has to be in the ONNX file.
    """

    name: str
    weights: Path
    tokenizer: Path
    pooling: Pooling = "mean"
    is_pooling_chosen: bool = False
    query: str = ""
    passage: str = ""
    dimensions: int = 0
    window: int = MAX_TOKENS
    lacks: str = ""


def read_folder(value: str) -> FolderModel:
    """The model in a folder, ``/path`` or ``/path?option=value``. Raises ConfigurationError for a folder without model and for options and
    files that are invalid.
    """
    path, _, text = (value, "", "") if Path(value).is_dir() else value.partition("?")
    folder = Path(path).expanduser()
    weights = next((f for f in (folder / "model.onnx", folder / "onnx" / "model.onnx") if f.is_file()), None)
    tokenizer = folder / "tokenizer.json"
    if weights is None or not tokenizer.is_file():
        missing = "model.onnx" if weights is None else tokenizer.name
        raise ConfigurationError(
            f"{SETTING} = {value!r}: no {missing} there. Use {BUILT_IN!r} or a folder with model.onnx and tokenizer.json."
        )
    name = folder.resolve().name if folder.name in {"", "."} else folder.name
    card = read_card("onnx", f"{name}?{text}" if text else name, SETTING)
    for option in card.given.keys() - set(_OPTIONS):
        raise ConfigurationError(
            f"{SETTING} = {value!r}: a folder has no option {option!r}; it has {', '.join(_OPTIONS)}"
        )
    modules = _read_modules(folder)
    options = _add_files(folder, modules, card.options, card.given)
    pooling = options.pooling or "mean"
    dimensions = options.dimensions if "dimensions" in card.given else 0
    kept = {"passage": options.passage, "pooling": "" if pooling == "mean" else pooling}
    kept |= {"dimensions": str(dimensions or ""), "revision": options.revision}
    query = urlencode({option: value for option, value in kept.items() if value})
    return FolderModel(
        f"{name}?{query}" if query else name,
        weights,
        tokenizer,
        pooling,
        "pooling" in card.given,
        options.query,
        options.passage,
        dimensions,
        options.window or MAX_TOKENS,
        next((kind for kind in modules if kind not in {"Transformer", "Pooling", "Normalize"}), ""),
    )


def _add_files(folder: Path, modules: Mapping[str, str], options: KnownModel, given: Mapping[str, str]) -> KnownModel:
    """``options`` with what the files say, where nothing is ``given``."""
    prompts = cast("dict[str, str]", _read_json(folder / "config_sentence_transformers.json").get("prompts") or {})
    window = _read_json(folder / "sentence_bert_config.json").get("max_seq_length")
    longest = _read_json(folder / "config.json").get("max_position_embeddings")
    said: dict[str, Any] = {
        "query": prompts.get("query"),
        "passage": prompts.get("document") or prompts.get("passage"),
        "window": window or options.window or min(int(longest or MAX_TOKENS), MAX_TOKENS),
        "pooling": None if "pooling" in given else _read_pooling(folder / modules.get("Pooling", "1_Pooling")),
    }
    return options.model_copy(update={option: value for option, value in said.items() if value and option not in given})


def _read_modules(folder: Path) -> dict[str, str]:
    """The folder of each kind of layer, in order; kinds are the last part of a class's name."""
    file = folder / "modules.json"
    if not file.is_file():
        return {}
    found = cast("list[dict[str, Any]]", _parse(file))
    return {str(each.get("type")).rpartition(".")[2]: str(each.get("path")) for each in found}


def _read_pooling(folder: Path) -> Pooling | None:
    """How tokens are pooled; None if nothing says so. Raises ConfigurationError for an unsupported way."""
    file = folder / "config.json"
    said = _read_json(file)
    prefix = "pooling_mode_"
    modes = [key.removeprefix(prefix) for key, value in said.items() if key.startswith(prefix) and value is True]
    if isinstance(said.get("pooling_mode"), str):
        modes = [str(said["pooling_mode"])]
    unknown = [mode for mode in modes if mode not in _POOLING]
    if unknown or len(modes) > 1 or said.get("include_prompt") is False:
        what = f"pools by {' and '.join(modes)}" if unknown or len(modes) > 1 else "leaves prefixes out of the pooling"
        raise ConfigurationError(
            f"{SETTING}: {file} {what}, which is not supported; choose pooling=mean, cls or last behind the folder's name"
        )
    return _POOLING[modes[0]] if modes else None


def _read_json(file: Path) -> dict[str, Any]:
    found = _parse(file) if file.is_file() else None
    return cast("dict[str, Any]", found) if isinstance(found, dict) else {}


def _parse(file: Path) -> object:
    try:
        return json.loads(file.read_text("utf-8"))
    except (OSError, ValueError) as error:
        raise ConfigurationError(f"{SETTING}: {file} cannot be read: {error}") from error
