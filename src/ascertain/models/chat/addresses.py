"""Where a chat model is: the provider, its name there, the server and the key."""

from __future__ import annotations

import os
from dataclasses import dataclass, field

from ascertain.core.errors import ConfigurationError
from ascertain.core.settings import ChatSettings

NO_KEY = "none"
"""Sent to a server of one's own that asks for none; OpenAI's client insists on sending one."""

_OTHER_PROTOCOLS = frozenset(
    "anthropic azure_ai azure_openai baseten cohere deepseek fireworks google_genai groq huggingface litellm "
    "mistralai nvidia ollama openrouter perplexity together upstage xai".split()
)
"""Providers of LangChain 1.x whose packages take a base_url of their own; with one, every other prefix is part of the
model's name (qwen3:8b) on a server that is compatible with OpenAI's."""


@dataclass(frozen=True, slots=True)
class ModelAddress:
    """``provider`` as init_chat_model names it, empty to let it infer one; without ``key`` the provider finds its own."""

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

    Without a named variable a server of one's own gets no real key: OPENAI_API_KEY is for OpenAI. Raises
    ConfigurationError for a variable that is empty and an address that is none.
    """
    base_url = settings.base_url.rstrip("/")
    if base_url and not base_url.startswith(("http://", "https://")):
        raise ConfigurationError(
            f"models.chat.base_url = {settings.base_url!r} is no address; it begins with http:// or https:// "
            "and often ends in /v1"
        )
    prefix, colon, rest = model.partition(":")
    provider, name = (prefix, rest) if colon else ("", model)
    if base_url and provider not in {"openai", *_OTHER_PROTOCOLS}:
        provider, name = "openai", model
    key = _key(settings.api_key_variable)
    if base_url and provider == "openai":
        key = key or NO_KEY
    return ModelAddress(provider, name, base_url, key)


def _key(variable: str) -> str:
    if not variable:
        return ""
    key = os.environ.get(variable, "").strip()
    if not key:
        raise ConfigurationError(
            f"models.chat.api_key_variable = {variable!r}: that environment variable is empty; set it to the key"
        )
    return key
