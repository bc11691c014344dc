"""Changing settings of a knowledge base that is open: how answers are written, by which chat model, and which news providers are asked.

Only what may change while questions are answered: nothing of the store, of the embedding model or of the service itself.
"""

import os
import tomllib
from collections.abc import Mapping
from typing import TYPE_CHECKING, cast
from urllib.parse import urlsplit

from ascertain.app.access.api_keys import is_loopback
from ascertain.app.choosing.configured import HERE, describe_models, list_chat_problems
from ascertain.app.choosing.settings_file import Switch, TomlValue
from ascertain.core.errors import UsageError
from ascertain.core.settings import Settings
from ascertain.core.settings.layers import parse_value
from ascertain.core.system.plugins import NEWS, require_plugin

if TYPE_CHECKING:
    from ascertain.app.container.container import Container

CHANGEABLE = frozenset(
    {
        "answers.language",
        "answers.length",
        "answers.max_sentences",
        "answers.rejection_threshold",
        "answers.tone",
        "budget.seconds",
        "models.chat.api_key_variable",
        "models.chat.base_url",
        "models.chat.model",
        "models.chat.structured",
        "models.chat.tier",
        "models.chat.timeout_seconds",
        "news.fallback",
        "news.providers",
    }
)
CHANGEABLE_TIER = "models.chat.budget."
"""The tier that a trial of a model writes, where the model is good for some tasks only."""


def read_configuration(text: str) -> dict[str, TomlValue]:
    """Lines of ``ascertain.toml``, as a trial of a model gives them, by dotted key. Raises UsageError for invalid TOML."""
    try:
        return dict(_flatten(tomllib.loads(text), ""))
    except tomllib.TOMLDecodeError as error:
        raise UsageError(f"the configuration is not valid TOML: {error}") from error


def change_settings(container: "Container", values: Mapping[str, TomlValue]) -> list[str]:
    """Apply ``values``, by dotted key, and write them to the settings file of the home; a line for each that another layer overrides
    when the program starts next.

    Raises UsageError for a setting that cannot be changed here or an unusable model, ConfigurationError for an invalid value.
    """
    before = container.settings
    settings = before
    written = dict(values)
    for key, value in values.items():
        if key not in CHANGEABLE and not key.startswith(CHANGEABLE_TIER):
            raise UsageError(f"{key} cannot be changed while the service runs; set it in ascertain.toml")
        parsed = parse_value(key, str(value))
        settings = _with_value(settings, key.split("."), parsed)
        if isinstance(parsed, (bool, tuple)):
            written[key] = list(cast("tuple[str, ...]", parsed)) if isinstance(parsed, tuple) else parsed
    for name in settings.news.providers:
        require_plugin(NEWS, name, "news.providers")
    check_address(settings.models.chat.base_url, before.models.chat.base_url)
    if settings.models.chat != before.models.chat and (problems := list_chat_problems(settings.models.chat)):
        raise UsageError("; ".join(problems))
    remarks = Switch(before.home, written, ()).write(os.environ)
    container.adopt(settings)
    return remarks


def check_address(address: str, known: str) -> None:
    """Raise UsageError for the address of a server elsewhere that is not the one ``known`` from the settings: documents go there."""
    if address in {"", known} or is_loopback(urlsplit(address).hostname or ""):
        return
    raise UsageError(f"{address} is not on this machine; the operator of the service sets it as models.chat.base_url")


def list_destinations(settings: Settings) -> list[tuple[str, str]]:
    """What leaves this machine, and where it goes: pairs of ``chat``, ``embedder`` and so on, ``news`` or ``traces``, and a place."""
    models = [
        (each.role, each.where) for each in describe_models(settings.models).models if not each.where.startswith(HERE)
    ]
    news = [("news", name) for name in settings.news.providers]
    traces = [("traces", os.environ.get("OTEL_EXPORTER_OTLP_ENDPOINT", ""))] if settings.telemetry.traces else []
    return [*dict.fromkeys(models), *news, *traces]


def _flatten(table: Mapping[str, object], path: str) -> list[tuple[str, TomlValue]]:
    found: list[tuple[str, TomlValue]] = []
    for name, value in table.items():
        if isinstance(value, dict):
            found += _flatten(cast("dict[str, object]", value), f"{path}{name}.")
        else:
            found.append((f"{path}{name}", cast("TomlValue", value)))
    return found


def _with_value(settings: Settings, path: list[str], value: object) -> Settings:
    return cast("Settings", _replace(settings, path, value))


def _replace(section: object, path: list[str], value: object) -> object:
    name, *rest = path
    changed = _replace(getattr(section, name), rest, value) if rest else value
    return cast("Settings", section).model_copy(update={name: changed})
