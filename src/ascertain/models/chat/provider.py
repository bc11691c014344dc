"""Opening a chat model of any provider through LangChain's init_chat_model.

The provider's own retries are off: retrying is ``StructuredChat``'s, which records every call. So is streaming except where
``CalledModel`` asks for it. LangChain
traces to LangSmith only where LangSmith's variables ask for it.
"""

from __future__ import annotations

import importlib.util
import os
import re
import warnings
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Literal, cast

from pydantic import ValidationError

from ascertain.core.errors import ConfigurationError, MissingExtra
from ascertain.core.settings import ChatSettings

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel


NO_KEY = "none"
"""Sent to your own server without keys; OpenAI's client always sends one."""

CONNECT_SECONDS = 5.0
"""For a connection, as OpenAI's client has it where nothing is set: a server that is there accepts one at once, however
long its model thinks.
"""
_OTHER_PROTOCOLS = frozenset(
    "anthropic azure_ai azure_openai baseten cohere deepseek fireworks google_genai groq huggingface litellm "
    "mistralai nvidia ollama openrouter perplexity together upstage xai".split()
)
"""Providers of LangChain 1.x whose packages take a base_url of their own; with one, every other prefix is part of the
model's name (qwen3:8b) on a server that is compatible with OpenAI's."""


@dataclass(frozen=True, slots=True)
class ModelAddress:
    """``provider`` as init_chat_model names it, empty to let it infer one; without ``key`` it finds its own."""

    provider: str
    name: str
    base_url: str = ""
    key: str = field(default="", repr=False)

    def __str__(self) -> str:
        where = self.base_url or self.provider
        return f"the chat model {self.name} at {where}" if where else f"the chat model {self.name}"

    @property
    def secret(self) -> str:
        """The key, where it is one."""
        return "" if self.key == NO_KEY else self.key

    @property
    def is_compatible_server(self) -> bool:
        """Whether this is another's server that speaks OpenAI's protocol."""
        return self.provider == "openai" and bool(self.base_url)


def model_address(model: str, settings: ChatSettings) -> ModelAddress:
    """The address of ``model``, written ``provider:name`` or, on a server of one's own, as that server knows it.

    Without a named variable your own server gets no real key: OPENAI_API_KEY is for OpenAI. Raises
    ConfigurationError for a variable that is empty, an invalid address, and a missing name.
    """
    base_url = settings.base_url.rstrip("/")
    if base_url and not base_url.startswith(("http://", "https://")):
        raise ConfigurationError(
            f"models.chat.base_url = {settings.base_url!r} is not an address; it begins with http:// or https:// "
            "and often ends in /v1"
        )
    prefix, colon, rest = model.partition(":")
    provider, name = (prefix, rest) if colon else ("", model)
    if base_url and provider not in {"openai", *_OTHER_PROTOCOLS}:
        provider, name = "openai", model
    if not name.strip():
        raise ConfigurationError(f"models.chat.model = {model!r} does not name a model; write provider:model")
    key = _read_key(settings.api_key_variable)
    if base_url and provider == "openai":
        key = key or NO_KEY
    return ModelAddress(provider, name, base_url, key)


def _read_key(variable: str) -> str:
    if not variable:
        return ""
    key = os.environ.get(variable, "").strip()
    if not key:
        raise ConfigurationError(
            f"models.chat.api_key_variable = {variable!r}: that environment variable is empty; set it to the key"
        )
    return key


Structured = Literal["json_schema", "json_object", "prompt"]

