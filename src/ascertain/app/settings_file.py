"""Changing single values of a settings file that people write, and nothing else in it."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Mapping, MutableMapping, Sequence
from pathlib import Path
from typing import cast

import tomlkit

from ascertain.core.errors import ConfigurationError
from ascertain.core.settings.toml_files import parse_toml

TomlValue = float | str | Sequence[float | str]


def set_values(path: Path, values: Mapping[str, TomlValue]) -> None:
    """Write ``values`` (by dotted key) into the TOML file at ``path``, which is made when missing.

    Other lines stay as they are, comments too. The file is replaced in one step. Raises ConfigurationError when the file is
    not TOML, has a value where a section belongs, or cannot be written.
    """
    text = path.read_text("utf-8-sig") if path.is_file() else ""
    parse_toml(text, str(path))
    document = tomlkit.parse(text if text.endswith("\n") or not text else f"{text}\n")
    for key, value in values.items():
        _set_value(document, key, value, path)
    changed = tomlkit.dumps(document)
    if parse_toml(changed, str(path)) != document.unwrap():
        lines = ", ".join(f"{key} = {tomlkit.item(value).as_string()}" for key, value in values.items())
        raise ConfigurationError(f"{path}: stands in a form that cannot be changed; set by hand: {lines}")
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
            written.chmod(target.stat().st_mode & 0o777 if target.exists() else 0o644)
            written.replace(target)
        finally:
            written.unlink(missing_ok=True)
    except OSError as error:
        raise ConfigurationError(f"{path}: cannot be written ({error.strerror}); check its rights") from error
