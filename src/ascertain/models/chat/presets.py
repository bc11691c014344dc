"""The models of a tier by provider where no setting names one: ``presets.toml``, dated by month.

A key in the environment does not mean to use it: nothing is taken unless ``models.chat.tier`` names a tier.
"""

import os
import tomllib
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from ascertain.core.errors import ConfigurationError
from ascertain.core.settings import ChatSettings, TierSettings

TierName = Literal["budget", "balanced", "premium"]


class _Entry(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class TierPreset(TierSettings):
    """``model`` does the tasks that are empty."""

    model: str = Field(min_length=1)


class ProviderPreset(_Entry):
    """A provider of the file: ``package`` as pip installs it; any of ``key_variables`` holds the key, none is needed where there are none."""

    package: str
    key_variables: tuple[str, ...]
    max_output_tokens: int
    source: str
    budget: TierPreset
    balanced: TierPreset
    premium: TierPreset

    @property
    def key_variable(self) -> str:
        """The one that is set, else the first; empty where no key is needed."""
        return next((name for name in self.key_variables if _is_set(name)), next(iter(self.key_variables), ""))

    @property
    def is_key_set(self) -> bool:
        """Whether the environment holds a key; its value is not read."""
        return any(_is_set(name) for name in self.key_variables)

    def tier(self, name: TierName) -> TierPreset:
        """The models of a tier."""
        return {"budget": self.budget, "balanced": self.balanced, "premium": self.premium}[name]


class Presets(_Entry):
    """The file: ``as_of`` a month, ``providers`` by the names that LangChain has for them."""

    as_of: str
    providers: Mapping[str, ProviderPreset]


@cache
def load_presets() -> Presets:
    """All presets."""
    held = tomllib.loads(files(__package__ or "").joinpath("presets.toml").read_text("utf-8"))
    return Presets(as_of=held.pop("as_of"), providers=held)


def list_tier_models(settings: ChatSettings) -> dict[str, str]:
    """The model of each task in the tier in force, by the task's name; a task without one is left out.

    What the tier's table names comes first, then ``models.chat.model``, then the preset. Raises as ``find_provider``.
    """
    own = _named_models(settings)
    provider = find_provider(settings)
    # a provider by itself, without a tier: the middle one
    tier: TierName = "balanced" if settings.tier == "none" else settings.tier
    preset = load_presets().providers[provider].tier(tier) if provider else None
    tier_models: dict[str, str] = {}
    for task in TierSettings.model_fields:
        general = f"{provider}:{getattr(preset, task) or preset.model}" if preset else settings.model
        if name := own.get(task) or general:
            tier_models[task] = name
    return tier_models


def limit_output(settings: ChatSettings) -> int:
    """The longest reply, in tokens: that of the settings, and where a preset is in force no less than it needs."""
    provider = find_provider(settings)
    held = settings.max_output_tokens
    return max(held, load_presets().providers[provider].max_output_tokens) if provider else held


def find_provider(settings: ChatSettings) -> str:
    """Whose preset fills what the tier leaves empty; empty where none does.

    It is the one that ``models.chat.model`` names by itself. Where that is empty and a tier is named, it is the one whose key the environment
    holds, but only for a tier whose table is empty: a table that names a model on this machine does not send the other tasks to a provider.
    Raises ConfigurationError where there are keys of several.
    """
    if settings.base_url:
        return ""
    providers = load_presets().providers
    if settings.model:
        return settings.model if settings.model in providers else ""
    if settings.tier == "none" or _named_models(settings):
        return ""
    held = {name: preset.key_variable for name, preset in providers.items() if preset.is_key_set}
    if len(held) > 1:
        raise ConfigurationError(
            f"models.chat.tier = {settings.tier!r}: there are keys of {len(held)} providers ({', '.join(held.values())}); "
            f"choose one: models.chat.model = {' or '.join(map(repr, held))}"
        )
    return next(iter(held), "")


def explain_empty_tier(settings: ChatSettings) -> str:
    """What to set where a tier is named and no model is."""
    chosen = f"models.chat.tier = {settings.tier!r}"
    if settings.base_url:
        return f"{chosen}: set a model of {settings.base_url} in models.chat.model; ascertain models find lists them"
    keys = [name for preset in load_presets().providers.values() for name in preset.key_variables]
    return (
        f"{chosen} needs a chat model: set one of {', '.join(keys)}, or set a model in models.chat.model, or a "
        "provider such as ollama; ascertain models find looks for servers on this machine"
    )


def _named_models(settings: ChatSettings) -> dict[str, str]:
    if settings.tier == "none":
        return {}
    table = {"budget": settings.budget, "balanced": settings.balanced, "premium": settings.premium}[settings.tier]
    return {task: name for task, name in table.model_dump().items() if name}


def _is_set(variable: str) -> bool:
    return bool(os.environ.get(variable, "").strip())