_SIMPLER: dict[Structured, Structured] = {"json_schema": "json_object", "json_object": "prompt"}
# A prompt past the model's window is refused with the same status, and no other wording would help.
_TOO_LONG = re.compile(r"context|too long|too large|too many tokens", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Dialect:
    """How one model is asked.

    ``temperature``: whether it is sent; reasoning models refuse any but their own. ``old_limit``: whether the longest
    reply is given as max_tokens, which every compatible server knows, or as max_completion_tokens, which OpenAI's own
    reasoning models insist on. ``streams``: whether a reply with a listener is requested as a stream.
    """

    structured: Structured
    temperature: bool = True
    old_limit: bool = False
    streams: bool = True

    def conceding(self, refusal: str) -> Dialect | None:
        """What to try after the server refused a request as faulty; None when there is nothing simpler."""
        if _TOO_LONG.search(refusal):
            return None
        if self.temperature and "temperature" in refusal:
            return replace(self, temperature=False)
        if self.old_limit and "max_tokens" in refusal:
            return replace(self, old_limit=False)
        if self.streams and "stream" in refusal:
            return replace(self, streams=False)
        return self.simpler()

    def simpler(self) -> Dialect | None:
        """The next simpler way of asking for structure."""
        kind = _SIMPLER.get(self.structured)
        return replace(self, structured=kind) if kind else None


_SCHEMA_REFUSED = "(This model does not support|Invalid schema for) OpenAI's structured output feature"
_TEMPERATURE_IGNORED = r".*sampling parameter\(s\) .*will be ignored"
"""Said by langchain-google-genai for every call of a model that has a temperature of its own."""
_LIMIT_NAMES = {"ollama": "num_predict"}
"""Providers that call the longest reply something else than max_tokens."""
OLLAMA_WINDOW = 16_384
"""Tokens of a prompt and its reply. Ollama opens a model with 4,096 where the graphics card has less than 24 GiB (docs.ollama.com/context-length,
2026) and cuts longer prompts without a word; ours and a reply of 4,000 fit into this.
"""


def open_model(address: ModelAddress, dialect: Dialect, max_output_tokens: int, timeout: float) -> BaseChatModel:
    """The model at ``address``, without calling it.

    Raises MissingExtra without LangChain, and ConfigurationError that names the package of the provider when that is
    missing, the model when its provider is unknown, and what the provider's package says of its settings, such as a key
    that is not there.
    """
    if importlib.util.find_spec("langchain") is None:
        raise MissingExtra(f"{address} (models.chat.model)", "llm")
    options = _model_options(address, dialect, max_output_tokens, timeout)
    try:
        return _init_model(address, options)
    except ImportError as error:
        raise ConfigurationError(f"{address} needs its provider's package: {error}") from error
    except ValidationError as error:
        refused = {str(e["loc"][0]) for e in error.errors() if e["type"] == "extra_forbidden" and e["loc"]}
        if not refused & options.keys():
            raise _unusable_error(address, error) from error
        # Some packages refuse options they do without, such as a timeout; ours holds anyway.
        return _init_model(address, {name: v for name, v in options.items() if name not in refused})
    except Exception as error:  # packages raise their own for a missing key
        raise _unusable_error(address, error) from error


def _init_model(address: ModelAddress, options: dict[str, Any]) -> BaseChatModel:
    from langchain.chat_models import init_chat_model  # noqa: PLC0415  optional, and takes a second

    # A warning of langchain-openai for programmers when a server refuses a schema; another way is tried then.
    warnings.filterwarnings("ignore", _SCHEMA_REFUSED, UserWarning)
    warnings.filterwarnings("ignore", _TEMPERATURE_IGNORED, UserWarning)
    return cast("BaseChatModel", init_chat_model(address.name, model_provider=address.provider or None, **options))


def _model_options(address: ModelAddress, dialect: Dialect, max_output_tokens: int, timeout: float) -> dict[str, Any]:
    limit = _limit_connecting(timeout) if address.provider == "openai" else timeout
    options: dict[str, Any] = {"max_retries": 0, "timeout": limit, "disable_streaming": True}
    if dialect.temperature:
        options["temperature"] = 0
    if dialect.old_limit:
        # langchain-openai renames max_tokens to max_completion_tokens, which older servers ignore: no limit at all.
        options["extra_body"] = {"max_tokens": max_output_tokens}
    else:
        options[_LIMIT_NAMES.get(address.provider, "max_tokens")] = max_output_tokens
    if address.provider == "ollama":
        options["num_ctx"] = max(OLLAMA_WINDOW, 2 * max_output_tokens)
    if address.base_url:
        options["base_url"] = address.base_url
    if address.key:
        options["api_key"] = address.key
    return options


@lru_cache
def _limit_connecting(timeout: float) -> object:
    """The limit of a call to OpenAI's API, with a shorter one for the connection; other packages take one number."""
    from openai import Timeout  # noqa: PLC0415  optional

    class HashableTimeout(Timeout):
        """langchain-openai shares one pool of connections between clients whose limits are one key of a dictionary."""

        def __hash__(self) -> int:
            return hash((self.read, self.connect))

    return HashableTimeout(timeout, connect=min(timeout, CONNECT_SECONDS))


def _unusable_error(address: ModelAddress, error: Exception) -> ConfigurationError:
    lines = " ".join(str(error).split())
    return ConfigurationError(
        f"{address} cannot be used: {lines} (models.chat.model is provider:model; "
        "models.chat.api_key_variable names the variable with the key)"
    )
