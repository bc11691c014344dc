"""Opening a chat model of any provider through LangChain's init_chat_model.

The provider's own retries and streaming are off: retrying is ``StructuredChat``'s, which books every call. LangChain
traces to LangSmith only where LangSmith's variables ask for it.
"""

from __future__ import annotations

import importlib.util
import warnings
from typing import TYPE_CHECKING, Any, cast

from pydantic import ValidationError

from ascertain.core.errors import ConfigurationError, MissingExtra
from ascertain.models.chat.addresses import ModelAddress
from ascertain.models.chat.dialect import Dialect

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel

_SCHEMA_REFUSED = "(This model does not support|Invalid schema for) OpenAI's structured output feature"
_LIMIT_NAMES = {"ollama": "num_predict"}
"""Providers that call the longest reply something else than max_tokens."""


def open_model(
    address: ModelAddress, dialect: Dialect, max_output_tokens: int, timeout: float
) -> BaseChatModel:
    """The model at ``address``, without calling it.

    Raises MissingExtra without LangChain, and ConfigurationError that names the package of the provider when that is
    missing, the model when its provider is unknown, and what the provider's package says of its settings, such as a key that
    is not there.
    """
    if importlib.util.find_spec("langchain") is None:
        raise MissingExtra(f"{address} (models.chat.model)", "llm")
    options = _options(address, dialect, max_output_tokens, timeout)
    try:
        return _initialised(address, options)
    except ImportError as error:
        raise ConfigurationError(f"{address} needs its provider's package: {error}") from error
    except ValidationError as error:
        refused = {str(e["loc"][0]) for e in error.errors() if e["type"] == "extra_forbidden" and e["loc"]}
        if not refused & options.keys():
            raise _unusable(address, error) from error
        # Some packages refuse options they do without, such as a timeout; ours holds anyway.
        return _initialised(address, {name: v for name, v in options.items() if name not in refused})
    except Exception as error:  # packages raise their own for a missing key
        raise _unusable(address, error) from error


def _initialised(address: ModelAddress, options: dict[str, Any]) -> BaseChatModel:
    from langchain.chat_models import init_chat_model  # noqa: PLC0415  optional, and takes a second

    # Said by langchain-openai to whoever wrote the call when a server refuses a schema; we then ask in another way.
    warnings.filterwarnings("ignore", _SCHEMA_REFUSED, UserWarning)
    return cast(
        "BaseChatModel", init_chat_model(address.name, model_provider=address.provider or None, **options)
    )


def _options(
    address: ModelAddress, dialect: Dialect, max_output_tokens: int, timeout: float
) -> dict[str, Any]:
    options: dict[str, Any] = {"max_retries": 0, "timeout": timeout, "disable_streaming": True}
    if dialect.temperature:
        options["temperature"] = 0
    if dialect.old_limit:
        # langchain-openai renames max_tokens to max_completion_tokens, which older servers ignore: no limit at all.
        options["extra_body"] = {"max_tokens": max_output_tokens}
    else:
        options[_LIMIT_NAMES.get(address.provider, "max_tokens")] = max_output_tokens
    if address.base_url:
        options["base_url"] = address.base_url
    if address.key:
        options["api_key"] = address.key
    return options


def _unusable(address: ModelAddress, error: Exception) -> ConfigurationError:
    lines = " ".join(str(error).split())
    return ConfigurationError(
        f"{address} cannot be used: {lines} (models.chat.model is provider:model; "
        "models.chat.api_key_variable names the variable with the key)"
    )
