"""Opens the models that the settings name, found by entry points.

``models.embedder``, ``.reranker`` and ``.entailment`` take ``KIND:NAME`` or ``KIND``, with a kind of the groups
``ascertain.embedders``, ``.rerankers`` and ``.entailment``; without a kind it is a model in ONNX form. An entry point
stands for a function from the name and ``ModelSettings`` (for entailment the embedding model too) to the model;
docs/extending.md has examples.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, cast

from ascertain.core.errors import ConfigurationError, ModelError
from ascertain.core.settings import ModelSettings
from ascertain.core.system.plugins import EMBEDDERS, ENTAILMENT, READERS, RERANKERS, find_plugin, require_plugin
from ascertain.models.ports import Chat, Embedder, EntailmentModel, Reranker

if TYPE_CHECKING:
    from ascertain.models.reader import DamagedReader, Reader

_ONNX = "onnx"
_KIND = re.compile(r"[a-z][a-z0-9_-]+")
_RULES = frozenset({"auto", "rules", "chat"})


def open_embedder(settings: ModelSettings) -> Embedder:
    """The embedding model of the settings.

    Raises ConfigurationError for an unknown name and ModelError when it cannot be loaded.
    """
    return cast(Embedder, _open_model(EMBEDDERS, "models.embedder", settings.embedder, settings))


def open_chat(settings: ModelSettings) -> Chat | None:
    """The chat models of the settings; None when none is named, which means working offline.

    Raises MissingExtra without the extra ``llm`` and ConfigurationError for invalid settings.
    """
    from ascertain.models.chat.structured import open_chat as open_structured  # noqa: PLC0415  asyncio takes a while

    return open_structured(settings)


def open_entailment(settings: ModelSettings, embedder: Embedder) -> EntailmentModel:
    """What checks claims; the offline checker for ``rules``, and for ``auto`` and ``chat`` what the chat model falls
    back to.

    The checker's weights belong to the built-in embedding model, which is opened beside ``embedder`` where that is
    another one. Raises ConfigurationError for an unknown name, MissingExtra, and ModelError when it cannot be loaded.
    """
    value = "rules" if settings.entailment in _RULES else settings.entailment
    return cast(EntailmentModel, _open_model(ENTAILMENT, "models.entailment", value, settings, embedder))


def open_reranker(settings: ModelSettings) -> Reranker | None:
    """The reranker of the settings; None when none is named.

    Raises ConfigurationError for an unknown name, MissingExtra, and ModelError when it cannot be loaded.
    """
    if not settings.reranker:
        return None
    return cast(Reranker, _open_model(RERANKERS, "models.reranker", settings.reranker, settings))


def open_reader(settings: ModelSettings) -> Reader | DamagedReader | None:
    """The reader of the settings; None when none is named.

    One that cannot be loaded fails when it reads, with the reason: a question is then answered by rules. Raises
    ConfigurationError for a file that is not there.
    """
    if settings.reader in {"", "none"}:
        return None
    from ascertain.models.reader import BUILT_IN  # noqa: PLC0415  0.2 s to import

    path = BUILT_IN if settings.reader == "built-in" else Path(settings.reader).expanduser()
    if path != BUILT_IN and not path.is_file():
        raise ConfigurationError(f"models.reader = {settings.reader!r}: no such file")
    return _load_reader(path, settings)


def open_claim_reader(settings: ModelSettings) -> Reader | DamagedReader | None:
    """What checks claims beside the rules: the built-in one where the reader is, else the reader of the settings itself.

    Fails as ``open_reader`` does.
    """
    if settings.reader != "built-in":
        return open_reader(settings)
    from ascertain.models.reader import BUILT_IN_CLAIMS  # noqa: PLC0415

    return _load_reader(BUILT_IN_CLAIMS, settings)


def open_second_reader(settings: ModelSettings) -> Reader | DamagedReader | None:
    """The large reader, which reads again what the first finds best; None where none is named or, by ``auto``, none is installed.

    Fails as ``open_reader`` does.
    """
    if settings.second_reader in {"", "none"} or settings.reader in {"", "none"}:
        return None
    if settings.second_reader != "auto":
        path = Path(settings.second_reader).expanduser()
        if not path.is_file():
            raise ConfigurationError(f"models.second_reader = {settings.second_reader!r}: no such file")
        return _load_reader(path, settings)
    if find_plugin(READERS, "large") is None:
        return None
    find_file = cast(
        Callable[[], Path], require_plugin(READERS, "large", "models.second_reader").load("models.second_reader")
    )
    return _load_reader(find_file(), settings)


def _load_reader(path: Path, settings: ModelSettings) -> Reader | DamagedReader:
    from ascertain.models.reader import DamagedReader, Reader  # noqa: PLC0415

    try:
        return Reader.load(path, settings.threads)
    except ModelError as error:
        return DamagedReader(str(error))


def _open_model(group: str, setting: str, value: str, *arguments: object) -> object:
    kind, name = split_kind(group, value)
    plugin = require_plugin(group, kind, setting)
    opener = cast(Callable[..., object], plugin.load(setting))
    with plugin.blame_package(setting):
        return opener(name, *arguments)


def _is_path(value: str) -> bool:
    try:
        return Path(value).exists()
    except OSError:  # longer than a name may be, as prefixes of a model are
        return False


def split_kind(group: str, value: str) -> tuple[str, str]:
    """The kind that ``value`` names, and what stands after it; a folder, and a model on a hub, have none."""
    kind, colon, name = value.partition(":")
    is_kind = _KIND.fullmatch(kind) is not None and not _is_path(value)
    # ``KIND:NAME`` can only be a kind, known or not; a word by itself may be a model's own name
    if is_kind and (colon or find_plugin(group, kind)):
        return kind, name
    return _ONNX, value
