"""Changing single values of a settings file that people write, and nothing else in it."""

from __future__ import annotations

import json
import os
import re
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import cast

from ascertain.core.errors import ConfigurationError
from ascertain.core.toml_files import parse_toml

_TABLE = re.compile(r"\s*\[([^\[\]]+)\]\s*(?:#.*)?$")
_ANY_TABLE = re.compile(r"\s*\[")
_LINE = re.compile(r"[^\n]*\n|[^\n]+")
_TEXT = r"""(?:"(?:[^"\\\n]|\\.)*"|'[^'\n]*')"""
_VALUE = rf"""(?:{_TEXT}|\[(?:{_TEXT}|[^\[\]#"'\n])*\]|[^#"'\n]*?)"""

TomlValue = float | str | Sequence[float | str]


def set_values(path: Path, values: Mapping[str, TomlValue]) -> None:
    """Write ``values`` (by dotted key) into the TOML file at ``path``, which is made when missing.

    Other lines stay as they are, comments too. The file is replaced in one step. Raises ConfigurationError, naming what to write
    by hand, when a value stands in a form that is not understood or the file cannot be written.
    """
    text = path.read_text("utf-8") if path.is_file() else ""
    before = parse_toml(text, str(path))
    for key, value in values.items():
        text = _with_value(text, key, value)
    expected = _overlaid(before, values)
    try:
        done = parse_toml(text, str(path)) == expected
    except ConfigurationError:
        done = False
    if not done:
        lines = ", ".join(f"{key} = {_toml(value)}" for key, value in values.items())
        raise ConfigurationError(
            f"{path}: the values stand there in a form not understood; set by hand: {lines}"
        )
    _replace(path, text)


def _with_value(text: str, key: str, value: TomlValue) -> str:
    """``text`` with ``key`` set, in its table's lines where there is one, else in a new table at the end."""
    table, _, name = key.rpartition(".")
    # not splitlines, which also ends lines where TOML does not
    lines = _LINE.findall(text)
    written = f"{name} = {_toml(value)}"
    # what stands before the first table belongs to none
    start = -1 if not table else next((i for i, line in enumerate(lines) if _names(line, table)), None)
    if start is None:
        gap = "" if not text else "\n" if text.endswith("\n") else "\n\n"
        return f"{text}{gap}[{table}]\n{written}\n"
    end = next((i for i in range(start + 1, len(lines)) if _ANY_TABLE.match(lines[i])), len(lines))
    assigned = re.compile(rf"(\s*){re.escape(name)}\s*=\s*{_VALUE}(\s*#.*)?$")
    for i in range(start + 1, end):
        match = assigned.match(lines[i].rstrip("\r\n"))
        if match:
            lines[i] = f"{match[1]}{written}{match[2] or ''}\n"
            return "".join(lines)
    if start >= 0 and not lines[start].endswith("\n"):
        lines[start] += "\n"
    is_before_table = start < 0 and end == 0 < len(lines)
    lines.insert(start + 1, f"{written}\n\n" if is_before_table else f"{written}\n")
    return "".join(lines)


def _toml(value: TomlValue) -> str:
    """JSON is TOML, but for objects, pairs of surrogates and an unescaped delete character."""
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


def _names(line: str, table: str) -> bool:
    match = _TABLE.match(line.rstrip("\r\n"))
    return match is not None and [part.strip() for part in match[1].split(".")] == table.split(".")


def _overlaid(tables: Mapping[str, object], values: Mapping[str, TomlValue]) -> dict[str, object]:
    merged = dict(tables)
    for key, value in values.items():
        head, _, rest = key.partition(".")
        below = merged.get(head)
        if not rest:
            merged[head] = value
        else:
            merged[head] = _overlaid(
                cast("dict[str, object]", below) if isinstance(below, dict) else {}, {rest: value}
            )
    return merged


def _replace(path: Path, text: str) -> None:
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
