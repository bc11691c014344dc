"""Secrets of sources: stored as references, looked up when a source is opened, and removed from every message."""

import importlib
from collections.abc import Mapping
from typing import Any, cast
from urllib.parse import urlsplit

from ascertain.core.errors import MissingExtra, UsageError

_SECRET_WORDS = (
    "password",
    "passwd",
    "passphrase",
    "secret",
    "token",
    "credential",
    "api_key",
    "apikey",
    "account_key",
    "connection_string",
)
"""Of option names: those of fsspec's file systems and of LlamaHub's readers that hold one."""
_SECRET_NAMES = frozenset({"key", "access_key", "sas", "pwd", "auth", "headers"})
_NAMES_REPOSITORY = "github"
"""Whose addresses have an owner and a repository where others have a user and a password."""
HOW = "put it into an environment variable and give env:NAME, or into the keyring and give keyring:SERVICE/USER"
_HIDDEN = "…"
_SHORTEST = 4
"""Characters of a secret that is hidden in messages: one of "1" would make them unreadable."""


def is_secret(option: str) -> bool:
    """Whether the option of this name holds a secret."""
    name = option.lower().rpartition(".")[2]
    return name in _SECRET_NAMES or any(word in name for word in _SECRET_WORDS)


def is_reference(value: str) -> bool:
    """Whether ``value`` refers to a secret instead of containing it."""
    return value.startswith(("env:", "keyring:"))


def check_no_secrets(address: str, options: Mapping[str, str]) -> None:
    """Raise UsageError for an address or an option that has a secret in the clear; the message does not repeat it."""
    try:
        has_password = any(
            urlsplit(part).password and urlsplit(part).scheme != _NAMES_REPOSITORY for part in address.split("::")
        )
    except ValueError as error:
        raise UsageError("the address is not well formed; check it") from error
    if has_password:
        raise UsageError(
            f"the address has a password in it, which would be stored in the clear; leave it out and use --option password=…: {HOW}"
        )
    for name, value in options.items():
        if is_secret(name) and not is_reference(value):
            raise UsageError(f"the option {name} is a secret and would be stored in the clear; {HOW}")


def resolve_secrets(options: Mapping[str, str], environ: Mapping[str, str]) -> dict[str, str]:
    """``options`` with their secrets looked up. Raises UsageError for a missing one."""
    return {name: _resolve(name, value, environ) if is_reference(value) else value for name, value in options.items()}


def hide_values(text: str, options: Mapping[str, str], resolved: Mapping[str, str]) -> str:
    """``text`` without any of the secrets."""
    for name, value in resolved.items():
        if options.get(name) != value and len(value) >= _SHORTEST:
            text = text.replace(value, _HIDDEN)
    return text


def _resolve(option: str, value: str, environ: Mapping[str, str]) -> str:
    place, _, name = value.partition(":")
    if place == "env":
        if not environ.get(name):
            raise UsageError(f"the option {option} names the environment variable {name}, which is not set; set it")
        return environ[name]
    try:
        keyring = cast("Any", importlib.import_module("keyring"))
    except ModuleNotFoundError as error:
        raise MissingExtra(f"{option}={value}", "keyring") from error
    service, _, user = name.partition("/")
    try:
        found = keyring.get_password(service, user)
    except keyring.errors.KeyringError as error:
        raise UsageError(f"the option {option}: the keyring cannot be read ({error}); use env:NAME instead") from error
    if not found:
        raise UsageError(f"the option {option}: not in the keyring; run: keyring set {service} {user}")
    return str(found)
