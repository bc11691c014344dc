"""Reading TOML written by people: every failure is one line with the file and the line number."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

from ascertain.core.errors import ConfigurationError

_PLACE = re.compile(r" \(at (?:line (\d+), column \d+|end of document)\)$")


def read_toml(path: Path) -> dict[str, object]:
    """The tables of ``path``. Raises ConfigurationError when it cannot be read or is not TOML."""
    try:
        text = path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise ConfigurationError(f"{path}: not UTF-8 (byte {error.start}); save it as UTF-8") from error
    except OSError as error:
        raise ConfigurationError(f"{path}: cannot be read ({error.strerror})") from error
    return parse_toml(text, str(path))


def parse_toml(text: str, name: str) -> dict[str, object]:
    """The tables in ``text``; errors name ``name`` and the line."""
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        message = str(error)
        place = _PLACE.search(message)
        line = (place[1] if place else None) or str(text.count("\n") + 1)
        raise ConfigurationError(f"{name}:{line}: not valid TOML: {_PLACE.sub('', message)}") from error
