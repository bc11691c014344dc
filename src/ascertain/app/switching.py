"""Making commands use a knowledge base from now on: the settings that name it, and the file they belong in."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from ascertain.app.settings_file import set_values
from ascertain.app.store_addresses import Address, has_secret, without_secrets
from ascertain.core.settings import StoreSettings
from ascertain.core.settings.layers import CONFIG_NAME, flat, load_settings


@dataclass(frozen=True, slots=True)
class Switch:
    """``values`` by dotted key, for the ``ascertain.toml`` in ``home``; ``remarks`` are lines on what they do not say."""

    home: Path
    values: Mapping[str, str]
    remarks: tuple[str, ...]

    @property
    def file(self) -> Path:
        """Where the values belong."""
        return self.home / CONFIG_NAME

    def write(self, environ: Mapping[str, str]) -> list[str]:
        """Put the values into the file; a line for each that does not come into force, because another layer sets it too."""
        if not self.values:
            return []
        set_values(self.file, self.values)
        loaded = load_settings(home=self.home, environ=environ, arguments={})
        now = flat(loaded.settings)
        return [
            f"{key} is still {now[key]!r}, from {loaded.origins[key]}"
            for key, value in self.values.items()
            if now[key] != value
        ]


def switch_from(source: Address, target: Address) -> Switch:
    """What makes the commands that use ``source`` use ``target``; a target in a folder is a home of its own."""
    store = target.store
    if not store.url:
        values = {"store.kind": store.kind, "store.url": ""}
        is_default = store.kind == StoreSettings().kind and not (target.home / CONFIG_NAME).is_file()
        return Switch(target.home, {} if is_default else values, (f"use it with --home {target.home}",))
    values = {"store.kind": store.kind, "store.url": without_secrets(store.url)}
    if store.name != StoreSettings().name:
        values["store.name"] = store.name
    remarks: list[str] = []
    if has_secret(store.url):
        remarks.append(f"put the password into the environment variable {store.key_variable}")
    return Switch(target.home if source.store.url else source.home, values, tuple(remarks))
