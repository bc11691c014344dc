"""Changing single values of a settings file that people write, and nothing else in it."""

import os
import tempfile
from collections.abc import Mapping, MutableMapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import cast

import tomlkit

from ascertain.app.container.store_addresses import Address, has_secret, without_secrets
from ascertain.core.errors import ConfigurationError
from ascertain.core.settings import StoreSettings
from ascertain.core.settings.layers import CONFIG_NAME, flatten_settings, load_settings
from ascertain.core.settings.profiles import parse_toml
from ascertain.core.system.private_files import PRIVATE_FILE

TomlValue = float | str | Sequence[float | str]


def set_values(path: Path, values: Mapping[str, TomlValue]) -> None:
    """Write ``values`` (by dotted key) into the TOML file at ``path``, which is created if missing.

    Other lines stay as they are, comments too. The file is replaced in one step. Raises ConfigurationError when the
    file is not TOML, has a value where a section belongs, or cannot be written.
    """
    text = path.read_text("utf-8-sig") if path.is_file() else ""
    parse_toml(text, str(path))
    document = tomlkit.parse(text if text.endswith("\n") or not text else f"{text}\n")
    for key, value in values.items():
        _set_value(document, key, value, path)
    changed = tomlkit.dumps(document)
    if parse_toml(changed, str(path)) != document.unwrap():
        lines = ", ".join(f"{key} = {tomlkit.item(value).as_string()}" for key, value in values.items())
        raise ConfigurationError(f"{path}: has a form that cannot be edited; set by hand: {lines}")
    _replace_file(path, changed)


def _set_value(document: tomlkit.TOMLDocument, key: str, value: TomlValue, path: Path) -> None:
    *sections, name = key.split(".")
    table: object = document
    for section in sections:
        tables = cast("MutableMapping[str, object]", table)
        if section not in tables:
            tables[section] = tomlkit.table(is_super_table=section != sections[-1])
        table = tables[section]
        if not isinstance(table, MutableMapping):
            raise ConfigurationError(f"{path}: {section} is a section: write [{section}] and {key} below it")
    cast("MutableMapping[str, object]", table)[name] = value


def _replace_file(path: Path, text: str) -> None:
    target = path.resolve()
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(prefix=".ascertain-", suffix=".toml", dir=target.parent)
        written = Path(name)
        try:
            with os.fdopen(handle, "w", encoding="utf-8", newline="") as file:
                file.write(text)
                file.flush()
                os.fsync(file.fileno())
            written.chmod(target.stat().st_mode & 0o777 if target.exists() else PRIVATE_FILE)
            written.replace(target)
        finally:
            written.unlink(missing_ok=True)
    except OSError as error:
        raise ConfigurationError(f"{path}: cannot be written ({error.strerror}); check its rights") from error


@dataclass(frozen=True, slots=True)
class Switch:
    """``values`` by dotted key, for the ``ascertain.toml`` in ``home``; ``remarks`` say what they do not."""

    home: Path
    values: Mapping[str, TomlValue]
    remarks: tuple[str, ...]

    @property
    def file(self) -> Path:
        """Where the values belong."""
        return self.home / CONFIG_NAME

    def write(self, environ: Mapping[str, str]) -> list[str]:
        """Put the values into the file; a line for each that does not come into force, because another layer sets it
        too.
        """
        if not self.values:
            return []
        set_values(self.file, self.values)
        loaded = load_settings(home=self.home, environ=environ, arguments={})
        now = flatten_settings(loaded.settings)
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
